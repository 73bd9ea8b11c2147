import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIST_STATES } from '../../src/core/ports/ledgerReports.ts';
import { drawReceipt } from '../support/images.ts';
import { launch } from '../support/launch.ts';
import { requirement } from '../support/requires.ts';
import { MAIN, prepare, Running, temporaryDirectory, until, type Site } from './support/agent.ts';
import { quickly } from './support/commandLine.ts';
import { runInProcess } from './support/inProcess.ts';

const PATH = process.env['PATH'] ?? '';
const LEDGER_COMMANDS = ['head', 'verify', 'prepare', 'migrate', 'archive'];

function has(shell: string): boolean {
  return requirement(shell, spawnSync(shell, ['--version']).status === 0, `apt-get install ${shell}`);
}

const scripts: Record<string, string> = {};

/** Runs the program in this process for each connection, because starting it for each word would take most of the time. */
const program = createServer((asking) => {
  let asked = '';
  asking.setEncoding('utf8').on('data', (text: string) => {
    asked += text;
    const [count, cwd = '/', ...args] = asked.split('\0').slice(0, -1);
    if (args.length !== Number(count)) return;
    void runInProcess(args, { cwd, env: envOf(cwd) }).then(({ stdout }) => asking.end(stdout));
  });
}).listen(0, '127.0.0.1');
afterAll(() => program.close());

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    const { status, stdout } = await runInProcess(['completion', shell], { cwd: '/', env: {} });
    if (status !== 0) throw new Error(`completion ${shell}: ${status}`);
    scripts[shell] = stdout;
  }
});

/** A directory with `receiptd` for the PATH, and the scripts. */
async function place(site?: Site, receiptd: 'built' | 'served' = 'served'): Promise<string> {
  const dir = site?.dir ?? (await temporaryDirectory());
  const { port } = program.address() as AddressInfo;
  const served = `#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/${port}
printf '%s\\0' $# "$PWD" "$@" >&3
cat <&3
`;
  const built = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
  await writeFile(join(dir, 'receiptd'), receiptd === 'built' ? built : served, { mode: 0o755 });
  for (const shell of ['bash', 'zsh', 'fish', 'powershell'])
    await writeFile(join(dir, shell), scripts[shell] ?? '');
  return dir;
}

function envOf(dir: string): Record<string, string> {
  return {
    PATH: `${dir}${delimiter}${PATH}`,
    HOME: dir,
    TERM: 'dumb',
    XDG_CONFIG_HOME: join(dir, 'none'),
  };
}

async function run(dir: string, shell: string, args: readonly string[]): Promise<string[]> {
  const child = launch(shell, args, { cwd: dir, env: envOf(dir), stdin: 'ignore' });
  const { stdout, stderr } = await new Running(child).ended;
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

const BASH = `source ./bash
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
__receiptd
printf '%s\\n' "\${COMPREPLY[@]}"`;

/** The completions of bash for the last of these words. */
function bash(dir: string, ...words: string[]): Promise<string[]> {
  return run(dir, 'bash', ['--norc', '--noprofile', '-c', BASH, 'bash', 'receiptd', ...words]);
}

describe('bash', () => {
  it('completes commands, their commands, options and the words that an option takes', async () => {
    const dir = await place();
    expect(await bash(dir, 'le')).toEqual(['ledger']);
    expect(await bash(dir, 'ledger', 'verify', '--h')).toEqual(['--head', '--help']);
    expect(await bash(dir, 'list', '--state', 'failed', 'un')).toEqual(['unconfirmed', 'unreadable']);
    expect(await bash(dir, 'login', '--store', '=', 'k')).toEqual(['keychain']);
    expect(await bash(dir, 'run', '--wait', '')).toEqual([]);
  });

  it('completes files and folders, whatever they are called', async () => {
    const dir = await place();
    await writeFile(join(dir, 'my config.yaml'), '');
    expect(await bash(dir, 'check', '--config', 'my')).toEqual(['my config.yaml']);
    expect(await bash(dir, 'check', '--config', '=', 'my')).toEqual(['my config.yaml']);
    expect(await bash(dir, 'restore', 'b')).toEqual(['bash']);
    expect(await bash(dir, 'list', '--folder', 'my')).toEqual([]);
  });

  it('completes endpoints of the configuration and documents of a running agent, and nothing without one', async () => {
    const site = await prepare();
    const dir = await place(site);
    expect(await bash(dir, 'list', '--endpoint', '')).toEqual(['office', 'depot']);
    expect(await bash(dir, 'show', '')).toEqual([]);
    await writeFile(site.file('inbox', 'SCAN0007.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
    const agent = await site.start();
    await until(() => site.sandbox.received().length === 1);
    const [received] = site.sandbox.received();
    // For another configuration (--config), with one process each.
    const other = await place(undefined, 'built');
    // A busy machine may take longer than the limit now and then.
    const soon = async (...words: Parameters<typeof bash>): Promise<string[]> => {
      let names: string[] = [];
      await until(async () => (names = await bash(...words)).length > 0);
      return names;
    };
    expect(await soon(other, 'show', '--config', site.config, 'SCAN')).toEqual([received?.name]);
    expect(await soon(dir, 'retry', received?.name ?? '', 'SCAN')).toEqual([received?.name]);
    expect(await bash(dir, 'retry', 'PLAN')).toEqual([]);
    // A hung agent causes no long wait: the limit is 300 ms plus the start.
    agent.signal('SIGSTOP');
    const asked = performance.now();
    expect(await bash(other, 'show', '--config', site.config, 'SCAN')).toEqual([]);
    expect(performance.now() - asked).toBeLessThan(20_000);
    agent.signal('SIGCONT');
  });
});

/** The completions for the last of these words. */
async function offered(...words: string[]): Promise<string[]> {
  const [current = '', ...before] = words.toReversed();
  const args = ['complete', '--', `=${current}`, ...before.toReversed()];
  const { stdout } = await runInProcess(args, { cwd: '/', env: {} });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0] ?? '');
}

it('completion offers commands, options and words where they are valid', async () => {
  expect(await offered('ledger', '')).toEqual(LEDGER_COMMANDS);
  expect(await offered('--v')).toEqual(['--version']);
  expect(await offered('list', '--state', '')).toEqual([...LIST_STATES]);
  expect(await offered('list', '--state', 'failed', '--js')).toEqual(['--json']);
  expect(await offered('export', '--format', '')).toEqual(['csv', 'json']);
  expect(await offered('setup', '--store', '')).toEqual(['keychain', 'file']);
  expect(await offered('setup', '--service', '')).toEqual(['system', 'user', 'no']);
  expect(await offered('setup', '--existing', '')).toEqual(['send', 'skip']);
  expect(await offered('help', 'le')).toEqual(['ledger']);
  expect(await offered('help', 'ledger', 'v')).toEqual(['verify']);
  expect(await offered('run', '--wait', '')).toEqual([]);
});

it('completion for an unknown shell is refused in one sentence', async () => {
  const site = await prepare();
  expect(await quickly(site, ['completion', 'tcsh'])).toBeRefused(2, 'USAGE', 'bash, zsh, fish, powershell');
});

it('completion prints nothing if it has no answer', async () => {
  const site = await prepare();
  for (const args of [
    ['=', 'list', '--config', 'gone.yaml', '--endpoint'],
    ['=x', 'show'],
    ['=', 'nonsense'],
    ['=--endpoint=x', 'list'],
  ])
    expect(await quickly(site, ['complete', '--', ...args])).toMatchObject({
      status: 0,
      stdout: '',
      stderr: '',
    });
});

describe.skipIf(!has('fish'))('fish', () => {
  it('completes commands, options and words', async () => {
    const site = await prepare();
    const dir = await place(site);
    const fish = async (line: string) => {
      const said = await run(dir, 'fish', ['--no-config', '-c', `source ./fish; complete -C '${line}'`]);
      return said.map((each) => each.split('\t')[0]).sort();
    };
    expect(await fish('receiptd ledger ')).toEqual(LEDGER_COMMANDS.toSorted());
    expect(await fish('receiptd ledger verify --he')).toEqual(['--head', '--help']);
    expect(await fish('receiptd list --endpoint ')).toEqual(['depot', 'office']);
  });
});

const ZSH = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT= ; unsetopt prompt_cr prompt_sp; autoload -Uz compinit; compinit -u -D; source ./zsh; echo READY-\${:-NOW}"
zpty -r -m shell said '*READY-NOW*'
zpty -n -w shell $'receiptd led\\tver\\t--he\\tx\\001echo RESULT-""1 \\n'
zpty -r -m shell said '*RESULT-1*
*'
zpty -n -w shell $'receiptd list --state fa\\t--endpoint off\\t\\001echo RESULT-""2 \\n'
zpty -r -m shell more '*RESULT-2*
*'
print -r -- $said $more
zpty -d shell`;

describe.skipIf(!has('zsh'))('zsh', () => {
  it('completes commands, options, words and endpoints on a terminal', async () => {
    const site = await prepare();
    const dir = await place(site);
    const said = (await run(dir, 'zsh', ['-f', '-c', ZSH])).join('\n');
    expect(said).toMatch(/RESULT-1 receiptd ledger verify --hex|RESULT-1 receiptd ledger verify --he/);
    expect(said).toContain('RESULT-2 receiptd list --state failed --endpoint office');
  });
});
