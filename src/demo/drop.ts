import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { drawReceipt } from './draw.ts';

/** A file that the demo drops into the watched folder, and its expected outcome. */
export interface Drop {
  readonly name: string;
  readonly bytes: Buffer;
  readonly expected: 'accepted' | 'duplicate' | 'rejected';
  /** Written in pieces, as by a scanner over a network. */
  readonly slowly: boolean;
  readonly remark: string;
}

export type Sleep = (ms: number) => Promise<void>;

const PIECES = 10;
const PIECE_PAUSE_MS = 500;
const FILE_PAUSE_MS = 250;

/** A dozen files. The duplicate comes after its original. */
export async function planDrops(): Promise<readonly Drop[]> {
  const receipt = async (seed: number, name: string, remark = 'a receipt'): Promise<Drop> => {
    const extension = path.extname(name);
    const format = extension === '.png' ? 'png' : extension === '.tif' ? 'tiff' : 'jpeg';
    return { name, bytes: await drawReceipt(seed, format), expected: 'accepted', slowly: false, remark };
  };
  const first = await receipt(1, 'SCAN0001.jpg');
  return [
    { ...(await receipt(2, 'SCAN0010.jpg', 'a receipt, written slowly in ten pieces')), slowly: true },
    first,
    await receipt(3, 'SCAN0002.jpg'),
    await receipt(4, 'SCAN0003.png'),
    await receipt(5, 'SCAN0004.tif'),
    await receipt(6, 'Café Zoë – reçu nº 7 ☕.jpg', 'a receipt with a name in Unicode'),
    {
      ...first,
      name: 'copy of the bakery receipt.jpg',
      expected: 'duplicate',
      remark: 'SCAN0001.jpg again, under another name',
    },
    {
      name: 'shopping list.jpg',
      bytes: Buffer.from('bread\nbutter\nprinter paper\n'),
      expected: 'rejected',
      slowly: false,
      remark: 'a text file that only looks like an image',
    },
    await receipt(7, 'hotel.png'),
    await receipt(8, 'fuel.tif'),
    await receipt(9, 'taxi to the station.jpg'),
    await receipt(10, 'SCAN0005.jpg'),
  ];
}

/**
 * Removes files that an earlier run dropped, completely or not, and nothing else: a user's file has different bytes, even under the
 * same name.
 */
export async function removeOwn(inbox: string, drops: readonly Drop[]): Promise<void> {
  for (const drop of drops) {
    const file = path.join(inbox, drop.name);
    const found = await readFile(file).catch(() => null);
    if (found === null || found.length === 0) continue;
    if (drop.bytes.subarray(0, found.length).equals(found)) await rm(file);
  }
}

/** Drops all files; slow ones are written concurrently. Resolves the names used: a name that is taken gets a number. */
export async function dropAll(
  inbox: string,
  drops: readonly Drop[],
  sleep: Sleep,
): Promise<ReadonlyMap<Drop, string>> {
  const used = new Map<Drop, string>();
  const slow: Promise<void>[] = [];
  try {
    for (const drop of drops) {
      const first = drop.slowly ? drop.bytes.subarray(0, Math.ceil(drop.bytes.length / PIECES)) : drop.bytes;
      const name = await writeNew(inbox, drop.name, first);
      used.set(drop, name);
      if (drop.slowly) {
        const rest = appendRest(path.join(inbox, name), drop.bytes, first.length, sleep);
        // Awaited at the end; until then, avoids an unhandled rejection.
        rest.catch(() => {});
        slow.push(rest);
      }
      await sleep(FILE_PAUSE_MS);
    }
  } finally {
    // Also when stopped, so that nothing keeps writing.
    await Promise.allSettled(slow);
  }
  await Promise.all(slow);
  return used;
}

async function appendRest(file: string, bytes: Buffer, piece: number, sleep: Sleep): Promise<void> {
  for (let at = piece; at < bytes.length; at += piece) {
    await sleep(PIECE_PAUSE_MS);
    await appendFile(file, bytes.subarray(at, at + piece));
  }
}

async function writeNew(inbox: string, wanted: string, bytes: Buffer): Promise<string> {
  const { name: stem, ext } = path.parse(wanted);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${stem}-${number}${ext}`;
    try {
      await writeFile(path.join(inbox, name), bytes, { flag: 'wx' });
      return name;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}
