import type { Document } from '../domain/document.ts';
import type { WatchedFolder } from '../ports/folder.ts';
import type { LedgerQueue } from '../ports/ledger.ts';
import { sha256 } from './admit.ts';

/** `away`: a place that may hold them can't be looked at now. `gone`: no known place has them any more. */
export type Found =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'away' | 'gone'; readonly message: string };

/** Opens a folder by its absolute path, whether it is configured (still) or not. */
export type OpenFolder = (path: string) => WatchedFolder;

/** Finds a document's bytes wherever they were seen; what is returned has the document's hash. */
export async function findOriginal(
  document: Document,
  ledger: LedgerQueue,
  open: OpenFolder,
): Promise<Found> {
  let away: string | null = null;
  for (const source of await ledger.sources(document.sha256)) {
    const [folder, path] =
      source.archivedTo === null ? [source.folder, source.path] : split(source.archivedTo);
    const opened = open(folder);
    // What is larger is another file by now, and would not fit in the memory set aside for this one.
    const read = await opened.read(path, document.size);
    switch (read.kind) {
      case 'bytes':
        if (sha256(read.bytes) === document.sha256) return { kind: 'bytes', bytes: read.bytes };
        break;
      case 'unreadable':
        away = `${folder}/${path} can't be read (${read.code}).`;
        break;
      case 'gone': {
        const availability = await opened.availability();
        if (availability.state !== 'present') away = availability.message;
        break;
      }
      case 'changed':
      case 'tooLarge':
        break;
    }
  }
  return away === null
    ? {
        kind: 'gone',
        message: `Its file is gone from ${document.folder}/${document.path}, and no other place has its bytes.`,
      }
    : { kind: 'away', message: away };
}

function split(absolute: string): [folder: string, path: string] {
  const cut = Math.max(absolute.lastIndexOf('/'), absolute.lastIndexOf('\\'));
  return [absolute.slice(0, cut) || '/', absolute.slice(cut + 1)];
}
