import { execFileSync } from 'node:child_process';
import { describe, expect, it, test } from 'vitest';
import { isEveryCase } from '../../support/everyCase.ts';
import { requirement } from '../../support/requires.ts';
import { breachesOf, chosen, crashesOf } from './crash.ts';
import { Disk } from './disk.ts';
import { judge, ORIGINAL_LEAVES } from './rules.ts';
import { recordCommands, recordDay, recordDeferring } from './story.ts';
import { parseTrace } from './trace.ts';

const hasStrace = ((): boolean => {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const ALL = process.env['RECEIPTD_ALL_CRASHES'] === '1';
/** Crashes to try; the campaign `cases` tries one of each kind. */
const TRIED = 3;

describe.skipIf(!requirement('strace', hasStrace, 'scripts/install-test-parts.sh'))('a power failure', () => {
  it('loses nothing that the agent relies on or reported, and the next start completes the rest', async () => {
    const story = await recordDay();
    const { breaches, applied } = judge(story);
    expect(breaches).toEqual([]);
    expect([...applied].filter(([, times]) => times === 0)).toEqual([]);
    const crashes = crashesOf(story);
    const kinds = chosen(story, crashes);
    expect(kinds.length).toBeGreaterThan(TRIED);
    const spread = Array.from({ length: TRIED }, (_, n) => kinds[Math.floor((n * kinds.length) / TRIED)]!);
    for (const crash of ALL ? crashes : isEveryCase ? kinds : spread)
      expect({ crash, broken: await breachesOf(story, crash) }).toEqual({ crash, broken: [] });
  });

  it('loses nothing of what commands reported', async () => {
    const { breaches, applied } = judge(await recordCommands());
    expect(breaches).toEqual([]);
    // One of the originals was linked into the archive, and one copied.
    expect(applied.get(ORIGINAL_LEAVES)).toBe(2);
  });

  it('loses no image that was deferred', async () => {
    const { breaches, applied } = judge(await recordDeferring());
    expect(breaches).toEqual([]);
    expect(Math.max(...applied.values())).toBe(5);
  });
});

test('a trace is parsed per thread, without failed calls', () => {
  const text = [
    '10 1.0 openat(AT_FDCWD</>, "/s/a.new", O_WRONLY|O_CREAT|O_EXCL, 0600) = 3</s/a.new>',
    '10 1.1 write(3</s/a.new>, "x\\"\\0y", 4) = 4',
    '11 1.2 fdatasync(3</s/a.new> <unfinished ...>',
    '10 1.3 pwrite64(3</s/a.new>, "z", 1, 0) = 1',
    '11 1.4 <... fdatasync resumed>)            = 0 (DELAYED)',
    '10 1.5 rename("/s/a.new", "/s/a")       = 0',
    '10 1.6 unlink("/s/b")                   = -1 ENOENT (No such file or directory)',
    '11 1.7 fsync(4</s>) = 0',
  ].join('\n');
  const disk = new Disk('/s');
  for (const call of parseTrace(text)) disk.apply(call);
  // The sync does not cover what is written while it runs.
  expect(disk.left('/s/a', 'all')).toEqual(Buffer.from('z"\0y'));
  expect(disk.left('/s/a', 'synced')).toEqual(Buffer.from('x"\0y'));
  expect(disk.doubts(() => true)).toEqual(['/s/a: its contents were not synced']);
});

test('contents and names are lost independently', () => {
  const disk = new Disk('/s');
  const synced = (path: string) => {
    for (const kind of ['began', 'synced'] as const) disk.apply({ kind, path, thread: '1' });
  };
  disk.apply({ kind: 'create', path: '/s/a' });
  disk.apply({ kind: 'write', path: '/s/a', at: 0, bytes: Buffer.from('x') });
  synced('/s/a');
  expect(disk.left('/s/a', 'synced')).toBeNull();
  expect(disk.left('/s/a', 'names')).toEqual(Buffer.from('x'));
  synced('/s');
  expect(disk.doubts(() => true)).toEqual([]);
  disk.apply({ kind: 'rename', path: '/s/a', to: '/s/b' });
  expect(disk.doubts(() => true)).toEqual([
    '/s/b: its name was not synced',
    '/s/a: its removal was not synced',
  ]);
});
