/** `receiptd logs`: the log files as people read them. */
import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepare, until, type Site } from './support/agent.ts';

const NOW = Date.now();
const line = (minutesAgo: number, level: string, event: string, fields: object = {}): string =>
  `${JSON.stringify({ timestamp: new Date(NOW - minutesAgo * 60_000).toISOString(), level, event, message: event, ...fields })}\n`;

async function withLog(): Promise<Site> {
  const site = await prepare();
  await mkdir(join(site.stateDir, 'logs'), { recursive: true });
  const log = join(site.stateDir, 'logs', 'receiptd.log');
  await writeFile(`${log}.2`, line(300, 'warn', 'stillOnHold'));
  await writeFile(
    `${log}.1`,
    line(120, 'info', 'configApplied') + line(90, 'error', 'documentRefused', { name: 'a b' }),
  );
  // A line that was cut off when the disk was full.
  await writeFile(log, `${line(5, 'info', 'documentAccepted', { name: 'SCAN0001-5e8ff9bf55ba' })}{"timest\n`);
  return site;
}

/** The parts of the lines that a test compares. */
const shown = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((each) => each.slice(20));

test('shows the lines of all files, oldest first, in words', async () => {
  const site = await withLog();
  const all = await site.quickMust('logs');
  expect(shown(all)).toHaveLength(5);
  expect(all.split('\n').at(0)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d warn  Still on hold$/);
  expect(all).toContain('name="a b"');
  expect(all.trimEnd().split('\n').at(-1)).toBe('{"timest');
  site.env = { ...site.env, LANG: 'de_DE.UTF-8' };
  expect(await site.quickMust('logs')).not.toContain('Still on hold');
});

test.each<[args: string[], expected: RegExp[]]>([
  [
    ['-n', '2'],
    [/Accepted|accepted/, /timest/],
  ],
  [['--since', '2h', '--level', 'warn'], [/a b/]],
  [
    ['--since', '100m'],
    [/a b/, /SCAN0001/],
  ],
  [['--search', 'scan0001-5e'], [/SCAN0001/]],
  [['--search', 'still on'], [/Still on hold/]],
  [['--level', 'error', '--json'], [/"event":"documentRefused"/]],
])('%j shows what it says', async (args, expected) => {
  const site = await withLog();
  const lines = (await site.quickMust('logs', ...args)).trim().split('\n');
  expect(lines).toHaveLength(expected.length);
  for (const [at, pattern] of expected.entries()) expect(lines[at]).toMatch(pattern);
});

test('says that there is none yet, and what a wrong option should be', async () => {
  const site = await prepare();
  expect(await site.look('logs')).toMatchObject({
    status: 0,
    stdout: '',
    stderr: expect.stringContaining('logs'),
  });
  for (const wrong of ['--since=lately', '--level=loud', '--lines=many'])
    expect(await site.look('logs', wrong)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('USAGE'),
    });
});

test('follows what is added, also after the file was rotated', async () => {
  const site = await withLog();
  const log = join(site.stateDir, 'logs', 'receiptd.log');
  const following = site.spawn('logs', '--follow', '-n', '0', '--json');
  let text = '';
  following.child.stdout?.on('data', (part: Buffer) => (text += part.toString()));
  await until(async () => {
    await appendFile(log, line(0, 'info', 'agentStopping'));
    return text.includes('agentStopping');
  }, 'a line that was added');
  await rm(`${log}.2`);
  await rename(`${log}.1`, `${log}.2`);
  await appendFile(log, line(0, 'info', 'ledgerChecked'));
  await rename(log, `${log}.1`);
  await writeFile(log, line(0, 'info', 'ledgerBackedUp'));
  await until(() => text.includes('ledgerBackedUp'), 'a line of the next file');
  expect(text.match(/ledgerChecked/g)).toHaveLength(2);
  following.signal('SIGINT');
  await following.ended;
  expect(text).not.toContain('SCAN0001');
});
