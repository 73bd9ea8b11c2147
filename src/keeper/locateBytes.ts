import { isAbsolute } from 'node:path';
import type { Document } from '../core/domain/document.ts';
import { fileOf } from '../core/domain/pages.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { WatchedFolder } from '../core/ports/folder.ts';
import type { LedgerQueue } from '../core/ports/ledgerQueue.ts';
import type { Spool } from '../core/ports/spool.ts';
import { sha256 } from '../core/sha256.ts';
import { ofError, type AwayFact, type WhyFact } from '../core/domain/why.ts';

/**
 * `away`: a place that may have the bytes can't be read now. `gone`: no place that this agent can reach has them any more;
 * `elsewhere`: another agent's may.
 */
export type ImageSearch =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'away'; readonly why: WhyFact }
  | {
      readonly kind: 'gone';
      readonly why: AwayFact;
      readonly elsewhere?: boolean;
      /** The newest file that was checked; 0 without one. */
      readonly newestSeen: number;
    };

/** Opens a folder by its absolute path, whether or not it is (still) configured. */
export type OpenFolder = (path: string) => WatchedFolder;

/** Identifies the bytes, and says where they were first seen. */
export type Sought = Pick<Document, 'sha256' | 'size' | 'folder' | 'path'>;

/** Finds a document's bytes in the spool or in any place where they were seen. The returned bytes match the document's hash. */
export async function locateBytes(
  document: Sought,
  { ledger, spool, open }: { ledger: LedgerQueue; spool: Pick<Spool, 'read'>; open: OpenFolder },
): Promise<ImageSearch> {
  let trouble: ReceiptdError | null = null;
  try {
    const bytes = await spool.read(document.sha256);
    if (bytes) return { kind: 'bytes', bytes };
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    trouble = error;
  }
  const found = await locateOriginal(document, ledger, open);
  // A copy that can't be read now may still exist.
  return found.kind === 'gone' && trouble ? { kind: 'away', why: ofError(trouble) } : found;
}

/** Finds a document's bytes in any folder or archive where they were seen. The returned bytes match the document's hash. */
export async function locateOriginal(
  document: Sought,
  ledger: LedgerQueue,
  open: OpenFolder,
): Promise<ImageSearch> {
  let away: AwayFact | null = null;
  const sources = await ledger.sources(document.sha256);
  const newestSeen = sources[0]?.fileId ?? 0;
  for (const source of sources) {
    const [folder, path] =
      source.archivedTo === null ? [source.folder, source.path] : split(source.archivedTo);
    const opened = open(folder);
    // A larger file must be a different one, and would exceed the memory reserved for this one.
    const read = await opened.read(path, document.size);
    switch (read.kind) {
      case 'bytes':
        if (sha256(read.bytes) === document.sha256) return { kind: 'bytes', bytes: read.bytes };
        away = (await whyAway(opened)) ?? away;
        break;
      case 'unreadable':
        away = { is: 'fileUnreadable', file: `${folder}/${path}`, system: read.code };
        break;
      case 'gone':
      case 'changed':
      case 'tooLarge':
        away = (await whyAway(opened)) ?? away;
        break;
    }
  }
  if (away !== null) return { kind: 'away', why: away };
  // A folder of another agent, or a share that this machine does not have.
  if (!isAbsolute(document.folder))
    return {
      kind: 'gone',
      elsewhere: true,
      newestSeen,
      why: { is: 'imageElsewhere', folder: document.folder },
    };
  return {
    kind: 'gone',
    newestSeen,
    why: { is: 'fileGone', file: `${document.folder}/${document.path}` },
  };
}

/** Why the folder is unavailable; null if it is present. While another directory is in its place, the content of a path means nothing. */
async function whyAway(folder: WatchedFolder): Promise<AwayFact | null> {
  const availability = await folder.availability();
  return availability.state === 'present' ? null : availability.why;
}

function split(absolute: string): [folder: string, path: string] {
  // The path of a page is that of its file.
  const { length } = fileOf(absolute);
  const cut = Math.max(absolute.lastIndexOf('/', length - 1), absolute.lastIndexOf('\\', length - 1));
  return [absolute.slice(0, cut) || '/', absolute.slice(cut + 1)];
}
