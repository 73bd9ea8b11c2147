/** In a German terminal, nothing that a command prints is English. */
import { writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { STARTED_BY } from '../../src/cli/completion/scripts.ts';
import { WRITABLE_STORES } from '../../src/wiring/credentialStores.ts';
import { LIST_STATES } from '../../src/core/ports/ledgerReports.ts';
import germanCli from '../../src/texts/de/cli.ts';
import german from '../../src/texts/de.ts';
import englishCli from '../../src/texts/en/cli.ts';
import english from '../../src/texts/en.ts';
import { MARKS, textsOf } from '../support/catalogue.ts';
import { drawReceipt } from '../support/images.ts';
import { prepare, type Site } from './support/agent.ts';
import { commandsOfProgram, quickly } from './support/commandLine.ts';

const GERMAN = { LC_ALL: '', LC_MESSAGES: '', LANG: 'de_DE.UTF-8' };
const commands = await commandsOfProgram();

/** What is no language: code, options, places and values, paths, addresses, times. */
const DATA = [/^ +[$>] .*/gm, /`[^`]*`/g, /"[^"]*"/g, /<[^>]*>|\[[^\]]*\]|\{[^}]*\}/g, /\S*[-/\\:._=@]\S+/g];
/** Words that are typed, names of arguments, and states. */
const TYPED: ReadonlySet<string> = new Set([
  ...[...commands.keys(), 'help'].flatMap((name) => name.split(' ')),
  ...[...commands.values()].flatMap((each) => each.registeredArguments.map((its) => its.name())),
  ...LIST_STATES,
  ...WRITABLE_STORES,
]);

/** In as many lines. */
function withoutData(text: string): string {
  return DATA.reduce((rest, data) => rest.replaceAll(data, (found) => found.replaceAll(/[^\n]/g, ' ')), text);
}

function wordsIn(text: string): string[] {
  const words =
    withoutData(text)
      .toLowerCase()
      .match(/\p{L}{2,}/gu) ?? [];
  return words.filter((word) => !TYPED.has(word));
}

const vocabulary = (catalogues: readonly object[]): ReadonlySet<string> =>
  new Set(catalogues.flatMap((texts) => [...textsOf(texts).values()].flatMap(wordsIn)));
const ours = vocabulary([german(MARKS), germanCli(MARKS)]);
const onlyEnglish = new Set(
  [...vocabulary([english(MARKS), englishCli(MARKS)])].filter((word) => !ours.has(word)),
);

/** Lines with words that the catalogue has in English alone. */
function englishIn(text: string): string[] {
  const code: readonly string[] = STARTED_BY;
  const lines = text.split('\n').filter((line) => !code.includes(line));
  const isEnglish = (line: string) => wordsIn(line).some((word) => onlyEnglish.has(word));
  return withoutData(lines.join('\n'))
    .split('\n')
    .flatMap((line, n) => (isEnglish(line) ? [lines[n] ?? ''] : []));
}

it('recognizes what is English', () => {
  expect(englishIn('It is waiting for its turn.\nDer Beleg wartet.\n  accepted  --json  <file>')).toEqual([
    'It is waiting for its turn.',
  ]);
});

it('the help of every command is German', async () => {
  const site = await prepare();
  const names = ['', ...commands.keys()].map((name) => name.split(' ').filter((word) => word !== ''));
  for (const name of names) {
    const { status, stdout } = await quickly(site, [...name, '--help'], { env: GERMAN });
    expect(status).toBe(0);
    expect(englishIn(stdout), name.join(' ')).toEqual([]);
  }
});

describe('what a command prints is German', () => {
  let site: Site;
  beforeAll(async () => {
    site = await prepare();
    await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
    await writeFile(site.file('inbox', 'b.jpg'), 'no image');
  });

  it.each([
    [['run', '--once']],
    [['status']],
    [['list']],
    [['list', '--state', 'lost']],
    [['show', 'a.jpg']],
    [['check']],
    [['audit']],
    [['ledger', 'verify']],
    [['retry', '--all']],
    [['resume']],
    [['dismiss', '--all']],
    [['results', 'list']],
    [['endpoint', 'list']],
    [['fleet', 'status']],
    [['backup']],
    [['alerts']],
    [['retry']],
    [['list', '--state', 'nonsense']],
    [['listt']],
  ])('%j', async (args) => {
    const { stdout, stderr } = await quickly(site, args, { env: GERMAN });
    expect(`${stdout}${stderr}`).not.toBe('');
    expect(englishIn(`${stdout}${stderr}`)).toEqual([]);
  });
});
