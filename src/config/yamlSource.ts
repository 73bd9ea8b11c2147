import { LineCounter, isAlias, isMap, isSeq, parseDocument, visit } from 'yaml';
import type { Alias, Document, Node, YAMLParseError, YAMLWarning } from 'yaml';
import { ReceiptdError } from '../core/domain/errors.ts';
import { YAML_MISTAKES, type YamlMistake } from '../texts/en/errors/config.ts';
import { isSecretKey, mayHoldSecret } from './secrets.ts';
import { shorten } from './show.ts';

/** A place in the file; both numbers start at 1. */
export interface TextPosition {
  readonly line: number;
  readonly col: number;
}

export interface YamlSource {
  /** Plain data: mappings, lists, texts, numbers, booleans and null. */
  readonly data: unknown;
  /** Position of the key at `path`, or of the nearest parent that is in the file. */
  position(path: readonly PropertyKey[]): TextPosition;
}

interface Mistake {
  readonly offset: number;
  readonly mistake: YamlMistake | null;
  /** The parser's words. */
  readonly detail: string | null;
}

/** @throws ReceiptdError CONFIG_SYNTAX with line, column and the line itself; secrets are not shown */
export function readYaml(text: string, file: string): YamlSource {
  const lines = new LineCounter();
  let document: Document.Parsed;
  let data: unknown;
  try {
    document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
    const mistakes = findMistakes(document);
    if (mistakes.length > 0) throw syntaxError(mistakes, text, file, lines);
    data = document.toJS();
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    throw new ReceiptdError('CONFIG_SYNTAX.tooDeep', { file }, { cause: error });
  }
  return {
    data,
    position: (path) => {
      const { line, col } = lines.linePos(offsetOf(document, path));
      return { line, col };
    },
  };
}

function findMistakes(document: Document.Parsed): Mistake[] {
  const mistakes: Mistake[] = [...document.errors, ...document.warnings].map((error) => ({
    offset: error.pos[0],
    mistake: isUnclosed(error) ? 'MISSING_CHAR' : isCommon(error.code) ? error.code : null,
    detail: error.message,
  }));
  visit(document, {
    Alias: (_key, alias, ancestors) => {
      const anchored = alias.resolve(document);
      if (anchored !== undefined && !ancestors.includes(anchored)) return;
      mistakes.push({
        offset: alias.range?.[0] ?? 0,
        mistake: anchored === undefined ? 'ASTERISK' : 'ALIAS_IN_ITSELF',
        detail: null,
      });
    },
  });
  return mistakes;
}

function isCommon(code: string): code is YamlMistake {
  return Object.hasOwn(YAML_MISTAKES, code);
}

/** The parser reports a bracket that is never closed at the next line, or the end, as badly indented. */
function isUnclosed({ code, message }: YAMLParseError | YAMLWarning): boolean {
  return code === 'BAD_INDENT' && message.startsWith('Flow ');
}

/** Reports only the first mistake, because it often causes the others. */
function syntaxError(
  mistakes: readonly Mistake[],
  text: string,
  file: string,
  lines: LineCounter,
): ReceiptdError {
  const [first] = [...mistakes].sort((a, b) => a.offset - b.offset);
  // An unclosed quote or bracket is reported at the end of the file, after its last line.
  const { line, col } = lines.linePos(Math.min(first?.offset ?? 0, text.trimEnd().length));
  const upToIt = text.split('\n', line).map((each) => each.trim());
  const isShown = upToIt.at(-1) !== '';
  const content = upToIt.findLast((each) => each !== '') ?? '';
  const isHidden = mayHoldSecret(text) || isSecretKey(content);
  return new ReceiptdError('CONFIG_SYNTAX.notYaml', {
    file,
    line,
    col,
    mistake: first?.mistake ?? null,
    detail: isHidden ? null : (first?.detail ?? null),
    content: isHidden ? null : shorten(content),
    isShown,
  });
}

function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  let node: Node | null = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const key of path) {
    if (node !== null && isAlias(node)) node = target(node, document);
    if (isMap<Node, Node | null>(node)) {
      const pair = node.items.find((item) => keyText(item.key) === String(key));
      if (pair === undefined) return offset;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq<Node>(node)) {
      node = node.items[Number(key)] ?? null;
      offset = node?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

function target(alias: Alias, document: Document.Parsed): Node | null {
  return alias.resolve(document) ?? null;
}

function keyText(key: Node): string {
  const plain: unknown = key.toJSON();
  return typeof plain === 'string' ? plain : String(plain);
}
