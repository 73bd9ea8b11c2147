/** Everything that users can do, drawn from the program, is in inventory.yaml with the test that notices its loss; nothing else is in there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import YAML from 'yaml';
import { SETTINGS } from '../../src/config/settings.ts';
import { runInProcess } from '../e2e/support/inProcess.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** Row → `FILE › part of a title`, or `FILE` for a table in which the row is a case; at the end `(unseen)` until the campaign saw it fail. */
const INVENTORY = YAML.parse(read('test/inventory/inventory.yaml')) as Record<string, Record<string, string>>;

/** Commands and options, from the help of every command. */
async function commandsOf(words: readonly string[] = []): Promise<string[]> {
  const env = { PATH: process.env['PATH'] ?? '', COLUMNS: '500' };
  const { stdout } = await runInProcess([...words, '--help'], { cwd: ROOT, env });
  const options = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option = '']) => option);
  const below = words.length < 2 && /^Usage: .*\[command\]/m.test(stdout);
  const names = below ? [...stdout.matchAll(/^ {2}([a-z]+)(?: |$)/gm)].map(([, name = '']) => name) : [];
  const nested = names.filter((name) => name !== 'help').map((name) => commandsOf([...words, name]));
  const own = options.filter((option) => option !== '--help').map((option) => [...words, option].join(' '));
  return [...(words.length > 0 ? [words.join(' ')] : []), ...own, ...(await Promise.all(nested)).flat()];
}

/** Code words in the first column of the table below a heading. */
function firstColumn(page: string, heading: string): string[] {
  const text = read(`docs/${page}.md`);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(text.slice(text.indexOf(`\n${heading}`))) ?? [];
  const rows = table.split('\n').slice(2);
  return rows.flatMap((row) => {
    const cell = row.split('|')[1]?.trim() ?? '';
    const words = [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
    return words.length > 0 || cell === '' ? words : [cell];
  });
}

const matches = (path: string, pattern: RegExp): string[] =>
  [...read(path).matchAll(pattern)].map(([, found = '']) => found);

/** Pages about receiptd's making, or whose lists are drawn from elsewhere. */
const NO_PROMISES = /README|architecture|configuration|errors|flow|performance|reliability/;
const headings = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md') && !NO_PROMISES.test(name))
  .flatMap((name) => [
    name.slice(0, -3),
    ...matches(`docs/${name}`, /^##+ (.+)$/gm).map(
      (heading) => `${name.slice(0, -3)}#${heading.replaceAll('`', '')}`,
    ),
  ]);

const PROGRAM: Record<string, () => Promise<string[]> | string[]> = {
  settings: () => SETTINGS.map(({ key }) => key),
  commands: () => commandsOf(),
  statuses: () => firstColumn('commands', '## Exit statuses'),
  operations: () =>
    Object.entries(
      (JSON.parse(read('docs/openapi.json')) as { paths: Record<string, object> }).paths,
    ).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`)),
  metrics: () => firstColumn('metrics', '## Metrics'),
  codes: () => matches('docs/errors.md', /^### ([A-Z_]+)$/gm),
  states: () => firstColumn('documents', '## States'),
  reasons: () => firstColumn('documents', '## Reasons'),
  entries: () => firstColumn('audit', '### Kinds of entries'),
  promises: () => headings,
};

describe.each(Object.keys(PROGRAM))('of the %s', (list) => {
  it('each has a row, and each row has its own', async () => {
    const rows = Object.keys(INVENTORY[list] ?? {}).map((id) =>
      headings.includes(id) || list !== 'promises' ? id : id.slice(0, id.lastIndexOf(': ')),
    );
    expect([...new Set(rows)].toSorted(), `rows in ${list} of test/inventory/inventory.yaml`).toEqual(
      [...new Set(await PROGRAM[list]?.())].toSorted(),
    );
  });

  it('each row names a test that there is', () => {
    const wrong = Object.entries(INVENTORY[list] ?? {}).filter(([id, test]) => {
      if (test === 'none' || test === 'none (unseen)') return false;
      const [file = '', title] = test.replace(/ \(unseen\)$/, '').split(' › ');
      const { titles, words } = textsOf(file);
      return title === undefined ? !words.has(id) : !titles.some((each) => each.includes(title));
    });
    expect(wrong).toEqual([]);
  });
});

interface Node {
  readonly type?: string;
  readonly callee?: Node;
  readonly object?: Node;
  readonly tag?: Node;
  readonly name?: string;
  readonly value?: unknown;
  readonly arguments?: readonly Node[];
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
}

const known = new Map<string, { readonly titles: string[]; readonly words: Set<string> }>();

/** Titles of the tests in a file, and all its strings and property names. */
function textsOf(file: string) {
  const before = known.get(file);
  if (before) return before;
  const [titles, words]: [string[], Set<string>] = [[], new Set()];
  const textOf = ({ value, quasis }: Node): string | null =>
    typeof value === 'string' ? value : (quasis?.map((each) => each.value.cooked).join('…') ?? null);
  const rootOf = (node: Node | undefined): string | undefined =>
    node === undefined ? undefined : (node.name ?? rootOf(node.callee ?? node.object ?? node.tag));
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(walk);
    if (typeof node !== 'object' || node === null) return;
    const its = node as Node;
    const text = textOf(its) ?? (its.type === 'Identifier' ? its.name : null);
    if (typeof text === 'string') words.add(text);
    const [first] = its.arguments ?? [];
    if (its.type === 'CallExpression' && first && /^(?:it|test|describe)$/.test(rootOf(its.callee) ?? ''))
      titles.push(...[textOf(first)].filter((title) => title !== null));
    Object.values(its).forEach(walk);
  };
  const path = `test/${file}.test.ts`;
  if (existsSync(join(ROOT, path))) walk(parseAst(read(path), { lang: 'ts' }, path));
  known.set(file, { titles, words });
  return { titles, words };
}
