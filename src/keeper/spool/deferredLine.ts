import { createHash } from 'node:crypto';
import type { DeferredImage } from '../../core/ports/deferredJournal.ts';

/**
 * One line of the journal of deferred images: `{"digest":"<32 hex digits>","entry":{…}}`. The digest covers the entry's text, and
 * so reveals a line that was torn by a crash or damaged on disk.
 */
export interface DeferredEntry {
  readonly kind: 'deferred' | 'admitted';
  readonly image: DeferredImage;
}

const DIGITS = 32;
const HEAD = /^\{"digest":"([0-9a-f]{32})","entry":/;
const HEAD_LENGTH = '{"digest":"'.length + DIGITS + '","entry":'.length;
const NEWLINE = 0x0a;

export function deferredLine(image: DeferredImage): string {
  return line({ kind: 'deferred', ...toJson(image) });
}

export function admittedLine(image: DeferredImage): string {
  return line({ kind: 'admitted', ...toJson(image) });
}

/** A key for each image that `defer` treats as distinct. */
export function keyOf({ folder, path, sha256 }: Pick<DeferredImage, 'folder' | 'path' | 'sha256'>): string {
  return JSON.stringify([folder, path, sha256]);
}

/**
 * All intact lines, and where the last of them ends: anything after it was being written when the process ended. `damaged`: number
 * of corrupt lines before that.
 */
export function readLines(bytes: Buffer): {
  readonly entries: readonly DeferredEntry[];
  readonly length: number;
  readonly damaged: number;
} {
  const entries: DeferredEntry[] = [];
  let length = 0;
  let damaged = 0;
  let doubtful = 0;
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end < 0) break;
    const entry = parse(bytes.toString('utf8', start, end));
    start = end + 1;
    if (entry === null) {
      doubtful += 1;
      continue;
    }
    // A line followed by an intact one was not torn, but damaged.
    damaged += doubtful;
    doubtful = 0;
    entries.push(entry);
    length = start;
  }
  return { entries, length, damaged };
}

function line(entry: object): string {
  const text = JSON.stringify(entry);
  return `{"digest":"${digestOf(text)}","entry":${text}}\n`;
}

function parse(text: string): DeferredEntry | null {
  const digest = HEAD.exec(text)?.[1];
  if (digest === undefined || !text.endsWith('}')) return null;
  const entry = text.slice(HEAD_LENGTH, -1);
  if (digestOf(entry) !== digest) return null;
  // The digest proves that `line` wrote it, so the shape is known.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { kind, identity, ...image } = JSON.parse(entry) as WrittenLine;
  const { size, mtimeNs, ctimeNs, inode } = identity;
  return {
    kind,
    image: {
      ...image,
      identity: {
        size,
        mtimeNs: BigInt(mtimeNs),
        ctimeNs: BigInt(ctimeNs),
        inode: BigInt(inode),
      },
    },
  };
}

interface WrittenLine extends Omit<DeferredImage, 'identity'> {
  readonly kind: DeferredEntry['kind'];
  readonly identity: {
    readonly size: number;
    readonly mtimeNs: string;
    readonly ctimeNs: string;
    readonly inode: string;
  };
}

function toJson(image: DeferredImage): Omit<WrittenLine, 'kind'> {
  const { size, mtimeNs, ctimeNs, inode } = image.identity;
  return {
    ...image,
    identity: { size, mtimeNs: String(mtimeNs), ctimeNs: String(ctimeNs), inode: String(inode) },
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
}
