import type { Server } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { isLoopback } from '../core/domain/loopback.ts';

/** A section of the configuration, and the code of its errors. */
export const CONSOLE_LISTENER = { section: 'console', code: 'CONSOLE_UNAVAILABLE' } as const;
export const RESULTS_LISTENER = { section: 'results', code: 'RESULTS_UNAVAILABLE' } as const;
export const MONITORING_LISTENER = { section: 'monitoring', code: 'MONITORING_UNAVAILABLE' } as const;

export type TlsListener = typeof CONSOLE_LISTENER | typeof RESULTS_LISTENER;
export type Listener = TlsListener | typeof MONITORING_LISTENER;

const CLOSE_GRACE_MS = 1_000;

/** `host` without brackets. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Without TLS, passwords, cookies, receipts and results would be readable on the network.
 * @throws ReceiptdError with the listener's code
 */
export function demandCertificate(
  { host }: Pick<ListenAddress, 'host'>,
  tls: object | null,
  { code }: TlsListener,
): void {
  if (tls === null && !isLoopback(host)) throw new ReceiptdError(`${code}.noCertificate`, { host });
}

/** @throws ReceiptdError CONSOLE_UNAVAILABLE */
export async function demandPassword(
  { host }: Pick<ListenAddress, 'host'>,
  password: { current(): Promise<object | null> },
): Promise<void> {
  if (isLoopback(host) || (await password.current()) !== null) return;
  throw new ReceiptdError('CONSOLE_UNAVAILABLE.noPassword', { host });
}

/** @returns the port. @throws ReceiptdError PORT_IN_USE, or with the listener's code */
export async function listenOn(
  server: Server,
  { host, port }: ListenAddress,
  listener: Listener,
): Promise<number> {
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

function notListening(cause: unknown, where: string, { section, code }: Listener): ReceiptdError {
  const system = systemCode(cause) ?? null;
  return system === 'EADDRINUSE'
    ? new ReceiptdError('PORT_IN_USE.listener', { section, where }, { cause })
    : new ReceiptdError(`${code}.address`, { where, system }, { cause });
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
