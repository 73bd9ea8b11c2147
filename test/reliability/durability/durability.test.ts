import { execFileSync } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { compiledSources } from '../../support/compiled.ts';
import { requirement } from '../../support/requires.ts';
import { complaintsAbout, Disk } from './disk.ts';
import { parseTrace, traced } from './trace.ts';

const hasStrace = ((): boolean => {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!requirement('strace', hasStrace, 'scripts/install-test-parts.sh'))(
  'a power failure does not lose',
  () => {
    async function trace(what: string, inject: readonly string[] = []) {
      const dir = await realpath(await mkdtemp(join(tmpdir(), 'receiptd-durability-')));
      onTestFinished(() => rm(dir, { recursive: true, force: true }));
      const writer = join(await compiledSources(), 'test', 'reliability', 'durability', 'writer.js');
      const calls = await traced([writer, dir, what], dir, inject);
      const archived = (unlinked: string): string | null =>
        unlinked.startsWith(`${dir}/scans/`) ? join(dir, 'archive', basename(unlinked)) : null;
      return complaintsAbout(calls, dir, archived);
    }

    it.each([
      ['copies in the spool', 'spool', 2],
      ['the journal of deferred images', 'deferred', 5],
      ['the journal of the ledger, which the ledger is made anew from', 'ledger', 4],
      ['small files of the state directory', 'files', 3],
    ])('%s', async (_, what, marks) => {
      expect(await trace(what)).toEqual({ complaints: [], marks });
    });

    it('an archived original, which leaves its folder only after that', async () => {
      // The archive links it, so its bytes are as durable as the scanner left them; the agent has to make the name durable.
      const { complaints, marks } = await trace('archive');
      expect(marks).toBe(1);
      expect(complaints.filter(({ doubt }) => !doubt.endsWith('was written to and not synced'))).toEqual([]);
    });

    it.each([
      ['is on another disk', 'link,linkat:error=EXDEV:when=1'],
      ['knows no links', 'link,linkat:error=EPERM'],
    ])('an original copied into an archive that %s', async (_, fault) => {
      expect(await trace('archive', [fault])).toEqual({ complaints: [], marks: 1 });
    });
  },
);

test('a trace is parsed per thread, without failed calls', () => {
  const text = [
    '10 openat(AT_FDCWD</>, "/s/a.new", O_WRONLY|O_CREAT|O_EXCL, 0600) = 3</s/a.new>',
    '11 fdatasync(3</s/a.new> <unfinished ...>',
    '10 write(3</s/a.new>, "x\\"y", 3) = 3',
    '11 <... fdatasync resumed>)            = 0',
    '10 rename("/s/a.new", "/s/a")       = 0',
    '10 unlink("/s/b")                   = -1 ENOENT (No such file or directory)',
    '10 write(4</s/marks>, "durable /s/a it was said\\n", 25) = 25',
  ].join('\n');
  expect(parseTrace(text)).toEqual([
    { kind: 'create', path: '/s/a.new' },
    // The sync does not cover what is written while it runs.
    { kind: 'sync', path: '/s/a.new' },
    { kind: 'write', path: '/s/a.new' },
    { kind: 'rename', path: '/s/a.new', to: '/s/a' },
    { kind: 'mark', words: ['durable', '/s/a', 'it', 'was', 'said'] },
  ]);
  expect(complaintsAbout(parseTrace(text), '/s')).toEqual({
    complaints: [{ when: 'it was said', doubt: '/s/a was written to and not synced' }],
    marks: 1,
  });
});

test('contents and names are lost independently', () => {
  const disk = new Disk('/s');
  disk.apply({ kind: 'create', path: '/s/a' });
  disk.apply({ kind: 'write', path: '/s/a' });
  expect(disk.doubt('/s/a')).toBe('/s/a was written to and not synced');
  disk.apply({ kind: 'sync', path: '/s/a' });
  expect(disk.doubt('/s/a')).toBe('the name /s/a was not synced');
  disk.apply({ kind: 'sync', path: '/s' });
  expect(disk.doubt('/s/a')).toBeNull();
  disk.apply({ kind: 'rename', path: '/s/a', to: '/s/b' });
  expect(disk.doubt('/s/b')).toBe('the name /s/b was not synced');
  expect(disk.doubt('/s/a')).toBe('/s/a is not there');
});
