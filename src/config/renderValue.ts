import { Document, visit } from 'yaml';

/** Anything that JSON can say. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export type Quotes = 'QUOTE_SINGLE' | 'QUOTE_DOUBLE' | null;

export function isCollection(value: Json): value is readonly Json[] | { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null;
}

const NO_FOLDING = { lineWidth: 0, blockQuote: false, doubleQuotedMinMultiLineLength: Infinity } as const;

/** On one line, so that it can stand anywhere. A text gets these quotes, if it can. */
export function renderInline(value: Json, quotes: Quotes = null): string {
  const list = documentOf([value]).toString({
    ...NO_FOLDING,
    collectionStyle: 'flow',
    singleQuote: quotes === 'QUOTE_SINGLE' ? true : null,
    ...(quotes !== null && typeof value === 'string' && { defaultStringType: quotes }),
  });
  return list
    .trim()
    .replace(/^\[\s*/, '')
    .replace(/\s*\]$/, '');
}

/** Lines of a mapping or list in block style, from column 0. */
export function renderBlock(value: Json, { indent, dented }: Layout): string[] {
  // An empty list would get a line of its own, at a column where it is not valid.
  const indentSeq = dented || holdsEmptyList(value);
  const text = documentOf(value).toString({ ...NO_FOLDING, indent, indentSeq });
  return text.trimEnd().split('\n');
}

function documentOf(value: Json): Document {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, node) {
      // In single quotes, or in none, it would take several lines.
      if (typeof node.value === 'string' && /[\r\n]/.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document;
}

function holdsEmptyList(value: Json): boolean {
  if (!isCollection(value)) return false;
  const inner: readonly Json[] = Object.values(value);
  return (Array.isArray(value) && inner.length === 0) || inner.some(holdsEmptyList);
}

/** How the file is written. `dented`: lists are indented below their key. */
export interface Layout {
  readonly indent: number;
  readonly dented: boolean;
  readonly lineBreak: '\n' | '\r\n';
}
