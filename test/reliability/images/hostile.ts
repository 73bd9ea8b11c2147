import { hostileBoxes } from './hostileBoxes.ts';
import { hostileChunks } from './hostileChunks.ts';
import { hostileJpegs } from './hostileJpegs.ts';
import { hostileOthers } from './hostileOthers.ts';
import { hostileTiffs } from './hostileTiffs.ts';

/** A file handmade to break a reader. */
export interface Hostile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** All handmade files, each of about a megabyte at most. */
export function hostileFiles(): Hostile[] {
  const kinds = [hostileJpegs(), hostileTiffs(), hostileChunks(), hostileBoxes(), hostileOthers()];
  return kinds.flatMap((kind) => Object.entries(kind).map(([name, bytes]) => ({ name, bytes })));
}
