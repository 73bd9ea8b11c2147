import type { Bandwidth } from './bandwidth.ts';
import type { Patience } from './patience.ts';

/** Above this a body is handed over in pieces of that size, so that it is not all copied (TLS) or queued at once. */
export const WHOLE_BYTES = 256 * 1024;
const PIECE_BYTES = WHOLE_BYTES;

export interface FeedOptions {
  readonly bandwidth: Bandwidth | null;
  readonly patience: Patience;
  /** Before the first piece, with which undici writes the head. */
  readonly onStart: () => void;
  readonly signal: AbortSignal | undefined;
}

/** The body in pieces. undici asks for the next when the socket has room. */
export async function* feed(bytes: Buffer, options: FeedOptions): AsyncGenerator<Buffer, void> {
  const { bandwidth, patience, onStart, signal } = options;
  const size = bandwidth?.pieceBytes ?? PIECE_BYTES;
  for (let offset = 0; offset < bytes.length; offset += size) {
    const piece = bytes.subarray(offset, offset + size);
    if (bandwidth) {
      patience.pause();
      await bandwidth.take(piece.length, signal);
      patience.resume();
    }
    if (offset === 0) onStart();
    yield piece;
  }
  patience.fed();
}
