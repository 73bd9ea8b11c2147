import type { Document } from '../../core/domain/document.ts';
import { pageOf } from '../../core/domain/pages.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { FileSeen } from '../../core/ports/ledgerIntake.ts';
import { sha256 } from '../../core/sha256.ts';
import { disposeOne } from './dispose.ts';
import type { OpenFolder } from '../../keeper/locateBytes.ts';

export interface OriginalsThereDeps {
  readonly ledger: Ledger;
  readonly open: OpenFolder;
  /** Absolute paths of the watched folders. */
  readonly folders: readonly string[];
  readonly clock: Clock;
}

const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Files in watched folders that contain, or may contain, the document's image: a listing would record their paths again. */
export async function originalsThere(
  { sha256: hash, size }: Document,
  { ledger, open, folders }: OriginalsThereDeps,
): Promise<FileSeen[]> {
  const there: FileSeen[] = [];
  for (const { folder, path, identity, archivedTo } of await ledger.sources(hash)) {
    if (archivedTo !== null || !folders.includes(folder)) continue;
    const page = pageOf(path);
    if (page !== null) {
      const file = await fileThere({ folder, path: page.file }, hash, { ledger, open });
      if (file !== null && !there.some((each) => each.folder === folder && each.path === file.path))
        there.push(file);
      continue;
    }
    if (there.some((each) => each.folder === folder && each.path === path)) continue;
    const opened = open(folder);
    const read = await opened.read(path, size);
    const isOther = read.kind === 'tooLarge' || (read.kind === 'bytes' && sha256(read.bytes) !== hash);
    if (isOther) continue;
    if (read.kind === 'gone') {
      const { state } = await opened.availability();
      // A file missing from a present folder is gone, but an absent share may come back with its files.
      if (state === 'present' || (await ledger.known({ folder, path })) === null) continue;
    }
    there.push({ folder, path, identity: read.kind === 'bytes' ? read.identity : identity });
  }
  return there;
}

/** The file, if the image is or may be one of its pages; null otherwise, or if the file is gone. */
async function fileThere(
  file: Pick<FileSeen, 'folder' | 'path'>,
  page: string,
  { ledger, open }: Pick<OriginalsThereDeps, 'ledger' | 'open'>,
): Promise<FileSeen | null> {
  const known = await ledger.known(file);
  if (known === null) return null;
  const pages = await ledger.splitPages(known.fileId);
  if (!pages.some((each) => each.sha256 === page)) return null;
  const folder = open(file.folder);
  const there = await folder.stat(file.path).catch(() => undefined);
  const isGone = there === null && (await folder.availability()).state === 'present';
  return isGone ? null : { ...file, identity: known.identity };
}

/**
 * Deletes these files of an accepted document like `afterUpload: delete`. Files that have changed since stay, and so do
 * files with a page that was not accepted.
 */
export async function deleteOriginals(
  { sha256: hash }: Document,
  files: readonly FileSeen[],
  { ledger, open, clock }: OriginalsThereDeps,
): Promise<void> {
  for (const file of files) {
    const known = await ledger.known(file);
    if (known === null) continue;
    const settings = { path: file.folder, afterUpload: 'delete', afterUploadOn: null } as const;
    const deps = { folder: open(file.folder), settings, ledger, clock, log: SILENT };
    const { fileId, verdict } = known;
    if (verdict !== 'split') await disposeOne({ fileId, file, sha256: hash }, deps);
    else {
      const only = { afterFileId: fileId - 1, limit: 1, stays: 0, statuses: null };
      const [whole] = await ledger.toDispose(file.folder, only);
      if (whole?.fileId === fileId) await disposeOne(whole, deps);
    }
  }
}

function ignore(): void {}
