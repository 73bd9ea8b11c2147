import type { ImageType } from '../../core/domain/imageType.ts';
import type { Appearance } from '../../core/domain/look.ts';
import { appearanceOf, MEASURED_SIDE } from './appearance.ts';
import { loadSharp, type SharpModule } from './encode.ts';
import { openHeic } from './heic.ts';
import { JpegFile, needWholeJpeg } from './jpeg.ts';
import type { Opened } from './opened.ts';
import { openPdf } from './pdf.ts';
import { loadPdfium, OutOfMemory } from './pdfium.ts';
import { picture } from './picture.ts';
import { sourceOf } from './source.ts';
import { TiffFile, UNSUPPORTED } from './tiff.ts';
import { frame, FrameReader, type Frame, type Reply, type PageRequest } from '../protocol.ts';
import type { Unreadable } from '../../core/ports/pages.ts';

// Node opens its debugger at this signal, for everybody on the machine.
if (process.platform !== 'win32') process.on('SIGUSR1', () => {});

/*
 * Main program of a renderer process. It isolates hostile files: they can harm only this process, which has two pipes and
 * ends with them.
 *
 *   started ──ready──▶ asked to open a file ──▶ asked for its pages, one after the other ──▶ ended from outside
 *                └──▶ asked for pictures of images, or what they look like ──▶ ended from outside
 */

/** Largest file that the agent sends. */
const MOST_BYTES = 2 ** 32 - 1;

type RendererAnswer = { readonly head: Reply; readonly body?: Uint8Array };

interface Open {
  readonly file: Opened;
  readonly request: Extract<PageRequest, { kind: 'open' }>;
}

const sharp: SharpModule = await loadSharp();
let open: Open | null = null;

async function answer({ head, body }: Frame<PageRequest>): Promise<RendererAnswer> {
  switch (head.kind) {
    case 'open':
      return openFile(head, body);
    case 'page':
      return page(head.page);
    case 'picture':
      return picture(sharp, body, head);
    case 'look':
      return { head: { kind: 'look', appearance: await look(body, head.type) } };
    case 'whole':
      return whole(body, head.type);
  }
}

async function openFile(
  request: Extract<PageRequest, { kind: 'open' }>,
  bytes: Buffer,
): Promise<RendererAnswer> {
  const file = await fileOf(request.type, bytes);
  if (file.kind === 'refused') return { head: file };
  const { pages, attachments = 0 } = file;
  if (pages < 1) return { head: { kind: 'refused', reason: 'DAMAGED', detail: { is: 'noPages' } } };
  if (pages > request.mostPages)
    return {
      head: {
        kind: 'refused',
        reason: 'TOO_MANY_PAGES',
        detail: { is: 'manyPages', pages, most: request.mostPages },
      },
    };
  open = { file, request };
  return { head: { kind: 'open', pages, attachments } };
}

async function fileOf(
  type: Extract<PageRequest, { kind: 'open' }>['type'],
  bytes: Buffer,
): Promise<Opened | Unreadable> {
  switch (type) {
    case 'pdf':
      try {
        return openPdf(await loadPdfium(), bytes);
      } catch (error) {
        // PDFium could not be loaded, which is not the file's fault.
        if (error instanceof OutOfMemory) throw error;
        return { kind: 'refused', reason: 'TROUBLE', detail: { is: 'notLoaded' } };
      }
    case 'tiff': {
      const file = new TiffFile(bytes);
      // Only thumbnails and masks: the image is in a directory of its own, as in raw files of cameras.
      return file.pages > 0 ? file : UNSUPPORTED;
    }
    case 'heic':
      return openHeic(bytes);
    case 'jpeg':
      return new JpegFile(bytes);
  }
}

async function page(number: number): Promise<RendererAnswer> {
  if (open === null) throw new Error('no file is open');
  const { file, request } = open;
  const drawn = await file.page(sharp, number, request.into, request.resolution);
  if (drawn.kind === 'refused') return { head: drawn };
  const { type, isOriginal, bytes } = drawn;
  // An image that can't be measured is sent anyway.
  const appearance = request.isLookedAt ? await look(bytes, type).catch(() => null) : null;
  return { head: { kind: 'image', type, isOriginal, appearance }, body: bytes };
}

/** Decodes all of an image; an error of the decoder is the answer that it is not whole. */
async function whole(bytes: Buffer, type: ImageType): Promise<RendererAnswer> {
  const first = await sourceOf(sharp, bytes, { type, page: 1, size: MEASURED_SIDE, isStrict: true });
  for (let number = 1, pages = 1; number <= pages; number += 1) {
    const source =
      number === 1
        ? first
        : await sourceOf(sharp, bytes, { type, page: number, size: MEASURED_SIDE, isStrict: true });
    if ('kind' in source) return { head: source };
    pages = source.pages;
    await source.image.stats();
  }
  if (type === 'jpeg') await needWholeJpeg(sharp, bytes);
  return { head: { kind: 'whole' } };
}

async function look(bytes: Buffer, type: ImageType): Promise<Appearance> {
  const source = await sourceOf(sharp, bytes, { type, page: 1, size: MEASURED_SIDE });
  if ('kind' in source) throw new Error(source.detail.is);
  return appearanceOf(source.image);
}

/** Turns an error of a library into a refusal. Drops its message, which may contain anything. */
function refusalOf(error: unknown): Unreadable {
  if (error instanceof OutOfMemory || error instanceof RangeError || /pixel limit/i.test(String(error)))
    return { kind: 'refused', reason: 'TOO_DEAR', detail: { is: 'largeToDraw' } };
  return { kind: 'refused', reason: 'DAMAGED', detail: { is: 'damaged' } };
}

function say({ head, body }: RendererAnswer): void {
  for (const piece of frame(head, body)) process.stdout.write(piece);
}

// Libraries may write to the console, but stdout is for frames.
for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) console[method] = () => {};

const reader = new FrameReader<PageRequest>(MOST_BYTES);
let turn = Promise.resolve();
process.stdin.on('data', (chunk: Buffer) => {
  for (const asked of reader.read(chunk)) {
    turn = turn
      .then(() => answer(asked))
      .catch((error: unknown): RendererAnswer => ({ head: refusalOf(error) }))
      .then(say);
  }
});
say({ head: { kind: 'ready' } });
