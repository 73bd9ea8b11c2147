import type { Bandwidth } from './bandwidth.ts';
import type { UploadTimeouts } from './uploadTimeouts.ts';

/** Above this a body is handed over in pieces of that size, so that it is not all copied (TLS) or queued at once. */
export const WHOLE_BYTES = 256 * 1024;
const PIECE_BYTES = WHOLE_BYTES;

export interface FeedOptions {
  readonly bandwidth: Bandwidth | null;
  readonly timeouts: UploadTimeouts;
  /** Before the first piece, with which undici writes the head. */
  readonly onStart: () => void;
  /** Right before the last byte, which is handed over by itself. */
  readonly onLast: () => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * The body in pieces. undici asks for the next when the socket has room. The last byte comes alone, so that by then the
 * system has all before it, but for what a socket holds by itself; no answer to the whole can come any earlier.
 */
export async function* feed(bytes: Buffer, options: FeedOptions): AsyncGenerator<Buffer, void> {
  const { bandwidth, timeouts, onStart, onLast, signal } = options;
  const size = bandwidth?.pieceBytes ?? PIECE_BYTES;
  for (let offset = 0; offset < bytes.length; offset += size) {
    const piece = bytes.subarray(offset, offset + size);
    if (bandwidth) {
      timeouts.pause();
      await bandwidth.take(piece.length, signal);
      timeouts.resume();
    }
    if (offset === 0) onStart();
    if (offset + size < bytes.length) yield piece;
    else if (piece.length > 1) yield piece.subarray(0, -1);
  }
  onLast();
  yield bytes.subarray(-1);
  timeouts.fed();
}
