import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '..', '..', 'src');

/** What speaks to nobody, or is the documentation of an interface: API descriptions, the sandbox service, the demo, scripts for shells. */
const NOT_FOR_PEOPLE =
  /^(?:texts|sandbox|demo|console\/app\/languages|control\/protocol)\/|^(?:config\/reference|cli\/generate|cli\/completion\/scripts)\.ts$/;

/**
 * Sentences for people that do not stand in the catalogue yet, by room: at most so many. They move when their room is written anew; a
 * room that is not named has none.
 */
const STILL: Readonly<Record<string, number>> = {
  config: 3,
  control: 8,
  keeper: 2,
  intake: 5,
  ledger: 103,
  pages: 1,
  'state-dir': 6,
  system: 12,
  wiring: 7,
  'console/app': 6,
  'console/server': 2,
  'core/domain': 7,
  'features/alerts': 8,
  'features/audit': 2,
  'features/backup': 11,
  'features/doctor': 6,
  'features/metrics': 18,
  'features/os-service': 5,
  'features/results': 1,
};

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A defect is not for people; neither are SQL and the descriptions of a schema. */
const OF_PROGRAMS = /^(?:Error|TypeError|SetupEnded|describe|meta|systemError|problem)$/;
const SQL = /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WHERE|FROM|PRAGMA|BEGIN|SET|GRANT|VALUES)\b/;
const SENTENCE = /\p{L}+,? (?:\S+ )?\p{Ll}{2,},? \S*\p{Ll}/u;

function sentencesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(sentencesIn);
  const { type, ...parts } = node as Node;
  if (type === 'ImportDeclaration' || type === 'TSLiteralType') return [];
  // Command lines.
  if (type === 'Property' && nameOf(parts['key']) === 'examples') return [];
  if ((type === 'CallExpression' || type === 'NewExpression') && OF_PROGRAMS.test(nameOf(parts['callee'])))
    return sentencesIn(parts['callee']);
  const text = textOf(type, parts);
  const own = text !== null && SENTENCE.test(text) && !SQL.test(text) ? [text] : [];
  return [...own, ...Object.values(parts).flatMap(sentencesIn)];
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

function roomOf(file: string): string {
  const [room = '', part] = file.split('/');
  return part?.includes('.') === false && ['core', 'features', 'console'].includes(room)
    ? `${room}/${part}`
    : room;
}

it('sentences for people stand in the catalogue', () => {
  const found = new Map<string, string[]>();
  for (const path of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    const file = path.replaceAll('\\', '/');
    if (!/\.tsx?$/.test(file) || NOT_FOR_PEOPLE.test(file)) continue;
    const lang = file.endsWith('x') ? 'tsx' : 'ts';
    const sentences = sentencesIn(parseAst(readFileSync(join(SRC, file), 'utf8'), { lang }));
    const room = roomOf(file);
    found.set(room, [...(found.get(room) ?? []), ...sentences.map((text) => `${file}: ${text}`)]);
  }
  const more = [...found].filter(([room, sentences]) => sentences.length > (STILL[room] ?? 0));
  expect(more).toEqual([]);
  // Lower the number when sentences have moved.
  const fewer = Object.entries(STILL).filter(([room, count]) => (found.get(room)?.length ?? 0) < count);
  expect(fewer.map(([room]) => [room, found.get(room)?.length])).toEqual([]);
});
