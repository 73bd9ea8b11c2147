import { open, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessGone } from '../support/files.ts';
import type { Damage } from './plan.ts';

/** Damages the ledger like a power failure or a bad disk, while nothing runs. False if there was nothing to damage. */
export async function damageLedger(stateDir: string, damage: Damage): Promise<boolean> {
  const [ledger, log, journal] = ['ledger.db', 'ledger.db-wal', 'ledger.journal'].map((file) =>
    join(stateDir, file),
  ) as [string, string, string];
  // The shared memory never survives a power failure.
  await rm(`${ledger}-shm`, { force: true });
  switch (damage.what) {
    case 'noLog':
      return remove(log);
    case 'noLedger':
      return remove(ledger);
    case 'neither':
      return (await Promise.all([ledger, log].map(remove))).includes(true);
    case 'noJournal':
      return remove(journal);
    case 'emptyLedger':
      return change(ledger, () => truncate(ledger, 0));
    case 'cutLedger':
      return change(ledger, (size) => truncate(ledger, Math.floor(size * damage.share)));
    case 'cutLog':
      return change(log, (size) => truncate(log, Math.floor(size * damage.share)));
    case 'zeroedLog':
      // A block that never reached the disk.
      return change(log, async (size) => {
        const file = await open(log, 'r+');
        const at = Math.floor((size * damage.share) / 512) * 512;
        const block = Buffer.alloc(Math.min(4096, size - at));
        await file.write(block, 0, block.length, at);
        await file.close();
      });
  }
}

async function remove(path: string): Promise<boolean> {
  const isThere = (await unlessGone(stat(path))) !== null;
  await rm(path, { force: true });
  return isThere;
}

async function change(path: string, how: (size: number) => Promise<void>): Promise<boolean> {
  const size = (await unlessGone(stat(path)))?.size ?? 0;
  if (size > 0) await how(size);
  return size > 0;
}
