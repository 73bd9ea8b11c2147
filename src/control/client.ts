import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import type { ErrorBody, Operation, Protocol, Request, Response } from './protocol/protocol.ts';
import { startCommand } from '../system/userName.ts';
import { controlSocketPath, isNobodyThere, reachable } from './socketPath.ts';

const TIMEOUT_MS = 30_000;
const ANSWER_LIMIT = 16 * 1024 * 1024;

/**
 * Calls an operation of the daemon that runs on this state directory.
 * @throws ReceiptdError NOT_RUNNING, CONTROL_FAILED, or the error that the operation threw in the daemon
 */
export async function callControl<O extends Operation>(
  stateDir: string,
  operation: O,
  request: Request<O>,
  options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
): Promise<Response<O>> {
  const { status, text } = await exchange(stateDir, operation, JSON.stringify(request), options);
  // Loaded only for an answer: building all schemas takes a tenth of a command's startup time, wasted if no agent is running.
  const { PROTOCOL, errorBody } = await import('./protocol/protocol.ts');
  const body = parseJson(text);
  if (status !== 200) throw rebuild(errorBody.safeParse(body));
  const { response: answer }: Protocol[O] = PROTOCOL[operation];
  const response = answer.safeParse(body);
  if (!response.success) throw notUnderstood(response.error);
  return response.data;
}

/** Like `callControl`; null if no daemon runs on this state directory. */
export async function callIfRunning<O extends Operation>(
  ...asked: Parameters<typeof callControl<O>>
): Promise<Response<O> | null> {
  try {
    return await callControl(...asked);
  } catch (error) {
    if (error instanceof ReceiptdError && error.code === 'NOT_RUNNING') return null;
    throw error;
  }
}

async function exchange(
  stateDir: string,
  operation: Operation,
  body: string,
  options: { readonly signal?: AbortSignal; readonly timeoutMs?: number },
): Promise<{ status: number; text: string }> {
  const timeout = options.timeoutMs ?? TIMEOUT_MS;
  const socketPath = controlSocketPath(stateDir);
  const address = await reachable(socketPath).catch(async (error: unknown) => {
    throw await failed(error, socketPath, stateDir);
  });
  try {
    return await post(
      { path: `/v1/${operation}`, socketPath: address.address, body, timeout },
      options.signal,
    );
  } catch (error) {
    options.signal?.throwIfAborted();
    throw await failed(error, socketPath, stateDir);
  } finally {
    await address.release();
  }
}

interface Post {
  readonly path: string;
  readonly socketPath: string;
  readonly body: string;
  /** Longest silence before the answer starts and between its parts; milliseconds. */
  readonly timeout: number;
}

/** Uses node:http, because loading undici takes longer than the request itself. */
async function post({ path, socketPath, body, timeout }: Post, signal?: AbortSignal) {
  const headers = { host: 'receiptd', 'content-type': 'application/json' };
  const sent = request({ method: 'POST', path, socketPath, headers, agent: false, timeout, signal });
  sent.on('timeout', () => sent.destroy(problem('ETIMEDOUT')));
  // `once` and the loop below report errors to the caller. Between the two, an 'error' event without a listener would crash the process.
  sent.on('error', () => {});
  sent.end(body);
  const [answer]: IncomingMessage[] = await once(sent, 'response');
  if (!answer) throw problem('EPROTO');
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > ANSWER_LIMIT) throw problem('EMSGSIZE');
      parts.push(part);
    }
  } finally {
    sent.destroy();
  }
  return { status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() };
}

function problem(code: string): Error {
  return Object.assign(new Error(`The answer of the running receiptd: ${code}`), { code });
}

async function failed(error: unknown, socketPath: string, stateDir: string): Promise<ReceiptdError> {
  if (error instanceof ReceiptdError) return error;
  if (isNobodyThere(error)) {
    // Loaded on demand: only a command that finds no agent needs it.
    const { lockHolder } = await import('../state-dir/lockHolder.ts');
    const holder = await lockHolder(stateDir);
    if (holder !== false) return unasked(holder.pid, socketPath, stateDir, error);
    return new ReceiptdError(
      'NOT_RUNNING.stateDir',
      { stateDir, command: await startCommand(stateDir) },
      { cause: error },
    );
  }
  return new ReceiptdError(
    'CONTROL_FAILED.notReached',
    { socketPath, system: systemCode(error) ?? null, isWindows: process.platform === 'win32' },
    { cause: error },
  );
}

/** Neither not running nor to be asked. */
function unasked(pid: number | null, socketPath: string, stateDir: string, cause: unknown): ReceiptdError {
  return new ReceiptdError('ALREADY_RUNNING.unasked', { pid, stateDir, socketPath }, { cause });
}

function rebuild(parsed: z.ZodSafeParseResult<ErrorBody>): ReceiptdError {
  if (!parsed.success) return notUnderstood(parsed.error);
  return new ReceiptdError(parsed.data);
}

function notUnderstood(cause: unknown): ReceiptdError {
  return new ReceiptdError('CONTROL_FAILED.notUnderstood', { cause });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
