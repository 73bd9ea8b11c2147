import type { Command } from 'commander';
import { describe, expect, it, test } from 'vitest';
import { exampleFor, exampleLines, inColumns } from '../../src/cli/help.ts';
import { VALUES } from '../../src/texts/de/values.ts';
import { createProgram } from '../../src/cli/program.ts';

const { stdin, stdout, stderr } = process;
const stop = new AbortController().signal;
const io = { stdin, stdout, stderr, env: {}, cwd: '/', stop, onReload: () => () => {} };

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

/** As it is printed on a terminal of 80 columns. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 });
  command.outputHelp();
  return text;
}

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;

const all = commandsOf(await createProgram(io, () => {})).map((command) => ({
  name: nameOf(command),
  help: helpOf(command),
}));

test('examples use the paths of the platform', () => {
  const example =
    'check --config /etc/receiptd/receiptd.yaml --folder /srv/scans/january --url https://a.example/tmp';
  expect(exampleFor('linux', example)).toBe(example);
  expect(exampleFor('win32', example)).toBe(
    String.raw`check --config C:\ProgramData\receiptd\receiptd.yaml --folder C:\Scans\january --url https://a.example/tmp`,
  );
});

test('every value on a command line has a name in each language, and help shows that of the reader', async () => {
  const german = commandsOf(await createProgram({ ...io, env: { LANG: 'de_DE.UTF-8' } }, () => {}));
  const values = german.flatMap(({ options, registeredArguments }) => [
    ...options.flatMap(({ flags }) => [...flags.matchAll(/[<[]([a-z]+)/g)].map(([, name = '']) => name)),
    ...registeredArguments.map((argument) => argument.name()),
  ]);
  expect([...new Set(values)].filter((name) => !Object.hasOwn(VALUES, name))).toEqual([]);
  const list = german.find((command) => nameOf(command) === 'receiptd list');
  expect(list && helpOf(list)).toContain('--config <Datei>');
  expect(list && helpOf(list)).not.toMatch(/<file>|\[options\]/);
});

describe('the help', () => {
  it('covers every command', () => expect(all.length).toBeGreaterThan(45));

  it.each(all)('of $name fits 80 columns', ({ help }) => {
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('wraps between words and keeps the indentation', () => {
    expect(inColumns(`  ${'word '.repeat(20).trim()}`).split('\n')).toEqual([
      `  ${'word '.repeat(15).trim()}`,
      `  ${'word '.repeat(5).trim()}`,
    ]);
    expect(inColumns('a\n\n  b\n  c')).toBe('a\n\n  b\n  c');
  });

  it('breaks a long example into lines that a shell accepts', () => {
    const example = `setup ${'--option value '.repeat(8).trim()}`;
    const shown = exampleLines(example);
    expect(shown.length).toBe(2);
    for (const line of shown) expect(line.length).toBeLessThanOrEqual(80);
    expect(shown.join('\n').replaceAll(/ \\\n +/g, ' ')).toBe(`  $ receiptd ${example}`);
  });
});
