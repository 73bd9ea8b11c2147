import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';

const SOCKET_NAME = 'control.sock';

/** Where the daemon of this state directory listens: a Unix socket, or a named pipe on Windows. */
export function controlSocketPath(stateDir: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') return path.posix.join(stateDir, SOCKET_NAME);
  // Windows' paths mean the same in any case; pipes have names of their own.
  const key = path.win32.resolve(stateDir).toLowerCase();
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 16);
  return String.raw`\\.\pipe\receiptd-${hash}`;
}

/** Linux's, which Node does not name. */
const O_PATH = 0o10000000;

/** Bytes of `sun_path` without the NUL at its end. */
function socketPathLimit(platform: NodeJS.Platform): number {
  return platform === 'linux' ? 107 : 103;
}

export interface Address {
  /** To bind or to connect to; valid until `release`. */
  readonly address: string;
  release(): Promise<void>;
}

/**
 * A longer path would be cut short without an error, and the socket lie elsewhere. Linux reaches it through
 * the opened directory instead.
 * @throws ReceiptdError CONTROL_FAILED (too long), or the system error of the directory (ENOENT, EACCES).
 */
export async function reachable(
  socketPath: string,
  platform: NodeJS.Platform = process.platform,
): Promise<Address> {
  const limit = socketPathLimit(platform);
  const length = Buffer.byteLength(socketPath);
  if (platform === 'win32' || length <= limit) return { address: socketPath, release: async () => {} };
  if (platform !== 'linux') throw tooLong(socketPath, length, limit);
  // Who may only pass through it can't open it for reading.
  const directory = await open(path.dirname(socketPath), O_PATH);
  const address = `/proc/self/fd/${directory.fd}/${path.basename(socketPath)}`;
  return { address, release: () => directory.close() };
}

function tooLong(socketPath: string, length: number, limit: number): ReceiptdError {
  return new ReceiptdError(
    'CONTROL_FAILED',
    `The path of the control socket ${socketPath} has ${length} bytes, but the system allows only ${limit}.`,
    { hint: 'Set stateDir (or RECEIPTD_STATE_DIR) to a shorter path.' },
  );
}

/** Whether an error says that nobody listens there. */
export function isNobodyThere(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR';
}
