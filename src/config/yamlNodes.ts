import { isCollection, isMap, isScalar, isSeq } from 'yaml';
import type { Document, Node, Pair, YAMLMap } from 'yaml';
import type { Layout, Quotes } from './renderValue.ts';

/* What stands where in a text that was parsed with its source tokens kept. */

export function pairOf(
  map: YAMLMap<Node, Node | null>,
  key: string | number,
): Pair<Node, Node | null> | undefined {
  return map.items.find((item) => keyText(item.key) === String(key));
}

export function keyText(key: Node): string {
  return String(key.toJSON());
}

export function colonOf({ srcToken }: Pair<Node, Node | null>): number | null {
  return srcToken?.sep?.find(({ type }) => type === 'map-value-ind')?.offset ?? null;
}

export function isEmptyScalar(node: Node): boolean {
  const [start, end] = node.range ?? [0, 0];
  return isScalar(node) && start === end;
}

export function quotesOf(node: Node | null): Quotes {
  if (!isScalar(node)) return null;
  return node.type === 'QUOTE_SINGLE' || node.type === 'QUOTE_DOUBLE' ? node.type : null;
}

export function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

export function layoutOf(text: string, { contents }: Document.Parsed): Layout {
  const lineBreak = /\r\n/.test(text) ? '\r\n' : '\n';
  const columnOf = (node: Node): number => {
    const start = node.range?.[0] ?? 0;
    return start - (text.lastIndexOf('\n', start - 1) + 1);
  };
  let indent = 0;
  let dented: boolean | null = null;
  for (const { key, value } of isMap<Node, Node | null>(contents) ? contents.items : []) {
    if (!isCollection(value) || value.flow === true) continue;
    const by = columnOf(value) - columnOf(key);
    if (isSeq(value)) dented ??= by > 0;
    else if (indent === 0 && by > 0) indent = by;
  }
  return { indent: indent === 0 ? 2 : indent, dented: dented ?? true, lineBreak };
}
