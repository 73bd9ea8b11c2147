import { createHash } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { FileIdentity } from '../../src/core/domain/document.ts';
import { stamped } from './corpus.ts';
import { fillLedger, type Entry } from './fillLedger.ts';
import { measure, type Command } from './measure.ts';

export interface KnownFolder {
  /** Directory of an office; `receiptd` is the result of `furnish` for it. */
  readonly dir: string;
  readonly baseUrl: string;
  readonly receiptd: (...args: string[]) => Command;
  readonly count: number;
  /** The image whose variants are queued. Null: everything was sent. */
  readonly queued: Buffer | null;
}

/** Size of each sent file. The files are sparse and take no space. They are not images, so a read would be noticed. */
export const SENT_FILE_BYTES = 1_000_000;

/** Creates an office whose agent has run and knows all `count` files in its folder. */
export async function knowFolder({ dir, baseUrl, receiptd, count, queued }: KnownFolder): Promise<void> {
  // Makes the agent record the folder and its file system.
  await measure(receiptd('run', '--once'));
  const folder = join(dir, 'scans');
  const path = join(dir, 'state', 'ledger.db');
  const state = queued === null ? 'accepted' : 'queued';
  await fillLedger({ path, baseUrl, folder, state, entries: files(folder, count, queued) });
}

function* files(folder: string, count: number, queued: Buffer | null): Generator<Entry> {
  for (let number = 1; number <= count; number += 1) {
    const file = `SCAN${String(number).padStart(7, '0')}.jpg`;
    const image = queued && stamped(queued, number);
    // The content of sent files is never read.
    const sha256 = createHash('sha256')
      .update(image ?? file)
      .digest('hex');
    yield { number, file, sha256, identity: makeFile(join(folder, file), image) };
  }
}

function makeFile(path: string, image: Buffer | null): FileIdentity {
  const fd = openSync(path, 'wx');
  try {
    if (image === null) ftruncateSync(fd, SENT_FILE_BYTES);
    else writeSync(fd, image);
    const { size, mtimeNs, ctimeNs, ino } = fstatSync(fd, { bigint: true });
    return { size: Number(size), mtimeNs, ctimeNs, inode: ino };
  } finally {
    closeSync(fd);
  }
}
