import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import stringWidth from 'string-width';
import YAML from 'yaml';
import { runDemo } from '../../src/demo/demo.ts';
import { dropAll, planDrops, removeOwn, type Drop } from '../../src/demo/drop.ts';
import { logLine } from '../../src/demo/logLine.ts';
import { DemoError } from '../../src/demo/scratch.ts';

let project: string;
let printed: string;
let pids: number[];
/** The stand-in for the binary judges names alone. */
const drops = async (): Promise<readonly Drop[]> =>
  ['SCAN0001.jpg', 'SCAN0002.jpg', 'SCAN0003.png', 'copy.jpg', 'list.jpg'].map((name, at) => ({
    name,
    bytes: Buffer.alloc(2_000, at),
    slowly: at === 1,
    expected: at < 3 ? 'accepted' : at === 3 ? 'duplicate' : 'rejected',
    remark: '',
  }));

beforeEach(async () => {
  project = await mkdtemp(path.join(os.tmpdir(), 'receiptd-demo-'));
  printed = '';
  pids = [];
});
afterEach(() => rm(project, { recursive: true, force: true }));

/**
 * A stand-in for the binary: the sandbox and the agent only wait, and the ledger says of each file in the
 * inbox what `judge` says. What it was called with is written to files.
 */
async function binary(parts: { sandbox?: string; run?: string; judge?: string } = {}): Promise<string> {
  const main = path.join(project, 'main.mjs');
  await writeFile(
    main,
    `
    import fs from 'node:fs';
    import path from 'node:path';
    const project = ${JSON.stringify(project)};
    const [command] = process.argv.slice(2);
    const say = (text) => fs.appendFileSync(path.join(project, 'said.txt'), text + '\\n');
    const wait = () => {
      process.on('SIGTERM', () => { say(command + ' stopped'); process.exit(0); });
      say(command + ' ' + process.pid);
      setInterval(() => {}, 1000);
    };
    const judge = ${parts.judge ?? "(name) => /copy/.test(name) ? 'duplicate' : /list/.test(name) ? 'rejected' : 'accepted'"};
    if (command === 'sandbox') {
      wait();
      ${parts.sandbox ?? "console.log(JSON.stringify({ url: 'http://127.0.0.1:1', clientId: 'id-1', clientSecret: 'secret-1', endpointUid: 'uid-1' }));"}
    } else if (command === 'run') {
      wait();
      fs.writeFileSync(path.join(project, 'env.json'), JSON.stringify(process.env));
      ${parts.run ?? ''}
    } else if (process.argv.includes('--json')) {
      const inbox = path.join(project, 'scratch', 'inbox');
      console.log(JSON.stringify(fs.readdirSync(inbox).map((name) => ({ path: path.join(inbox, name), state: judge(name) }))));
    } else say('table');
    `,
  );
  return main;
}

async function said(): Promise<string[]> {
  const text = await readFile(path.join(project, 'said.txt'), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  pids = lines.flatMap((line) => (/ (\d+)$/.test(line) ? [Number(line.split(' ').at(-1))] : []));
  return lines.map((line) => line.replace(/ \d+$/, ' started'));
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

function run(main: string, stop: AbortSignal, more: { deadlineMs?: number; env?: NodeJS.ProcessEnv } = {}) {
  const env = { PATH: process.env['PATH'], ...more.env };
  const print = (text: string) => {
    printed += text;
  };
  const sleep = (ms: number, signal: AbortSignal) => setTimeout(Math.min(ms, 20), undefined, { signal });
  return runDemo({ project, main, env, print, sleep, drops, deadlineMs: more.deadlineMs ?? 15_000 }, stop);
}

describe('the demo', () => {
  test('shows the ledger when all is settled, runs on until it is stopped, and leaves no process', async () => {
    const stop = new AbortController();
    const main = await binary();
    const env = { RECEIPTD_STATE_DIR: '/elsewhere', RECEIPTD_CLIENT_SECRET: 'of the person' };
    const demo = run(main, stop.signal, { env });
    await vi.waitFor(() => expect(printed).toContain('Press Ctrl-C to stop both'), {
      timeout: 60_000,
      interval: 50,
    });
    expect(await said()).toEqual(['sandbox started', 'run started', 'table']);
    expect(pids.map(isAlive)).toEqual([true, true]);

    const inbox = path.join(project, 'scratch', 'inbox');
    expect(await readdir(inbox)).toHaveLength(5);
    expect(printed).toContain(`Drop your own images into ${path.join('scratch', 'inbox')}`);
    expect(printed).not.toContain('secret-1');
    const config: unknown = YAML.parse(
      await readFile(path.join(project, 'scratch', 'receiptd.yaml'), 'utf8'),
    );
    expect(config).toMatchObject({
      service: { baseUrl: 'http://127.0.0.1:1' },
      endpoints: { demo: { uid: 'uid-1' } },
      folders: [{ path: inbox, endpoint: 'demo' }],
      stateDir: path.join(project, 'scratch', 'state'),
    });
    const agentEnv: unknown = JSON.parse(await readFile(path.join(project, 'env.json'), 'utf8'));
    expect(agentEnv).toMatchObject({ RECEIPTD_CLIENT_ID: 'id-1', RECEIPTD_CLIENT_SECRET: 'secret-1' });
    expect(agentEnv).not.toHaveProperty('RECEIPTD_STATE_DIR');

    stop.abort();
    await demo;
    expect((await said()).slice(3)).toEqual(['run stopped', 'sandbox stopped']);
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  test('starts afresh the next time, and keeps what a person dropped', async () => {
    const inbox = path.join(project, 'scratch', 'inbox');
    await mkdir(path.join(project, 'scratch', 'state'), { recursive: true });
    await mkdir(inbox);
    await writeFile(path.join(project, 'scratch', 'state', 'old'), '');
    await writeFile(path.join(inbox, 'mine.jpg'), 'mine');
    const main = await binary();
    for (let round = 0; round < 2; round += 1) {
      const stop = new AbortController();
      printed = '';
      const demo = run(main, stop.signal);
      await vi.waitFor(() => expect(printed).toContain('dozen'), { timeout: 60_000, interval: 20 });
      stop.abort();
      await demo;
      expect(existsSync(path.join(project, 'scratch', 'state', 'old'))).toBe(false);
      expect(await readFile(path.join(inbox, 'mine.jpg'), 'utf8')).toBe('mine');
    }
    await said();
    expect(pids.length).toBeGreaterThanOrEqual(2);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test.each([
    [
      'the sandbox fails to start',
      { sandbox: "console.error('port taken'); process.exit(3)" },
      /receiptd sandbox ended by itself \(exit status 3\): port taken/,
    ],
    ['the sandbox says something else', { sandbox: "console.log('hello')" }, /did not say where it listens/],
    ['the agent dies', { run: 'process.exit(4)' }, /receiptd run ended by itself \(exit status 4\)/],
    [
      'the agent is killed',
      { run: "process.kill(process.pid, 'SIGKILL')" },
      /receiptd run ended by itself \(SIGKILL\)/,
    ],
  ])('ends with one sentence and no process left when %s', async (_what, parts, sentence) => {
    const failure = await run(await binary(parts), new AbortController().signal).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(DemoError);
    expect(failure).toMatchObject({ message: expect.stringMatching(sentence) });
    await said();
    expect(pids.length).toBeGreaterThan(0);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test('shows a line of the log in 80 columns, and what is none as it is', () => {
    const timestamp = new Date(2026, 0, 31, 8, 30).toISOString();
    const shown = (fields: object): string =>
      logLine(JSON.stringify({ timestamp, level: 'info', ...fields }));
    expect(shown({ message: 'Accepted', name: 'SCAN0001-95102ce9154b', path: 'SCAN0001.jpg' })).toBe(
      '08:30:00  Accepted  SCAN0001-95102ce9154b',
    );
    expect(shown({ message: 'Watching', path: null, folder: '/srv/scans' })).toBe('08:30:00  Watching');
    const long = shown({ message: 'Not sent: rejected', path: '☕'.repeat(60), detail: 'Damaged.' });
    expect(stringWidth(long)).toBeGreaterThanOrEqual(79);
    expect(stringWidth(long)).toBeLessThanOrEqual(80);
    expect(long.endsWith('☕…')).toBe(true);
    expect(logLine('Segmentation fault')).toBe('Segmentation fault');
    expect(logLine('17')).toBe('17');
  });
});

const noSleep = () => new Promise<void>((resolve) => void setImmediate(resolve));

async function inboxOf() {
  const inbox = path.join(project, 'inbox');
  await mkdir(inbox);
  return { inbox, all: await drops() };
}

test('the demo drops ten receipts in several formats, one of them twice, and one file that is no image', async () => {
  const all = await planDrops();
  const count = (state: Drop['expected']) => all.filter(({ expected }) => expected === state).length;
  expect([count('accepted'), count('duplicate'), count('rejected')]).toEqual([10, 1, 1]);
  expect(new Set(all.map(({ bytes }) => bytes.toString('base64'))).size).toBe(11);
  expect(new Set(all.map(({ name }) => path.extname(name)))).toEqual(new Set(['.jpg', '.png', '.tif']));
  expect(all.filter(({ slowly }) => slowly)).toHaveLength(1);
});

describe("a person's files", () => {
  test('are never overwritten: the demo takes another name', async () => {
    const { inbox, all } = await inboxOf();
    await writeFile(path.join(inbox, 'SCAN0001.jpg'), 'mine');
    await writeFile(path.join(inbox, 'SCAN0001-2.jpg'), 'mine too');
    const used = await dropAll(inbox, all, noSleep);
    expect([...used.values()]).toContain('SCAN0001-3.jpg');
    expect(await readFile(path.join(inbox, 'SCAN0001.jpg'), 'utf8')).toBe('mine');
    expect(await readFile(path.join(inbox, 'SCAN0001-2.jpg'), 'utf8')).toBe('mine too');
  });

  test("are kept when the demo's own are removed, half-written ones included", async () => {
    const { inbox, all } = await inboxOf();
    const slow = all.find((drop) => drop.slowly)!;
    await dropAll(inbox, all, noSleep);
    await writeFile(path.join(inbox, slow.name), slow.bytes.subarray(0, 1000));
    await writeFile(path.join(inbox, 'SCAN0002.jpg'), 'mine, under the same name');
    await writeFile(path.join(inbox, 'SCAN0003.png'), '');
    await writeFile(path.join(inbox, 'my own.jpg'), all[1]!.bytes);
    await removeOwn(inbox, all);
    expect((await readdir(inbox)).sort()).toEqual(['SCAN0002.jpg', 'SCAN0003.png', 'my own.jpg']);
  });
});
