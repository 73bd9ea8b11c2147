import { chmod, lstat, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { ReceiptdError, asReceiptdError, systemCode } from '../../domain/errors.ts';
import type { Log } from '../../ports/log.ts';
import { PROTOCOL, isOperation } from './protocol.ts';
import type { ErrorBody, Operation, Operations, Protocol } from './protocol.ts';
import { reachable } from './socketPath.ts';
import type { Address } from './socketPath.ts';

export interface ControlServerOptions {
  /** From `controlSocketPath`. The caller holds the instance lock, and so may replace a stale socket. */
  readonly socketPath: string;
  readonly operations: Operations;
  readonly log: Log;
  /** How long `close` lets running operations finish, in milliseconds. */
  readonly closeGraceMs?: number;
}

export interface ControlServer {
  /** Ends connections and removes the socket. Call it before the instance lock is released. Idempotent. */
  close(): Promise<void>;
}

const BODY_LIMIT = 1024 * 1024;
const RECEIVE_TIMEOUT_MS = 10_000;
const CLOSE_GRACE_MS = 2000;

interface Reply {
  readonly status: number;
  readonly body: object;
}

/** @throws ReceiptdError CONTROL_FAILED */
export async function startControlServer(options: ControlServerOptions): Promise<ControlServer> {
  const { socketPath, operations, log } = options;
  const server = createServer((request, response) => {
    void answer(request, operations, log).then((reply) => {
      const { status, body } = reply;
      // The rest of a body that was refused would be taken for the next request.
      if (!request.complete) response.setHeader('connection', 'close');
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  server.headersTimeout = RECEIVE_TIMEOUT_MS;
  server.requestTimeout = RECEIVE_TIMEOUT_MS;

  let address: Address;
  try {
    address = await reachable(socketPath);
  } catch (error) {
    throw asReceiptdError(error, 'CONTROL_FAILED', `The control socket ${socketPath} cannot be made.`);
  }
  try {
    if (process.platform !== 'win32') await removeStale(socketPath);
    await listen(server, address.address);
    if (process.platform !== 'win32') await chmod(socketPath, 0o600);
  } catch (error) {
    server.close();
    await address.release();
    const why = systemCode(error) ?? 'unknown reason';
    throw asReceiptdError(
      error,
      'CONTROL_FAILED',
      `The control socket ${socketPath} cannot be made (${why}).`,
    );
  }
  server.on('error', (error) => log.warn('The control socket reports trouble', { why: error.message }));

  let closing: Promise<void> | null = null;
  return {
    close: () =>
      (closing ??= close(server, options.closeGraceMs ?? CLOSE_GRACE_MS).then(
        // Only now: closing removes the socket by the address that it was bound to.
        () => address.release(),
      )),
  };
}

async function removeStale(socketPath: string): Promise<void> {
  const found = await lstat(socketPath).catch(() => null);
  if (found === null) return;
  if (!found.isSocket()) {
    throw new ReceiptdError('CONTROL_FAILED', `${socketPath} is in the way: it is not a socket.`, {
      hint: 'Move it elsewhere.',
    });
  }
  await rm(socketPath, { force: true });
}

async function listen(server: Server, address: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // The socket exists from within `listen` on, which binds before it returns; nobody else may connect in the
    // moment before its mode is set.
    const umask = process.platform === 'win32' ? null : process.umask(0o077);
    try {
      server.listen({ path: address }, () => {
        server.removeListener('error', reject);
        resolve();
      });
    } finally {
      if (umask !== null) process.umask(umask);
    }
  });
}

async function close(server: Server, graceMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const impatient = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(impatient);
      resolve();
    });
    server.closeIdleConnections();
  });
}

async function answer(request: IncomingMessage, operations: Operations, log: Log): Promise<Reply> {
  try {
    const name = /^\/v1\/([A-Za-z]+)$/.exec(request.url ?? '')?.[1];
    if (name === undefined || !isOperation(name)) {
      return failure(
        404,
        'USAGE',
        'The running receiptd does not know this operation.',
        'Restart it if it is older than this program.',
      );
    }
    if (request.method !== 'POST') return failure(405, 'USAGE', 'Operations are asked for with POST.');
    const body = await receive(request);
    if (body === null) return failure(413, 'USAGE', `The request is larger than ${BODY_LIMIT} bytes.`);
    return await perform(PROTOCOL[name], operations[name], body);
  } catch (error) {
    if (error instanceof ReceiptdError) {
      return failure(422, error.code, error.message, error.hint);
    }
    if (request.destroyed && !request.complete) return failure(400, 'USAGE', 'The request is not complete.');
    log.error('A control operation failed', { url: request.url, why: String(error) });
    return failure(500, 'CONTROL_FAILED', 'The running receiptd could not do this.', 'Its log says why.');
  }
}

async function perform<O extends Operation>(
  { request }: Protocol[O],
  operation: Operations[O],
  body: string,
): Promise<Reply> {
  const parsed = request.safeParse(parseJson(body));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue === undefined || issue.path.length === 0 ? 'the request' : issue.path.join('.');
    return failure(400, 'USAGE', `${where}: ${issue?.message ?? 'invalid'}.`);
  }
  return { status: 200, body: await operation(parsed.data) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Null for a body above the limit. */
async function receive(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size > BODY_LIMIT) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function failure(status: number, code: ErrorBody['code'], message: string, hint?: string): Reply {
  const body: ErrorBody = hint === undefined ? { code, message } : { code, message, hint };
  return { status, body };
}
