import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SplitType } from '../../src/core/domain/imageType.ts';
import { confinement } from '../../src/pages/confinement.ts';
import { installedPackages } from '../../src/pages/installed.ts';
import { openPdf } from '../../src/pages/child/pdf.ts';
import { loadPdfium } from '../../src/pages/child/pdfium.ts';
import { ProcessSplitter } from '../../src/pages/splitter.ts';
import { HEIC } from '../support/heic.ts';
import { pdfOf, rawPdf } from '../support/pdf.ts';
import { tiffOf } from '../support/tiff.ts';
import { firstPage } from './child/openFile.ts';
import { KeptProcess } from '../../src/pages/keptProcess.ts';
import type { RendererProcess } from '../../src/pages/rendererProcess.ts';
import { tempDir } from '../support/tempDir.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/pageRenderer.js', import.meta.url));
const INTO = ['jpeg', 'png'] as const;

/** The same in every run. */
const NOISE = Buffer.alloc(256 * 256 * 3);
for (let at = 0, seed = 7; at < NOISE.length; at += 1) {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  NOISE[at] = 96 + ((seed >> 16) & 63);
}

/** How the first page ends, without a process of its own, which takes half a second. */
async function endInProcess(type: SplitType, bytes: Buffer): Promise<string> {
  const page = await firstPage(type, bytes);
  return page.kind === 'refused' ? page.reason : page.type;
}

function splitter(limits = {}) {
  return new ProcessSplitter({
    confinement: () => confinement(PROGRAM, installedPackages(PROGRAM).files),
    limits,
  });
}

describe('the process that takes files apart', () => {
  let receipt: Buffer;
  beforeAll(async () => {
    receipt = await sharp({ create: { width: 300, height: 500, channels: 3, background: '#eeddcc' } })
      .jpeg()
      .toBuffer();
  });

  async function pagesOf(type: SplitType, bytes: Buffer) {
    const split = splitter();
    const file = await split.open({
      type,
      bytes: async () => bytes,
      into: INTO,
      resolution: 200,
      isLookedAt: false,
      signal: new AbortController().signal,
    });
    if (file.kind === 'refused') {
      await split.close();
      return file;
    }
    const pages = [];
    for (let page = 1; page <= file.pages; page += 1) pages.push(await file.page(page));
    await file.close();
    return pages;
  }

  async function attachmentsOf(bytes: Buffer) {
    const file = openPdf(await loadPdfium(), bytes);
    return file.kind === 'refused' ? file.detail : file.attachments;
  }

  it('takes the scanner’s JPEG out of a page byte for byte, and draws what is anything else', async () => {
    const scan = { jpeg: receipt, width: 300, height: 500 };
    const written = { content: 'BT /F1 24 Tf 72 700 Td (Total 12.30) Tj ET' };
    const pages = await pagesOf('pdf', pdfOf([scan, { ...scan, rotate: 90 }, written]));
    expect(pages).toMatchObject([
      { kind: 'image', type: 'jpeg', isOriginal: true, bytes: receipt },
      { kind: 'image', type: 'jpeg', isOriginal: false },
      { kind: 'image', type: 'jpeg', isOriginal: false },
    ]);
    const [, turned, drawn] = pages as { bytes: Buffer }[];
    expect(await sharp(turned?.bytes).metadata()).toMatchObject({ width: 500, height: 300 });
    expect(await sharp(drawn?.bytes).metadata()).toMatchObject({ width: 1652, height: 2338, density: 200 });
  });

  it('makes an image of each page of a TIFF, and a JPEG of a HEIC', async () => {
    const grey = (of: number) => ({ width: 40, height: 60, grey: of });
    const pages = await pagesOf('tiff', tiffOf([grey(10), grey(120), grey(250)]));
    expect(pages).toMatchObject([{ type: 'jpeg' }, { type: 'jpeg' }, { type: 'jpeg' }]);
    const means = (pages as { bytes: Buffer }[]).map(
      async ({ bytes }) => (await sharp(bytes).stats()).channels[0]?.mean,
    );
    expect((await Promise.all(means)).map((mean) => Math.round(mean ?? -1))).toEqual([10, 120, 250]);

    const photograph = (await firstPage('heic', HEIC)) as { bytes: Buffer };
    expect(await sharp(photograph.bytes).metadata()).toMatchObject({
      format: 'jpeg',
      width: 64,
      height: 96,
    });
  });

  it('ends hostile files with a reason', async () => {
    const scan = { jpeg: receipt, width: 300, height: 500 };
    const pdf = pdfOf([scan]);
    const endless = Buffer.from(
      pdfOf([scan]).toString('latin1').replace('/Count 1', '/Count 999999999'),
      'latin1',
    );
    expect(await endInProcess('pdf', pdfOf([scan], { isEncrypted: true }))).toBe('ENCRYPTED');
    expect(await endInProcess('pdf', pdf.subarray(0, 200))).toBe('DAMAGED');
    expect(await endInProcess('pdf', endless)).toMatch(/^(?:jpeg|DAMAGED|TOO_MANY_PAGES)$/);
    expect(await endInProcess('pdf', pdfOf([scan], { script: 'while \\(true\\) {}' }))).toBe('jpeg');
    expect(await endInProcess('heic', HEIC.subarray(0, 600))).toBe('DAMAGED');
    const bomb = tiffOf([{ width: 4, height: 4, grey: 0 }]);
    for (const side of [18, 30]) bomb.writeUInt32LE(60_000, side);
    expect(await pagesOf('tiff', bomb)).toMatchObject([{ reason: 'TOO_DEAR' }]);
  });

  it('keeps back what would be sent without its content', async () => {
    const page =
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Resources << /Font << /F0 4 0 R >> >> /Contents 5 0 R >>';
    const file = (catalog: string, font: string, text: string, others: Record<number, string> = {}) => {
      const content = Buffer.from(`BT /F0 12 Tf 20 100 Td ${text} Tj ET`, 'latin1');
      return rawPdf({
        1: `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
        2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        3: page,
        4: font,
        5: [`<< /Length ${content.length} >>`, content],
        ...others,
      });
    };
    const latin = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
    const polish =
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [1 /lslash /zdotaccent] >> >>';
    const chinese =
      '<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>] >>';
    const attached = {
      6: '<< /Type /Filespec /F (a.txt) /EF << /F 7 0 R >> >>',
      7: '<< /Type /EmbeddedFile /Length 2 >>\nstream\nhi\nendstream',
    };
    const names = '/Names << /EmbeddedFiles << /Names [(a) 6 0 R] >> >>';
    expect(await endInProcess('pdf', file('', latin, '(Total)'))).toBe('jpeg');
    expect(await endInProcess('pdf', file('', polish, '(\x01\x02)'))).toBe('jpeg');
    expect(await endInProcess('pdf', file('', chinese, '<589e503c>'))).toBe('FONT_MISSING');
    expect(await endInProcess('pdf', file(names, latin, '(Total)', attached))).toBe('jpeg');
    expect(await attachmentsOf(file(names, latin, '(Total)', attached))).toBe(1);
    expect(await attachmentsOf(file('', latin, '(Total)'))).toBe(0);
    const portfolio = file(`${names} /Collection << /View /D >>`, latin, '(Open in Acrobat)', attached);
    expect(await endInProcess('pdf', portfolio)).toBe('PORTFOLIO');
    const form = '/NeedsRendering true /AcroForm << /Fields [] /XFA 6 0 R >>';
    const xfa = { 6: '<< /Length 2 >>\nstream\nhi\nendstream' };
    expect(await endInProcess('pdf', file(form, latin, '(Please wait)', xfa))).toBe('XFA_FORM');
  });

  it('draws the TIFFs whose colours the decoder knows, and keeps back others', async () => {
    const size = { width: 4, height: 4 };
    const ends = async (tags: Record<number, number>, pixels = Buffer.alloc(16, 200)) => {
      const page = await firstPage('tiff', tiffOf([{ ...size, pixels, tags }]));
      if (page.kind === 'refused') return page.reason;
      return Math.round((await sharp(page.bytes).stats()).channels[0]?.mean ?? -1);
    };
    const [bits, compression, photometric, samples, extra, format] = [258, 259, 262, 277, 338, 339];
    expect(await ends({})).toBe(200);
    expect(await ends({ [photometric]: 0 })).toBe(55);
    expect(await ends({ [format]: 1 })).toBe(200);
    expect(await ends({ [format]: 2 })).toBe('UNSUPPORTED');
    expect(await ends({ [bits]: 32, [format]: 3 }, Buffer.alloc(64))).toBe('UNSUPPORTED');
    expect(await ends({ [bits]: 32 }, Buffer.alloc(64, 200))).toBe('UNSUPPORTED');
    for (const scheme of [6, 34_925, 50_000]) {
      expect(await ends({ [compression]: scheme }), `compression ${scheme}`).toBe('UNSUPPORTED');
    }
    const three = Buffer.alloc(48, 200);
    expect(await ends({ [photometric]: 2, [samples]: 3 }, three)).toBe(200);
    expect(await ends({ [photometric]: 6, [samples]: 3, 530: 1 }, three)).toBe('UNSUPPORTED');
    expect(await ends({ [photometric]: 8, [samples]: 3 }, three)).toBe('UNSUPPORTED');
    const pair = (alpha: number) => Buffer.from(Array.from({ length: 16 }, () => [200, alpha]).flat());
    expect(await ends({ [samples]: 2, [extra]: 2 }, pair(0))).toBe(255);
    expect(await ends({ [samples]: 2, [extra]: 0 }, pair(255))).toBe(200);
    expect(await ends({ [samples]: 2, [extra]: 0 }, pair(0))).toBe('UNSUPPORTED');
    expect(await ends({ [samples]: 2 }, pair(0))).toBe('UNSUPPORTED');
    const thumbnail = tiffOf([{ ...size, pixels: Buffer.alloc(16), tags: { 254: 1 } }]);
    expect(await pagesOf('tiff', thumbnail)).toMatchObject({ reason: 'UNSUPPORTED' });
  });

  it('ends a process that takes too long or too much memory, and goes on with the next page in another one', async () => {
    const scan = { jpeg: receipt, width: 300, height: 500 };
    const bytes = pdfOf([{ content: '0 0 595 842 re f* '.repeat(400_000) }, scan]);
    const open = async (limits: object) => {
      const signal = new AbortController().signal;
      const file = await splitter(limits).open({
        type: 'pdf',
        bytes: async () => bytes,
        into: INTO,
        resolution: 200,
        isLookedAt: false,
        signal,
      });
      return file.kind === 'open' ? file : { pages: 0, page: async () => file, close: async () => {} };
    };
    const slow = await open({ withinMs: 1_500 });
    expect(await slow.page(1)).toMatchObject({ reason: 'TOO_DEAR', detail: { is: 'slow', seconds: 2 } });
    // On a busy machine the next process, or already the first, may be late as well.
    let again = slow;
    let next = await again.page(2);
    for (let tries = 0; next.kind === 'refused' && tries < 20; tries += 1) {
      if (again.pages === 0) again = await open({ withinMs: 1_500 });
      next = await again.page(2);
    }
    expect(next).toMatchObject({ bytes: receipt });
    await Promise.all([slow.close(), again.close()]);
    const large = await open({ memoryBytes: 120_000_000 });
    expect(await large.page(1)).toMatchObject({ reason: 'TOO_DEAR', detail: { is: 'memory' } });
    await large.close();
  });

  it('looks at images of every type that it can draw, and tells nothing of others', async () => {
    const looking = splitter();
    const wide = await sharp(receipt).withMetadata({ orientation: 6 }).toBuffer();
    expect(await looking.look(receipt, 'jpeg')).toMatchObject({ width: 300, height: 500, detail: 0 });
    expect(await looking.look(wide, 'jpeg')).toMatchObject({ width: 500, height: 300 });
    expect(await looking.look(await sharp(receipt).png().toBuffer(), 'png')).toMatchObject({ width: 300 });
    expect(await looking.look(HEIC, 'heic')).toMatchObject({ width: 64, height: 96 });
    expect(await looking.look(receipt.subarray(0, 100), 'jpeg')).toBeNull();
    expect(await looking.look(HEIC.subarray(0, 600), 'heic')).toBeNull();
    expect(await looking.look(Buffer.from('%PDF-1.4'), 'pdf')).toBeNull();
    await looking.close();
    expect(await looking.look(receipt, 'jpeg')).toBeNull();
  });

  it('tells whether image data is missing where a file has zeros', async () => {
    const looking = splitter();
    const raw = { width: 256, height: 256, channels: 3 } as const;
    const noise = () => sharp(NOISE, { raw });
    const jpeg = await noise().jpeg().toBuffer();
    const others = [
      ['png', await noise().png().toBuffer()],
      ['webp', await noise().webp({ lossless: true }).toBuffer()],
      ['tiff', await noise().tiff({ compression: 'lzw' }).toBuffer()],
    ] as const;
    for (const [type, bytes] of [['jpeg', jpeg] as const, ...others]) {
      expect(await looking.isWhole(bytes, type), type).toBe(true);
      const holed = Buffer.from(bytes);
      holed.fill(0, bytes.length >> 1, (bytes.length >> 1) + 4_096);
      expect(await looking.isWhole(holed, type), type).toBe(false);
    }
    // As Windows pads EXIF data.
    const padded = Buffer.concat([
      jpeg.subarray(0, 2),
      Buffer.from([0xff, 0xe1, 0x08, 0x02]),
      Buffer.alloc(2_048),
      jpeg.subarray(2),
    ]);
    expect(await looking.isWhole(padded, 'jpeg')).toBe(true);
    // "Invalid SOS parameters", as Samsung's cameras write them.
    const samsung = Buffer.from(jpeg);
    const scan = samsung.indexOf(Buffer.from([0xff, 0xda]));
    samsung[scan + 2 + samsung.readUInt16BE(scan + 2) - 2] = 0;
    expect(await looking.isWhole(samsung, 'jpeg')).toBe(true);
    const bomb = tiffOf([{ width: 4, height: 4, grey: 0 }]);
    for (const side of [18, 30]) bomb.writeUInt32LE(60_000, side);
    expect(await looking.isWhole(bomb, 'tiff')).toBeNull();
    await looking.close();
    expect(await looking.isWhole(jpeg, 'jpeg')).toBeNull();
  });

  it('has no files, no network and no environment on this machine, and says what holds', async () => {
    const { holds, env } = await confinement(PROGRAM, installedPackages(PROGRAM).files);
    expect(holds).toContain('heap');
    expect(env).not.toHaveProperty('PATH');
  });
});

const ASKED = { kind: 'look', type: 'jpeg' } as const;
const BYTES = Buffer.from('an image');

/** Processes that only count what they are asked. */
function processes() {
  const started: { asked: number; isOver: boolean }[] = [];
  const start = async (): Promise<RendererProcess> => {
    const process = { asked: 0, isOver: false };
    started.push(process);
    const ask = async () => {
      process.asked += 1;
      return { head: { kind: 'thumbnail' }, body: BYTES };
    };
    return Object.assign(process, { ask, end: async () => void (process.isOver = true) }) as never;
  };
  return { started, start };
}

describe('a process that is kept', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is asked until it is old, over, or idle', async () => {
    const { started, start } = processes();
    const kept = new KeptProcess(start, { questions: 2, idleMs: 1_000 });
    await Promise.all([kept.ask(ASKED, BYTES), kept.ask(ASKED, BYTES), kept.ask(ASKED, BYTES)]);
    expect(started).toMatchObject([
      { asked: 2, isOver: true },
      { asked: 1, isOver: false },
    ]);
    started[1]!.isOver = true;
    await kept.ask(ASKED, BYTES);
    expect(started).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(999);
    expect(started[2]).toMatchObject({ asked: 1, isOver: false });
    await vi.advanceTimersByTimeAsync(1);
    expect(started[2]).toMatchObject({ isOver: true });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('says why where none starts, and asks for another one the next time', async () => {
    const { started, start } = processes();
    const why = { kind: 'refused', reason: 'TROUBLE', detail: { is: 'noAnswer' } } as const;
    let isWell = false;
    let thrown: Error | null = new Error('no memory');
    const kept = new KeptProcess(async () => {
      if (thrown) throw thrown;
      return isWell ? start() : why;
    });
    expect(await kept.ask(ASKED, BYTES)).toMatchObject({
      reason: 'TROUBLE',
      detail: { is: 'notAsked', detail: 'Error: no memory' },
    });
    thrown = null;
    expect(await kept.ask(ASKED, BYTES)).toEqual(why);
    isWell = true;
    expect(await kept.ask(ASKED, BYTES)).toMatchObject({ body: BYTES });
    expect(started).toHaveLength(1);
    await kept.end();
    expect(started[0]).toMatchObject({ isOver: true });
  });
});

const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url));

it('packages behind a symbolic link are named by the path that the confined process uses', async () => {
  const here = tempDir('installed');
  await mkdir(join(here, 'dist'));
  await symlink(PACKAGES, join(here, 'node_modules'), 'junction');
  const { files, missing } = installedPackages(join(here, 'dist', 'agent.js'));
  expect(missing).toEqual([]);
  expect(files.filter((file) => !file.startsWith(join(here, 'node_modules')))).toEqual([]);
});
