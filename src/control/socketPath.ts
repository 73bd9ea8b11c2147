import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';

const SOCKET_NAME = 'control.sock';

/** Where the daemon of this state directory listens: a Unix socket, or a named pipe on Windows. */
export function controlSocketPath(stateDir: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') return path.posix.join(stateDir, SOCKET_NAME);
  // Windows paths are case-insensitive, and a pipe can't have a path as its name.
  const key = path.win32.resolve(stateDir).toLowerCase();
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 16);
  return String.raw`\\.\pipe\receiptd-${hash}`;
}

/** The value on Linux; Node has no constant for it. */
const O_PATH = 0o10000000;

/** Size of `sun_path` in bytes, without the terminating NUL. */
function socketPathLimit(platform: NodeJS.Platform): number {
  return platform === 'linux' ? 107 : 103;
}

export interface Address {
  /** To bind or to connect to; valid until `release`. */
  readonly address: string;
  release(): Promise<void>;
}

/**
 * An address for the socket that fits into `sun_path`. A longer path would be truncated without an error and create the
 * socket elsewhere; on Linux it is reached through the opened directory instead.
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
  // O_PATH needs only search permission, so it also works for users who can't read the directory.
  const directory = await open(path.dirname(socketPath), O_PATH);
  const address = `/proc/self/fd/${directory.fd}/${path.basename(socketPath)}`;
  return { address, release: () => directory.close() };
}

function tooLong(socketPath: string, length: number, limit: number): ReceiptdError {
  return new ReceiptdError('CONTROL_FAILED.socketPathTooLong', { socketPath, length, limit });
}

/** Whether the error means that nothing listens on the socket. */
export function isNobodyThere(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR';
}
