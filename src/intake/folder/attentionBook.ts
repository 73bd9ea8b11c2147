import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { AttentionBook, AttentionKey } from '../../core/ports/attention.ts';
import { writeDurably } from '../../system/durableFile.ts';
import { makeDirectory } from '../../system/makeDirectory.ts';
import { ifThere } from './placing.ts';

/** Hash that identifies a folder in file names. Eight hexadecimal digits. */
export function markOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** A name that leads to another directory is refused: an unrelated file would be removed there. */
const name = z.string().regex(/^(?!\.{1,2}$)[^/\\]+$/);
const entry = z.object({
  path: z.string(),
  about: z.string(),
  files: z.array(z.object({ name, size: z.number(), mtimeMs: z.number() })),
  isPending: z.boolean(),
});
const stored = z.object({
  folder: z.string(),
  place: z.string(),
  made: z.string().nullable().catch(null),
  entries: z
    .array(entry.nullable().catch(null))
    .transform((entries) => entries.filter((each) => each !== null)),
});

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
    async write(key, { entries, made }) {
      const file = fileOf(key);
      if (entries.length === 0 && made === null) return rm(file, { force: true });
      await makeDirectory(directory, 0o700);
      await writeDurably(file, JSON.stringify({ ...key, made, entries }));
    },
    async keys() {
      const names = (await ifThere(readdir(directory))) ?? [];
      const pages = names.filter((each) => each.endsWith('.json')).map((each) => read(join(directory, each)));
      return (await Promise.all(pages))
        .filter((page) => page !== null)
        .map(({ folder, place }) => ({ folder, place }));
    },
  };
}

async function read(file: string): Promise<z.output<typeof stored> | null> {
  const text = await ifThere(readFile(file, 'utf8'));
  try {
    return stored.parse(JSON.parse(text ?? ''));
  } catch {
    return null;
  }
}
