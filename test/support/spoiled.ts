import sharp from 'sharp';

/** Degraded scans of a receipt, by their names in docs/pages.md. Each function maps an image file to another. */
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

/** Variations between two scans of the same paper, by their names in docs/pages.md. */
export const SCANNED_AGAIN: Readonly<Record<string, (image: Buffer) => Promise<Buffer>>> = {
  'JPEG of quality 30': (image) => sharp(image).jpeg({ quality: 30 }).toBuffer(),
  'noise of ±25': (image) => noisy(image, 25),
  'a fifth brighter': (image) => sharp(image).linear(1.2, 0).jpeg({ quality: 90 }).toBuffer(),
  'a third darker': (image) => sharp(image).linear(0.67, 0).jpeg({ quality: 90 }).toBuffer(),
  '3 % smaller': (image) => scaled(image, 0.97),
  '3 % larger': (image) => scaled(image, 1.03),
  '150 instead of 200 dpi': (image) => scaled(image, 0.75),
  'half as large': (image) => scaled(image, 0.5),
  'turned by 1°': (image) => aslant(image, 1),
  'turned by −1°': (image) => aslant(image, -1),
  'turned by 3°': (image) => aslant(image, 3),
  'turned by −3°': (image) => aslant(image, -3),
  'cropped by 2 % at each side': (image) => cropped(image, 0.02),
  'cropped by 4 % at each side': (image) => cropped(image, 0.04),
  'turned by −1.4°, a tenth smaller, greyer, noise of ±12': async (image) =>
    noisy(await scaled(await aslant(await sharp(image).linear(0.9, 10).toBuffer(), -1.4), 0.9), 12),
  'turned by 2.3°, cropped by 1 %, softer, noise of ±8': async (image) =>
    noisy(await cropped(await aslant(await sharp(image).blur(0.7).toBuffer(), 2.3), 0.01), 8),
};

function aslant(image: Buffer, degrees: number): Promise<Buffer> {
  return sharp(image).rotate(degrees, { background: 'white' }).jpeg({ quality: 90 }).toBuffer();
}

async function cropped(image: Buffer, by: number): Promise<Buffer> {
  const { width, height } = await sharp(image).metadata();
  const [left, top] = [Math.round(width * by), Math.round(height * by)];
  return sharp(image)
    .extract({ left, top, width: width - 2 * left, height: height - 2 * top })
    .jpeg({ quality: 90 })
    .toBuffer();
}

let sheet: Promise<Buffer> | null = null;

/** A scan of a blank A4 sheet at 150 dpi; the noise takes a while, so it is the same for all. */
export function blankSheet(): Promise<Buffer> {
  const paper = sharp({ create: { width: 1240, height: 1754, channels: 3, background: '#f4f2ee' } });
  sheet ??= paper
    .jpeg()
    .toBuffer()
    .then((image) => noisy(image, 12));
  return sheet;
}

async function noisy(image: Buffer, most: number): Promise<Buffer> {
  const { data, info } = await sharp(image).greyscale().raw().toBuffer({ resolveWithObject: true });
  // A fixed seed: the same noise in each run.
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
