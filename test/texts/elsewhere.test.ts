import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';
import { TABLES } from '../../src/ledger/schema.ts';

const SRC = join(import.meta.dirname, '..', '..', 'src');

/** What speaks to nobody, or is the documentation of an interface: API descriptions, the sandbox service, the demo, scripts for shells. */
const NOT_FOR_PEOPLE =
  /^(?:texts|sandbox|demo|console\/app\/languages|control\/protocol)\/|^(?:config\/reference|cli\/generate|cli\/completion\/scripts)\.ts$/;

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A defect is not for people; neither are SQL, selectors, the descriptions of a schema, and lists of words. */
const OF_PROGRAMS = /^(?:Error|TypeError|RangeError|SetupEnded|describe|meta|systemError|problem)$/;
const SQL =
  /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WHERE|FROM|AS|JOIN|PRAGMA|BEGIN|SET|GRANT|VALUES)\b/;
const SELECTORS = /^(?=.*\[[\w-]+(?:=|\]))[^\s,]+(?:, [^\s,]+)*$/;
const SENTENCE = /\p{L}+,? (?:\S+ )?\p{Ll}{2,},? \S*\p{Ll}/u;

const COLUMNS: ReadonlySet<string> = new Set(
  Object.values(TABLES).flatMap((columns) => Object.keys(columns)),
);
const COMMANDS: ReadonlySet<string> = new Set(
  [...readFileSync(join(SRC, 'cli/commands.ts'), 'utf8').matchAll(/names: \[([^\]]*)\]/g)].flatMap(
    ([, names = '']) => names.replaceAll("'", '').split(', '),
  ),
);

function isOfPrograms(text: string): boolean {
  if (SQL.test(text) || SELECTORS.test(text)) return true;
  const words = text.split(' ');
  if (words.every((word) => COLUMNS.has(word))) return true;
  const [program, command = '', ...others] = words;
  return (
    program === 'receiptd' &&
    COMMANDS.has(command) &&
    others.length <= 1 &&
    others.every((word) => /^-{0,2}[a-z]+$/.test(word))
  );
}

function sentencesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(sentencesIn);
  const { type, ...parts } = node as Node;
  if (type === 'ImportDeclaration' || type === 'TSLiteralType') return [];
  if (type === 'Property') {
    // Command lines, and the words of a schema.
    if (/^(?:examples|title|description)$/.test(nameOf(parts['key']))) return [];
    return sentencesIn(parts['computed'] === true ? [parts['key'], parts['value']] : parts['value']);
  }
  if (type === 'JSXAttribute' && nameOf(parts['name']) === 'class') return [];
  if (type === 'ArrayExpression') return sentencesIn(withoutScripts(parts['elements'] as Node[]));
  // A list of words.
  if (type === 'MemberExpression' && nameOf(parts['property']) === 'split') return [];
  if (type === 'CallExpression' || type === 'NewExpression') {
    const callee = parts['callee'] as Node;
    if (callee.type === 'Super' || OF_PROGRAMS.test(nameOf(callee))) return sentencesIn(callee);
  }
  const text = textOf(type, parts);
  const own = text !== null && SENTENCE.test(text) && !isOfPrograms(text) ? [text] : [];
  return [...own, ...Object.values(parts).flatMap(sentencesIn)];
}

/** Lines of a script follow `-e` each. */
function withoutScripts(elements: readonly (Node | null)[]): readonly (Node | null)[] {
  return elements.filter((_, index) => elements[index - 1]?.['value'] !== '-e');
}

function nameOf(callee: unknown): string {
  const { name, property } = callee as { name?: string; property?: { name?: string } };
  return name ?? property?.name ?? '';
}

function textOf(type: string, parts: Readonly<Record<string, unknown>>): string | null {
  if (type === 'Literal') return typeof parts['value'] === 'string' ? parts['value'] : null;
  if (type !== 'TemplateLiteral') return null;
  return (parts['quasis'] as { value: { raw: string } }[]).map(({ value }) => value.raw).join('…');
}

const PROGRAMS = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
  const file = path.replaceAll('\\', '/');
  if (!/\.tsx?$/.test(file) || NOT_FOR_PEOPLE.test(file)) return [];
  const lang = file.endsWith('x') ? 'tsx' : 'ts';
  return [{ file, program: parseAst(readFileSync(join(SRC, file), 'utf8'), { lang }) }];
});

it('sentences for people stand in the catalogue', () => {
  const found = PROGRAMS.flatMap(({ file, program }) =>
    sentencesIn(program).map((text) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});

/** What words something in English, for logs and for JSON. */
const IN_ENGLISH = /^(?:whyText|noteText|errorWords|findingWords|describeError|messageOf)$/;
const METHODS_IN_ENGLISH = /^(?:words|sentence)$/;

/** Names of what a library says is wrong, in its own words. */
const OF_LIBRARIES = /^issue$/;

function nodesIn(node: unknown, found: Node[] = []): Node[] {
  if (typeof node !== 'object' || node === null) return found;
  if (!Array.isArray(node)) found.push(node as Node);
  for (const each of Object.values(node)) nodesIn(each, found);
  return found;
}

/** Whether a value may be English words; `english`: constants of the file that are. */
function saysEnglish(node: unknown, english: ReadonlySet<string>): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (Array.isArray(node)) return node.some((each) => saysEnglish(each, english));
  const { type, ...parts } = node as Node;
  if (type === 'Identifier') return english.has(String(parts['name']));
  if (type === 'Property') return saysEnglish(parts['value'], english);
  if (
    type === 'MemberExpression' &&
    nameOf(parts['property']) === 'message' &&
    !OF_LIBRARIES.test(nameOf(parts['object']))
  )
    return true;
  if (type === 'MemberExpression') return saysEnglish(parts['object'], english);
  if (type === 'CallExpression') {
    const callee = parts['callee'] as Node;
    const these = callee.type === 'MemberExpression' ? METHODS_IN_ENGLISH : IN_ENGLISH;
    if (these.test(nameOf(callee))) return true;
  }
  return Object.values(parts).some((each) => saysEnglish(each, english));
}

/** What a text is told with: parameters of an error, of a problem, or of a fact. */
function paramsIn(nodes: readonly Node[]): Node[] {
  return nodes.flatMap(({ type, ...parts }): Node[] => {
    const [first, second, third] = (parts['arguments'] ?? []) as Node[];
    if (type === 'NewExpression' && nameOf(parts['callee']) === 'ReceiptdError' && first && second)
      return [second];
    if (type === 'CallExpression' && nameOf(parts['callee']) === 'asReceiptdError' && third) return [third];
    if (type === 'Property' && nameOf(parts['key']) === 'params') return [parts['value'] as Node];
    const isFact = (each: Node) =>
      each.type === 'Property' && nameOf(each['key']) === 'is' && (each['value'] as Node).type === 'Literal';
    return type === 'ObjectExpression' && (parts['properties'] as Node[]).some(isFact)
      ? [{ type, ...parts }]
      : [];
  });
}

it('no text is told with words in English: they come with the facts that every language words (`within`, `saidBy`)', () => {
  const found = PROGRAMS.flatMap(({ file, program }) => {
    const nodes = nodesIn(program);
    const constants = nodes.filter(
      ({ type, id, init }) =>
        type === 'VariableDeclarator' && (id as Node).type === 'Identifier' && init !== null,
    );
    const none: ReadonlySet<string> = new Set();
    const english = new Set(
      constants.filter(({ init }) => saysEnglish(init, none)).map(({ id }) => nameOf(id)),
    );
    return paramsIn(nodes).flatMap((params) =>
      ((params['properties'] ?? []) as Node[])
        .filter(({ type, value }) => type === 'Property' && saysEnglish(value, english))
        .map(({ key }) => `${file}: ${nameOf(key)}`),
    );
  });
  expect(found).toEqual([]);
});
