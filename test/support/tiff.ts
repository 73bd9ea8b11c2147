/** Builds an uncompressed TIFF of grey pages, with one strip each. `tags` replace tags or add some. */
export function tiffOf(
  pages: readonly ({
    readonly width: number;
    readonly height: number;
    readonly tags?: Readonly<Record<number, number>>;
  } & ({ readonly grey: number } | { readonly pixels: Buffer }))[],
): Buffer {
  const ENTRIES = 9;
  const header = Buffer.alloc(8);
  header.write('II');
  header.writeUInt16LE(42, 2);
  header.writeUInt32LE(8, 4);
  const pieces: Buffer[] = [header];
  let at = 8;
  pages.forEach(({ width, height, tags = {}, ...page }, index) => {
    const added = Object.keys(tags).filter((tag) => !TAGS.has(Number(tag))).length;
    const directoryBytes = 2 + (ENTRIES + added) * 12 + 4;
    const pixels = 'pixels' in page ? page.pixels : Buffer.alloc(width * height, page.grey);
    const directory = Buffer.alloc(directoryBytes);
    const data = at + directoryBytes;
    const end = data + pixels.length;
    const next = end + (end % 2);
    directory.writeUInt16LE(ENTRIES + added, 0);
    const written: Readonly<Record<number, number>> = {
      256: width,
      257: height,
      258: 8,
      259: 1,
      262: 1,
      273: data,
      277: 1,
      278: height,
      279: pixels.length,
      ...tags,
    };
    // In ascending order, as integer keys are.
    Object.entries(written).forEach(([tag, value], entry) => {
      const to = 2 + entry * 12;
      directory.writeUInt16LE(Number(tag), to);
      directory.writeUInt16LE(4, to + 2);
      directory.writeUInt32LE(1, to + 4);
      directory.writeUInt32LE(value, to + 8);
    });
    directory.writeUInt32LE(index === pages.length - 1 ? 0 : next, 2 + (ENTRIES + added) * 12);
    pieces.push(directory, pixels, Buffer.alloc(next - end));
    at = next;
  });
  return Buffer.concat(pieces);
}

const TAGS: ReadonlySet<number> = new Set([256, 257, 258, 259, 262, 273, 277, 278, 279]);
