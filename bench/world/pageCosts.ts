import sharp from 'sharp';
import { loadSharp } from '../../src/pages/child/encode.ts';
import { openPdf } from '../../src/pages/child/pdf.ts';
import { loadPdfium } from '../../src/pages/child/pdfium.ts';
import { pdfOf, type PdfPage } from '../../test/support/pdf.ts';
import type { Figure } from '../scenario.ts';
import { median } from './measure.ts';

const RESOLUTION = 200;
const ANNOTATION = '/Type /Annot /Subtype /Square /Rect [20 20 90 90]';

/** How the page of a PDF becomes an image, with keys that make it so. */
const KINDS = [
  { name: 'page whose JPEG is passed on', how: {}, isOriginal: true },
  {
    name: 'page that is compared, then its JPEG passed on',
    how: { keys: `/Annots [<< ${ANNOTATION} /F 2 >>]` },
    isOriginal: true,
  },
  { name: 'page that is drawn', how: { rotate: 90 }, isOriginal: false },
  {
    name: 'page that is compared, then drawn',
    how: { keys: `/Annots [<< ${ANNOTATION} /F 4 /C [1 0 0] /IC [0 0 1] >>]` },
    isOriginal: false,
  },
] as const;

type Scan = Extract<PdfPage, { jpeg: Buffer }>;

/** Processor time of each kind of page, in this process, and of decoding the same JPEGs in turn. */
export async function pageCosts(scans: readonly Scan[], rounds: number): Promise<Figure[]> {
  const [module, load] = [await loadPdfium(), await loadSharp()];
  const figures: Figure[] = [];
  for (const { name, how, isOriginal } of KINDS) {
    const file = openPdf(module, pdfOf(scans.map((scan) => ({ ...scan, ...how }))));
    if (file.kind === 'refused') throw new Error(`${name}: ${file.detail.is}`);
    const [costs, ratios]: [number[], number[]] = [[], []];
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      const page = await milliseconds(scans.length, async (at) => {
        const sent = await file.page(load, at + 1, ['jpeg'], RESOLUTION);
        if (sent.kind === 'refused' || sent.isOriginal !== isOriginal)
          throw new Error(`${name}: page ${at + 1} is made in another way`);
      });
      const decoding = await milliseconds(scans.length, (at) => sharp(scans[at]?.jpeg).raw().toBuffer());
      if (round === 0) continue;
      costs.push(page);
      ratios.push(page / decoding);
    }
    figures.push(
      { name: `${name}: processor time`, value: median(costs), unit: 'ms', better: 'less' },
      { name: `${name}: vs. decoding its JPEG`, value: median(ratios), unit: 'ratio', better: 'less' },
    );
  }
  return figures;
}

/** Processor time for each of `count`. */
async function milliseconds(count: number, work: (at: number) => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let at = 0; at < count; at += 1) await work(at);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3 / count;
}
