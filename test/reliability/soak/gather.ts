import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { StoredDocument } from '../../../src/sandbox/server.ts';
import type { Event, Row } from '../../oracle/evidence.ts';
import type { Book } from './book.ts';

/** What was scanned, what `list --json` says and what the service has, for the oracle. */
export function* historyOf(
  rows: readonly Row[],
  received: readonly StoredDocument[],
  book: Pick<Book, 'images' | 'refusals' | 'isRefused'>,
  stateFiles: readonly string[],
): Generator<Event> {
  for (const [key, { must }] of book.images) {
    const [uid = '', sha256 = ''] = key.split(' ');
    // One that was removed at a random moment may not have been seen.
    yield { kind: 'image', uid, sha256, knownAs: must ? null : 'unseen' };
  }
  for (const [path, state] of book.refusals) {
    // `list` omits incomplete files that are gone.
    if (state === 'incomplete' && book.isRefused(path)) continue;
    const is = state === 'rejected' ? 'junk' : 'cutShort';
    yield { kind: 'content', at: 0, content: { sha256: path, is } };
    yield { kind: 'file', at: 0, folder: '', path: path.slice(1), sha256: path };
  }
  const stored = received.map(({ endpointUid: uid, name, sha256, tries }) => ({ uid, name, sha256, tries }));
  yield { kind: 'end', end: { rows, stored, stateFiles, isStopped: true } };
}

/** What lies in the state directory; directories end with a slash. */
export async function stateFilesOf(stateDir: string): Promise<string[]> {
  const entries = await readdir(stateDir, { recursive: true, withFileTypes: true });
  return entries.map((entry) => {
    const path = relative(stateDir, join(entry.parentPath, entry.name)).replaceAll(sep, '/');
    return entry.isDirectory() ? `${path}/` : path;
  });
}
