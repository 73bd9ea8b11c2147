/** A payload store on a spool in a real directory. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PayloadCache } from '../../src/keeper/payloadCache.ts';
import { OpenIncidents } from '../../src/daemon/openIncidents.ts';
import { PayloadStore, type PayloadStoreDeps } from '../../src/keeper/payloadStore.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import type { LedgerQueue } from '../../src/core/ports/ledgerQueue.ts';
import type { Log } from '../../src/core/ports/log.ts';
import type { Spool } from '../../src/core/ports/spool.ts';
import { openSpool } from '../../src/keeper/spool/openSpool.ts';

export interface KeepingOptions extends Partial<
  Pick<PayloadStoreDeps, 'mode' | 'canSend' | 'keepFailedMs' | 'buffers'>
> {
  /** Bytes. */
  readonly spoolLimit?: number;
  readonly handLimit?: number;
  /** Called before each copy is written. */
  readonly beforePut?: () => Promise<void>;
}

/** `never` keeps no copies, unless the options say so. */
export async function keeping(
  { dir, clock, ledger, log }: { dir: string; clock: Clock; ledger: Pick<LedgerQueue, 'wanted'>; log: Log },
  options: KeepingOptions = {},
) {
  const { spoolLimit = 100_000_000, handLimit = 1_000_000, mode = 'never' } = options;
  const spoolDir = join(dir, 'spool');
  const real = await openSpool({ dir: spoolDir, limitBytes: spoolLimit, log });
  const puts: string[] = [];
  const spool: Spool = {
    has: (hash) => real.has(hash),
    fits: (bytes) => real.fits(bytes),
    get usedBytes() {
      return real.usedBytes;
    },
    limitBytes: real.limitBytes,
    put: async (hash, bytes) => {
      await options.beforePut?.();
      puts.push(hash);
      return real.put(hash, bytes);
    },
    read: (hash) => real.read(hash),
    remove: (hash) => real.remove(hash),
    hashes: () => real.hashes(),
  };
  const hand = new PayloadCache(clock, handLimit);
  const incidents = new OpenIncidents({ clock, log });
  const payloads = new PayloadStore({
    mode,
    spool,
    hand,
    buffers: options.buffers ?? { giveBack: () => {} },
    ledger,
    incidents,
    clock,
    log,
    keepFailedMs: options.keepFailedMs ?? 24 * 3_600_000,
    canSend: options.canSend ?? (() => true),
  });
  onTestFinished(() => payloads.close());
  return { payloads, spool, spoolDir, hand, incidents, puts };
}
