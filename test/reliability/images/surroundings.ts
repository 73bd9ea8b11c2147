/**
 * Memory that surrounds a file with parts of other images: beginnings before it, ends after it. A reader that leaves its bounds finds what
 * completes the file.
 */
export interface Surroundings {
  /** A view of a copy, valid until the next call. */
  embed(file: Buffer): Uint8Array;
  /** Whether the copy is unchanged. */
  isIntact(file: Buffer): boolean;
}

const AROUND = 4096;

export function createSurroundings(images: readonly Buffer[]): Surroundings {
  const begins = Buffer.concat([
    Buffer.from('\xff\xd8', 'latin1'),
    ...images.map((image) => image.subarray(0, 64)),
  ]);
  const ends = Buffer.concat([
    Buffer.from('\xff\xd9', 'latin1'),
    ...images.map((image) => image.subarray(-32)),
  ]);
  let memory = Buffer.alloc(0);
  let at = 1;
  return {
    embed(file) {
      if (memory.length < file.length + 3 * AROUND) memory = Buffer.alloc(2 * file.length + 3 * AROUND);
      // Odd and even offsets, so that nothing relies on alignment.
      at = 1 + ((at * 7 + file.length) % 64);
      const start = at + AROUND;
      const end = start + file.length;
      memory.fill(begins, 0, start);
      file.copy(memory, start);
      memory.fill(ends, end, end + AROUND);
      return new Uint8Array(memory.buffer, memory.byteOffset + start, file.length);
    },
    isIntact: (file) => memory.subarray(at + AROUND, at + AROUND + file.length).equals(file),
  };
}
