import { describeError, systemCode, systemError } from '../../core/domain/errors.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { WatchedFolder } from '../../core/ports/folder.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { BegunDisposal, Disposal } from '../../core/ports/ledgerDisposals.ts';
import type { Log } from '../../core/ports/log.ts';
import { sha256 } from '../../core/sha256.ts';

/*
 * The original of an accepted document (promise P3):
 *
 *   accepted ──intent, durable──▶ begun ──rename aside──▶ aside ──hash: the bytes that were sent──▶ archived, deleted
 *      ▲                            │                       │         │
 *      └──────── intent taken back ─┴───────────────────────┴─────────┘ put back; it stays, or is tried again
 *
 * The intent is withdrawn before the file is put back, so that the file is not mistaken for one left by a crash. A crash leaves the
 * intent, which is ended by what is found then:
 *
 *   the file is in its place, or aside           ──▶ withdraws the intent; the disposal starts over
 *   it is gone, and was to be deleted            ──▶ records it as deleted
 *   it is gone, and the archive has its bytes    ──▶ records it as archived
 *   it was overwritten (same inode, other bytes) ──▶ withdraws the intent; the file stays
 *   it is in neither place                       ──▶ withdraws the intent and logs an error
 *
 * If the outcome is unknown, because the archive or the folder is away, the intent stays for the next attempt.
 */

export interface DisposeDeps {
  readonly folder: WatchedFolder;
  readonly settings: Pick<FolderSettings, 'path' | 'afterUpload' | 'afterUploadOn'>;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
  /** Called if an original to be disposed of is missing. */
  readonly onMissing?: (path: string) => Promise<void>;
}

/** Folders in which this run failed to put a file back. */
const withFilesAside = new WeakSet<WatchedFolder>();

export function hasFilesAside(folder: WatchedFolder): boolean {
  return withFilesAside.has(folder);
}

/** Disposes of one file; puts it back if that fails. */
export async function disposeOne(disposal: Disposal, deps: DisposeDeps): Promise<void> {
  const { folder, settings, ledger, clock, log } = deps;
  const { file, fileId } = disposal;
  if ((await folder.stat(file.path))?.kind !== 'file') return deps.onMissing?.(file.path);
  const how = settings.afterUpload === 'archive' ? 'archived' : 'deleted';
  if (how === 'deleted' && (await ledger.splitPages(fileId)).some(({ verdict }) => verdict === 'rejected')) {
    await ledger.keepOriginal(disposal, clock.now());
    log.info('originalStaysForBlankPages', { folder: settings.path, path: file.path });
    return;
  }
  await ledger.disposing(fileId, how, clock.now());
  let aside: string | null = null;
  try {
    aside = await folder.setAside(file.path);
    await disposeAside(aside, disposal, deps);
  } catch (error) {
    await undo(aside, disposal, deps);
    // Somebody moved it at that moment; the other files must not wait for it (promise P4).
    if (aside === null && systemCode(error) === 'ENOENT') return;
    throw error;
  }
}

async function disposeAside(
  aside: string,
  disposal: Disposal,
  { folder, settings, ledger, clock, log }: DisposeDeps,
): Promise<void> {
  const { fileId, file, sha256: hash } = disposal;
  const fields = { folder: settings.path, path: file.path };
  const read = await folder.read(aside, file.identity.size);
  if (read.kind === 'unreadable') throw systemError(read.code, `${aside} can't be read`);
  if (read.kind !== 'bytes' || sha256(read.bytes) !== hash) {
    await ledger.disposing(fileId, null, clock.now());
    const path = await folder.putBack(aside, file.path);
    await ledger.keepOriginal(disposal, clock.now());
    log.warn('changedOriginalStays', { ...fields, path });
  } else if (settings.afterUpload === 'archive') {
    const archivedTo = await folder.archive(aside, file.path);
    await ledger.disposed(fileId, 'archived', archivedTo, clock.now());
    log.info('originalArchived', { ...fields, archivedTo });
  } else {
    await folder.discard(aside);
    await ledger.disposed(fileId, 'deleted', null, clock.now());
    log.info('originalDeleted', fields);
  }
}

/** Puts an original back after a failure, such as a full archive: it must not stay under a hidden name. */
async function undo(aside: string | null, { fileId, file }: Disposal, deps: DisposeDeps): Promise<void> {
  const { folder, ledger, clock } = deps;
  // The file is put back even if the ledger can't be written.
  const withdraw = () => ledger.disposing(fileId, null, clock.now()).catch(() => undefined);
  if (aside === null) return withdraw();
  try {
    // If it is missing, it was disposed of but not recorded: the intent stays, so that this is found out later.
    if (!(await folder.stat(aside))) return;
    await withdraw();
    await folder.putBack(aside, file.path);
  } catch (error) {
    notPutBack('warn', aside, error, deps);
  }
}

function notPutBack(level: 'warn' | 'error', aside: string, error: unknown, deps: DisposeDeps): void {
  const { folder, settings, log } = deps;
  withFilesAside.add(folder);
  const event = level === 'warn' ? 'asideFileNotPutBackYet' : 'asideFileNotPutBack';
  log[level](event, { folder: settings.path, path: aside, ...describeError(error) });
}

/** Ends disposals that a crash interrupted and puts back files left aside; the next listing finds them. */
export async function recoverAside(deps: DisposeDeps, signal: AbortSignal): Promise<void> {
  const { folder, settings, log } = deps;
  const before = await folder.availability();
  const left = await folder.leftAside(signal);
  for (const disposal of await deps.ledger.begunDisposals(settings.path)) {
    const { path } = disposal.file;
    try {
      const asides = left.filter((each) => each.path === path).map(({ aside }) => aside);
      const isThere = await holdsOriginal([path, ...asides], disposal, folder);
      const now = await folder.availability();
      // If the share went away meanwhile, a missing file does not mean that it was deleted.
      if (before.state !== 'present' || now.state !== 'present' || now.token !== before.token) break;
      await end(disposal, isThere, deps);
    } catch (error) {
      log.warn('disposalOutcomeUnknown', { folder: settings.path, path, ...describeError(error) });
    }
  }
  withFilesAside.delete(folder);
  for (const { aside, path } of left) {
    try {
      log.info('asideFilePutBack', { folder: settings.path, path: await folder.putBack(aside, path) });
    } catch (error) {
      notPutBack('error', aside, error, deps);
    }
  }
}

async function end(
  { fileId, file, sha256: hash, how }: BegunDisposal,
  isThere: boolean,
  { folder, settings, ledger, clock, log }: DisposeDeps,
): Promise<void> {
  const { path, identity } = file;
  const fields = { folder: settings.path, path };
  if (isThere) return ledger.disposing(fileId, null, clock.now());
  if (how === 'deleted') {
    await ledger.disposed(fileId, 'deleted', null, clock.now());
    log.info('originalDeletedBefore', fields);
    return;
  }
  const archivedTo = await folder.findArchived(path, identity.size, hash);
  if (archivedTo !== null) {
    await ledger.disposed(fileId, 'archived', archivedTo, clock.now());
    log.info('originalArchivedBefore', { ...fields, archivedTo });
    return;
  }
  await ledger.disposing(fileId, null, clock.now());
  const now = await folder.stat(path);
  const isSame = now?.kind === 'file' && now.identity.inode !== 0n && now.identity.inode === identity.inode;
  if (isSame) log.warn('changedOriginalStays', fields);
  else log.error('archivedFileMissing', fields);
}

async function holdsOriginal(
  paths: readonly string[],
  { file, sha256: hash }: BegunDisposal,
  folder: WatchedFolder,
): Promise<boolean> {
  for (const path of paths) {
    const read = await folder.read(path, file.identity.size);
    if (read.kind === 'unreadable') throw systemError(read.code, `${path} can't be read`);
    if (read.kind === 'changed') throw systemError('EBUSY', `${path} changed while it was read`);
    if (read.kind === 'bytes' && sha256(read.bytes) === hash) return true;
  }
  return false;
}
