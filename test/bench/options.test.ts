import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { benchOptions } from '../../bench/options.ts';

const NAMES = ['backlog', 'latency', 'idle'];
const ALL = { quick: false, only: NAMES, dir: null, compare: null };

it.each([
  [[], ALL],
  [['--quick'], { ...ALL, quick: true }],
  [['--only', 'idle,backlog', '--dir', tmpdir()], { ...ALL, only: ['idle', 'backlog'], dir: tmpdir() }],
  [['--compare', 'HEAD~1', '--only=idle'], { ...ALL, only: ['idle'], compare: 'HEAD~1' }],
])('the options %j are accepted', (args, options) => {
  expect(benchOptions(NAMES, args)).toEqual({ kind: 'options', options });
});

it.each([
  [['--only', 'speed'], '--only speed is not a scenario. The scenarios are backlog, latency, idle.'],
  [['--only', ''], '--only  is not a scenario. The scenarios are backlog, latency, idle.'],
  [['--dir', '/nowhere/at/all'], '--dir /nowhere/at/all is not a directory.'],
  [['--dir', import.meta.filename], `--dir ${import.meta.filename} is not a directory.`],
  [['--compare', ''], '--compare needs a revision.'],
  [
    ['--compare', 'HEAD', '--quick'],
    '--compare measures nothing, so it cannot be used with --quick or --dir.',
  ],
  [['--fast'], "Unknown option '--fast'."],
  [['backlog'], "Unexpected argument 'backlog'."],
])('the options %j are refused in one sentence, with status 2', (args, sentence) => {
  const text = `npm run bench: ${sentence} See npm run bench -- --help.\n`;
  expect(benchOptions(NAMES, args)).toEqual({ kind: 'said', text, status: 2 });
});

it('--help lists all options and scenarios', () => {
  const said = benchOptions(NAMES, ['--help']);
  expect(said).toMatchObject({ kind: 'said', status: 0 });
  const text = 'text' in said ? said.text : '';
  for (const word of ['--quick', '--only', '--dir', '--compare', ...NAMES]) expect(text).toContain(word);
});
