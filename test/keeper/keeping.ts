/** A payload store on a spool in a real directory. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { OpenIncidents } from '../../src/daemon/openIncidents.ts';
import { ByteBudget } from '../../src/keeper/byteBudget.ts';
import { BytesSearch, type BytesSearchDeps, type OpenFolder } from '../../src/keeper/locateBytes.ts';
import { PayloadStore, type PayloadStoreDeps } from '../../src/keeper/payloadStore.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import type { Log } from '../../src/core/ports/log.ts';
import type { Spool } from '../../src/core/ports/spool.ts';
import { sha256 } from '../../src/core/sha256.ts';
import { openSpool } from '../../src/keeper/spool/openSpool.ts';
import { watched } from '../intake/folder/fixture.ts';

export interface KeepingOptions extends Partial<
  Pick<PayloadStoreDeps, 'mode' | 'canSend' | 'keepFailedMs' | 'buffers' | 'open'>
> {
  /** Always so unless told. */
  readonly lookedThrough?: BytesSearchDeps['lookedThrough'];
  /** Bytes. */
  readonly spoolLimit?: number;
  readonly memoryLimit?: number;
  /** Called before each copy is written. */
  readonly beforePut?: () => Promise<void>;
}

/** `never` keeps no copies, unless the options say so. */
export async function keeping(
  { dir, clock, ledger, log }: { dir: string; clock: Clock; ledger: Ledger; log: Log },
  options: KeepingOptions = {},
) {
  const { spoolLimit = 100_000_000, memoryLimit = 1_000_000, mode = 'never' } = options;
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
  const open: OpenFolder =
    options.open ?? ((folder) => watched(folder, { recursive: false, random: () => 0.5 }));
  const lookedThrough = options.lookedThrough ?? (() => true);
  const incidents = new OpenIncidents({ clock, log });
  const memory = new ByteBudget(memoryLimit);
  const payloads = new PayloadStore({
    mode,
    spool,
    open,
    search: new BytesSearch({ ledger, spool, open, clock, log, lookedThrough }),
    memory,
    buffers: options.buffers ?? { giveBack: () => {} },
    hash: async (bytes) => sha256(bytes),
    ledger,
    incidents,
    clock,
    log,
    keepFailedMs: options.keepFailedMs ?? 24 * 3_600_000,
    canSend: options.canSend ?? (() => true),
  });
  onTestFinished(() => payloads.close());
  return { payloads, spool, spoolDir, memory, incidents, puts };
}
