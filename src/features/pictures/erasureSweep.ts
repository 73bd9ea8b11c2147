import { isErased, type EndpointKey } from '../../core/domain/document.ts';
import { describeError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerReports } from '../../core/ports/ledgerReports.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Pictures } from './pictures.ts';

export interface ErasureSweepDeps {
  readonly pictures: Pick<Pictures, 'hashes' | 'forget'>;
  readonly ledger: Pick<LedgerReports, 'bySha256'>;
  /** Endpoints of the current configuration. */
  readonly endpoints: () => readonly EndpointKey[];
  readonly clock: Clock;
  readonly log: Log;
}

const EVERY_MS = 6 * 60 * 60_000;

/** For a shared ledger: erasing a document on one machine does not remove thumbnails on the others. Runs until aborted. */
export async function runErasureSweep(deps: ErasureSweepDeps, signal: AbortSignal): Promise<void> {
  const { clock, log } = deps;
  while (!signal.aborted) {
    try {
      await sweepErased(deps, signal);
    } catch (error) {
      log.debug('erasedThumbnailsUnchecked', describeError(error));
    }
    await clock.sleep(EVERY_MS, signal).catch(() => {});
  }
}

/** Removes thumbnails of images whose documents are all erased. */
async function sweepErased(
  { pictures, ledger, endpoints }: ErasureSweepDeps,
  signal: AbortSignal,
): Promise<void> {
  for (const sha256 of await pictures.hashes()) {
    if (signal.aborted) return;
    let isKept = false;
    let isGone = false;
    for (const endpoint of endpoints()) {
      const document = await ledger.bySha256(endpoint, sha256);
      if (document === null) continue;
      if (isErased(document)) isGone = true;
      else isKept = true;
    }
    if (isGone && !isKept) await pictures.forget(sha256);
  }
}
