import type { ErrorBody, Operation, Request, Response as Answer } from '../../control/protocol/protocol.ts';
import { t } from './texts.ts';

interface ToldError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly key?: string | undefined;
  readonly params?: object | undefined;
  readonly isLocal?: boolean;
}

/** An error reported by the daemon, in its own words; `status` is 0 if it did not answer or was not asked. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** What its words in the reader's language are made of. */
  readonly said: ToldError;
  /** The message comes from the console, not from the daemon. */
  readonly isLocal: boolean;

  constructor(status: number, body: ToldError) {
    super(body.message);
    this.name = 'ApiError';
    this.status = status;
    this.code = body.code;
    this.said = body;
    this.isLocal = status === 0 || body.isLocal === true;
  }
}

let signedOut: () => void = () => {};

/** Sets the listener for answers that say that the session has ended. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener;
}

/** @throws ApiError, or what `signal` aborts with */
export async function call<O extends Operation>(
  operation: O,
  request: Request<O>,
  signal?: AbortSignal,
): Promise<Answer<O>> {
  const answer = await send('POST', `/v1/${operation}`, request, signal);
  return (await contentOf(answer)) as Answer<O>;
}

/** What an operation answered. @throws ApiError */
export async function contentOf(answer: Response): Promise<unknown> {
  if (answer.status === 401) signedOut();
  if (!answer.ok) throw await refusal(answer);
  return readJson(answer);
}

type InParts = 'actOnMany' | 'countDocuments' | 'documents' | 'facets';

/** Calls an operation whose answer comes in parts, until the last one. @throws as `call` */
export async function* callInParts<O extends InParts>(
  operation: O,
  request: Request<O>,
  signal?: AbortSignal,
): AsyncGenerator<Answer<O>> {
  let cursor: string | null = null;
  do {
    const part: Answer<O> = await call(operation, { ...request, ...(cursor !== null && { cursor }) }, signal);
    yield part;
    cursor = part.next;
  } while (cursor !== null);
}

export interface BrowserSession {
  readonly signedIn: boolean;
  readonly password: boolean;
}

/** Values missing from an older daemon's answer count as false. */
export async function session(): Promise<BrowserSession> {
  const answer = await send('GET', '/session');
  if (!answer.ok) return { signedIn: false, password: false };
  const body = (await readJson(answer)) as Partial<BrowserSession>;
  return { signedIn: body.signedIn === true, password: body.password === true };
}

/** @throws ApiError */
export async function signIn(proof: { token: string } | { password: string }): Promise<void> {
  const answer = await send('POST', '/session', proof);
  if (answer.ok) return;
  const wait = Number(answer.headers.get('retry-after'));
  const local = (message: string) =>
    new ApiError(answer.status, { code: 'CONSOLE_SIGNED_OUT', message, isLocal: true });
  if (answer.status === 429) throw local(t.signIn.tooMany(wait));
  if (answer.status === 401) throw local('token' in proof ? t.signIn.usedLink : t.signIn.wrongPassword);
  throw await refusal(answer);
}

/** @throws ApiError */
export async function signOut(): Promise<void> {
  const answer = await send('DELETE', '/session');
  if (!answer.ok && answer.status !== 401) throw await refusal(answer);
}

async function send(method: string, url: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { 'x-receiptd': 'console', 'content-type': 'application/json' };
  try {
    return await fetch(url, {
      method,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw unreachable(error);
  }
}

async function readJson(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch (error) {
    if (isAbort(error)) throw error;
    throw unreachable(error);
  }
}

export function unreachable(cause: unknown): ApiError {
  const error = new ApiError(0, { code: 'NOT_RUNNING', message: t.connection.noAnswer });
  error.cause = cause;
  return error;
}

async function refusal(answer: Response): Promise<ApiError> {
  const body = await answer.json().catch(() => null);
  const { code, message, ...rest } = (body ?? {}) as Partial<ErrorBody>;
  return new ApiError(answer.status, {
    code: code ?? `HTTP_${answer.status}`,
    message: message ?? t.connection.refused(answer.status),
    ...rest,
    isLocal: message === undefined,
  });
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
