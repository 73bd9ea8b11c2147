import { open, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessGone } from '../support/files.ts';
import type { Damage } from './plan.ts';

/** Damages the ledger like a power failure or a bad disk, while nothing runs. False if there was nothing to damage. */
export async function damageLedger(stateDir: string, damage: Damage): Promise<boolean> {
  const ledger = join(stateDir, 'ledger.db');
  const log = `${ledger}-wal`;
  // The shared memory never survives a power failure.
  await rm(`${ledger}-shm`, { force: true });
  switch (damage.what) {
    case 'noLog':
      return remove(log);
    case 'noLedger':
      return remove(ledger);
    case 'neither': {
      const there = await remove(ledger);
      return (await remove(log)) || there;
    }
    case 'noJournal':
      return remove(join(stateDir, 'ledger.journal'));
    case 'emptyLedger':
      return cut(ledger, 0);
    case 'cutLedger':
      return cut(ledger, damage.share);
    case 'cutLog':
      return cut(log, damage.share);
    case 'zeroedLog':
      return zero(log, damage.share);
  }
}

async function remove(path: string): Promise<boolean> {
  const size = await sizeOf(path);
  await rm(path, { force: true });
  return size !== null;
}

async function cut(path: string, share: number): Promise<boolean> {
  const size = await sizeOf(path);
  if (size === null || size === 0) return false;
  await truncate(path, Math.floor(size * share));
  return true;
}

/** Zeroes a block, as if it had never reached the disk. */
async function zero(path: string, share: number): Promise<boolean> {
  const size = await sizeOf(path);
  if (size === null || size === 0) return false;
  const file = await open(path, 'r+');
  try {
    const at = Math.floor((size * share) / 512) * 512;
    const block = Buffer.alloc(Math.min(4096, size - at));
    await file.write(block, 0, block.length, at);
  } finally {
    await file.close();
  }
  return true;
}

async function sizeOf(path: string): Promise<number | null> {
  return (await unlessGone(stat(path)))?.size ?? null;
}
