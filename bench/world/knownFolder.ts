import { createHash } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { FileIdentity } from '../../src/core/domain/document.ts';
import { stamped } from './corpus.ts';
import { fillLedger, type Entry } from './fillLedger.ts';
import { measure, type Command } from './measure.ts';

export interface KnownFolder {
  /** Of an office; `receiptd` is what `furnish` gave for it. */
  readonly dir: string;
  readonly baseUrl: string;
  readonly receiptd: (...args: string[]) => Command;
  readonly count: number;
  /** What waits to be sent, each a copy of its own. Null: everything was sent. */
  readonly queued: Buffer | null;
}

/** Of each file that was sent. All of it is a hole: it takes no space, and anyone who reads it can't do so unseen. */
export const SENT_FILE_BYTES = 1_000_000;

/** Makes an office whose agent has run, and knows each of the `count` files that lie in its folder. */
export async function knowFolder({ dir, baseUrl, receiptd, count, queued }: KnownFolder): Promise<void> {
  // From now on the folder is watched, and known by the file system that it lies on.
  await measure(receiptd('run', '--once'));
  const folder = join(dir, 'scans');
  const path = join(dir, 'state', 'ledger.db');
  const state = queued === null ? 'accepted' : 'queued';
  fillLedger({ path, baseUrl, folder, state, entries: files(folder, count, queued) });
}

function* files(folder: string, count: number, queued: Buffer | null): Generator<Entry> {
  for (let number = 1; number <= count; number += 1) {
    const file = `SCAN${String(number).padStart(7, '0')}.jpg`;
    const image = queued && stamped(queued, number);
    // Nobody looks at what those hold that were sent.
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
