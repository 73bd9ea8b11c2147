import { isAlias, isCollection as isCollectionNode, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from 'yaml';
import { isCollection, renderBlock, renderInline, type Json, type Layout } from './renderValue.ts';
import { colonOf, isEmpty, isEmptyScalar, keyText, layoutOf, pairOf, quotesOf } from './yamlNodes.ts';

/*
 * Single changes of a YAML text, by cutting and inserting: all that is not changed keeps its bytes. None of them is
 * trusted: who calls them compares what the new text says with what it should say.
 */

type Key = string | number;
type Path = readonly Key[];

/** Null: this can't be done by cutting and inserting. */
export type Spliced = string | null;

export class YamlText {
  readonly text: string;
  readonly #document: Document.Parsed;
  readonly #layout: Layout;

  constructor(text: string) {
    this.text = text;
    this.#document = parseDocument(text, { keepSourceTokens: true, prettyErrors: false });
    this.#layout = layoutOf(text, this.#document);
  }

  /** The nearest node that is there, and what of the path is left. */
  #walk(path: Path): { node: Node | null; rest: Path } {
    let node: Node | null = this.#document.contents;
    for (const [index, key] of path.entries()) {
      const next: Node | null | undefined = isMap<Node, Node | null>(node)
        ? pairOf(node, key)?.value
        : isSeq<Node>(node)
          ? node.items[Number(key)]
          : undefined;
      if (next === undefined || next === null || isAlias(next)) {
        const isThere = isMap<Node, Node | null>(node) && pairOf(node, key) !== undefined;
        return isThere || next
          ? { node: next ?? null, rest: path.slice(index + 1) }
          : { node, rest: path.slice(index) };
      }
      node = next;
    }
    return { node, rest: [] };
  }

  /** Puts a value in place of the one at `path`, or a new key at the end of its mapping. */
  set(path: Path, value: Json): Spliced {
    const key = path.at(-1);
    if (key === undefined) return null;
    const { node: parent, rest } = this.#walk(path.slice(0, -1));
    if (rest.length > 0 || parent === null) return null;
    if (isMap<Node, Node | null>(parent)) {
      const pair = pairOf(parent, key);
      return pair === undefined
        ? this.#addKey(parent, String(key), value)
        : this.#replaceInMap(parent, pair, value);
    }
    return isSeq<Node>(parent) ? this.#replaceInList(parent, Number(key), value) : null;
  }

  remove(path: Path): Spliced {
    const key = path.at(-1);
    const { node: parent, rest } = this.#walk(path.slice(0, -1));
    if (rest.length > 0 || key === undefined) return null;
    if (!isMap<Node, Node | null>(parent) && !isSeq<Node>(parent)) return null;
    if (parent.items.length === 1) {
      const empty = isMap(parent) ? {} : [];
      if (path.length > 1) return this.set(path.slice(0, -1), empty);
      return this.#splice([[parent.range?.[0] ?? 0, this.#end(parent), isMap(parent) ? '{}' : '[]']]);
    }
    const index = isMap<Node, Node | null>(parent)
      ? parent.items.findIndex((item) => keyText(item.key) === String(key))
      : Number(key);
    const start = this.#startOfItem(parent, index);
    const end = this.#endOfItem(parent, index);
    if (start === null || end === null) return null;
    const next = this.#startOfItem(parent, index + 1);
    const before = this.#endOfItem(parent, index - 1);
    if (parent.flow === true) {
      return next === null ? this.#splice([[before ?? start, end, '']]) : this.#splice([[start, next, '']]);
    }
    const lineStart = this.#lineStart(start);
    if (this.text.slice(lineStart, start).trim() === '') return this.#cutLines(lineStart, end);
    // It begins on the line of the dash before it.
    return next === null ? null : this.#splice([[start, next, '']]);
  }

  append(path: Path, value: Json): Spliced {
    const { node: list, rest } = this.#walk(path);
    if (rest.length > 0 || !isSeq<Node>(list)) return null;
    const last = list.items.at(-1);
    if (list.flow === true || last === undefined) return this.#addToFlow(list, renderInline(value));
    const dash = this.#startOfItem(list, 0);
    const end = this.#endOfItem(list, list.items.length - 1);
    if (dash === null || end === null) return null;
    const column = dash - this.#lineStart(dash);
    const asLast = isCollectionNode(last) && last.flow === true;
    const lines =
      isCollection(value) && !isEmpty(value) && !asLast
        ? renderBlock(value, this.#layout)
        : [renderInline(value)];
    const text = `- ${lines.join(`${this.#layout.lineBreak}${' '.repeat(column + 2)}`)}`;
    return this.#addLine(end, column, text, column + 1);
  }

  #addKey(map: YAMLMap<Node, Node | null>, key: string, value: Json): Spliced {
    const name = renderInline(key);
    const last = map.items.at(-1);
    if (map.flow === true || last === undefined)
      return this.#addToFlow(map, `${name}: ${renderInline(value)}`);
    const first = this.#startOfItem(map, 0);
    const end = this.#endOfItem(map, map.items.length - 1);
    if (first === null || end === null) return null;
    const column = first - this.#lineStart(first);
    return this.#addLine(end, column, `${name}:${this.#afterColon(column, value)}`);
  }

  /** What stands behind the colon of a key in block style at that column. */
  #afterColon(column: number, value: Json): string {
    if (!isCollection(value) || isEmpty(value)) return ` ${renderInline(value)}`;
    return this.#blockLines(this.#childColumn(column, value), value);
  }

  #blockLines(column: number, value: Json): string {
    const before = `${this.#layout.lineBreak}${' '.repeat(column)}`;
    return renderBlock(value, this.#layout)
      .map((line) => before + line)
      .join('');
  }

  #childColumn(column: number, value: Json): number {
    return Array.isArray(value) && !this.#layout.dented ? column : column + this.#layout.indent;
  }

  #replaceInMap(map: YAMLMap<Node, Node | null>, pair: Pair<Node, Node | null>, value: Json): Spliced {
    const node = pair.value;
    const colon = colonOf(pair);
    if (colon === null) {
      if (map.flow !== true || !pair.key.range) return null;
      return this.#splice([[pair.key.range[1], pair.key.range[1], `: ${renderInline(value)}`]]);
    }
    const after = colon + 1;
    const isNothing = node === null || isEmptyScalar(node);
    const end = isNothing ? after : this.#end(node);
    const inline = renderInline(value, quotesOf(node));
    if (map.flow === true) {
      return this.#splice(
        isNothing ? [[after, after, ` ${inline}`]] : [[node.range?.[0] ?? after, end, inline]],
      );
    }
    const keyStart = pair.key.range?.[0] ?? after;
    const column = keyStart - this.#lineStart(keyStart);
    const isFlow = isCollectionNode(node) && node.flow === true;
    const staysInline = !isCollection(value) || isEmpty(value) || isFlow;
    const lineEnd = this.#lineEnd(after);
    const start = isNothing ? after : (node.range?.[0] ?? after);
    if (staysInline) {
      if (isNothing) return this.#splice([[after, after, ` ${inline}`]]);
      if (start <= lineEnd) return this.#splice([[start, end, inline]]);
      return this.#splice([
        [after, after, ` ${inline}`],
        [lineEnd, end, ''],
      ]);
    }
    const lines = this.#blockLines(this.#childColumn(column, value), value);
    if (isNothing) return this.#splice([[lineEnd, lineEnd, lines]]);
    if (start > lineEnd) return this.#splice([[lineEnd, end, lines]]);
    const restOfLine = this.#lineEnd(end);
    return this.#splice([
      [after, end, ''],
      [restOfLine, restOfLine, lines],
    ]);
  }

  #replaceInList(list: YAMLSeq<Node>, index: number, value: Json): Spliced {
    const node = list.items[index];
    if (node === undefined) return null;
    const inline = renderInline(value, quotesOf(node));
    const start = node.range?.[0];
    if (list.flow === true) {
      return start === undefined ? null : this.#splice([[start, this.#end(node), inline]]);
    }
    const dash = this.#startOfItem(list, index);
    if (dash === null || start === undefined) return null;
    const after = dash + 1;
    if (isEmptyScalar(node)) return this.#splice([[after, after, ` ${inline}`]]);
    const isFlow = isCollectionNode(node) && node.flow === true;
    if (!isCollection(value) || isEmpty(value) || isFlow) {
      if (start <= this.#lineEnd(after)) return this.#splice([[start, this.#end(node), inline]]);
      return this.#splice([[after, this.#end(node), ` ${inline}`]]);
    }
    const column = dash - this.#lineStart(dash) + 2;
    const lines = renderBlock(value, this.#layout);
    const text = lines.join(`${this.#layout.lineBreak}${' '.repeat(column)}`);
    return this.#splice([[after, this.#end(node), ` ${text}`]]);
  }

  #addToFlow(collection: YAMLMap<Node, Node | null> | YAMLSeq<Node>, text: string): Spliced {
    const [start, end] = collection.range ?? [];
    if (start === undefined || end === undefined) return null;
    const last = this.#endOfItem(collection, collection.items.length - 1);
    if (last !== null) return this.#splice([[last, last, `, ${text}`]]);
    const [open, close] = isMap(collection) ? ['{ ', ' }'] : ['[ ', ' ]'];
    return this.#splice([[start, end, `${open}${text}${close}`]]);
  }

  /** Where an item begins: its key, its dash in block style, its value in a flow list. Null: there is none. */
  #startOfItem(parent: YAMLMap<Node, Node | null> | YAMLSeq<Node>, index: number): number | null {
    if (isMap<Node, Node | null>(parent)) return parent.items[index]?.key.range?.[0] ?? null;
    if (parent.flow === true) return parent.items[index]?.range?.[0] ?? null;
    const token = parent.srcToken;
    if (token?.type !== 'block-seq') return null;
    const dashes = token.items.flatMap(({ start }) =>
      start.filter(({ type }) => type === 'seq-item-ind').map(({ offset }) => offset),
    );
    return dashes[index] ?? null;
  }

  #endOfItem(parent: YAMLMap<Node, Node | null> | YAMLSeq<Node>, index: number): number | null {
    if (isMap<Node, Node | null>(parent)) {
      const pair = parent.items[index];
      return pair === undefined ? null : this.#endOfPair(pair);
    }
    const node = parent.items[index];
    if (node === undefined) return null;
    const dash = this.#startOfItem(parent, index);
    return Math.max(this.#end(node), dash === null || parent.flow === true ? 0 : dash + 1);
  }

  #endOfPair(pair: Pair<Node, Node | null>): number {
    const colon = colonOf(pair);
    const key = colon === null ? (pair.key.range?.[1] ?? 0) : colon + 1;
    return pair.value === null || isEmptyScalar(pair.value) ? key : Math.max(key, this.#end(pair.value));
  }

  /** Where what a node says ends; comments and blank lines behind it are not its own. */
  #end(node: Node): number {
    if (isCollectionNode(node) && node.flow !== true && node.items.length > 0) {
      const collection = node as YAMLMap<Node, Node | null> | YAMLSeq<Node>;
      return this.#endOfItem(collection, collection.items.length - 1) ?? 0;
    }
    const [start, end] = node.range ?? [0, 0];
    if (isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED'))
      return start + this.text.slice(start, end).trimEnd().length;
    return end;
  }

  #addLine(after: number, column: number, text: string, notesFrom = Math.max(1, column)): string {
    const end = this.#pastNotes(this.#lineEnd(after), notesFrom);
    return this.#splice([[end, end, `${this.#layout.lineBreak}${' '.repeat(column)}${text}`]]);
  }

  /** Comments that are indented like this belong to what is before them, such as keys that are commented out. */
  #pastNotes(lineEnd: number, indent: number): number {
    let end = lineEnd;
    for (let at = lineEnd; at < this.text.length;) {
      const start = this.text.indexOf('\n', at) + 1;
      at = this.#lineEnd(start);
      const line = this.text.slice(start, at);
      const column = line.search(/\S/);
      if (column >= 0 && (column < indent || line[column] !== '#')) return end;
      if (column >= 0) end = at;
      if (start >= this.text.length) return end;
    }
    return end;
  }

  #cutLines(from: number, lastAt: number): string {
    const end = this.#lineEnd(lastAt);
    if (end === this.text.length) {
      // The last line had no line break, and the one before it keeps none either.
      return this.text.slice(0, from).replace(/\r?\n$/, '');
    }
    return this.#splice([[from, end + (this.text[end] === '\r' ? 2 : 1), '']]);
  }

  #lineStart(at: number): number {
    return this.text.lastIndexOf('\n', at - 1) + 1;
  }

  /** Where the line break of this line begins. */
  #lineEnd(at: number): number {
    const found = this.text.indexOf('\n', at);
    if (found < 0) return this.text.length;
    return this.text[found - 1] === '\r' && found > at ? found - 1 : found;
  }

  /** Each: from, to, what stands there then; in their order. */
  #splice(changes: readonly (readonly [number, number, string])[]): string {
    let result = '';
    let at = 0;
    for (const [from, to, text] of changes) {
      result += this.text.slice(at, from) + text;
      at = to;
    }
    return result + this.text.slice(at);
  }
}
