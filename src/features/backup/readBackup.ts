import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BadArchive, readArchive, type TarMember } from '../../system/tar/read.ts';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { size as sizeText } from '../../core/domain/words.ts';
import { SCHEMA_VERSION } from '../../ledger/sqlite/tables.ts';
import {
  FORMAT_VERSION,
  IMAGE,
  MANIFEST,
  MANIFEST_LIMIT,
  manifestSchema,
  SETTINGS,
  SETTINGS_LIMIT,
  type Manifest,
} from './manifest.ts';
import { makeDirectory } from '../../system/makeDirectory.ts';

/**
 * Ledgers compress to about a tenth, so a file that claims much more is meant to fill the disk. Scans of blank paper may compress
 * to a thousandth.
 */
const MOST_GROWTH = 200;
const GROWS_FREELY = 64 * 1024 * 1024;
/** Bytes to leave free on the disk. */
const SPARE = 50_000_000;

/** Reads only the manifest and the settings, which come first. @throws as `readBackup` */
export function readManifest(file: string): Promise<{ manifest: Manifest; settings: string }> {
  return refusing(file, async () => {
    let manifest: Manifest | null = null;
    const bytes = MANIFEST_LIMIT + SETTINGS_LIMIT;
    // A member must be read to its end before the archive can be closed.
    for await (const member of readArchive(file, () => ({ bytes, members: 2 }))) {
      if (manifest !== null) return { manifest, settings: await textOf(member, SETTINGS, SETTINGS_LIMIT) };
      manifest = await manifestOf(file, member);
    }
    throw new BadArchive(manifest === null ? { flaw: 'empty' } : { flaw: 'missing', about: SETTINGS });
  });
}

/**
 * Reads a whole archive and checks it against its manifest. Unpacks it into `to`, an empty directory: owner-only, durable files
 * with names checked by us, and nothing else. Null only checks. `opened`: the file, if the current user can't open it; closed at
 * the end.
 * @throws ReceiptdError ARCHIVE_REFUSED, LEDGER_NEWER, FILE_UNREADABLE; DISK_FULL, if possible before anything is written
 */
export function readBackup(
  file: string,
  to: string | null,
  opened: fs.FileHandle | null = null,
): Promise<Manifest> {
  return refusing(file, async () => {
    let manifest: Manifest | null = null;
    let missing = new Map<string, Manifest['parts'][number]>();
    let images = 0;
    const syncs: Promise<void>[] = [];
    let allowed = { bytes: MANIFEST_LIMIT, members: 1 };
    // A short archive is read to its end, and its handle closed, before its first member is looked at.
    const openedSize = (await opened?.stat())?.size;
    for await (const member of readArchive(opened ?? file, () => allowed)) {
      if (manifest === null) {
        manifest = await manifestOf(file, member);
        missing = new Map(manifest.parts.map((part) => [part.name, part]));
        if (missing.size !== manifest.parts.length) throw new BadArchive({ flaw: 'twice' });
        const bytes = manifest.parts.reduce((sum, part) => sum + part.size, 0);
        const all = bytes + manifest.images.bytes;
        allowed = {
          bytes: MANIFEST_LIMIT + all,
          members: 1 + manifest.parts.length + manifest.images.count,
        };
        refuseBomb(openedSize ?? (await fs.stat(file)).size, bytes);
        if (to !== null) await seeRoom(file, to, all);
        continue;
      }
      const { name } = member;
      const [, image] = IMAGE.exec(name) ?? [];
      const part = missing.get(name);
      missing.delete(name);
      if (image !== undefined) images += 1;
      if ((part ?? image) === undefined || images > manifest.images.count)
        throw new BadArchive({ flaw: 'unlisted', about: JSON.stringify(name.slice(0, 100)) });
      if (part !== undefined && member.size !== part.size)
        throw new BadArchive({ flaw: 'otherSize', about: name });
      if ((await taken(member, to, syncs)) !== (part?.sha256 ?? image))
        throw new BadArchive({ flaw: 'changed', about: name });
    }
    await Promise.all(syncs);
    if (manifest === null) throw new BadArchive({ flaw: 'empty' });
    const named = new Set(manifest.parts.map(({ name }) => name));
    const [lacking] = [...missing.keys(), ...NEEDED.filter((name) => !named.has(name))];
    if (lacking !== undefined) throw new BadArchive({ flaw: 'missing', about: lacking });
    return manifest;
  });
}

const NEEDED = [SETTINGS, 'ledger.db', 'ledger.journal'];

async function textOf({ name, size, content }: TarMember, expected: string, limit: number): Promise<string> {
  if (name !== expected || size > limit) throw new BadArchive({ flaw: 'foreign' });
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function manifestOf(file: string, member: TarMember): Promise<Manifest> {
  const value = jsonIn(await textOf(member, MANIFEST, MANIFEST_LIMIT));
  const { version, schema, receiptd } = (value ?? {}) as Partial<Manifest>;
  if (
    (typeof version === 'number' && version > FORMAT_VERSION) ||
    (typeof schema === 'number' && schema > SCHEMA_VERSION)
  ) {
    throw new ReceiptdError('LEDGER_NEWER.backup', { file, version: String(receiptd).slice(0, 30) });
  }
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new BadArchive({ flaw: 'manifest', about: parsed.error.issues[0]?.path.join('.') ?? '' });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadArchive({ flaw: 'manifestUnreadable' });
  }
}

function refuseBomb(size: number, bytes: number): void {
  if (bytes > GROWS_FREELY + size * MOST_GROWTH)
    throw new BadArchive({ flaw: 'bomb', about: sizeText(size), unpacked: sizeText(bytes) });
}

async function seeRoom(file: string, to: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await fs.statfs(to);
  const free = bavail * bsize;
  if (bytes + SPARE <= free) return;
  throw new ReceiptdError('DISK_FULL.restore', {
    file,
    needed: sizeText(bytes + SPARE),
    dir: dirname(to),
    free: sizeText(free),
  });
}

/** Syncs run at once: together they take little longer than one. */
const TOGETHER = 16;

/** The hash of a member, after reading it to its end. If it is stored, a promise in `syncs` resolves once it is durable. */
async function taken(
  { name, content }: TarMember,
  to: string | null,
  syncs: Promise<void>[],
): Promise<string> {
  const digest = createHash('sha256');
  const handle = to === null ? null : await create(join(to, ...placeOf(name)));
  try {
    for await (const chunk of content) {
      digest.update(chunk);
      await handle?.writeFile(chunk);
    }
  } catch (error) {
    await handle?.close();
    throw error;
  }
  if (handle !== null) {
    const sync = synced(handle);
    // The error is reported by awaiting `syncs`.
    sync.catch(() => {});
    if (syncs.push(sync) >= TOGETHER) await Promise.all(syncs.splice(0));
  }
  return digest.digest('hex');
}

async function synced(handle: fs.FileHandle): Promise<void> {
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The spool has a subdirectory for each hash prefix. */
function placeOf(name: string): string[] {
  const [folder = '', rest = ''] = name.split('/');
  if (folder === 'spool') return [folder, rest.slice(0, 2), rest];
  return rest === '' ? [folder] : [folder, rest];
}

/** Null for an image that exists already: the same one, sent to two endpoints. */
async function create(path: string): Promise<fs.FileHandle | null> {
  await makeDirectory(dirname(path), 0o700);
  try {
    return await fs.open(path, 'wx', 0o600);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return null;
    throw error;
  }
}

async function refusing<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BadArchive) {
      throw new ReceiptdError('ARCHIVE_REFUSED.file', { file, ...error.flaw }, { cause: error });
    }
    const code = systemCode(error);
    if (error instanceof ReceiptdError || code === undefined) throw error;
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new ReceiptdError('DISK_FULL.unpack', { file }, { cause: error });
    throw new ReceiptdError('FILE_UNREADABLE.backup', { file, system: code }, { cause: error });
  }
}
