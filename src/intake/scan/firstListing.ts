import { sameIdentity, type FileIdentity, type Lane } from '../../core/domain/document.ts';
import { existingPolicy, type FolderSettings } from '../../core/domain/settings.ts';
import { inChunks } from '../../core/inChunks.ts';
import { nameOf } from '../../core/paths.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { FileSeen } from '../../core/ports/ledgerIntake.ts';
import type { Log } from '../../core/ports/log.ts';
import type { FolderDisposal } from '../dispose/folderDisposal.ts';
import type { FolderTrouble } from '../presence/folderTrouble.ts';
import type { Presence } from '../presence/presence.ts';
import type { FolderListings } from './folderListings.ts';
import { isSkipped, statOf, type ReconcileDeps } from './reconcile.ts';
import { toMessage } from '../../core/domain/why.ts';

/** Names per ledger query. */
const LOOKED_UP_AT_ONCE = 256;

export interface FirstListingDeps {
  readonly settings: Pick<FolderSettings, 'path'>;
  readonly ledger: Pick<Ledger, 'isFirstWatch'>;
  readonly log: Log;
  /** A first watch that is to send more files than this is logged as a warning. */
  readonly confirmAbove: number;
  readonly presence: Presence;
  readonly trouble: FolderTrouble;
  readonly listings: FolderListings;
  readonly disposal: FolderDisposal;
}

/** The first listing after a folder appears, with what has to be decided before: its existing files, and a takeover. */
export class FirstListing {
  readonly #deps: FirstListingDeps;

  constructor(deps: FirstListingDeps) {
    this.#deps = deps;
  }

  /**
   * False in a foreign folder that was never watched: the first watch decides what to do with existing files, so it waits for
   * the folder itself, or for a person to confirm this one. The ledger may know files already, from while it was away.
   */
  async mayRun(): Promise<boolean> {
    const { ledger, settings, presence } = this.#deps;
    return presence.foreign === null || !(await ledger.isFirstWatch(settings.path));
  }

  /** Resolves the number of files compared. Call it only if `mayRun`. */
  async run(lane: Lane, signal: AbortSignal): Promise<number> {
    const { settings, ledger, log, confirmAbove, presence, disposal, listings } = this.#deps;
    if (presence.foreign === null) await disposal.recover(signal);
    const isFirstWatch = await ledger.isFirstWatch(settings.path);
    await disposal.begin(isFirstWatch);
    if (isFirstWatch) {
      const { sent, skipped } = await firstWatch(listings.deps, signal);
      // Only now: before its first watch, the ledger has no record of the folder, nor of its file system.
      await presence.takeOver();
      const say = sent > confirmAbove ? log.warn.bind(log) : log.info.bind(log);
      say('folderFirstWatched', {
        folder: settings.path,
        filesToSend: sent,
        filesSkipped: skipped,
      });
    }
    presence.firstWatched();
    await this.#endTakeover(signal);
    return listings.all(lane, signal);
  }

  /** Leaves alone files that another agent may have sent. Runs after the first watch, which applies `existing`. */
  async #endTakeover(signal: AbortSignal): Promise<void> {
    const { settings, log, presence, trouble, listings } = this.#deps;
    const until = presence.othersUntil;
    if (until === null) return;
    // A share has its own clock, so that no file in it is certainly newer.
    const untilNs = presence.times.areForeign ? null : BigInt(until) * 1_000_000n;
    const isNewer = ({ ctimeNs }: FileIdentity) => untilNs !== null && ctimeNs >= untilNs;
    const left = await leaveFormerFiles(listings.deps, isNewer, signal);
    await presence.takenOver();
    log.info('folderTakenOver', { folder: settings.path, filesLeft: left });
    trouble.takenOver(left);
  }
}

/** Applies `existing` to the files already in a folder, before its first reconciliation. Resolves how many are sent and skipped. */
async function firstWatch(
  deps: ReconcileDeps,
  signal: AbortSignal,
): Promise<{ sent: number; skipped: number }> {
  const { folder, settings, ledger, clock } = deps;
  const { existing } = settings;
  const skipped: FileSeen[] = [];
  let sent = 0;
  for await (const { files } of folder.list('', signal)) {
    if (existing.kind === 'send') {
      sent += files.length;
      continue;
    }
    await inChunks(files, signal, async ({ path }) => {
      const found = await statOf(folder, path);
      if (found?.kind !== 'file') return;
      const { identity } = found;
      const isNew = deps.cameBeforeFirstWatch?.(identity) || deps.hasTaken?.(path, identity);
      if (isSkipped(identity, existing) && !isNew) skipped.push({ folder: settings.path, path, identity });
      else sent += 1;
    });
  }
  await ledger.markWatched(settings.path, skipped, {
    reason: 'EXISTING',
    message: toMessage({ is: 'existing', existing: existingPolicy(existing).replace('existing=', '') }),
    sha256: null,
    policy: existingPolicy(existing),
    at: clock.now(),
  });
  return { sent, skipped: skipped.length };
}

/**
 * Leaves alone the files of a folder that another agent watched until now: files unknown to this ledger may already have been
 * sent by that agent, so they are recorded as skipped. Files that arrived since are sent as usual. Resolves how many were left.
 */
async function leaveFormerFiles(
  deps: ReconcileDeps,
  isNewer: (identity: FileIdentity) => boolean,
  signal: AbortSignal,
): Promise<number> {
  const { folder, settings, ledger, clock } = deps;
  const left: FileSeen[] = [];
  for await (const { dir, files } of folder.list('', signal)) {
    for (let start = 0; start < files.length; start += LOOKED_UP_AT_ONCE) {
      const chunk = files.slice(start, start + LOOKED_UP_AT_ONCE);
      const known = await ledger.knownIn(
        settings.path,
        dir,
        chunk.map(({ path }) => nameOf(path)),
      );
      await inChunks(chunk, signal, async ({ path }) => {
        const found = await statOf(folder, path);
        if (found?.kind !== 'file') return;
        const { identity } = found;
        const file = known.get(nameOf(path));
        const isOwn = file !== undefined && sameIdentity(file.identity, identity);
        if (isOwn || isNewer(identity) || deps.hasTaken?.(path, identity)) return;
        left.push({ folder: settings.path, path, identity });
      });
    }
  }
  await ledger.markWatched(settings.path, left, {
    reason: 'TAKEN_OVER',
    message: toMessage({ is: 'takenOver' }),
    sha256: null,
    // A change of `existing` causes a new decision.
    policy: existingPolicy(settings.existing),
    at: clock.now(),
  });
  return left.length;
}
