import { describeError } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { WatchedFolder } from '../ports/folder.ts';
import type { Disposal, Ledger } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';
import { sha256 } from './admit.ts';
import type { FolderSettings } from './settings.ts';

export interface DisposeDeps {
  readonly folder: WatchedFolder;
  readonly settings: FolderSettings;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
}

const BATCH = 100;

/**
 * Archives or deletes the files of accepted documents, if the folder is configured to (promise P3): rename aside
 * within the folder, hash again, then dispose or put back. A kill in between leaves a file aside, never a lost one.
 * Resolves false if a file could not be disposed of.
 */
export async function disposeAccepted(deps: DisposeDeps, signal: AbortSignal): Promise<boolean> {
  if (deps.settings.afterUpload === 'keep') return true;
  let after = 0;
  let well = true;
  for (;;) {
    const batch = await deps.ledger.toDispose(deps.settings.path, after, BATCH);
    for (const disposal of batch) {
      if (signal.aborted) return well;
      after = disposal.sightingId;
      try {
        await disposeOne(disposal, deps);
      } catch (error) {
        well = false;
        deps.log.warn('An original could not be disposed of; it stays where it is', {
          path: disposal.file.path,
          ...describeError(error),
        });
      }
    }
    if (batch.length < BATCH) return well;
  }
}

async function disposeOne(disposal: Disposal, deps: DisposeDeps): Promise<void> {
  const { folder } = deps;
  const { file } = disposal;
  if ((await folder.stat(file.path))?.kind !== 'file') return;
  const aside = await folder.setAside(file.path);
  try {
    await disposeAside(aside, disposal, deps);
  } catch (error) {
    // Out of sight is no place for an original: the archive is full or not writable, say.
    if (await folder.stat(aside)) await folder.putBack(aside, file.path);
    throw error;
  }
}

async function disposeAside(
  aside: string,
  { sightingId, file, sha256: hash }: Disposal,
  { folder, settings, ledger, clock, log }: DisposeDeps,
): Promise<void> {
  const read = await folder.read(aside, file.identity.size);
  if (read.kind === 'unreadable') throw new Error(`It can't be read (${read.code}).`);
  const fields = { folder: settings.path, path: file.path };
  if (read.kind !== 'bytes' || sha256(read.bytes) !== hash) {
    const path = await folder.putBack(aside, file.path);
    await ledger.disposed(sightingId, 'kept', null, clock.now());
    log.warn('The original has changed since it was sent; it stays', { ...fields, path });
    return;
  }
  if (settings.afterUpload === 'archive') {
    const archivedTo = await folder.archive(aside, file.path);
    await ledger.disposed(sightingId, 'archived', archivedTo, clock.now());
    log.info('Archived', { ...fields, archivedTo });
  } else {
    await folder.discard(aside);
    await ledger.disposed(sightingId, 'deleted', null, clock.now());
    log.info('Deleted after its acceptance', fields);
  }
}

/** Puts back what a kill left aside; the listing that follows takes it from there. */
export async function recoverAside(
  { folder, settings, log }: DisposeDeps,
  signal: AbortSignal,
): Promise<void> {
  for (const { aside, path } of await folder.leftAside(signal)) {
    let restored: string;
    try {
      restored = await folder.putBack(aside, path);
    } catch (error) {
      log.error('A file that was set aside could not be put back', {
        folder: settings.path,
        path: aside,
        ...describeError(error),
      });
      continue;
    }
    log.info('Put back a file that an interrupted disposal had set aside', {
      folder: settings.path,
      path: restored,
    });
  }
}
