import fs from 'node:fs';
import { MAX_LINE_BYTES } from './line.ts';

const CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 10;

export interface RawLine {
  /** Offset of its first byte in the file. */
  readonly offset: number;
  /** Without its line feed; null if it is longer than any entry. Valid until the next line is requested. */
  readonly bytes: Buffer | null;
}

/** Yields the complete lines from offset `from` on, in constant memory. @returns the end of the last complete line */
export function* linesOf(fd: number, from = 0, until = Infinity): Generator<RawLine, number> {
  let offset = from;
  let position = from;
  let pieces: Buffer[] = [];
  let held = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, until - position));
    const read = fs.readSync(fd, chunk, 0, chunk.length, position);
    if (read === 0) return offset;
    position += read;
    let start = 0;
    for (;;) {
      const end = chunk.subarray(0, read).indexOf(LINE_FEED, start);
      if (end < 0) break;
      const last = chunk.subarray(start, end);
      const length = held + last.length;
      const bytes = held === 0 ? last : Buffer.concat([...pieces, last]);
      yield { offset, bytes: length > MAX_LINE_BYTES ? null : bytes };
      offset += length + 1;
      start = end + 1;
      pieces = [];
      held = 0;
    }
    if (start < read) {
      // For an overlong line, only the length is counted.
      held += read - start;
      if (held <= MAX_LINE_BYTES) pieces.push(chunk.subarray(start, read));
      else pieces = [];
    }
  }
}

/** The first complete line that begins after `offset`, or at 0. */
export function lineAfter(fd: number, offset: number): RawLine | undefined {
  if (offset === 0) return first(linesOf(fd));
  const lines = linesOf(fd, offset);
  lines.next();
  return first(lines);
}

function first(lines: Iterator<RawLine, number>): RawLine | undefined {
  const { value, done } = lines.next();
  return done ? undefined : value;
}

/** The last complete line, and where the complete part of the file ends; undefined without a line feed. */
export function lastLine(fd: number, size: number): { line: RawLine; end: number } | undefined {
  let reach = Math.min(size, 64 * 1024);
  for (;;) {
    const tail = Buffer.allocUnsafe(reach);
    const from = size - fs.readSync(fd, tail, 0, reach, size - reach);
    const end = tail.lastIndexOf(LINE_FEED);
    const before = end <= 0 ? -1 : tail.lastIndexOf(LINE_FEED, end - 1);
    const whole = reach === size;
    if (end >= 0 && (before >= 0 || whole)) {
      return {
        line: { offset: from + before + 1, bytes: tail.subarray(before + 1, end) },
        end: from + end + 1,
      };
    }
    if (whole || reach > 2 * MAX_LINE_BYTES) return undefined;
    reach = Math.min(size, reach * 4);
  }
}
