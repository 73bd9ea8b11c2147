import { constants } from 'node:fs';
import { open, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { WritableCredentials } from '../../core/ports/credentials.ts';
import { writeDurably } from '../../system/durableFile.ts';
import { makePrivateDirectory } from '../../system/windowsAccess.ts';
import { absent, parseCredentials } from './store.ts';
import type { Look, Store } from './store.ts';

const SHAPE = '{"clientId": "…", "clientSecret": "…"}';
/** Far more than the two longest values need, however they are escaped. */
const MOST_BYTES = 256 * 1024;
const GROUP_AND_OTHERS = 0o077;

/** Credentials in a JSON file that only its owner may read. */
export function fileStore(file: string | undefined): Store {
  return {
    store: 'file',
    async look() {
      if (file === undefined) return absent('a file (none is configured)');
      const path = resolve(file);
      try {
        return await read(path);
      } catch (error) {
        if (error instanceof ReceiptdError) throw error;
        return absent(
          systemCode(error) === 'ENOENT' ? `${path} (no such file)` : `${path} (${systemCode(error)})`,
        );
      }
    },
  };
}

async function read(path: string): Promise<Look> {
  // Without O_NONBLOCK, opening a FIFO would wait forever.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    // Stat of the open file, so that it can't be swapped between check and read.
    const found = await handle.stat();
    if (!found.isFile()) return absent(`${path} (not a regular file)`);
    if (process.platform !== 'win32' && (found.mode & GROUP_AND_OTHERS) !== 0) {
      throw new ReceiptdError('CREDENTIALS_INSECURE', `${path} can be read by users other than its owner.`, {
        hint: `Make it private: chmod 600 '${path}'`,
      });
    }
    if (found.size > MOST_BYTES) return absent(`${path} (it is too large to be credentials)`);
    const credentials = parseCredentials(await handle.readFile('utf8'), `it does not hold ${SHAPE}`);
    return typeof credentials === 'string'
      ? absent(`${path} (${credentials})`)
      : { kind: 'found', credentials };
  } finally {
    await handle.close();
  }
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
    'CREDENTIALS_UNWRITABLE',
    `${path} cannot be written or removed (${systemCode(cause)}).`,
    {
      hint: 'Run this as the user that owns the folder, or configure a different credentials file.',
      cause,
    },
  );
}
