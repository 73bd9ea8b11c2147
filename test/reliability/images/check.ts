import { IMAGE_TYPES, type ImageType } from '../../../src/core/domain/imageType.ts';
import { parseTemplate } from '../../../src/core/domain/nameTemplate.ts';
import { MIN_NAME_BYTES } from '../../../src/core/domain/naming.ts';
import { createImageInspector } from '../../../src/intake/image/inspect.ts';
import type { Inspection } from '../../../src/core/ports/image.ts';
import type { Surroundings } from './surroundings.ts';
import { contentTexts, gapTexts } from '../../../src/texts/en/imageFlaws.ts';
import { formatOf } from '../../../src/texts/format.ts';
import { phrase } from '../../../src/texts/phrase.ts';

export interface Judged {
  /** `jpeg complete`, `no type`; empty if the inspector threw. */
  readonly verdict: string;
  /** The breach, as a sentence; null if there is none. */
  readonly breach: string | null;
  /** CPU time of the slowest call. */
  readonly cpuMs: number;
}

const inspector = createImageInspector();
const TYPES: ReadonlySet<string> = new Set(IMAGE_TYPES);
const LONGEST_DETAIL = 200;
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
const NAMES = parseTemplate('{captured:YYYY-MM-DD_HH.mm.ss}-{hash:64}');
const HASH = 'ab'.repeat(32);

/** CPU time allowed for a file: a constant plus an amount per byte. */
const MOMENT_MS = 100;
const MS_PER_BYTE = 0.00006;

export function timeAllowedMs(length: number): number {
  return MOMENT_MS + length * MS_PER_BYTE;
}

/** Checks everything that must hold for any bytes. */
export async function judge(file: Buffer, surroundings: Surroundings): Promise<Judged> {
  const first = await look(file);
  if (first.threw !== null) return { verdict: '', breach: first.threw, cpuMs: first.cpuMs };
  const within = surroundings.embed(file);
  const second = await look(within);
  const breach =
    malformed(first.inspection) ??
    misnamed(first.inspection, file) ??
    misdated(first.date) ??
    (first.answer === second.answer
      ? null
      : `It answers ${first.answer} for the bytes alone, but ${second.threw ?? second.answer} when other bytes surround them.`) ??
    (surroundings.isIntact(file) ? null : 'It changed the bytes that it read.') ??
    (await tooSlow(file, Math.min(first.cpuMs, second.cpuMs)));
  return { verdict: verdictOf(first.inspection), breach, cpuMs: Math.min(first.cpuMs, second.cpuMs) };
}

/** The same for a file so large that one inspection has to suffice. */
export async function judgeOnce(file: Buffer): Promise<Judged> {
  const { inspection, date, threw, cpuMs } = await look(file);
  const breach =
    threw ??
    malformed(inspection) ??
    misnamed(inspection, file) ??
    misdated(date) ??
    (await tooSlow(file, cpuMs));
  return { verdict: threw === null ? verdictOf(inspection) : '', breach, cpuMs };
}

interface Seen {
  readonly inspection: Inspection;
  readonly date: Date | null;
  readonly answer: string;
  readonly threw: string | null;
  readonly cpuMs: number;
}

async function look(file: Uint8Array): Promise<Seen> {
  const before = process.cpuUsage();
  let inspection: Inspection = { type: null, detail: { is: 'empty' }, content: 'unknown' };
  let date: Date | null = null;
  let threw: string | null = null;
  try {
    inspection = await inspector.inspect(file);
    date = await inspector.capturedAt(file, inspection.type ?? guess(file));
  } catch (error) {
    threw = `It threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  return { inspection, date, threw, cpuMs, answer: `${JSON.stringify(inspection)} ${JSON.stringify(date)}` };
}

/** A file without a type is still passed to the reader of capture times, as an arbitrary type. */
function guess(file: Uint8Array): ImageType {
  return IMAGE_TYPES[file.length % IMAGE_TYPES.length] ?? 'jpeg';
}

function verdictOf(inspection: Inspection): string {
  return inspection.type === null ? 'no type' : `${inspection.type} ${inspection.structure}`;
}

const FORMAT = formatOf('en', String);

function malformed(inspection: Inspection): string | null {
  if (inspection.type !== null && !TYPES.has(inspection.type)) return `Its type is ${inspection.type}.`;
  if (!('detail' in inspection)) {
    return inspection.structure === 'complete' ? null : 'It is incomplete, and the reason is missing.';
  }
  const detail =
    inspection.type === null
      ? phrase(contentTexts(FORMAT), inspection.detail)
      : phrase(gapTexts(FORMAT), inspection.detail);
  const well = detail.trim() !== '' && detail.length <= LONGEST_DETAIL && !CONTROL.test(detail);
  return well
    ? null
    : `Its detail is not a short line: ${JSON.stringify(detail.slice(0, 2 * LONGEST_DETAIL))}`;
}

const STARTS: Readonly<Record<ImageType, RegExp>> = {
  jpeg: /^\xff\xd8\xff/,
  png: /^\x89PNG\r\n\x1a\n/,
  tiff: /^(II[*+]\0|MM\0[*+])/,
  webp: /^RIFF[^]{4}WEBP/,
  gif: /^GIF/,
  bmp: /^BM/,
  heic: /^[^]{4}ftyp/,
  pdf: /%PDF/,
};

/** A decoder looks at the first bytes, for a PDF at the first 1,024. */
function misnamed({ type }: Inspection, file: Buffer): string | null {
  const right = type === null || STARTS[type].test(file.toString('latin1', 0, 1024));
  return right ? null : `Its type is ${type}, but it does not begin like one.`;
}

function misdated(date: Date | null): string | null {
  if (date === null) return null;
  if (!(date instanceof Date) || Number.isNaN(date.getTime())) return 'Its capture time is not a date.';
  const context = { folder: '/inbox', path: 'a.jpg', hash: HASH, host: 'office', endpoint: 'office' };
  const [name] = NAMES.propose({ ...context, date, captured: date, maxBytes: MIN_NAME_BYTES + 20 }, 1);
  const right = /^(19|[2-9]\d)\d\d-[01]\d-[0-3]\d_[0-2]\d\.[0-5]\d\.[0-5]\d-[0-9a-f]{64}$/;
  return name !== undefined && right.test(name) ? null : `Its capture time leads to the name ${name}.`;
}

/** Being slow once or twice may be due to the machine; being slow every time is due to the file. */
async function tooSlow(file: Buffer, cpuMs: number): Promise<string | null> {
  const allowed = timeAllowedMs(file.length);
  let least = cpuMs;
  for (let again = 0; again < 3 && least > allowed; again += 1)
    least = Math.min(least, (await look(file)).cpuMs);
  return least <= allowed
    ? null
    : `${file.length} bytes took ${least.toFixed(0)} ms of processor time; ${allowed.toFixed(0)} ms are allowed.`;
}
