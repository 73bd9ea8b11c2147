import type { Document } from '../core/domain/document.ts';
import { describeError } from '../core/domain/errors.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';
import type { Spool } from '../core/ports/spool.ts';
import type { ByteBudget } from './byteBudget.ts';
import type { PayloadStore } from './payloadStore.ts';
import { locateOriginal, type OpenFolder } from './locateBytes.ts';

export interface SweepDeps {
  readonly payloads: PayloadStore;
  readonly spool: Spool;
  readonly ledger: Ledger;
  readonly open: OpenFolder;
  /** For originals being read to copy them; ideally the budget of admission. */
  readonly memory: ByteBudget;
  readonly clock: Clock;
  readonly log: Log;
  readonly keepFailedMs: number;
}

const SWEEP_MS = 10 * 60_000;
/** Interval while the spool's disk fails or the spool is full: other agents may have sent what it holds. */
const PROBE_MS = 30_000;
const HASHES_AT_ONCE = 500;
const DOCUMENTS_AT_ONCE = 100;
/** Share of the spool that copies of old originals leave to new scans, which can't be admitted without room. */
const LEFT_TO_NEW = 0.1;

/** Sweeps now and every ten minutes, until aborted. */
export async function runSpoolSweep(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  const { clock, log, payloads } = deps;
  let sweptAt = -Infinity;
  while (!signal.aborted) {
    try {
      await payloads.copies.probe();
      if (clock.monotonic() - sweptAt >= SWEEP_MS) {
        sweptAt = clock.monotonic();
        await sweepSpool(deps, signal);
      } else if (payloads.copies.isFull) await dropUnwanted(deps, signal);
    } catch (error) {
      if (signal.aborted) return;
      const isSaid = deps.ledger.storage.trouble() !== null;
      log[isSaid ? 'debug' : 'warn']('spoolSweepDelayed', describeError(error));
    }
    await untilNext(deps, signal);
  }
}

/** Sleeps until the next sweep, or until the spool fails or is full; that check is cheap. */
async function untilNext({ clock, payloads }: SweepDeps, signal: AbortSignal): Promise<void> {
  for (let slept = 0; slept < SWEEP_MS && !signal.aborted; slept += PROBE_MS) {
    await clock.sleep(PROBE_MS, signal).catch(() => {});
    if (payloads.copies.failed || payloads.copies.isFull) return;
  }
}

/** Sweeps once, for a run that ends when the queue is empty. A failure is left to the next sweep. */
export async function trySweeping(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  try {
    await sweepSpool(deps, signal);
  } catch (error) {
    if (!signal.aborted) deps.log.warn('spoolSweepFailed', describeError(error));
  }
}

/** Removes copies that nothing needs, and copies waiting documents that have none and can't be sent now. */
export async function sweepSpool(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  const removed = await dropUnwanted(deps, signal);
  const copied = await copyWaiting(deps, signal);
  if (removed + copied > 0) deps.log.debug('spoolSwept', { removed, copied });
}

async function dropUnwanted(
  { spool, ledger, payloads, clock, keepFailedMs }: SweepDeps,
  signal: AbortSignal,
): Promise<number> {
  const hashes = spool.hashes();
  let removed = 0;
  for (let start = 0; start < hashes.length; start += HASHES_AT_ONCE) {
    const batch = hashes.slice(start, start + HASHES_AT_ONCE);
    const wanted = await ledger.wanted(batch, clock.now() - keepFailedMs);
    for (const hash of batch) {
      if (signal.aborted) return removed;
      if (wanted.has(hash)) continue;
      await payloads.copies.dropUnwanted(hash);
      if (!spool.has(hash)) removed += 1;
    }
  }
  return removed;
}

async function copyWaiting(deps: SweepDeps, signal: AbortSignal): Promise<number> {
  let copied = 0;
  let after = 0;
  for (;;) {
    const batch = await deps.ledger.waiting(after, DOCUMENTS_AT_ONCE);
    for (const document of batch) {
      if (signal.aborted) return copied;
      after = document.id;
      if (!deps.payloads.lacksCopy(document)) continue;
      if (deps.spool.usedBytes + document.size > deps.spool.limitBytes * (1 - LEFT_TO_NEW)) return copied;
      const end = await copyOriginal(document, deps);
      if (end === 'copied') copied += 1;
      if (end === 'unwritable') return copied;
    }
    if (batch.length < DOCUMENTS_AT_ONCE) return copied;
  }
}

/** A missing original is left to delivery, because it may turn up elsewhere until then. */
async function copyOriginal(
  document: Document,
  { payloads, memory, ledger, open }: SweepDeps,
): Promise<'copied' | 'notThere' | 'unwritable'> {
  return memory.with(document.size, async () => {
    const found = await locateOriginal(document, ledger, open);
    if (found.kind !== 'bytes') return 'notThere';
    const isWanted = () => payloads.lacksCopy(document);
    const copied = await payloads.copies.make(document.sha256, found.bytes, { isWanted });
    // The document may have been accepted during the read, when there was no copy to drop.
    await payloads.copies.dropUnwanted(document.sha256);
    return copied === 'there' ? 'copied' : 'unwritable';
  });
}
