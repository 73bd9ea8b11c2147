import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wordsOf } from '../../src/cli/completion/words.ts';
import { MAN_PAGE, manPageText } from '../../src/cli/generate.ts';
import { createProgram } from '../../src/cli/program.ts';
import { requirement } from '../support/requires.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const file = join(ROOT, MAN_PAGE);
const read = (path: string) => readFile(join(ROOT, path), 'utf8');
const has = (program: string, version: string) => spawnSync(program, [version]).status === 0;

it('the manual page matches the commands', async () => {
  expect(await read(MAN_PAGE), 'run `npm run generate`').toBe(await manPageText(await read('CHANGELOG.md')));
});

it('the manual page has the date of the release', async () => {
  const { version } = JSON.parse(await read('package.json')) as { version: string };
  expect(await manPageText(`## [${version}] - 2026-01-31\n`)).toContain(`"2026-01-31" "receiptd ${version}"`);
  expect(await manPageText('## [Unreleased]\n')).toContain(`RECEIPTD 1 "" "receiptd ${version}"`);
});

it('the manual page names every command and every option', async () => {
  const text = (await read(MAN_PAGE)).replaceAll(String.raw`\-`, '-');
  const { stdin, stdout, stderr } = process;
  const stop = new AbortController().signal;
  const io = { stdin, stdout, stderr, env: {}, cwd: '/', stop, onReload: () => () => {} };
  const all = wordsOf(await createProgram(io, () => {}));
  expect(all.length).toBeGreaterThan(25);
  for (const { path, commands, options } of all) {
    if (commands.length > 0) continue;
    const section =
      text
        .split(/^\.S[SH] /m)
        .find((each) => `${each.split('\n', 1)[0]} `.startsWith(`receiptd ${path.join(' ')} `)) ?? '';
    const lacking = options.flatMap(({ flags }) =>
      flags.filter((flag) => flag.startsWith('--') && !section.includes(flag)),
    );
    expect(lacking, path.join(' ')).toEqual(['--help']);
  }
});

it.skipIf(!requirement('groff', has('groff', '--version'), 'apt-get install groff'))(
  'groff formats the manual page without warnings',
  () => {
    const { status, stdout, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', file], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('ledger verify');
  },
);

it.skipIf(!requirement('man', has('man', '--version'), 'apt-get install man-db'))('man shows it', () => {
  const env = { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8' };
  const { status, stderr, stdout } = spawnSync('man', ['--warnings', '-P', 'cat', '-l', file], {
    encoding: 'utf8',
    env,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('RECEIPTD(1)');
});

it.skipIf(!requirement('mandoc', spawnSync('mandoc', [file]).status === 0, 'apt-get install mandoc'))(
  'mandoc warns of nothing but the missing date of an unreleased version',
  () => {
    const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', file], { encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => line !== '' && !/missing date/.test(line))).toEqual([]);
  },
);
