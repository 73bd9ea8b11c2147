import { ReceiptdError } from './errors.ts';
import { nearest } from './nearest.ts';

/**
 * Document names: a template with fields in braces, `{{` and `}}` for braces, and everything else verbatim.
 *
 *   {folder} {path} {stem} {ext}   of the file: watched folder, directories below it joined with `-`, name
 *   {date[:FORMAT]} {time[:FORMAT]} {captured[:FORMAT]}   FORMAT: YYYY YY MM DD HH mm ss and - _ .
 *   {hash[:LENGTH]} {seq[:WIDTH]} {host} {endpoint}
 */
export const DEFAULT_TEMPLATE = '{stem}-{hash:12}';

const HASH_DIGITS = 64;
/** The last name proposed is the whole hash if need be, so that a lower limit can't be kept. */
export const MIN_NAME_BYTES = HASH_DIGITS;

/** All that a name may depend on; dates are shown in the local time zone. */
export interface NameContext {
  /** Path of the watched folder; its last segment counts. */
  readonly folder: string;
  /** Relative to the folder, with `/` between segments. */
  readonly path: string;
  /** SHA-256, 64 lower-case hexadecimal digits. */
  readonly hash: string;
  readonly host: string;
  /** The local name of the endpoint. */
  readonly endpoint: string;
  /** When the image was admitted. */
  readonly date: Date;
  /** When the image was captured; the file's mtime where it does not say. */
  readonly captured: Date;
  /** Longest name in bytes of UTF-8; at least MIN_NAME_BYTES. */
  readonly maxBytes: number;
}

export interface NameTemplate {
  readonly usesSeq: boolean;
  readonly usesCaptured: boolean;
  /**
   * Names in order of preference: what the template says; the same with 16 digits of the hash; with all 64.
   * No other image is ever given the last one in the same endpoint, whatever its files are called.
   */
  propose(context: NameContext, seq: number): readonly string[];
  /** The same, for whoever gives out the number. */
  naming(context: NameContext): Naming;
}

/**
 * Names in order of preference; or, where a number `{seq}` of the endpoint is part of them, what they are made of once it is
 * known. Data only. Everything but the number is rendered: a date is shown in the time zone of the one who asks.
 */
export type Naming = readonly string[] | NumberedNaming;

export interface NumberedNaming {
  readonly parts: readonly (Value | SeqNumber)[];
  /** As in NameContext. */
  readonly hash: string;
  readonly maxBytes: number;
}

/** The place of the number. */
interface SeqNumber {
  /** Digits at least. */
  readonly width: number;
}

export function usesSeq(naming: Naming): naming is NumberedNaming {
  return 'parts' in naming;
}

/** Names in order of preference; `seq` counts only where `usesSeq`. */
export function namesOf(naming: Naming, seq: number): readonly string[] {
  return usesSeq(naming) ? numbered(naming, seq) : naming;
}

/** @throws ReceiptdError TEMPLATE_INVALID */
export function parseTemplate(text: string): NameTemplate {
  const parts = [...partsOf(text)];
  if (parts.length === 0) {
    throw invalid('The name template is empty.', `The default is ${DEFAULT_TEMPLATE}.`);
  }
  const uses = (field: string) => parts.some((part) => part.field === field);
  return {
    usesSeq: uses('seq'),
    usesCaptured: uses('captured'),
    propose: (context, seq) => numbered(rendered(parts, context), seq),
    naming(context) {
      const naming = rendered(parts, context);
      return uses('seq') ? naming : numbered(naming, 0);
    },
  };
}

function rendered(parts: readonly Part[], context: NameContext): NumberedNaming {
  const { hash, maxBytes } = context;
  const values = parts.map(({ render, kept }) => {
    const made = render(context);
    return typeof made === 'string' ? valueOf(clean(made), kept) : made;
  });
  return { parts: values, hash, maxBytes };
}

function numbered({ parts, hash, maxBytes }: NumberedNaming, seq: number): string[] {
  const values = parts.map((part) =>
    'width' in part ? valueOf(String(seq).padStart(part.width, '0'), true) : part,
  );
  const limit = Math.max(maxBytes, MIN_NAME_BYTES);
  const names = [0, 16, HASH_DIGITS].map((digits) => assemble(values, hash.slice(0, digits), limit));
  // A name that ends in a whole hash is for the image with that hash only.
  const foreign = (name: string) => /(?:^|-)[0-9a-f]{64}$/i.test(name) && !name.endsWith(hash);
  return [...new Set(names)].filter((name) => name !== '' && !foreign(name));
}

/* ---- Reading a template ------------------------------------------------------------------------- */

interface Part {
  readonly field: string | null;
  /** Never shortened. */
  readonly kept: boolean;
  readonly render: (context: NameContext) => string | SeqNumber;
}

interface Field {
  readonly kept: boolean;
  /** From what stands after the colon. @throws BadArgument with a hint */
  readonly make: (argument: string | null) => Part['render'];
}

const plain = (render: Part['render']): Field => ({
  kept: false,
  make(argument) {
    if (argument !== null) throw new BadArgument('This field takes nothing after a colon.');
    return render;
  },
});

const FIELDS: Readonly<Record<string, Field>> = {
  folder: plain(({ folder }) => lastSegment(folder.replace(/\/+$/, ''))),
  path: plain(({ path }) => path.split('/').slice(0, -1).join('-')),
  stem: plain(({ path }) => splitName(lastSegment(path)).stem),
  ext: plain(({ path }) => splitName(lastSegment(path)).ext),
  host: plain(({ host }) => host),
  endpoint: plain(({ endpoint }) => endpoint),
  date: dateField(({ date }) => date, 'YYYY-MM-DD'),
  time: dateField(({ date }) => date, 'HH-mm-ss'),
  captured: dateField(({ captured }) => captured, 'YYYY-MM-DD'),
  hash: {
    kept: true,
    make(argument) {
      const digits = wholeNumber(argument ?? '12', 4, HASH_DIGITS, 'digits of the hash');
      return ({ hash }) => hash.slice(0, digits);
    },
  },
  seq: {
    kept: true,
    make(argument) {
      const width = wholeNumber(argument ?? '1', 1, 12, 'digits of the number');
      return () => ({ width });
    },
  },
};

class BadArgument extends Error {}

function* partsOf(template: string): Generator<Part> {
  // A doubled brace, a field, a lone brace, or text up to the next of these.
  for (const match of template.matchAll(/(\{\{|\}\})|\{([^{}]*)\}|([{}])|[^{}]+/g)) {
    const [whole, doubled, inner, lone] = match;
    const where = `at character ${match.index + 1} of the name template "${template}"`;
    if (lone) throw invalid(`Unmatched brace ${where}.`, `Write ${lone}${lone} for a literal brace.`);
    if (inner !== undefined) {
      yield fieldPart(inner, where);
    } else {
      const text = doubled?.charAt(0) ?? whole;
      yield { field: null, kept: false, render: () => text };
    }
  }
}

function fieldPart(inner: string, where: string): Part {
  const colon = inner.indexOf(':');
  const name = colon === -1 ? inner : inner.slice(0, colon);
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (field === undefined) {
    const guess = nearest(name, Object.keys(FIELDS));
    const known = Object.keys(FIELDS).map((key) => `{${key}}`);
    throw invalid(
      `Unknown field {${name}}, ${where}.`,
      `${guess === undefined ? '' : `Did you mean {${guess}}? `}The fields are ${known.join(' ')}.`,
    );
  }
  try {
    return {
      field: name,
      kept: field.kept,
      render: field.make(colon === -1 ? null : inner.slice(colon + 1)),
    };
  } catch (error) {
    if (!(error instanceof BadArgument)) throw error;
    throw invalid(`The field {${inner}}, ${where}, is not understood.`, error.message);
  }
}

function dateField(pick: (context: NameContext) => Date, standard: string): Field {
  return {
    kept: true,
    make(argument) {
      const format = argument ?? standard;
      if (!/^(?:YYYY|YY|MM|DD|HH|mm|ss|[-_.])+$/.test(format)) {
        throw new BadArgument('A date format is made of YYYY YY MM DD HH mm ss and - _ . only.');
      }
      // The likeliest slip, which would stay in names forever.
      if (format.includes('mm') && !format.includes('HH')) {
        throw new BadArgument('mm is minutes, and there is no HH before it; months are MM.');
      }
      return (context) => formatDate(pick(context), format);
    },
  };
}

function formatDate(date: Date, format: string): string {
  const year = String(date.getFullYear()).padStart(4, '0');
  const two = (value: number) => String(value).padStart(2, '0');
  const values: Readonly<Record<string, string>> = {
    YYYY: year,
    YY: year.slice(-2),
    MM: two(date.getMonth() + 1),
    DD: two(date.getDate()),
    HH: two(date.getHours()),
    mm: two(date.getMinutes()),
    ss: two(date.getSeconds()),
  };
  return format.replace(/YYYY|YY|MM|DD|HH|mm|ss/g, (token) => values[token] ?? token);
}

function wholeNumber(text: string, min: number, max: number, of: string): number {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new BadArgument(`After the colon comes the number of ${of}, ${min} to ${max}.`);
}

function invalid(message: string, hint: string): ReceiptdError {
  return new ReceiptdError('TEMPLATE_INVALID', message, { hint });
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function splitName(name: string): { stem: string; ext: string } {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? { stem: name.slice(0, dot), ext: name.slice(dot + 1) } : { stem: name, ext: '' };
}

/* ---- Putting a name together ---------------------------------------------------------------------- */

interface Value {
  readonly text: string;
  readonly kept: boolean;
  /** In bytes. */
  readonly size: number;
}

function valueOf(text: string, kept: boolean): Value {
  return { text, kept, size: byteLength(text) };
}

/**
 * What would break a line, a path or the order of reading: control characters, line separators, slashes,
 * lone surrogates, bidirectional overrides and isolates, the byte order mark. Anything else stays as it is,
 * decomposed letters and joined emoji included.
 */
const FORBIDDEN = /[\p{Cc}\p{Cs}\u2028\u2029/\\\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

function clean(text: string): string {
  return text.replace(FORBIDDEN, '_');
}

/** The hash alone, or nothing without one, when the kept parts do not fit. */
function assemble(values: readonly Value[], hash: string, limit: number): string {
  const suffix = hash === '' ? '' : `-${hash}`;
  const name = trim(fit(values, limit - suffix.length)) || (values.every(({ kept }) => !kept) ? '_' : '');
  return name === '' || name.length + suffix.length > limit ? hash : name + suffix;
}

/** Leaves no white space or dots at the ends, and so neither `.` nor `..`. */
function trim(name: string): string {
  return name.replace(/^[\s.]+/u, '').replace(/[\s.]+$/u, '');
}

/** Shortens the longest values first, so that separators and short words outlast a long file name. */
function fit(values: readonly Value[], limit: number): string {
  let room = limit;
  let wanted = 0;
  for (const { kept, text, size } of values) {
    if (kept) room -= text.length;
    else wanted += size;
  }
  if (room < 0) return '';
  const texts = values.map(({ text }) => text);
  if (wanted <= room) return texts.join('');

  const flexible = values.map((value, index) => ({ ...value, index }));
  const byLength = flexible.filter(({ kept }) => !kept).sort((a, b) => a.size - b.size);
  byLength.forEach(({ text, index, size }, i) => {
    const share = Math.floor(room / (byLength.length - i));
    const shortened = size <= share ? text : shorten(text, share);
    texts[index] = shortened;
    room -= byteLength(shortened);
  });
  return texts.join('');
}

/** Cuts between what a reader sees as characters, so that no letter loses its accent. */
function shorten(text: string, maxBytes: number): string {
  let used = 0;
  let end = 0;
  // Made when it is wanted, which is seldom: it takes longer than most of the start.
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment, index } of graphemes.segment(text)) {
    used += byteLength(segment);
    if (used > maxBytes) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

let graphemes: Intl.Segmenter | undefined;

/** Of UTF-8, without lone surrogates; faster than to encode it. */
function byteLength(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    // Half of four, where a pair stands for one.
    else if (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff)) bytes += 2;
    else bytes += 3;
  }
  return bytes;
}
