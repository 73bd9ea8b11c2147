import { describeError, systemCode } from '../core/domain/errors.ts';
import type { FolderSettings } from '../core/domain/settings.ts';
import { isUnreachable } from '../core/domain/unreachable.ts';
import type { Notifier } from '../core/notifier.ts';
import { relativeTo } from '../core/paths.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { FolderDisposal } from './dispose/folderDisposal.ts';
import type { LedgerAway } from './ledgerAway.ts';
import type { Presence } from './presence/presence.ts';
import type { FirstListing } from './scan/firstListing.ts';
import type { FolderListings } from './scan/folderListings.ts';
import { ListingTimes, type ListingRecord, type ListingTimesDeps } from './scan/listingTimes.ts';
import type { PageSink } from './settle/admissionSink.ts';
import type { Settling } from './settle/settling.ts';
import { FolderEvents, type FolderEventsDeps } from './watch/folderEvents.ts';
import type { HintQueue } from './watch/hintQueue.ts';

/** Longest wait between two checks of the folder's presence. */
export const PRESENCE_MS = 2_000;

export interface FolderWatchDeps extends FolderEventsDeps, ListingTimesDeps {
  readonly settings: Pick<FolderSettings, 'path' | 'recursive' | 'watch'>;
  readonly ledger: Pick<Ledger, 'storage'>;
  readonly pages?: PageSink | undefined;
  readonly presence: Presence;
  readonly away: LedgerAway;
  readonly settling: Settling;
  readonly hintQueue: HintQueue;
  readonly first: FirstListing;
  readonly listings: FolderListings;
  readonly disposal: FolderDisposal;
  /** Wakes the watch. */
  readonly notifier: Notifier;
}

/** Watches one folder while it is present and the same: its events, listings when they are due, and disposals. */
export class FolderWatch {
  readonly #deps: FolderWatchDeps;
  readonly #events: FolderEvents;
  #relistSoon = false;

  constructor(deps: FolderWatchDeps) {
    this.#deps = deps;
    this.#events = new FolderEvents(deps, (path, isDirectory) => this.#hint(path, isDirectory));
  }

  /** Whether the folder is listed at intervals, because it has no events or they are missed. */
  get isPolled(): boolean {
    return this.#hasNoEvents || this.#events.areMissed;
  }

  /** Requests a listing that compares everything, because changes may have been missed. */
  relistSoon(): void {
    this.#deps.listings.forgetDirectories();
    this.#relistSoon = true;
    this.#deps.notifier.notify();
  }

  /** Watches until the folder is gone, replaced or can't be listed, or `signal` aborts. `token`: which folder it is. */
  async whilePresent(token: string, signal: AbortSignal): Promise<void> {
    const { settings, log, presence, listings } = this.#deps;
    presence.watchAs(token);
    if (!this.#hasNoEvents) await this.#events.begin();
    try {
      await this.#watch(token, signal);
    } catch (error) {
      if (signal.aborted) return;
      const fields = { folder: settings.path, ...describeError(error) };
      // If the folder went away or the ledger can't be written, the listing is retried; both are reported elsewhere.
      if (this.#writesFail) presence.holdUp();
      else presence.notListed(error);
      if (isUnreachable(systemCode(error)) || this.#writesFail) log.debug('listingCutShort', fields);
      else log.warn('folderNotListed', fields);
    } finally {
      listings.forget();
      await this.#events.end();
    }
  }

  async #watch(token: string, signal: AbortSignal): Promise<void> {
    const { clock, pages, presence, away, hintQueue, first, listings, disposal, notifier } = this.#deps;
    const { foreign } = presence;
    // Start over: the ledger has not been asked about the folder yet.
    if (await this.#whileAway(token, signal)) return;
    if (!(await first.mayRun())) return;
    const files = await first.run('backlog', signal);
    presence.watching();
    // Another agent may have led the folder and left files that are still being split.
    pages?.wake();
    const times = new ListingTimes(this.#deps, files);
    while (!signal.aborted) {
      if (await this.#whileAway(token, signal)) {
        listings.forget();
        // The folder was replaced.
        if (away.isOn) return;
        // List soon: finds files that were not deferred, and those that are gone.
        this.#relistSoon = true;
      }
      const { isAskedFor, mayPassOver } = listings;
      const due = times.due({ isPolled: this.isPolled, isAskedFor, hasDirs: hintQueue.hasDirs, mayPassOver });
      const idle = !hintQueue.hasPaths && !disposal.isDue && !this.#relistSoon;
      const nextIn = Math.min(due.all, due.changed, due.dirs) - clock.monotonic();
      if (this.#writesFail) await notifier.wait(PRESENCE_MS, signal);
      else if (idle) await notifier.wait(Math.max(0, Math.min(nextIn, PRESENCE_MS)), signal);
      if (signal.aborted) return;
      if (this.#writesFail) {
        // No file was examined meanwhile, so that time must not count as progress.
        listings.progress.forget();
        continue;
      }
      await hintQueue.work();
      if (disposal.isDue) await disposal.run(presence.foreign !== null, signal);
      const present = await presence.look();
      if (present?.state !== 'present' || present.token !== token || presence.foreign !== foreign) return;
      // Files that arrived before events were available again.
      if (await this.#events.tryAgain()) this.#relistSoon = true;
      const now = clock.monotonic();
      const isFull = this.#relistSoon || now >= due.all;
      const isOver = now >= due.changed;
      if (isFull) await this.#list('all', times, signal);
      else if (isOver) await this.#list('changed', times, signal);
      else if (now >= due.dirs) await this.#list('dirs', times, signal);
    }
  }

  async #list(what: ListingRecord, times: ListingTimes, signal: AbortSignal): Promise<void> {
    const { clock, settling, hintQueue, listings } = this.#deps;
    const from = clock.monotonic();
    const waitedBefore = settling.roomWaitedMs;
    // A listing of the whole folder covers these too.
    const dirs = hintQueue.takeDirs();
    let compared = 0;
    if (what === 'all') {
      this.#relistSoon = false;
      compared = await listings.all('fresh', signal);
    } else if (what === 'changed') compared = await listings.changed(signal);
    else for (const dir of dirs) await listings.directory(dir, signal);
    times.listed(from, what, compared, settling.roomWaitedMs - waitedBefore);
  }

  /** Watches without the ledger while that is away and the folder is the same. False if the ledger is reachable. */
  async #whileAway(token: string, signal: AbortSignal): Promise<boolean> {
    const { presence, away, hintQueue, notifier } = this.#deps;
    if (!away.isOn) return false;
    const isStill = async (): Promise<boolean> => {
      const now = await presence.look();
      return now?.state === 'present' && now.token === token;
    };
    const isPolled = (): boolean => this.isPolled;
    await away.watch({ ...presence.times, hints: hintQueue, notifier, isStill, isPolled }, signal);
    if (!away.isOn) notifier.notify();
    return true;
  }

  #hint(absolute: string, isDirectory = false): void {
    const { settings, hintQueue, notifier } = this.#deps;
    const path = absolute === settings.path ? '' : relativeTo(settings.path, absolute);
    if (path === null) return;
    if (isDirectory && settings.recursive) hintQueue.addDir(path);
    else hintQueue.add(path);
    notifier.notify();
  }

  get #hasNoEvents(): boolean {
    const { settings, presence } = this.#deps;
    return settings.watch === 'poll' || presence.times.areForeign;
  }

  get #writesFail(): boolean {
    return this.#deps.ledger.storage.trouble() !== null;
  }
}
