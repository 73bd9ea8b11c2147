import sharp from 'sharp';

/** Ways in which a scan of a receipt comes out, by their names in docs/pages.md. Each takes and gives an image file. */
export const SPOILED: Readonly<Record<string, (image: Buffer) => Promise<Buffer>>> = {
  'as it is': async (image) => image,
  'JPEG of quality 30': (image) => sharp(image).jpeg({ quality: 30 }).toBuffer(),
  'noise of ±40': (image) => noisy(image, 40),
  'turned by 3°': (image) => sharp(image).rotate(3, { background: 'white' }).jpeg().toBuffer(),
  'upside down': (image) => sharp(image).rotate(180).jpeg().toBuffer(),
  'cropped by 6 %': async (image) => {
    const { width, height } = await sharp(image).metadata();
    const [left, top] = [Math.round(width * 0.03), Math.round(height * 0.03)];
    return sharp(image)
      .extract({ left, top, width: width - 2 * left, height: height - 2 * top })
      .jpeg()
      .toBuffer();
  },
  'faded to 30 %': (image) => sharp(image).linear(0.3, 178).jpeg().toBuffer(),
  'half as large': (image) => scaled(image, 1 / 2),
  'a quarter as large': (image) => scaled(image, 1 / 4),
  'half as bright': (image) => sharp(image).linear(0.5, 0).jpeg().toBuffer(),
  'a third as bright': (image) =>
    sharp(image)
      .linear(1 / 3, 0)
      .jpeg()
      .toBuffer(),
  'blurred, σ 2': (image) => sharp(image).blur(2).jpeg().toBuffer(),
  'blurred, σ 4': (image) => sharp(image).blur(4).jpeg().toBuffer(),
  'blurred, σ 6': (image) => sharp(image).blur(6).jpeg().toBuffer(),
  'a back that the front shines through': (image) =>
    sharp(image).flop().blur(3).linear(0.08, 234).jpeg().toBuffer(),
};

/** A sheet of A4 at 150 dpi with nothing on it, as a scanner sees it. */
export function blankSheet(): Promise<Buffer> {
  const paper = sharp({ create: { width: 1240, height: 1754, channels: 3, background: '#f4f2ee' } });
  return paper
    .jpeg()
    .toBuffer()
    .then((sheet) => noisy(sheet, 12));
}

async function noisy(image: Buffer, most: number): Promise<Buffer> {
  const { data, info } = await sharp(image).greyscale().raw().toBuffer({ resolveWithObject: true });
  // The same at each run.
  let state = 7;
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  for (const [at, value] of data.entries())
    data[at] = Math.max(0, Math.min(255, value + (random() + random() - 1) * most));
  return sharp(data, { raw: { width: info.width, height: info.height, channels: 1 } })
    .jpeg()
    .toBuffer();
}

async function scaled(image: Buffer, by: number): Promise<Buffer> {
  const { width } = await sharp(image).metadata();
  return sharp(image)
    .resize({ width: Math.round(width * by) })
    .jpeg()
    .toBuffer();
}
