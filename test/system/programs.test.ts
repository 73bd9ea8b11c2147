import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainEnvironment, runProgram } from '../../src/system/programs.ts';
import { tempDir } from '../support/tempDir.ts';

const NEVER = new AbortController().signal;
const ENV = plainEnvironment(process.env);

async function inDirectory(): Promise<string> {
  const dir = tempDir('program');
  return dir;
}

interface Given {
  readonly stdin?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
  readonly graceMs?: number;
  readonly signal?: AbortSignal;
}

const run = (command: string[], { stdin = '', env = ENV, signal = NEVER, ...limits }: Given = {}) =>
  runProgram(command, stdin, env, { timeoutMs: 60_000, ...limits }, signal);

const sh = (script: string, ...args: string[]): string[] => ['/bin/sh', '-c', script, 'sh', ...args];

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(process.platform === 'win32')('a program of the admin', () => {
  it('gets its whole standard input, its arguments unchanged, and the given environment', async () => {
    const out = join(await inDirectory(), 'out');
    const text = 'é'.repeat(200_000);
    const end = await run(sh('cat > "$1"; printf "%s|%s" "$2" "$WORD" >> "$1"', out, '$(id); "x"'), {
      stdin: text,
      env: { ...ENV, WORD: 'a b' },
    });
    expect(end).toEqual({ how: 'exited', status: 0, said: '' });
    expect(await readFile(out, 'utf8')).toBe(`${text}$(id); "x"|a b`);
  });

  it('is reported with its status and the end of its output, even if it reads nothing', async () => {
    const end = await run(sh('i=0; while [ $i -lt 900 ]; do echo "line $i" >&2; i=$((i+1)); done; exit 7'), {
      stdin: 'x'.repeat(1_000_000),
    });
    expect(end).toMatchObject({ how: 'exited', status: 7 });
    expect(end.said.length).toBeLessThanOrEqual(2_000);
    expect(end.said.endsWith('line 899')).toBe(true);
  });

  it('is reported, not thrown, if it is missing or must not be run', async () => {
    const dir = await inDirectory();
    const missing = await run([join(dir, 'none')]);
    expect(missing).toMatchObject({ how: 'notStarted', said: expect.stringContaining('ENOENT') });
    const directory = await run([dir]);
    expect(directory).toMatchObject({ how: 'notStarted', said: expect.stringContaining('EACCES') });
    const long = await run(['/bin/true', 'x'.repeat(4_000_000)]);
    expect(long).toMatchObject({ how: 'notStarted', said: expect.stringContaining('E2BIG') });
  });

  it('is ended when its time is up, with everything it started, even against resistance', async () => {
    const out = join(await inDirectory(), 'pids');
    const script = 'trap "" TERM; sleep 600 & echo $$ $! > "$1"; wait; sleep 600';
    const end = await run(sh(script, out), { timeoutMs: 1_000, graceMs: 50 });
    expect(end).toMatchObject({ how: 'timedOut' });
    const pids = (await readFile(out, 'utf8')).trim().split(' ').map(Number);
    expect(pids).toHaveLength(2);
    for (const pid of pids) await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('is ended when nobody waits for it any more', async () => {
    const stop = new AbortController();
    const out = join(await inDirectory(), 'pid');
    const running = run(sh('echo $$ > "$1"; exec sleep 600', out), { signal: stop.signal });
    const pid = async (): Promise<number> => Number(await readFile(out, 'utf8').catch(() => ''));
    await expect.poll(pid).toBeGreaterThan(0);
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(isAlive(await pid())).toBe(false);
  });

  it('is not waited for if something it started still holds its standard error', async () => {
    const out = join(await inDirectory(), 'pid');
    const end = await run(sh('sleep 600 & echo $! > "$1"', out));
    expect(end).toMatchObject({ how: 'exited', status: 0 });
    process.kill(Number.parseInt(await readFile(out, 'utf8'), 10));
  });

  it('is reported with the signal if it is killed', async () => {
    const end = await run(sh('kill -9 $$'));
    expect(end).toEqual({ how: 'signal', signal: 'SIGKILL', said: '' });
  });
});

it('gives a program the environment it needs to run, and no secret', () => {
  const env = {
    PATH: '/bin',
    LC_ALL: 'C',
    Path: 'C:\\',
    HTTPS_PROXY: 'u:p@h',
    RECEIPTD_CLIENT_SECRET: 's',
    X: '1',
  };
  expect(plainEnvironment(env)).toEqual({ PATH: '/bin', LC_ALL: 'C', Path: 'C:\\' });
});
