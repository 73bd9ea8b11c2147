import { createHash } from 'node:crypto';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../core/domain/errors.ts';
import { whileHeld } from '../../core/domain/heldFile.ts';
import type {
  AttentionBook,
  AttentionEntry,
  AttentionFile,
  AttentionKey,
  AttentionPage,
} from '../../core/ports/attention.ts';
import { syncDirectory } from '../../system/syncDirectory.ts';
import { makeDirectory } from '../../system/makeDirectory.ts';

/** Hash that identifies a folder in file names. Eight hexadecimal digits. */
export function markOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/**
 * Stores one file per key in a directory of the agent's own, which people's changes in their folders don't affect. A file
 * that can't be parsed counts as missing, since it only tells what to clean up.
 */
export function createAttentionBook(directory: string): AttentionBook {
  const fileOf = ({ folder, place }: AttentionKey): string =>
    join(directory, `${markOf(`${folder}\0${place}`)}.json`);
  return {
    async read(key) {
      const found = await read(fileOf(key));
      const isIt = found?.folder === key.folder && found.place === key.place;
      return isIt ? { entries: found.entries, made: found.made } : { entries: [], made: null };
    },
    async write({ folder, place }, { entries, made }) {
      const file = fileOf({ folder, place });
      if (entries.length === 0 && made === null) return rm(file, { force: true });
      await makeDirectory(directory, 0o700);
      await replace(file, JSON.stringify({ folder, place, made, entries }));
      await syncDirectory(directory);
    },
    async keys() {
      const found: AttentionKey[] = [];
      for (const name of await namesIn(directory)) {
        const known = name.endsWith('.json') ? await read(join(directory, name)) : null;
        if (known !== null) found.push({ folder: known.folder, place: known.place });
      }
      return found;
    },
  };
}

type KnownNote = AttentionKey & AttentionPage;

async function read(file: string): Promise<KnownNote | null> {
  try {
    return asKnown(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function replace(file: string, text: string): Promise<void> {
  const aside = `${file}.new`;
  const handle = await open(aside, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await whileHeld(() => rename(aside, file), process);
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return [];
  }
}

function asKnown(value: unknown): KnownNote | null {
  if (!isObject(value)) return null;
  const { folder, place, entries, made } = value;
  if (typeof folder !== 'string' || typeof place !== 'string' || !Array.isArray(entries)) return null;
  return { folder, place, entries: entries.filter(isEntry), made: typeof made === 'string' ? made : null };
}

function isEntry(value: unknown): value is AttentionEntry {
  if (!isObject(value)) return false;
  const { path, about, files, isPending } = value;
  const isText = typeof path === 'string' && typeof about === 'string';
  return isText && typeof isPending === 'boolean' && Array.isArray(files) && files.every(isFile);
}

/** Refuses names that lead to another directory, where an unrelated file would be removed. */
function isFile(value: unknown): value is AttentionFile {
  if (!isObject(value)) return false;
  const { name, size, mtimeMs } = value;
  const isName = typeof name === 'string' && !/[/\\]/.test(name) && !['', '.', '..'].includes(name);
  return isName && typeof size === 'number' && typeof mtimeMs === 'number';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
