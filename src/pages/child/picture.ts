import type { Reply, PageRequest } from '../protocol.ts';
import type { SharpModule } from './encode.ts';
import { sourceOf } from './source.ts';

type PictureDrawing = Extract<PageRequest, { kind: 'picture' }>;

/** Quality of the WebP; the second is used if the first makes the picture too large. */
const QUALITIES = [62, 35] as const;

/** Draws a picture for people. @throws errors of the libraries */
export async function picture(
  sharp: SharpModule,
  bytes: Buffer,
  asked: PictureDrawing,
): Promise<{ readonly head: Reply; readonly body?: Uint8Array }> {
  const source = await sourceOf(sharp, bytes, asked);
  if ('kind' in source) return { head: source };
  const { size } = asked;
  const small = await source.image
    .resize({ width: size, height: size, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = small.info;
  let body = Buffer.alloc(0);
  for (const quality of QUALITIES) {
    body = await sharp(small.data, { raw: { width, height, channels } }).webp({ quality }).toBuffer();
    if (body.length <= asked.mostBytes) break;
  }
  return { head: { kind: 'picture', pages: source.pages }, body };
}
