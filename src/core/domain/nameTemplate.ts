import type { Flaw, WrongArgument } from '../../texts/en/settingFlaws.ts';
import { ReceiptdError } from './errors.ts';
import {
  HASH_DIGITS,
  numbered,
  valueOf,
  type Naming,
  type NumberedNaming,
  type SeqNumber,
} from './naming.ts';
import { nearest } from './nearest.ts';

/**
 * Templates of document names: text with fields in braces, `{{` and `}}` for braces, and everything else verbatim.
 *
 *   {folder} {path} {stem} {ext}   watched folder, directories below it joined with `-`, file name, its extension
 *   {date[:FORMAT]} {time[:FORMAT]} {captured[:FORMAT]}   FORMAT: YYYY YY MM DD HH mm ss and - _ .
 *   {hash[:LENGTH]} {seq[:WIDTH]} {host} {endpoint}
 *   {page[:WIDTH]} {pages}   page and number of pages of a split file; both 1 for any other
 */
export const DEFAULT_TEMPLATE = '{stem}-{hash:12}';

/** Everything a name can depend on; dates are rendered in the local time zone. */
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
  /** When the image was captured; the file's mtime if the image does not say. */
  readonly captured: Date;
  /** Page number in the file, from 1, and the number of pages; left out for a single image. */
  readonly page?: number;
  readonly pages?: number;
  /** Longest name in bytes of UTF-8; at least MIN_NAME_BYTES. */
  readonly maxBytes: number;
}

export interface NameTemplate {
  readonly usesSeq: boolean;
  readonly usesCaptured: boolean;
  /**
   * Names in order of preference: by the template; with 16 digits of the hash added; with all 64.
   * The last one is unique: no other image in the endpoint ever gets it, whatever its file name.
   */
  propose(context: NameContext, seq: number): readonly string[];
  /** The naming as data, for the ledger, which assigns the sequence number. */
  naming(context: NameContext): Naming;
}

/** @throws ReceiptdError TEMPLATE_INVALID */
export function parseTemplate(text: string): NameTemplate {
  const parts = [...partsOf(text)];
  if (parts.length === 0) {
    throw invalid({ is: 'templateEmpty', standard: DEFAULT_TEMPLATE });
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

function invalid(flaw: Flaw): ReceiptdError {
  return new ReceiptdError('TEMPLATE_INVALID.template', { flaw });
}

function rendered(parts: readonly TemplatePart[], context: NameContext): NumberedNaming {
  const { hash, maxBytes } = context;
  const values = parts.map(({ render, kept }) => {
    const made = render(context);
    return typeof made === 'string' ? valueOf(made, kept) : made;
  });
  return { parts: values, hash, maxBytes };
}

interface TemplatePart {
  readonly field: string | null;
  /** Never shortened. */
  readonly kept: boolean;
  readonly render: (context: NameContext) => string | SeqNumber;
}

interface TemplateField {
  readonly kept: boolean;
  /** Parses the argument after the colon. @throws BadArgument */
  readonly make: (argument: string | null) => TemplatePart['render'];
}

const plain = (render: TemplatePart['render']): TemplateField => ({
  kept: false,
  make(argument) {
    if (argument !== null) throw new BadArgument({ kind: 'unexpected' });
    return render;
  },
});

const FIELDS: Readonly<Record<string, TemplateField>> = {
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
      const digits = wholeNumber(argument ?? '12', 4, HASH_DIGITS, 'hash');
      return ({ hash }) => hash.slice(0, digits);
    },
  },
  page: {
    kept: true,
    make(argument) {
      const width = wholeNumber(argument ?? '1', 1, 6, 'page');
      return ({ page = 1 }) => String(page).padStart(width, '0');
    },
  },
  pages: plain(({ pages = 1 }) => String(pages)),
  seq: {
    kept: true,
    make(argument) {
      const width = wholeNumber(argument ?? '1', 1, 12, 'number');
      return () => ({ width });
    },
  },
};

class BadArgument extends Error {
  readonly wrong: WrongArgument;

  constructor(wrong: WrongArgument) {
    super(wrong.kind);
    this.wrong = wrong;
  }
}

function* partsOf(template: string): Generator<TemplatePart> {
  // A doubled brace, a field, a lone brace, or text up to the next of these.
  for (const match of template.matchAll(/(\{\{|\}\})|\{([^{}]*)\}|([{}])|[^{}]+/g)) {
    const [whole, doubled, inner, lone] = match;
    const where = { at: match.index + 1, template };
    if (lone) throw invalid({ is: 'templateBrace', brace: lone, ...where });
    if (inner !== undefined) {
      yield fieldPart(inner, where);
    } else {
      const text = doubled?.charAt(0) ?? whole;
      yield { field: null, kept: false, render: () => text };
    }
  }
}

function fieldPart(inner: string, where: { readonly at: number; readonly template: string }): TemplatePart {
  const colon = inner.indexOf(':');
  const name = colon === -1 ? inner : inner.slice(0, colon);
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (field === undefined) {
    const known = Object.keys(FIELDS);
    const guess = nearest(name, known) ?? null;
    throw invalid({ is: 'templateField', field: name, ...where, guess, known });
  }
  try {
    return {
      field: name,
      kept: field.kept,
      render: field.make(colon === -1 ? null : inner.slice(colon + 1)),
    };
  } catch (error) {
    if (!(error instanceof BadArgument)) throw error;
    throw invalid({ is: 'templateArgument', field: inner, ...where, wrong: error.wrong });
  }
}

function dateField(pick: (context: NameContext) => Date, standard: string): TemplateField {
  return {
    kept: true,
    make(argument) {
      const format = argument ?? standard;
      if (!/^(?:YYYY|YY|MM|DD|HH|mm|ss|[-_.])+$/.test(format)) {
        throw new BadArgument({ kind: 'dateFormat' });
      }
      // The most likely mistake, which would stay in names forever.
      if (format.includes('mm') && !format.includes('HH')) {
        throw new BadArgument({ kind: 'minutes' });
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

function wholeNumber(text: string, min: number, max: number, of: 'hash' | 'page' | 'number'): number {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new BadArgument({ kind: 'digits', of, min, max });
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function splitName(name: string): { stem: string; ext: string } {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? { stem: name.slice(0, dot), ext: name.slice(dot + 1) } : { stem: name, ext: '' };
}
