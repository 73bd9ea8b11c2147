import { chmod, chown, lstat, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Clock } from '../../core/ports/clock.ts';
import { ReceiptdError, asReceiptdError, messageOf, systemCode } from '../../core/domain/errors.ts';
import { closeServer } from '../../http/listen.ts';
import { respond, type Offer } from './respond.ts';
import { reachable } from '../socketPath.ts';
import type { Address } from '../socketPath.ts';

export interface ControlServerOptions extends Offer {
  /** From `controlSocketPath`. The caller holds the instance lock, and so may replace a stale socket. */
  readonly socketPath: string;
  /** Group whose members may use the socket too. */
  readonly gid?: number | null;
  /** How long `close` lets running operations finish, in milliseconds. */
  readonly closeGraceMs?: number;
}

export interface ControlServer {
  /** Makes the socket again if something removed or replaced it, until aborted. */
  keepReachable(clock: Clock, signal: AbortSignal): Promise<void>;
  /** Ends connections and removes the socket. Must be called before the instance lock is released. Idempotent. */
  close(): Promise<void>;
}

const RECEIVE_TIMEOUT_MS = 10_000;
const CLOSE_GRACE_MS = 2000;
const LOOK_EVERY_MS = 2_000;

/** @throws ReceiptdError CONTROL_FAILED */
export async function startControlServer(options: ControlServerOptions): Promise<ControlServer> {
  const { socketPath, log } = options;
  const server = createServer((request, response) => void respond(request, response, options));
  server.headersTimeout = RECEIVE_TIMEOUT_MS;
  server.requestTimeout = RECEIVE_TIMEOUT_MS;

  let address: Address;
  try {
    address = await reachable(socketPath);
  } catch (error) {
    throw asReceiptdError(error, 'CONTROL_FAILED.socketDirectory', { socketPath });
  }
  const open = async (): Promise<string | null> => {
    if (process.platform !== 'win32') await removeStale(socketPath);
    await listen(server, address.address);
    if (process.platform !== 'win32') await admit(socketPath, options.gid ?? null);
    return socketAt(socketPath);
  };
  let socket: string | null;
  try {
    socket = await open();
  } catch (error) {
    server.close();
    await address.release();
    throw asReceiptdError(error, 'CONTROL_FAILED.socketUncreated', {
      socketPath,
      system: systemCode(error) ?? null,
    });
  }
  server.on('error', (error) => log.warn('controlSocketTrouble', { why: error.message }));

  let closing: Promise<void> | null = null;
  return {
    async keepReachable(clock, signal) {
      let isSaid = false;
      // A pipe on Windows can't be removed.
      while (process.platform !== 'win32' && !signal.aborted) {
        await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
        const now = await socketAt(socketPath);
        if (signal.aborted || closing !== null || (now !== null && now === socket)) continue;
        try {
          // Calls in progress go on: this only ends listening.
          server.close();
          socket = await open();
          log.warn('controlSocketMadeAgain', { path: socketPath });
          isSaid = false;
        } catch (error) {
          if (!isSaid) log.warn('controlSocketNotMadeAgain', { why: messageOf(error) });
          isSaid = true;
        }
      }
    },
    close: () =>
      (closing ??= closeServer(server, options.closeGraceMs ?? CLOSE_GRACE_MS).then(
        // Released only now, because closing removes the socket by the address that it was bound to.
        () => address.release(),
      )),
  };
}

/** Gives access to the owner and, with `gid`, to the members of that group. */
async function admit(socketPath: string, gid: number | null): Promise<void> {
  if (gid !== null) await chown(socketPath, process.geteuid?.() ?? -1, gid);
  await chmod(socketPath, gid === null ? 0o600 : 0o660);
}

/** Identifies the socket at this path; null if there is none, or it can't be looked at. */
async function socketAt(socketPath: string): Promise<string | null> {
  const found = await lstat(socketPath, { bigint: true }).catch(() => null);
  return found?.isSocket() ? `${found.dev} ${found.ino} ${found.birthtimeNs}` : null;
}

async function removeStale(socketPath: string): Promise<void> {
  const found = await lstat(socketPath).catch(() => null);
  if (found === null) return;
  if (!found.isSocket()) {
    throw new ReceiptdError('CONTROL_FAILED.notSocket', { socketPath });
  }
  await rm(socketPath, { force: true });
}

async function listen(server: Server, address: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // `listen` creates the socket before it returns. The umask keeps other users out until `admit` sets the mode.
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
