/** The journal of deferred images on a real disk: what it keeps, what it cuts, on a full disk and under `kill -9`. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { DeferredImage } from '../../../src/core/ports/deferredJournal.ts';
import { openDeferredJournal } from '../../../src/keeper/spool/deferredJournal.ts';
import { compile } from '../../support/scripts.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { canMount, withSmallDisk } from '../../support/ownMount.ts';

let compiled: Awaited<ReturnType<typeof compile>>;
beforeAll(async () => {
  compiled = await compile('keeper/spool/deferredJournal.ts');
});

async function place() {
  const dir = await mkdtemp(join(tmpdir(), 'receiptd-deferred-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const path = join(dir, 'deferred.journal');
  const log = new RecordedLog();
  const open = async () => {
    const journal = await openDeferredJournal({ path, log });
    onTestFinished(() => journal.close());
    return journal;
  };
  return { dir, path, log, open };
}

function image(path: string, more: Partial<DeferredImage> = {}): DeferredImage {
  return {
    folder: '/scans',
    path,
    identity: { size: 3, mtimeNs: 1_790_000_000_123_456_789n, ctimeNs: 2n ** 62n, inode: 2n ** 63n },
    endpoint: { baseUrl: 'http://127.0.0.1:9', uid: 'office' },
    sha256: createHash('sha256').update(path).digest('hex'),
    type: 'jpeg',
    lane: 'fresh',
    at: 1_790_000_000_000,
    mark: 'ext4 1',
    capturedAt: null,
    ...more,
  };
}

const paths = (images: readonly DeferredImage[]): string[] => images.map(({ path }) => path);

it('keeps deferred images in order and exact to the last digit for the next process', async () => {
  const { open, path } = await place();
  const first = await open();
  const odd = image('Büro/Beleg "1"\n\u2028.jpg', { capturedAt: 5, lane: 'backlog' });
  await Promise.all(['b', 'a', 'c'].map((name) => first.defer(image(name))));
  await first.defer(odd);
  await first.defer(image('a'));
  await first.admitted(image('b'));
  await first.close();
  const second = await open();
  expect(second.waiting()).toEqual([image('a'), image('c'), odd]);
  expect(second.needs(image('a').sha256)).toBe(true);
  expect(second.needs(image('b').sha256)).toBe(false);
  for (const each of second.waiting()) await second.admitted(each);
  await second.admitted(image('a'));
  expect(second.waiting()).toEqual([]);
  expect((await stat(path)).size).toBe(0);
});

it('truncates a torn last line at any byte and keeps the lines before it', async () => {
  const { open, path } = await place();
  const first = await open();
  await first.defer(image('a'));
  const { size: whole } = await stat(path);
  await first.defer(image('b'));
  await first.close();
  const bytes = await readFile(path);
  for (let length = whole; length < bytes.length; length += 17) {
    await writeFile(path, bytes.subarray(0, length));
    const journal = await open();
    expect(paths(journal.waiting())).toEqual(['a']);
    await journal.defer(image('c'));
    await journal.close();
    expect(paths((await open()).waiting())).toEqual(['a', 'c']);
  }
});

it('logs and saves a damaged line in the middle, and keeps the others', async () => {
  const { open, path, log } = await place();
  const first = await open();
  await first.defer(image('a'));
  await first.defer(image('b'));
  await first.close();
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('"path":"a"', '"path":"x"'));
  expect(paths((await open()).waiting())).toEqual(['b']);
  expect(log.said('Lines in the journal')).toMatchObject([
    { level: 'error', fields: { lines: 1, kept: `${path}.damaged` } },
  ]);
  expect(await readFile(`${path}.damaged`, 'utf8')).toContain('"path":"x"');
});

it('shares a sync between concurrent deferrals, and does not grow with images that are done', async () => {
  const { open, path } = await place();
  const journal = await open();
  await journal.defer(image('stays'));
  let longest = 0;
  for (let round = 0; round < 16; round += 1) {
    const all = Array.from({ length: 400 }, (_, i) => image(`${round}/${i}`));
    await Promise.all(all.map((each) => journal.defer(each)));
    await Promise.all(all.map((each) => journal.admitted(each)));
    longest = Math.max(longest, (await stat(path)).size);
  }
  expect(paths(journal.waiting())).toEqual(['stays']);
  // 12,800 lines of some 330 bytes were written.
  expect(longest).toBeLessThan(2_500_000);
  await journal.close();
  expect(paths((await open()).waiting())).toEqual(['stays']);
});

it('reports a file that cannot be opened or disappears, and confirms nothing', async () => {
  const { open, dir } = await place();
  const journal = await open();
  await rm(dir, { recursive: true });
  const refused = journal.defer(image('a'));
  await expect(refused).rejects.toMatchObject({ code: 'STATE_UNWRITABLE' });
  expect(journal.waiting()).toEqual([]);
  expect(journal.needs(image('a').sha256)).toBe(false);
});

describe.skipIf(!canMount())('on a disk of one megabyte', () => {
  it('rejects an image that does not fit with DISK_FULL, leaves no partial line, and accepts it once there is space', () => {
    const code = `
      import { openDeferredJournal } from ${JSON.stringify(compiled.url)};
      import { readFileSync, rmSync, writeFileSync } from 'node:fs';
      import { randomBytes } from 'node:crypto';
      const path = '/mnt/deferred.journal';
      const log = { error: (message) => console.log('SAID ' + message) };
      const journal = await openDeferredJournal({ path, log });
      const image = (name) => ({ folder: '/scans', path: name, identity: { size: 1, mtimeNs: 1n, ctimeNs: 1n, inode: 1n },
        endpoint: { baseUrl: 'http://127.0.0.1:9', uid: 'office' }, sha256: 'a'.repeat(64), type: 'jpeg', lane: 'fresh', at: 1, mark: null, capturedAt: null });
      await journal.defer(image('first'));
      writeFileSync('/mnt/other', randomBytes(900_000));
      let refused = 0, kept = 1, said = '';
      // Each has a name of 20,000 bytes.
      for (let i = 0; i < 12; i += 1)
        await journal.defer(image('abcdefghijkl'[i].repeat(20_000))).then(() => { kept += 1; }, (error) => { refused += 1; said = error.code + ': ' + error.hint; });
      const whole = readFileSync(path, 'utf8').trimEnd().split('\\n').length;
      rmSync('/mnt/other');
      await journal.defer(image('last'));
      await journal.close();
      const again = (await openDeferredJournal({ path, log })).waiting();
      console.log(JSON.stringify({ said, some: refused > 0 && kept > 1, whole: whole === kept, all: again.length === kept + 1, last: again.at(-1).path }));`;
    const run = [process.execPath, '--input-type=module', '-e', code];
    const out = execFileSync(...withSmallDisk('/mnt', '1m', run)).toString();
    expect(JSON.parse(out)).toEqual({
      said: 'DISK_FULL: Free some space on the disk of the state directory.',
      some: true,
      whole: true,
      all: true,
      last: 'last',
    });
  });
});
