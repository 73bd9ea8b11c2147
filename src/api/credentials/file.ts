import { stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { decodedText } from '../../core/domain/encoding.ts';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { Absence, WritableCredentials } from '../../core/ports/credentials.ts';
import { writeDurably } from '../../system/durableFile.ts';
import { NotAFile } from '../../system/plainFile.ts';
import { readPrivateFile, TooLarge } from '../../system/privateFile.ts';
import { makePrivateDirectory } from '../../system/windowsAccess.ts';
import { absent, parseCredentials } from './store.ts';
import type { StoreReading, Store } from './store.ts';

/** Far more than the two longest values need, however they are escaped. */
const MAX_BYTES = 256 * 1024;

/** Credentials in a JSON file that only its owner may read. */
export function fileStore(file: string | undefined): Store {
  return {
    store: 'file',
    async look() {
      if (file === undefined) return absent('noFile', { why: 'notConfigured' });
      const path = resolve(file);
      try {
        return await lookInto(path);
      } catch (error) {
        if (error instanceof ReceiptdError) throw error;
        return absent({ path }, whyAbsent(error));
      }
    },
  };
}

function whyAbsent(error: unknown): Absence['why'] {
  if (error instanceof NotAFile) return { why: 'notFile' };
  if (error instanceof TooLarge) return { why: 'tooLarge' };
  const system = systemCode(error) ?? 'unknown';
  return system === 'ENOENT' ? { why: 'noSuchFile' } : { why: 'system', system };
}

async function lookInto(path: string): Promise<StoreReading> {
  const read = decodedText(await readPrivateFile(path, { maxBytes: MAX_BYTES }));
  if ('encoding' in read) return absent({ path }, { why: 'encoding', encoding: read.encoding });
  const credentials = parseCredentials(read.text, { why: 'otherShape' });
  return 'why' in credentials ? absent({ path }, credentials) : { kind: 'found', credentials };
}

export function writableFile(file: string): WritableCredentials {
  const path = resolve(file);
  return {
    store: 'file',

    async set({ clientId, clientSecret }) {
      try {
        await makePrivateDirectory(dirname(path));
        await replaceFile(path, `${JSON.stringify({ clientId, clientSecret })}\n`);
      } catch (error) {
        throw unwritable(path, error);
      }
    },

    async remove() {
      try {
        await unlink(path);
        return true;
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return false;
        throw unwritable(path, error);
      }
    },
  };
}

/** Replaces the file atomically. The content is never in a file that others can read. */
export async function replaceFile(path: string, content: string): Promise<void> {
  await writeDurably(path, content, {
    shared: true,
    prepare: (handle) => giveToOwnerOf(dirname(path), handle),
  });
}

/** If root writes to the directory of a service account, the file goes to that account, which could not read a file of root. */
async function giveToOwnerOf(directory: string, handle: FileHandle): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = await stat(directory);
  if (uid !== 0) await handle.chown(uid, gid);
}

function unwritable(path: string, cause: unknown): ReceiptdError {
  return new ReceiptdError(
    'CREDENTIALS_UNWRITABLE.file',
    { path, system: systemCode(cause) ?? null },
    { cause },
  );
}
