import { createHash, hash } from 'node:crypto';
import fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asBad, BadArchive, readArchive, type Member } from '../../archive/read.ts';
import { ReceiptdError, systemCode } from '../../domain/errors.ts';
import { size as sizeText } from '../../domain/words.ts';
import { LATEST_VERSION } from '../../ledger/sqlite/migrate.ts';
import {
  FORMAT_VERSION,
  MANIFEST,
  MANIFEST_LIMIT,
  manifestSchema,
  SETTINGS,
  SETTINGS_LIMIT,
  type Manifest,
} from './manifest.ts';

/** Ledgers shrink to a tenth or so; what claims much more than that is made to fill a disk. */
const MOST_GROWTH = 200;
const GROWS_FREELY = 64 * 1024 * 1024;
/** Left free on the disk. */
const SPARE = 50_000_000;

/** Reads no further than the manifest. @throws ReceiptdError ARCHIVE_REFUSED, LEDGER_NEWER, FILE_UNREADABLE */
export async function readManifest(file: string): Promise<Manifest> {
  return refusing(file, async () => {
    for await (const member of readArchive(file, () => ({ bytes: MANIFEST_LIMIT, members: 1 })))
      return manifestOf(file, member);
    throw new BadArchive('it is empty');
  });
}

/**
 * Unpacks an archive into a directory that is empty: files of its own naming, owner-only, durable, each with the size and hash that
 * the manifest gives, and nothing else. @throws as `readManifest`, and DISK_FULL before anything is written
 */
export async function unpack(file: string, to: string): Promise<Manifest> {
  return refusing(file, async () => {
    let manifest: Manifest | null = null;
    let missing = new Map<string, Manifest['parts'][number]>();
    let all = MANIFEST_LIMIT;
    const budget = () => ({ bytes: all, members: 1 + (manifest?.parts.length ?? 0) });
    for await (const member of readArchive(file, budget)) {
      if (manifest === null) {
        manifest = await manifestOf(file, member);
        missing = new Map(manifest.parts.map((part) => [part.name, part]));
        if (missing.size !== manifest.parts.length) throw new BadArchive('it names a file twice');
        const total = manifest.parts.reduce((sum, part) => sum + part.size, 0);
        all = MANIFEST_LIMIT + total;
        await seeRoom(file, to, total);
        continue;
      }
      const part = missing.get(member.name);
      if (part === undefined)
        throw new BadArchive(`it holds ${JSON.stringify(member.name.slice(0, 100))}, which it does not name`);
      if (member.size !== part.size) throw new BadArchive(`${part.name} has another size than it says`);
      missing.delete(part.name);
      const sha256 = await store(member, join(to, ...placeOf(part.name)));
      if (sha256 !== part.sha256) throw new BadArchive(`${part.name} was changed or damaged`);
    }
    if (manifest === null) throw new BadArchive('it is empty');
    const [lacking] = missing.keys();
    if (lacking !== undefined) throw new BadArchive(`${lacking} is not in it`);
    for (const name of ['ledger.db', 'ledger.journal'])
      if (!manifest.parts.some((part) => part.name === name)) throw new BadArchive(`${name} is not in it`);
    return manifest;
  });
}

/** The settings alone; null where there are none. Nothing is written. @throws as `unpack` */
export async function readSettings(file: string): Promise<string | null> {
  return refusing(file, async () => {
    let manifest: Manifest | null = null;
    let all = MANIFEST_LIMIT;
    const budget = () => ({ bytes: all, members: 1 + (manifest?.parts.length ?? 0) });
    for await (const member of readArchive(file, budget)) {
      if (manifest === null) {
        manifest = await manifestOf(file, member);
        all += manifest.parts.reduce((sum, part) => sum + part.size, 0);
      } else if (member.name === SETTINGS) {
        if (member.size > SETTINGS_LIMIT) throw new BadArchive('its settings are too long');
        const text = await textOf(member);
        const [part] = manifest.parts.filter(({ name }) => name === SETTINGS);
        if (hash('sha256', text, 'hex') === part?.sha256) return text;
        throw new BadArchive(`${SETTINGS} was changed or damaged`);
      }
    }
    return null;
  });
}

async function textOf({ content }: Member): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of content as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function manifestOf(file: string, member: Member): Promise<Manifest> {
  if (member.name !== MANIFEST || member.size > MANIFEST_LIMIT)
    throw new BadArchive('`receiptd export-state` did not make it');
  const value = jsonIn(await textOf(member));
  const { version, schema, receiptd } = (value ?? {}) as Partial<Manifest>;
  if (
    (typeof version === 'number' && version > FORMAT_VERSION) ||
    (typeof schema === 'number' && schema > LATEST_VERSION)
  ) {
    throw new ReceiptdError(
      'LEDGER_NEWER',
      `${file} was made by a newer receiptd (${String(receiptd).slice(0, 30)}).`,
      {
        hint: 'Install that one here first.',
      },
    );
  }
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new BadArchive(
    `its manifest is not as it should be (${parsed.error.issues[0]?.path.join('.') ?? ''})`,
  );
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadArchive('its manifest can not be read');
  }
}

/** A spool has a directory for each beginning of a hash. */
function placeOf(name: string): string[] {
  const [folder = '', rest = ''] = name.split('/');
  if (folder === 'spool') return [folder, rest.slice(0, 2), rest];
  return rest === '' ? [folder] : [folder, rest];
}

async function seeRoom(file: string, to: string, total: number): Promise<void> {
  const { size } = await fs.stat(file);
  if (total > GROWS_FREELY + size * MOST_GROWTH)
    throw new BadArchive(`it has ${sizeText(size)} and would unpack to ${sizeText(total)}`);
  const { bavail, bsize } = await fs.statfs(to);
  if (total + SPARE <= bavail * bsize) return;
  throw new ReceiptdError(
    'DISK_FULL',
    `${file} needs ${sizeText(total)}, and there is not so much free for ${to}.`,
    {
      hint: 'Make room there, or set another stateDir.',
    },
  );
}

async function store({ content }: Member, path: string): Promise<string> {
  await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const digest = createHash('sha256');
  const handle = await fs.open(path, 'wx', 0o600);
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      digest.update(chunk);
      await handle.writeFile(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return digest.digest('hex');
}

async function refusing<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    // A defect of ours has no code; what a stream says has one.
    const error =
      thrown instanceof ReceiptdError || systemCode(thrown) === undefined ? thrown : asBad(thrown);
    if (error instanceof BadArchive) {
      throw new ReceiptdError('ARCHIVE_REFUSED', `${file} can't be used: ${error.message}.`, {
        hint: 'Nothing was imported. Make another with `receiptd export-state`, and copy it as it is.',
        cause: error,
      });
    }
    const code = systemCode(error);
    if (error instanceof ReceiptdError || code === undefined) throw error;
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    if (isFull)
      throw new ReceiptdError('DISK_FULL', `There is no space left to unpack ${file}.`, {
        hint: 'Make room; nothing was imported.',
        cause: error,
      });
    const why = { ENOENT: 'there is no such file', EISDIR: 'it is not a file' }[code] ?? code;
    throw new ReceiptdError('FILE_UNREADABLE', `${file} can't be read: ${why}.`, {
      hint: 'Name a file that `receiptd export-state` wrote.',
      cause: error,
    });
  }
}
