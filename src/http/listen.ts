import type { Server } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';
import { ReceiptdError, systemCode, type ErrorCode } from '../core/domain/errors.ts';
import { isLoopback } from '../core/domain/loopback.ts';

/** Describes a listener in error messages. */
export interface Listener {
  /** Begins a sentence. */
  readonly name: string;
  /** Its section of the configuration. */
  readonly section: 'console' | 'results' | 'monitoring';
  readonly code: ErrorCode;
  /** Hint for a port used by another program. */
  readonly hint: string;
}

export const CONSOLE_LISTENER: Listener = {
  name: 'The console',
  section: 'console',
  code: 'CONSOLE_UNAVAILABLE',
  hint: 'Set console.listen to another port, or to onDemand.',
};

export const RESULTS_LISTENER: Listener = {
  name: 'The receiver of results',
  section: 'results',
  code: 'RESULTS_UNAVAILABLE',
  hint: 'Set results.listen to another port, or stop that program.',
};

export const MONITORING_LISTENER: Listener = {
  name: 'Monitoring',
  section: 'monitoring',
  code: 'MONITORING_UNAVAILABLE',
  hint: 'Set monitoring.listen to another port, or stop that program.',
};

const CLOSE_GRACE_MS = 1_000;

/** `host` without brackets. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Without TLS, passwords, cookies, receipts and results would be readable on the network.
 * @throws ReceiptdError with the listener's code
 */
export function demandCertificate(
  { host }: Pick<Address, 'host'>,
  tls: object | null,
  listener: Listener,
): void {
  if (tls !== null || isLoopback(host)) return;
  const hint = `Set one in ${listener.section}.tls (cert, key), or listen on 127.0.0.1.`;
  throw exposed(host, 'certificate', listener, hint);
}

/** @throws ReceiptdError CONSOLE_UNAVAILABLE */
export async function demandPassword(
  { host }: Pick<Address, 'host'>,
  password: { current(): Promise<object | null> },
): Promise<void> {
  if (isLoopback(host) || (await password.current()) !== null) return;
  throw exposed(host, 'password', CONSOLE_LISTENER, 'Set one with `receiptd console password`.');
}

function exposed(host: string, what: string, { name, code }: Listener, hint: string): ReceiptdError {
  return new ReceiptdError(code, `${name} does not listen on ${host} without a ${what}.`, { hint });
}

/** @returns the port. @throws ReceiptdError PORT_IN_USE, or with the listener's code */
export async function listenOn(server: Server, { host, port }: Address, listener: Listener): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, () => {
        server.removeListener('error', reject);
        resolve();
      });
    });
  } catch (error) {
    throw notListening(error, `${literal(host)}:${port}`, listener);
  }
  return (server.address() as AddressInfo).port;
}

/** Formats an address for a URL. */
export function literal(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
  return isIPv6(plain) ? `[${plain.toLowerCase()}]` : plain;
}

function notListening(error: unknown, where: string, { name, section, code, hint }: Listener): ReceiptdError {
  const cause = systemCode(error) ?? 'unknown reason';
  if (cause === 'EADDRINUSE') {
    const message = `${name} can't listen on ${where}, because another program uses that port.`;
    return new ReceiptdError('PORT_IN_USE', message, { hint, cause: error });
  }
  const why =
    cause === 'EADDRNOTAVAIL'
      ? 'this machine has no such address'
      : cause === 'EACCES'
        ? 'ports below 1024 are reserved for root'
        : cause;
  return new ReceiptdError(code, `${name} can't listen on ${where}: ${why}.`, {
    hint: `Correct ${section}.listen.`,
    cause: error,
  });
}

/** Closes all connections after a grace period for answers in progress. */
export async function closeServer(server: Server, graceMs = CLOSE_GRACE_MS): Promise<void> {
  await new Promise<void>((resolve) => {
    // Event streams never end by themselves.
    const impatient = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(impatient);
      resolve();
    });
    server.closeIdleConnections();
  });
}
