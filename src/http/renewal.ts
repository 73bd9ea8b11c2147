import { describeError } from '../core/domain/errors.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Log } from '../core/ports/log.ts';
import { expiresSoon, markOf, readPair, type Pair, type PairFiles } from './certificate.ts';
import type { TlsListener } from './listen.ts';

const LOOK_EVERY_MS = 30_000;

export interface RenewalDeps {
  readonly listener: TlsListener;
  /** Uses the new certificate for new connections. */
  readonly take: (pair: Pair) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Watches the certificate files until aborted, and hands over a new certificate. Logs an invalid one and keeps the
 * old one.
 */
export async function keepRenewed(
  files: PairFiles,
  { listener, take, clock, log }: RenewalDeps,
  signal: AbortSignal,
): Promise<void> {
  let taken = await markOf(files);
  let seen = taken;
  for (;;) {
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
    if (signal.aborted) return;
    const mark = await markOf(files);
    // Certificate and key are replaced one after the other, so wait until both files are stable.
    if (mark !== taken && mark === seen) {
      taken = mark;
      try {
        take(await currentPair(files, { listener, clock, log }));
      } catch (error) {
        log.error('certificateNotReloaded', { of: listener.section, ...describeError(error) });
      }
    }
    seen = mark;
  }
}

/** Reads the current certificate, and logs a warning if it expires soon. @throws the errors of `readPair` */
export async function currentPair(
  files: PairFiles,
  { listener, clock, log }: Omit<RenewalDeps, 'take'>,
): Promise<Pair> {
  const pair = await readPair(files, listener);
  if (expiresSoon(pair, clock.now())) {
    const at = new Date(pair.expiresAt).toISOString();
    log.warn('certificateExpiring', { of: listener.section, at });
  }
  return pair;
}
