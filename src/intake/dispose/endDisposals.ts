import { describeError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { FolderAvailability, WatchedFolder } from '../../core/ports/folder.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { BegunDisposal } from '../../core/ports/ledgerDisposals.ts';
import type { Log } from '../../core/ports/log.ts';
import { sha256 } from '../../core/sha256.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';

export interface DisposeDeps {
  readonly folder: WatchedFolder;
  readonly settings: Pick<FolderSettings, 'path' | 'afterUpload' | 'afterUploadOn'>;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
  /** Called if an original to be disposed of is missing. */
  readonly onMissing?: (path: string) => Promise<void>;
  /** Called with the system's error code if an original can't be disposed of until a person helps. */
  readonly onStuck?: (path: string | null, code: string) => void;
}

/**
 * Finishes disposals that a crash interrupted, depending on what it left:
 *
 *   the file is in its place, or aside           ──▶ withdraws the intent; the disposal starts over
 *   it is gone, and was to be deleted            ──▶ records it as deleted
 *   it is gone, and the archive has its bytes    ──▶ records it as archived
 *   it was overwritten (same inode, other bytes) ──▶ withdraws the intent; the file stays
 *   it is in neither place                       ──▶ withdraws the intent and logs an error
 *
 * If the outcome is unknown, because the archive or the folder is away, the intent stays for the next attempt.
 */
export async function endBegunDisposals(
  deps: DisposeDeps,
  left: readonly { readonly aside: string; readonly path: string }[],
  before: FolderAvailability,
): Promise<void> {
  const { folder, settings, ledger, log } = deps;
  for (const disposal of await ledger.begunDisposals(settings.path)) {
    const asides = left.filter(({ path }) => path === disposal.file.path).map(({ aside }) => aside);
    try {
      const isThere = await holdsOriginal([disposal.file.path, ...asides], disposal, deps);
      const now = await folder.availability();
      // If the share went away meanwhile, a missing file does not mean that it was deleted.
      if (before.state !== 'present' || now.state !== 'present' || now.token !== before.token) return;
      await end(disposal, isThere, deps);
    } catch (error) {
      const fields = { folder: settings.path, path: disposal.file.path, ...describeError(error) };
      log.warn('disposalOutcomeUnknown', fields);
    }
  }
}

async function end(
  { fileId, file, sha256: hash, how }: BegunDisposal,
  isThere: boolean,
  { folder, settings, ledger, clock, log }: DisposeDeps,
): Promise<void> {
  const fields = { folder: settings.path, path: file.path };
  if (isThere) return ledger.disposing(fileId, null, clock.now());
  if (how === 'deleted') {
    await ledger.disposed(fileId, 'deleted', null, clock.now());
    log.info('originalDeletedBefore', fields);
    return;
  }
  const archivedTo = await folder.findArchived(file.path, file.identity.size, hash);
  if (archivedTo !== null) {
    await ledger.disposed(fileId, 'archived', archivedTo, clock.now());
    log.info('originalArchivedBefore', { ...fields, archivedTo });
    return;
  }
  await ledger.disposing(fileId, null, clock.now());
  const now = await folder.stat(file.path);
  if (now?.kind === 'file' && now.identity.inode !== 0n && now.identity.inode === file.identity.inode)
    log.warn('changedOriginalStays', fields);
  else log.error('archivedFileMissing', fields);
}

async function holdsOriginal(
  paths: readonly string[],
  { file, sha256: hash }: BegunDisposal,
  { folder }: DisposeDeps,
): Promise<boolean> {
  for (const path of paths) {
    const read = await folder.read(path, file.identity.size);
    if (read.kind === 'unreadable') throw new Error(`${path} can't be read (${read.code}).`);
    if (read.kind === 'changed') throw new Error(`${path} changed while it was read.`);
    if (read.kind === 'bytes' && sha256(read.bytes) === hash) return true;
  }
  return false;
}
