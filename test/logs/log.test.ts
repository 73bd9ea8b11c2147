import { mkdir, readFile, readdir, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createLog } from '../../src/logs/log.ts';
import type { ClosableLog, LogOptions } from '../../src/logs/log.ts';
import { logTexts } from '../../src/texts/en/log.ts';
import type { Log, LogEvent, LogFields } from '../../src/core/ports/log.ts';
import { createRedactor } from '../../src/logs/redact.ts';
import { tempDir } from '../support/tempDir.ts';

let dir: string;
let terminal: PassThrough;
let shown: string;

beforeEach(async () => {
  dir = tempDir('log');
  shown = '';
  terminal = new PassThrough();
  terminal.setEncoding('utf8');
  terminal.on('data', (text: string) => {
    shown += text;
  });
});

/** Other events are their own words, so that any text can be logged. */
const texts = new Proxy({} as LogOptions['texts'], {
  get: (_, event: LogEvent) => logTexts[event] ?? event,
});
type AnyText = Readonly<Record<keyof Log, (text: string, fields?: LogFields) => void>>;

async function open(more: Partial<LogOptions> = {}): Promise<ClosableLog & AnyText> {
  return (await createLog({
    texts,
    level: 'info',
    terminal,
    isTerminal: true,
    color: false,
    secrets: createRedactor(),
    now: () => new Date(2026, 10, 21, 9, 5, 7),
    ...more,
  })) as ClosableLog & AnyText;
}
const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const parsed = (text: string) => lines(text).map((line): Record<string, unknown> => JSON.parse(line));
const file = (more = {}) => ({ dir: path.join(dir, 'logs'), maxSize: 1_000_000, maxFiles: 3, ...more });
const logText = () => readFile(path.join(dir, 'logs', 'receiptd.log'), 'utf8');

describe('the terminal', () => {
  test('gets lines for people, from the configured level up', async () => {
    const log = await open();
    log.debug('not this');
    log.info('One', { documentId: 1 });
    log.warn('Two');
    log.error('Three', { level: 'none', message: 'field' });
    await log.close();
    expect(lines(shown)).toEqual([
      '09:05:07 info  One  documentId=1',
      '09:05:07 warn  Two',
      '09:05:07 error Three  level=none message=field',
    ]);
  });

  test('gets JSON lines if it is not a terminal', async () => {
    const log = await open({ isTerminal: false, level: 'debug' });
    log.debug('One', { documentId: 1, missing: undefined, nothing: null, yes: true });
    await log.close();
    expect(parsed(shown)).toEqual([
      {
        timestamp: expect.any(String),
        level: 'debug',
        event: 'One',
        message: 'One',
        documentId: 1,
        nothing: null,
        yes: true,
      },
    ]);
  });

  test('does not stop the agent if it goes away', async () => {
    const log = await open({ file: file() });
    terminal.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    log.info('Still here');
    await log.close();
    expect(parsed(await logText())).toMatchObject([{ message: 'Still here' }]);
  });

  test('that stands still is given a million characters, and how many lines it misses; the file has all', async () => {
    const log = await open({ file: file({ maxSize: 10_000_000 }), isTerminal: false });
    terminal.pause();
    const written = Array.from({ length: 300 }, (_, n) => `${n} ${'.'.repeat(10_000)}`);
    for (const line of written) {
      log.info(line);
      await setImmediate();
    }
    terminal.resume();
    await expect.poll(() => shown).toContain('linesLeftOut');
    await log.close();
    const taken = parsed(shown);
    const count = written.length + 1 - taken.length;
    expect(count).toBeGreaterThan(written.length / 2);
    expect(taken.at(-1)).toMatchObject({ event: 'linesLeftOut', count });
    expect(parsed(await logText())).toHaveLength(written.length + 1);
  });

  test('gets nothing after close, without an error', async () => {
    const log = await open();
    log.info('One');
    await log.close();
    log.info('Two');
    await log.close();
    expect(lines(shown)).toHaveLength(1);
  });
});

describe('secrets', () => {
  test.each<[string, LogFields]>([
    ['field', { body: 'with s3cr"et' }],
    ['number', { number: 12345678 }],
    ['pattern', { header: 'Bearer abc.def' }],
    ['secret field', { clientSecret: 'unregistered' }],
    ['password', { password: 'unregistered' }],
    ['field name', { 's3cr"et': 1 }],
  ])('appear in no line, even if it is the only one there: a %s', async (_where, fields) => {
    const log = await open({ secrets: createRedactor(['s3cr"et', '12345678']), file: file() });
    log.info('One', { name: 'SCAN0001', ...fields });
    await log.close();
    for (const output of [shown, await logText()]) {
      expect(output).not.toMatch(/s3cr|12345678|abc\.def|unregistered/);
      expect(output.match(/\[redacted\]/g)).toHaveLength(1);
    }
  });
});

describe('the log file', () => {
  test('holds every line, in order, as JSON', async () => {
    const log = await open({ file: file() });
    for (let n = 0; n < 5000; n += 1) log.info('Line', { n });
    await log.close();
    expect(parsed(await logText()).map((line) => line['n'])).toEqual([...Array(5000).keys()]);
    expect(lines(shown)).toHaveLength(5000);
  });

  test('does not wait for more lines once it is closed', async () => {
    const log = await open({ file: file() });
    // A timer gathers lines, and none fires here.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      log.info('One');
      await vi.waitUntil(async () => (await logText().catch(() => '')).includes('One'));
      log.info('Two');
      await log.close();
    } finally {
      vi.useRealTimers();
    }
    expect(parsed(await logText()).map((line) => line['message'])).toEqual(['One', 'Two']);
  });

  test.skipIf(process.platform === 'win32')('is for its owner only', async () => {
    const log = await open({ file: file() });
    log.info('One');
    await log.close();
    expect((await stat(path.join(dir, 'logs'))).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(dir, 'logs', 'receiptd.log'))).mode & 0o777).toBe(0o600);
  });

  test('is continued by the next run', async () => {
    for (const message of ['First run', 'Second run']) {
      const log = await open({ file: file() });
      log.info(message);
      await log.close();
    }
    expect(parsed(await logText()).map((line) => line['message'])).toEqual(['First run', 'Second run']);
  });

  test('is rotated by size, and keeps a limited number of files', async () => {
    const log = await open({ file: file({ maxSize: 2000, maxFiles: 2 }) });
    for (let n = 0; n < 200; n += 1) log.info('Line', { n });
    await log.close();
    const names = (await readdir(path.join(dir, 'logs'))).sort();
    expect(names).toEqual(['receiptd.log', 'receiptd.log.1', 'receiptd.log.2']);
    const kept: number[] = [];
    for (const name of names.reverse()) {
      const text = await readFile(path.join(dir, 'logs', name), 'utf8');
      expect(text.length).toBeLessThan(2200);
      kept.push(...parsed(text).map((line) => Number(line['n'])));
    }
    // The newest lines, all complete.
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => 200 - kept.length + i));
    expect(kept.length).toBeGreaterThan(40);
  });

  test('that cannot be opened is reported once, and does not stop the agent', async () => {
    await writeFile(path.join(dir, 'logs'), 'a file where the directory should be');
    const log = await open({ file: file() });
    log.info('One');
    log.info('Two');
    await log.close();
    const warnings = lines(shown).filter((line) => line.includes("log file can't be written"));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(path.join(dir, 'logs'));
    expect(lines(shown)).toHaveLength(3);
  });

  test('that fails only on flush is reported too', async () => {
    await mkdir(path.join(dir, 'logs', 'receiptd.log'), { recursive: true });
    const log = await open({ file: file() });
    log.info('One');
    await log.close();
    expect(lines(shown).map((line) => line.slice(9))).toEqual([
      'info  One',
      expect.stringContaining("log file can't be written"),
    ]);
  });

  test('that fails later is reported once, and written again a minute after the cause is gone', async () => {
    let time = 0;
    let asked = 0;
    const monotonic = (): number => {
      asked += 1;
      return time;
    };
    const log = await open({ file: file({ maxSize: 200, maxFiles: 1 }), monotonic });
    // Rotation renames to this name, which fails while a non-empty directory has it.
    const obstacle = path.join(dir, 'logs', 'receiptd.log.1');
    await mkdir(path.join(obstacle, 'full'), { recursive: true });
    for (let n = 0; n < 20; n += 1) log.info('Before', { n });
    await vi.waitFor(() => expect(shown).toContain("log file can't be written"));

    await rmdir(path.join(obstacle, 'full'));
    await rmdir(obstacle);
    time = 59_999;
    const before = asked;
    log.info('Too early');
    // Lines are gathered for a moment: the file has been asked whether it may try again.
    await vi.waitFor(() => expect(asked).toBeGreaterThan(before));
    time = 60_001;
    log.info('After');
    await vi.waitFor(() => expect(shown).toContain('log file can be written again'));
    await log.close();

    expect(lines(shown).filter((line) => line.includes("can't be written"))).toHaveLength(1);
    const written = await Promise.all(
      ['receiptd.log.1', 'receiptd.log'].map((name) => readFile(path.join(dir, 'logs', name), 'utf8')),
    );
    expect(written.join('')).toContain('"After"');
    expect(written.join('')).not.toContain('"Too early"');
  });
});
