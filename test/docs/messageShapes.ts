import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** A text that stands in the sources; where a value is put in, anything may stand. */
export interface Shape {
  /** Of a sentence that begins with the text, or with the place or the server that it is about. */
  readonly pattern: string;
  /** The longest piece that is the same whatever is put in. */
  readonly piece: string;
  /** Letters that are the same whatever is put in. */
  readonly fixed: number;
  /** Codes of errors that stand in the same call or object. */
  readonly codes: readonly string[];
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface Part {
  readonly pattern: string;
  readonly piece: string;
  readonly fixed: number;
}

const ANYTHING: Part = { pattern: '.*', piece: '', fixed: 0 };
/** The console's pages, and texts in other languages. */
const ELSEWHERE = /^(?:console.app|texts.de)\b/;
const CODE = /^[A-Z][A-Z0-9_]{3,}$/;

/** Every sentence, or piece of one, that the sources put together. */
export async function messageShapes(src: string): Promise<Shape[]> {
  const files = (await readdir(src, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !ELSEWHERE.test(file),
  );
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(src, file), 'utf8');
      return shapesIn(parseAst(text, { lang: 'ts' }) as unknown as Node, []);
    }),
  );
  return found.flat();
}

function shapesIn(node: Node, codes: readonly string[]): Shape[] {
  const given = ['CallExpression', 'NewExpression', 'ObjectExpression'].includes(node.type)
    ? codesIn(node)
    : [];
  const own = given.length > 0 ? given : codes;
  const shapes = partsOf(node).map((part) => ({
    ...part,
    pattern: `^(?:.*?: ?|\\S+ )?${part.pattern}`,
    codes: own,
  }));
  // What is put together was looked at as a whole.
  if (shapes.length > 0) return shapes;
  return childrenOf(node).flatMap((child) => shapesIn(child, own));
}

/** The codes that stand among the arguments of a call, or as values of an object. */
function codesIn(node: Node): string[] {
  const values =
    node.type === 'ObjectExpression'
      ? (node['properties'] as Node[]).flatMap(({ value }) => (value ? [value as Node] : []))
      : (node['arguments'] as Node[]);
  return values
    .flatMap((value) =>
      value.type === 'ConditionalExpression' ? [value['consequent'], value['alternate']] : [value],
    )
    .map((value) => (value as Node)['value'])
    .filter((value): value is string => typeof value === 'string' && CODE.test(value));
}

function partsOf(node: Node): Part[] {
  switch (node.type) {
    case 'Literal': {
      const value = node['value'];
      return typeof value === 'string' && !CODE.test(value) ? [fixedPart(value)] : [];
    }
    case 'TemplateLiteral': {
      const [first = ANYTHING, ...rest] = (node['quasis'] as Node[]).map((quasi) => {
        const { cooked, raw } = quasi['value'] as { cooked: string | null; raw: string };
        return fixedPart(cooked ?? raw);
      });
      const values = (node['expressions'] as Node[]).map(partsOf);
      return rest.reduce<readonly Part[]>(
        (before, quasi, index) => joined(joined(before, values[index] ?? []), [quasi]),
        [first],
      ) as Part[];
    }
    case 'ConditionalExpression':
      return [...partsOf(node['consequent'] as Node), ...partsOf(node['alternate'] as Node)];
    case 'BinaryExpression': {
      if (node['operator'] !== '+') return [];
      const [left, right] = [partsOf(node['left'] as Node), partsOf(node['right'] as Node)];
      if (left.length + right.length === 0) return [];
      return joined(orAnything(left), right);
    }
    default:
      return [];
  }
}

/** Whether the sentence is one of that shape. */
export function hasShape(sentence: string, { pattern, piece }: Shape): boolean {
  // Few sentences have the piece, and a pattern takes its time.
  return sentence.includes(piece) && new RegExp(pattern, 's').test(sentence);
}

/** Each of the first, followed by each of the second. */
function joined(first: readonly Part[], second: readonly Part[]): Part[] {
  return first.flatMap((before) =>
    orAnything(second).map((after) => ({
      pattern: before.pattern + after.pattern,
      piece: longer(before.piece, after.piece),
      fixed: before.fixed + after.fixed,
    })),
  );
}

function orAnything(parts: readonly Part[]): readonly Part[] {
  return parts.length > 0 ? parts : [ANYTHING];
}

function fixedPart(text: string): Part {
  return { pattern: text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), piece: text, fixed: text.trim().length };
}

function longer(one: string, other: string): string {
  return other.length > one.length ? other : one;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap((value) =>
    (Array.isArray(value) ? (value as unknown[]) : [value]).filter(
      (child): child is Node =>
        typeof child === 'object' && child !== null && typeof (child as Node).type === 'string',
    ),
  );
}
