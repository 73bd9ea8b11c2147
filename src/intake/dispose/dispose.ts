import { describeError, isOfLedger, ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { WatchedFolder } from '../../core/ports/folder.ts';
import type { Disposal } from '../../core/ports/ledgerDisposals.ts';
import { sha256 } from '../../core/sha256.ts';
import type { DisposalWaits } from './disposalWaits.ts';
import { endBegunDisposals, type DisposeDeps } from './endDisposals.ts';

/*
 * The original of an accepted document (promise P3):
 *
 *   accepted ──intent, durable──▶ begun ──rename aside──▶ aside ──hash: the bytes that were sent──▶ archived, deleted
 *      ▲                            │                       │         │
 *      └──────── intent taken back ─┴───────────────────────┴─────────┘ put back; it stays, or is tried again
 *
 * A crash leaves the intent, and the file in its place, aside, in the archive, or deleted: endDisposals.ts finds out which.
 * The intent is withdrawn before the file is put back, so that the file is not mistaken for one left by a crash.
 */

export type { DisposeDeps } from './endDisposals.ts';

const BATCH = 100;

/** Errors of the whole file system: the next file would fail too, so it is not touched. */
const TROUBLE_OF_ALL = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'ENODEV',
  'ENOTCONN',
  'ESTALE',
  'EHOSTDOWN',
  'ETIMEDOUT',
]);

/** Errors that a person has to remedy; others, such as a file that a viewer has locked, may pass until the next attempt. */
export const NEEDS_PERSON: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'ENOTDIR',
  'ELOOP',
]);

/** Folders in which this run failed to put a file back. */
const withFilesAside = new WeakSet<WatchedFolder>();

/**
 * Archives or deletes the files of accepted documents, if the folder is configured to: rename aside within the folder,
 * hash again, then dispose or put back. Files up to `stays` are left alone. Files that could not be disposed of are
 * added to `waits` and skipped until their wait is over. Resolves false if the folder as a whole has to wait.
 */
export async function disposeAccepted(
  deps: DisposeDeps,
  { stays, waits }: { readonly stays: number; readonly waits: DisposalWaits },
  signal: AbortSignal,
): Promise<boolean> {
  const { folder, settings, ledger, log } = deps;
  if (settings.afterUpload === 'keep') return true;
  const undecided = new Set<number>();
  // Left by this run, when the ledger could not be written or a file could not be put back.
  if (withFilesAside.has(folder) || (await ledger.begunDisposals(settings.path)).length > 0) {
    await recoverAside(deps, signal);
    for (const { fileId } of await ledger.begunDisposals(settings.path)) undecided.add(fileId);
  }
  waits.end();
  let after = 0;
  let well = !withFilesAside.has(folder) && undecided.size === 0;
  for (;;) {
    const batch = await ledger.toDispose(settings.path, {
      afterFileId: after,
      limit: BATCH,
      stays,
      statuses: settings.afterUploadOn,
    });
    for (const disposal of batch) {
      if (signal.aborted) return well;
      after = disposal.fileId;
      if (undecided.has(disposal.fileId) || waits.has(disposal.fileId)) continue;
      try {
        await disposeOne(disposal, deps);
      } catch (error) {
        const { code = '', ...rest } = describeError(error);
        const cause = systemCode(error instanceof ReceiptdError ? error.cause : error) ?? code;
        const fields = { folder: settings.path, path: disposal.file.path, ...(code && { code }), ...rest };
        // Warn once per cause: a read-only archive must not fill the log.
        log[waits.isNew(cause) ? 'warn' : 'debug']('originalNotDisposed', fields);
        if (NEEDS_PERSON.has(cause)) deps.onStuck?.(disposal.file.path, cause);
        if (TROUBLE_OF_ALL.has(cause) || isOfLedger(error)) return false;
        if (withFilesAside.has(folder) || !waits.add(disposal.fileId)) well = false;
      }
    }
    if (batch.length < BATCH) return well;
  }
}

/** Disposes of one file; puts it back if that fails. */
export async function disposeOne(disposal: Disposal, deps: DisposeDeps): Promise<void> {
  const { folder, settings, ledger, clock } = deps;
  const { file, fileId } = disposal;
  if ((await folder.stat(file.path))?.kind !== 'file') return deps.onMissing?.(file.path);
  const how = settings.afterUpload === 'archive' ? 'archived' : 'deleted';
  if (how === 'deleted' && (await ledger.splitPages(fileId)).some(({ verdict }) => verdict === 'rejected')) {
    await ledger.keepOriginal(disposal, clock.now());
    const fields = { folder: settings.path, path: file.path };
    deps.log.info('originalStaysForBlankPages', fields);
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
  const read = await folder.read(aside, file.identity.size);
  if (read.kind === 'unreadable') throw new Error(`It can't be read (${read.code}).`);
  const fields = { folder: settings.path, path: file.path };
  if (read.kind !== 'bytes' || sha256(read.bytes) !== hash) {
    await ledger.disposing(fileId, null, clock.now());
    const path = await folder.putBack(aside, file.path);
    await ledger.keepOriginal(disposal, clock.now());
    log.warn('changedOriginalStays', { ...fields, path });
    return;
  }
  if (settings.afterUpload === 'archive') {
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
async function undo(
  aside: string | null,
  { fileId, file }: Disposal,
  { folder, ledger, clock, log, settings }: DisposeDeps,
): Promise<void> {
  if (aside === null) return ledger.disposing(fileId, null, clock.now()).catch(() => undefined);
  try {
    // If it is missing, it was disposed of but not recorded: the intent stays, so that this is found out later.
    if (!(await folder.stat(aside))) return;
    // The file is put back even if the ledger can't be written.
    await ledger.disposing(fileId, null, clock.now()).catch(() => undefined);
    await folder.putBack(aside, file.path);
  } catch (error) {
    withFilesAside.add(folder);
    const fields = { folder: settings.path, path: aside, ...describeError(error) };
    log.warn('asideFileNotPutBackYet', fields);
  }
}

/** Ends disposals that a crash interrupted and puts back files left aside; the next listing finds them. */
export async function recoverAside(deps: DisposeDeps, signal: AbortSignal): Promise<void> {
  const { folder, settings, log } = deps;
  const before = await folder.availability();
  const left = await folder.leftAside(signal);
  await endBegunDisposals(deps, left, before);
  withFilesAside.delete(folder);
  for (const { aside, path } of left) {
    try {
      const restored = await folder.putBack(aside, path);
      log.info('asideFilePutBack', {
        folder: settings.path,
        path: restored,
      });
    } catch (error) {
      withFilesAside.add(folder);
      const fields = { folder: settings.path, path: aside, ...describeError(error) };
      log.error('asideFileNotPutBack', fields);
    }
  }
}
