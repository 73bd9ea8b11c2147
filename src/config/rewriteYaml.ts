import {
  isCollection as isCollectionNode,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  Document,
  visit,
} from 'yaml';
import type { Node, Pair, ToStringOptions } from 'yaml';
import type { ConfigChange } from './change.ts';

/*
 * Single changes of a YAML text. Rewrites only the top-level section that changes; all others keep their bytes. A comment
 * at the left margin stays with the section below it, although the parser attaches it to the one above. Callers must verify
 * the result: they parse the new text and compare it with the expected data.
 */

/** @throws Error if the path does not exist in the text */
export function rewriteYaml(text: string, change: ConfigChange): string {
  const lines = text.replaceAll('\r\n', '\n');
  const after = rewrite(lines, change);
  return lines === text ? after : after.replaceAll('\n', '\r\n');
}

function rewrite(text: string, change: ConfigChange): string {
  const { contents } = parseDocument(text);
  const style = styleOf(text, contents);
  if (contents !== null && (!isMap<Node, Node | null>(contents) || contents.flow === true))
    return edited(text, change, style);
  const items = contents?.items ?? [];
  const index = items.findIndex(({ key }) => String(key.toJSON()) === String(change.path[0]));
  if (index < 0) {
    if (change.kind !== 'set' || change.path.length !== 1) throw new Error('The text has no such section.');
    const section = new Document(
      { [String(change.path[0])]: change.value },
      { aliasDuplicateObjects: false },
    );
    const end = text === '' || text.endsWith('\n') ? '\n' : '';
    return `${text}${text === '' || end === '\n' ? '' : '\n'}${written(section, style).trimEnd()}${end}`;
  }
  const start = lineStart(text, items[index]);
  const end = index + 1 < items.length ? lineStart(text, items[index + 1]) : text.length;
  const section = text.slice(start, end);
  // Cut off trailing blank lines and comments at the left margin.
  const own = section.replace(/(?:(?<=\n)(?:[^\S\n]*|#[^\n]*)(?:\n|$))*$/, '');
  const rest = section.slice(own.length);
  const isGone = change.kind === 'remove' && change.path.length === 1;
  const next = isGone ? (items.length === 1 ? '{}\n' : '') : edited(own, change, style);
  const isLast = rest === '' && !own.endsWith('\n');
  return text.slice(0, start) + (isLast ? next.trimEnd() : next) + rest + text.slice(end);
}

function lineStart(text: string, item: Pair<Node, Node | null> | undefined): number {
  return text.lastIndexOf('\n', (item?.key.range?.[0] ?? 0) - 1) + 1;
}

function edited(text: string, change: ConfigChange, style: ToStringOptions): string {
  const document = parseDocument(text);
  const { path } = change;
  if (change.kind === 'remove') document.deleteIn(path);
  else if (change.kind === 'append') document.addIn(path, nodeOf(document, change.value));
  else {
    const former = document.getIn(path, true);
    const isPlain = typeof change.value !== 'object' || change.value === null;
    const node = nodeOf(document, change.value);
    if (isScalar(former) && !isPlain) node.commentBefore = joined(former);
    document.setIn(path, isPlain ? change.value : node);
  }
  visit(document, {
    Collection(_key, node) {
      // An emptied collection is written inline after its key, and keeps the comment of its former first item there.
      if (node.items.length > 0 || !node.commentBefore) return;
      node.flow = true;
      node.comment = joined(node);
      node.commentBefore = null;
    },
  });
  return inPlace(written(document, style), text);
}

function joined({ commentBefore, comment }: Node): string {
  return [commentBefore, comment].filter(Boolean).join('\n');
}

function nodeOf(document: Document, value: unknown): Node {
  return document.createNode(value, { aliasDuplicateObjects: false });
}

function written(document: Document, style: ToStringOptions): string {
  visit(document, {
    Scalar(_key, node) {
      // Unquoted or in single quotes, a text with line breaks would take several lines.
      if (typeof node.value === 'string' && node.range === undefined && /[\r\n]/.test(node.value))
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString(style);
}

/** Keeps comments at their column. */
function inPlace(text: string, before: string): string {
  const COMMENT = /^([^\S\n]*)(#.*)$/;
  const former = before.split('\n').map((line) => COMMENT.exec(line));
  let at = 0;
  const lines = text.split('\n').map((line) => {
    const [, , comment] = COMMENT.exec(line) ?? [];
    if (comment === undefined) return line;
    const found = former.findIndex((each, index) => index >= at && each?.[2] === comment);
    if (found < 0) return line;
    at = found + 1;
    return `${former[found]?.[1] ?? ''}${comment}`;
  });
  return lines.join('\n');
}

/** The formatting style of the file. */
function styleOf(text: string, contents: Node | null): ToStringOptions {
  const columnOf = (node: Node): number => {
    const start = node.range?.[0] ?? 0;
    return start - (text.lastIndexOf('\n', start - 1) + 1);
  };
  let indent = 0;
  let indentSeq: boolean | null = null;
  for (const { key, value } of isMap<Node, Node | null>(contents) ? contents.items : []) {
    if (!isCollectionNode(value) || value.flow === true) continue;
    const by = columnOf(value) - columnOf(key);
    if (isSeq(value)) indentSeq ??= by > 0;
    else if (indent === 0 && by > 0) indent = by;
  }
  return { indent: indent === 0 ? 2 : indent, indentSeq: indentSeq ?? true, lineWidth: 0 };
}
