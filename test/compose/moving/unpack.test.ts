import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MANIFEST, type Manifest } from '../../../src/compose/moving/manifest.ts';
import { readManifest, readSettings, unpack } from '../../../src/compose/moving/unpack.ts';
import { LATEST_VERSION } from '../../../src/ledger/sqlite/migrate.ts';

let dir: string;
let to: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'receiptd-unpack-'));
  to = join(dir, 'to');
  await mkdir(to);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

type Member = readonly [header: Partial<Header> & { name: string }, text?: string | Buffer];

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const LEDGER: Member = [{ name: 'ledger.db' }, 'a ledger'];
const JOURNAL: Member = [{ name: 'ledger.journal' }, 'a journal'];
const SETTINGS: Member = [{ name: 'receiptd.yaml' }, 'stateDir: /state\n'];

function manifest(parts: readonly Member[], other: Partial<Manifest> = {}): Member {
  const named = parts.map(([{ name }, text = '']) => ({
    name,
    size: Buffer.byteLength(text),
    sha256: sha256(text),
  }));
  const value: Manifest = {
    format: 'receiptd-state',
    version: 1,
    id: '11111111-2222-4333-8444-555555555555',
    final: true,
    at: '2026-01-31T08:00:00.000Z',
    receiptd: '0.1.0',
    schema: LATEST_VERSION,
    host: 'office',
    stateDir: '/state',
    head: { ledger: 'l', seq: 1, hash: '0'.repeat(64) },
    documents: 0,
    waiting: 0,
    anew: [],
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

const refused = (what: string) => ({
  code: 'ARCHIVE_REFUSED',
  message: expect.stringContaining(what) as string,
});

test('what the manifest names is unpacked, private to the owner, and a copy lies where a spool has it', async () => {
  const hash = sha256('image');
  const parts = [LEDGER, JOURNAL, SETTINGS, [{ name: `spool/${hash}` }, 'image']] satisfies Member[];
  const file = await archive([manifest(parts), ...parts]);
  expect((await unpack(file, to)).parts).toHaveLength(4);
  expect(await readFile(join(to, 'spool', hash.slice(0, 2), hash), 'utf8')).toBe('image');
  expect((await stat(join(to, 'ledger.db'))).mode & 0o777).toBe(0o600);
  expect((await readManifest(file)).host).toBe('office');
  expect(await readSettings(file)).toBe('stateDir: /state\n');
});

test.each([
  ['../evil'],
  ['/etc/evil'],
  ['spool/../../evil'],
  ['ledger.db/../../evil'],
  ['C:\\evil'],
  ['attention/..'],
  ['credentials.json'],
])('a file called %s is refused, named in the manifest or not', async (name) => {
  const evil: Member = [{ name }, 'evil'];
  const good = [LEDGER, JOURNAL];
  await expect(unpack(await archive([manifest(good), ...good, evil]), to)).rejects.toMatchObject(
    refused('does not name'),
  );
  await rm(to, { recursive: true });
  await mkdir(to);
  const named = await archive([manifest([...good, evil]), ...good, evil]);
  await expect(unpack(named, to)).rejects.toMatchObject(refused('manifest is not as it should be'));
  expect(await written()).toEqual([]);
  expect((await readdir(dir)).sort()).toEqual(['archive', 'to']);
});

test.each(['symlink', 'link', 'directory', 'fifo', 'character-device'] as const)(
  'a %s is refused',
  async (type) => {
    const parts = [LEDGER, JOURNAL];
    const odd: Member = [{ name: 'ledger.db', type, linkname: '/etc/passwd' }];
    await expect(unpack(await archive([manifest(parts), odd, JOURNAL]), to)).rejects.toMatchObject(
      refused('no plain file'),
    );
    expect(await written()).toEqual([]);
  },
);

test('what is not as the manifest says is refused: other bytes, another size, twice, missing', async () => {
  const parts = [LEDGER, JOURNAL];
  const changed: Member = [{ name: 'ledger.db' }, 'b ledger'];
  const longer: Member = [{ name: 'ledger.db' }, 'a ledger.'];
  const cases: [Member[], string][] = [
    [[manifest(parts), changed, JOURNAL], 'changed or damaged'],
    [[manifest(parts), longer, JOURNAL], 'another size'],
    [[manifest(parts), LEDGER, LEDGER, JOURNAL], 'does not name'],
    [[manifest([LEDGER, LEDGER, JOURNAL]), LEDGER, JOURNAL], 'twice'],
    [[manifest(parts), LEDGER], 'ledger.journal is not in it'],
    [[manifest([LEDGER]), LEDGER], 'ledger.journal is not in it'],
    [[LEDGER, manifest(parts), JOURNAL], 'did not make it'],
    [[[{ name: MANIFEST }, '{']], 'manifest'],
    [[], 'empty'],
  ];
  for (const [members, what] of cases) {
    await rm(to, { recursive: true });
    await mkdir(to);
    await expect(unpack(await archive(members), to), what).rejects.toMatchObject(refused(what));
  }
});

test('one that was cut off or changed anywhere is refused, and never waited for', async () => {
  const parts = [LEDGER, JOURNAL, SETTINGS];
  const whole = await readFile(await archive([manifest(parts), ...parts]));
  const file = join(dir, 'archive');
  for (let end = 0; end < whole.length - 8; end += 37) {
    await rm(to, { recursive: true });
    await mkdir(to);
    await writeFile(file, whole.subarray(0, end));
    await expect(unpack(file, to), `${end}`).rejects.toMatchObject({ code: 'ARCHIVE_REFUSED' });
  }
  const plain = await tar([manifest(parts), ...parts]);
  await writeFile(file, gzipSync(plain.subarray(0, 1200)));
  await expect(unpack(file, to)).rejects.toMatchObject({ code: 'ARCHIVE_REFUSED' });
});

test('a small file that unpacks to a huge one is refused before it is written', async () => {
  const zeros = Buffer.alloc(100 * 1024 * 1024);
  const bomb: Member = [{ name: 'ledger.db' }, zeros];
  // It says so.
  await expect(unpack(await archive([manifest([bomb, JOURNAL]), bomb, JOURNAL]), to)).rejects.toMatchObject(
    refused('would unpack to'),
  );
  // It does not say so.
  const lie = await archive([manifest([LEDGER, JOURNAL]), bomb, JOURNAL]);
  await expect(unpack(lie, to)).rejects.toMatchObject(refused('another size'));
  // Behind its end.
  const good = [LEDGER, JOURNAL];
  const behind = Buffer.concat([await tar([manifest(good), ...good]), zeros]);
  await writeFile(lie, gzipSync(behind));
  await expect(unpack(lie, to)).rejects.toMatchObject(refused('more than it says'));
  // More than any disk has.
  const huge = manifest(good, { parts: [{ name: 'ledger.db', size: 2 ** 50, sha256: sha256('') }] });
  await expect(unpack(await archive([huge]), to)).rejects.toMatchObject(refused('would unpack to'));
});

test('one of a newer receiptd is refused as such', async () => {
  const parts = [LEDGER, JOURNAL];
  for (const newer of [{ schema: LATEST_VERSION + 1 }, { version: 2 }]) {
    const file = await archive([manifest(parts, newer), ...parts]);
    await expect(readManifest(file)).rejects.toMatchObject({ code: 'LEDGER_NEWER' });
  }
});
