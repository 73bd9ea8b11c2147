import { ReceiptdError, systemCode } from '../../domain/errors.ts';
import { PROTOCOL, errorBody } from './protocol.ts';
import type { Operation, Protocol, Request, Response } from './protocol.ts';
import { controlSocketPath, isNobodyThere, reachable } from './socketPath.ts';

const TIMEOUT_MS = 30_000;
const ANSWER_LIMIT = 16 * 1024 * 1024;

/**
 * Asks the daemon of this state directory to do something.
 * @throws ReceiptdError NOT_RUNNING, CONTROL_FAILED, or what the operation throws there.
 */
export async function callControl<O extends Operation>(
  stateDir: string,
  operation: O,
  request: Request<O>,
  options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
): Promise<Response<O>> {
  const { status, text } = await exchange(stateDir, operation, JSON.stringify(request), options);
  const body = parseJson(text);
  if (status !== 200) throw rebuild(body);
  const { response: answer }: Protocol[O] = PROTOCOL[operation];
  const response = answer.safeParse(body);
  if (!response.success) throw notUnderstood(response.error);
  return response.data;
}

async function exchange(
  stateDir: string,
  operation: Operation,
  body: string,
  options: { readonly signal?: AbortSignal; readonly timeoutMs?: number },
): Promise<{ status: number; text: string }> {
  const timeout = options.timeoutMs ?? TIMEOUT_MS;
  const socketPath = controlSocketPath(stateDir);
  const address = await reachable(socketPath).catch((error: unknown) => {
    throw failed(error, socketPath, stateDir);
  });
  // Loaded when it is wanted: a command without a daemon has no use for it.
  const { Client } = await import('undici');
  const client = new Client('http://receiptd', {
    connect: { socketPath: address.address, timeout },
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: ANSWER_LIMIT,
  });
  try {
    const { statusCode, body: answer } = await client.request({
      method: 'POST',
      path: `/v1/${operation}`,
      headers: { 'content-type': 'application/json' },
      body,
      signal: options.signal ?? null,
    });
    return { status: statusCode, text: await answer.text() };
  } catch (error) {
    options.signal?.throwIfAborted();
    throw failed(error, socketPath, stateDir);
  } finally {
    await client.destroy();
    await address.release();
  }
}

function failed(error: unknown, socketPath: string, stateDir: string): ReceiptdError {
  if (error instanceof ReceiptdError) return error;
  if (isNobodyThere(error)) {
    return new ReceiptdError('NOT_RUNNING', `receiptd is not running on the state directory ${stateDir}.`, {
      hint: 'Start it with "receiptd run".',
      cause: error,
    });
  }
  const code = systemCode(error) ?? 'unknown reason';
  const hint =
    code === 'EACCES' || code === 'EPERM'
      ? 'Run this command as the user that receiptd runs as, or as root.'
      : 'Try again; if it stays, look at its log.';
  return new ReceiptdError(
    'CONTROL_FAILED',
    `The running receiptd cannot be asked at ${socketPath} (${code}).`,
    {
      hint,
      cause: error,
    },
  );
}

function rebuild(body: unknown): ReceiptdError {
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) return notUnderstood(parsed.error);
  const { code, message, hint } = parsed.data;
  return new ReceiptdError(code, message, hint === undefined ? {} : { hint });
}

function notUnderstood(cause: unknown): ReceiptdError {
  return new ReceiptdError(
    'CONTROL_FAILED',
    'The running receiptd gave an answer that this one does not understand.',
    {
      hint: 'It may be of another version: restart it.',
      cause,
    },
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
