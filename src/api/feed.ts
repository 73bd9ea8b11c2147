import type { Bandwidth } from './bandwidth.ts';
import type { UploadTimeouts } from './uploadTimeouts.ts';

/** Larger bodies are sent in pieces of this size, so that they are not copied (TLS) or queued as a whole. */
export const WHOLE_BYTES = 256 * 1024;
const PIECE_BYTES = WHOLE_BYTES;

export interface FeedOptions {
  readonly bandwidth: Bandwidth | null;
  readonly timeouts: UploadTimeouts;
  /** Called before the first piece, with which undici writes the head. */
  readonly onStart: () => void;
  /** Called right before the last byte, which is a separate piece. */
  readonly onLast: () => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * The body in pieces. undici asks for the next when the socket has room. The last byte is a separate piece: by then the system has
 * everything before it, apart from the socket's own buffer, and no answer to the complete request can come earlier.
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
