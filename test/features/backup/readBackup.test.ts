import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';
import { beforeEach, expect, test } from 'vitest';
import { MANIFEST, type Manifest } from '../../../src/features/backup/manifest.ts';
import { readBackup, readManifest } from '../../../src/features/backup/readBackup.ts';
import { SCHEMA_VERSION } from '../../../src/ledger/sqlite/tables.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { tempDir } from '../../support/tempDir.ts';

let dir: string;
let to: string;

beforeEach(async () => {
  dir = tempDir('read-backup', memoryDirectory());
  to = join(dir, 'to');
  await mkdir(to);
});

async function empty(): Promise<void> {
  await rm(to, { recursive: true });
  await mkdir(to);
}

type Member = readonly [header: Partial<Header> & { name: string }, text?: string | Buffer];

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const LEDGER: Member = [{ name: 'ledger.db' }, 'a ledger'];
const JOURNAL: Member = [{ name: 'ledger.journal' }, 'a journal'];
const SETTINGS: Member = [{ name: 'receiptd.yaml' }, 'stateDir: /state\n'];
const NEEDED = [SETTINGS, LEDGER, JOURNAL];
const IMAGES = 3;

function manifest(parts: readonly Member[], other: Partial<Manifest> = {}): Member {
  const named = parts.map(([{ name }, text = '']) => ({
    name,
    size: Buffer.byteLength(text),
    sha256: sha256(text),
  }));
  const value: Manifest = {
    format: 'receiptd-backup',
    version: 1,
    id: '11111111-2222-4333-8444-555555555555',
    final: true,
    at: '2026-01-31T08:00:00.000Z',
    receiptd: '0.1.0',
    schema: SCHEMA_VERSION,
    host: 'office',
    stateDir: '/state',
    head: { ledger: 'l', seq: 1, hash: '0'.repeat(64) },
    documents: 0,
    waiting: 0,
    setUpAgain: [],
    images: { count: IMAGES, bytes: 100_000 },
    parts: named,
    ...other,
  };
  return [{ name: MANIFEST }, JSON.stringify(value)];
}

async function tar(members: readonly Member[]): Promise<Buffer> {
  const packed = pack();
  for (const [header, text = ''] of members) packed.entry(header, text);
  packed.finalize();
  return buffer(Readable.from(packed));
}

async function archive(members: readonly Member[]): Promise<string> {
  const file = join(dir, 'archive');
  await writeFile(file, gzipSync(await tar(members)));
  return file;
}

/** Everything that was written, by path. */
async function written(): Promise<string[]> {
  return (await readdir(to, { recursive: true })).sort();
}

const refused = (flaw: string) => ({ code: 'ARCHIVE_REFUSED', params: { flaw } });

const image = (text: string): Member => [{ name: `spool/${sha256(text)}` }, text];

test('files that the manifest names are unpacked, private to the owner, and images go to the spool', async () => {
  const hash = sha256('image');
  const file = await archive([manifest(NEEDED), ...NEEDED, image('image'), image('image')]);
  expect((await readBackup(file, to)).parts).toHaveLength(3);
  expect(await readFile(join(to, 'spool', hash.slice(0, 2), hash), 'utf8')).toBe('image');
  expect((await stat(join(to, 'ledger.db'))).mode & 0o777).toBe(0o600);
  const { manifest: first, settings } = await readManifest(file);
  expect([first.host, settings]).toEqual(['office', 'stateDir: /state\n']);
});

test('a complete backup is checked without writing anything', async () => {
  const good = await archive([manifest(NEEDED), ...NEEDED, image('image')]);
  expect((await readBackup(good, null)).host).toBe('office');
  const [header] = image('image');
  const bad = await archive([manifest(NEEDED), ...NEEDED, [header, 'imagf']]);
  await expect(readBackup(bad, null)).rejects.toMatchObject(refused('changed'));
  expect(await written()).toEqual([]);
});

test('a manifest of any length is read to its end', async () => {
  const setUpAgain = Array.from({ length: 100 }, (_, n) => `${n} `.padEnd(1900, 'x'));
  const file = await archive([manifest(NEEDED, { setUpAgain }), ...NEEDED]);
  expect((await readManifest(file)).manifest.setUpAgain).toEqual(setUpAgain);
});

test.each([
  '../evil',
  '/etc/evil',
  'spool/../../evil',
  'ledger.db/../../evil',
  'C:\\evil',
  'attention/..',
  'credentials.json',
])('a file called %s is refused, whether or not the manifest names it', async (name) => {
  const evil: Member = [{ name }, 'evil'];
  const good = NEEDED;
  await expect(readBackup(await archive([manifest(good), ...good, evil]), to)).rejects.toMatchObject(
    refused('unlisted'),
  );
  await empty();
  const named = await archive([manifest([...good, evil]), ...good, evil]);
  await expect(readBackup(named, to)).rejects.toMatchObject(refused('manifest'));
  expect(await written()).toEqual([]);
  expect((await readdir(dir)).sort()).toEqual(['archive', 'to']);
});

test.each(['symlink', 'link', 'directory', 'fifo', 'character-device'] as const)(
  'a member of the type %s is refused',
  async (type) => {
    const odd: Member = [{ name: 'ledger.db', type, linkname: '/etc/passwd' }];
    await expect(readBackup(await archive([manifest(NEEDED), odd, JOURNAL]), to)).rejects.toMatchObject(
      refused('notPlain'),
    );
    expect(await written()).toEqual([]);
  },
);

test('a file is refused if the manifest differs from it: other bytes, another size, twice, missing', async () => {
  const parts = NEEDED;
  const changed: Member = [{ name: 'ledger.db' }, 'b ledger'];
  const longer: Member = [{ name: 'ledger.db' }, 'a ledger.'];
  const more = ['a', 'b', 'c', 'd'].map(image);
  const cases: [Member[], string][] = [
    [[manifest(parts), SETTINGS, changed, JOURNAL], 'changed'],
    [[manifest(parts), SETTINGS, longer, JOURNAL], 'otherSize'],
    [[manifest(parts), SETTINGS, LEDGER, LEDGER, JOURNAL], 'unlisted'],
    [[manifest([...parts, LEDGER]), ...parts], 'twice'],
    [[manifest(parts), SETTINGS, LEDGER], 'missing'],
    [[manifest([SETTINGS, LEDGER]), SETTINGS, LEDGER], 'missing'],
    [[manifest(parts), ...parts, ...more], 'unlisted'],
    [[LEDGER, manifest(parts), JOURNAL], 'foreign'],
    [[[{ name: MANIFEST }, '{']], 'manifestUnreadable'],
    [[], 'empty'],
  ];
  for (const [members, what] of cases) {
    await empty();
    await expect(readBackup(await archive(members), to), what).rejects.toMatchObject(refused(what));
  }
});

test('an archive that was truncated anywhere is refused, and never hangs', async () => {
  const parts = [...NEEDED, image('image')];
  const whole = await readFile(await archive([manifest(NEEDED), ...parts]));
  const file = join(dir, 'archive');
  for (let end = 0; end < whole.length - 8; end += 127) {
    await empty();
    await writeFile(file, whole.subarray(0, end));
    await expect(readBackup(file, to), `${end}`).rejects.toMatchObject({ code: 'ARCHIVE_REFUSED' });
  }
  const plain = await tar([manifest(NEEDED), ...parts]);
  await writeFile(file, gzipSync(plain.subarray(0, 1200)));
  await expect(readBackup(file, to)).rejects.toMatchObject({ code: 'ARCHIVE_REFUSED' });
});

test('a small file that unpacks to a huge one is refused before it is written', async () => {
  // The manifest gives the true size.
  const parts = NEEDED.map(([{ name }]) => ({ name, size: 100 * 1024 * 1024, sha256: sha256('') }));
  const said = manifest(NEEDED, { parts });
  await expect(readBackup(await archive([said, ...NEEDED]), to)).rejects.toMatchObject(refused('bomb'));
  // The manifest gives a smaller size.
  const some = Buffer.alloc(8 * 1024 * 1024);
  const lie = await archive([manifest(NEEDED), SETTINGS, [{ name: 'ledger.db' }, some], JOURNAL]);
  await expect(readBackup(lie, to)).rejects.toMatchObject(refused('otherSize'));
  // As a waiting image, and after the end of the archive.
  const asImage = await archive([manifest(NEEDED), ...NEEDED, [{ name: `spool/${sha256(some)}` }, some]]);
  await expect(readBackup(asImage, to)).rejects.toMatchObject(refused('grows'));
  await empty();
  await writeFile(lie, gzipSync(Buffer.concat([await tar([manifest(NEEDED), ...NEEDED]), some])));
  await expect(readBackup(lie, to)).rejects.toMatchObject(refused('grows'));
  // More than any disk has.
  const huge = manifest(NEEDED, { images: { count: 1, bytes: 2 ** 50 } });
  await expect(readBackup(await archive([huge]), to)).rejects.toMatchObject({ code: 'DISK_FULL' });
});

test('a backup of a newer receiptd is refused as such', async () => {
  for (const newer of [{ schema: SCHEMA_VERSION + 1 }, { version: 2 }]) {
    const file = await archive([manifest(NEEDED, newer), ...NEEDED]);
    await expect(readManifest(file)).rejects.toMatchObject({ code: 'LEDGER_NEWER' });
  }
});
