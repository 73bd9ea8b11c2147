import type { FileIdentity, Lane } from '../../core/domain/document.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Log } from '../../core/ports/log.ts';
import type { FolderDisposal } from '../dispose/folderDisposal.ts';
import type { FolderTrouble } from '../presence/folderTrouble.ts';
import type { Presence } from '../presence/presence.ts';
import type { FolderListings } from './folderListings.ts';
import { leaveFormerFiles } from './formerFiles.ts';
import { firstWatch } from './reconcile.ts';

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

/** The first listing of a folder since it is present, with what has to be decided before: its existing files, and a takeover. */
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
      say('Watching a folder for the first time', {
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
    log.info('Took the folder over from another agent', { folder: settings.path, filesLeft: left });
    trouble.takenOver(left);
  }
}
