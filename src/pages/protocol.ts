import type { ImageType, SplitType } from '../core/domain/imageType.ts';
import type { Appearance } from '../core/domain/look.ts';
import type { PageType } from '../core/domain/pages.ts';
import type { Unreadable } from '../core/ports/pages.ts';

/* Protocol of the pipes between the agent and a renderer process. A frame is the length of its head (JSON) and of its body
   (bytes), as 32-bit big-endian numbers, then both. */

export type PageRequest =
  | {
      readonly kind: 'open';
      readonly type: SplitType;
      readonly into: readonly PageType[];
      readonly resolution: number;
      readonly mostPages: number;
      readonly isLookedAt: boolean;
    }
  | { readonly kind: 'page'; readonly page: number }
  | {
      readonly kind: 'picture';
      readonly type: ImageType;
      readonly page: number;
      readonly size: number;
      readonly mostBytes: number;
    }
  | { readonly kind: 'look'; readonly type: ImageType }
  | { readonly kind: 'whole'; readonly type: ImageType };

export type Reply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'open'; readonly pages: number; readonly attachments: number }
  | {
      readonly kind: 'image';
      readonly type: PageType;
      readonly isOriginal: boolean;
      readonly appearance: Appearance | null;
    }
  | { readonly kind: 'picture'; readonly pages: number }
  | { readonly kind: 'look'; readonly appearance: Appearance }
  | { readonly kind: 'whole' }
  | Unreadable;

const HEAD_BYTES = 8;
/** Longest valid head; a longer one means that the process may have been compromised. */
const MOST_HEAD = 64 * 1024;

export function frame(head: PageRequest | Reply, body: Uint8Array = EMPTY): Buffer[] {
  const text = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(HEAD_BYTES);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  return [lengths, text, Buffer.from(body.buffer, body.byteOffset, body.byteLength)];
}

const EMPTY = new Uint8Array(0);

export interface Frame<Head> {
  readonly head: Head;
  readonly body: Buffer;
}

/** Assembles frames from the chunks of a pipe. @throws Error if a frame is invalid or too long */
export class FrameReader<Head> {
  readonly #mostBody: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(mostBody: number) {
    this.#mostBody = mostBody;
  }

  /** Adds a chunk; returns the frames that are complete now. */
  read(chunk: Buffer): Frame<Head>[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const frames: Frame<Head>[] = [];
    for (let next = this.#next(); next; next = this.#next()) frames.push(next);
    return frames;
  }

  #next(): Frame<Head> | null {
    if (this.#length < HEAD_BYTES) return null;
    // Join chunks only to read the lengths and once the frame is complete: a large body arrives in thousands of pieces.
    const first = this.#chunks[0] as Buffer;
    const start = first.length >= HEAD_BYTES ? first : this.#join();
    const head = start.readUInt32BE(0);
    const body = start.readUInt32BE(4);
    if (head > MOST_HEAD || body > this.#mostBody) throw new Error('a frame is longer than any of ours');
    const end = HEAD_BYTES + head + body;
    if (this.#length < end) return null;
    const bytes = this.#join();
    this.#chunks = bytes.length > end ? [bytes.subarray(end)] : [];
    this.#length = bytes.length - end;
    return {
      head: JSON.parse(bytes.toString('utf8', HEAD_BYTES, HEAD_BYTES + head)) as Head,
      body: bytes.subarray(HEAD_BYTES + head, end),
    };
  }

  #join(): Buffer {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    return bytes;
  }
}
