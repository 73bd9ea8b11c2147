import type { FileIdentity, Lane } from '../core/domain/document.ts';
import { describeError, ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { isUnreachable } from '../core/domain/unreachable.ts';
import type { FolderAvailability, FolderClaims, FolderHints } from '../core/ports/folder.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { Admitted } from '../core/ports/ledgerIntake.ts';
import { ClockTrust, restedMs } from './settle/atRest.ts';
import { NEVER_AWAY, type LedgerAway, type OwnFolder, type Times } from './ledgerAway.ts';
import { FolderDisposal } from './dispose/folderDisposal.ts';
import type { ExamineDeps } from './settle/examine.ts';
import { FolderEvents } from './watch/folderEvents.ts';
import { hasCoarseClock } from './presence/mountIdentity.ts';
import { Presence } from './presence/presence.ts';
import type { FolderTimes } from './presence/folderState.ts';
import { leaveFormerFiles } from './scan/formerFiles.ts';
import { FolderTrouble } from './presence/folderTrouble.ts';
import { HintQueue } from './watch/hintQueue.ts';
import { ListingTimes } from './scan/listingTimes.ts';
import { FolderListings } from './scan/folderListings.ts';
import { handleHint } from './watch/handleHint.ts';
import { OtherArchiver } from './presence/otherArchiver.ts';
import { relativeTo } from '../core/paths.ts';
import { firstWatch } from './scan/reconcile.ts';
import { LedgerSink, type LedgerSinkDeps } from './settle/ledgerSink.ts';
import { settleLoop } from './settle/settleLoop.ts';
import { Settling } from './settle/settling.ts';
import { Notifier } from '../core/notifier.ts';
import { mountGuard } from './presence/mountGuard.ts';
import type { WatchLimit } from './watch/watchLimit.ts';

/** Cap on files of one folder that are in memory because they are not at rest yet. */
const SETTLING_CAPACITY = 500;
/** Interval for checking a folder's presence. */
const PRESENCE_MS = 2_000;
/**
 * Minimum age of a change before the file is read, on a file system with a coarse clock, so that a later write gets another
 * timestamp. Otherwise a scanner that overwrites a file within the same tick, with the same size, would leave it as the
 * ledger knows it, and the second scan would be missed.
 */
const COARSE_QUIET_MS = 2_000;
/** How long a missing document of a folder led by another agent may still turn up: it may have been renamed there. */
const LED_ELSEWHERE_MS = 60_000;

export interface IntakeDeps
  extends
    Omit<ExamineDeps, 'settling' | 'sink' | 'lookAtMount' | 'mark' | 'onNote'>,
    Omit<LedgerSinkDeps, 'lookAtMount'> {
  /** Stands in for an unreachable shared ledger. Left out if this agent has its own ledger. */
  readonly ledgerAway?: ((folder: OwnFolder) => LedgerAway) | undefined;
  readonly hints: FolderHints;
  /** Left out if no other agent can run on this machine. */
  readonly claims?: FolderClaims | undefined;
  /** See `FolderClaimDeps`. */
  readonly takeOverAfterMs: number;
  readonly incidents: Incidents;
  /** Shared by the process; without it, this intake keeps its own. */
  readonly folderTimes?: FolderTimes | undefined;
  /** Shared by all folders. */
  readonly watchLimit: WatchLimit;
  readonly reconcileEveryMs: number;
  /** Listing interval if there are no events, or unreliable ones. */
  readonly pollEveryMs: number;
  /** Milliseconds since the machine was started. */
  readonly upForMs?: (() => number) | undefined;
  /** See `ListingTimesDeps`. */
  readonly comparedApartMs?: number | undefined;
  /** A first watch that is to send more files than this is logged as a warning. */
  readonly confirmAbove: number;
  /** A file was noted instead of sent, for example as rejected or unreadable. */
  readonly onAmiss?: (path: string) => void;
}

type Present = FolderAvailability & { readonly state: 'present' };

/**
 * One watched folder, from events and listings to admitted documents:
 *
 *   absent ──appears──▶ starting (first listing) ──▶ watching ──replaced, gone, unreadable──▶ absent
 *
 * Events say where to look; the listing says what is there. The intake waits for a folder that is absent or that another
 * agent on this machine takes in. A foreign folder (see mountIdentity.ts) is watched like any other, so that new files are
 * admitted, but it shows as unreachable, and none of its files counts as gone. Only its first watch waits.
 * While a shared ledger is unreachable, listings that depend on it wait (ledgerAway.ts).
 */
export class Intake {
  readonly #deps: IntakeDeps;
  readonly #settling: Settling;
  readonly #trouble: FolderTrouble;
  readonly #presence: Presence;
  readonly #otherArchiver: OtherArchiver;
  readonly #events: FolderEvents;
  readonly #hints: HintQueue;
  readonly #listings: FolderListings;
  readonly #disposal: FolderDisposal;
  readonly #examineDeps: ExamineDeps;
  readonly #settleNotifier: Notifier;
  readonly #watchNotifier: Notifier;
  readonly #away: LedgerAway;
  readonly #clockTrust: ClockTrust;
  #relistSoon = false;
  #isOver = false;
  #isOnce = false;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    const { folder, settings, clock } = deps;
    this.#clockTrust = new ClockTrust(clock, deps.upForMs?.() ?? Infinity);
    this.#settling = new Settling(clock, settings.settle, SETTLING_CAPACITY);
    this.#settleNotifier = new Notifier(clock);
    this.#watchNotifier = new Notifier(clock);
    const onSeen = (): void => this.#settleNotifier.notify();
    this.#away = deps.ledgerAway?.({ folder, settings, settling: this.#settling, onSeen }) ?? NEVER_AWAY;
    this.#trouble = new FolderTrouble(settings.path, deps.incidents);
    this.#presence = new Presence({
      ...deps,
      trouble: this.#trouble,
      away: this.#away,
      onFileSystem: (found) => this.#settling.requireQuiet(hasCoarseClock(found) ? COARSE_QUIET_MS : 0),
    });
    this.#otherArchiver = new OtherArchiver({
      ...deps,
      onProven: (paths, archivedTo) => this.#trouble.takenElsewhere(paths, archivedTo),
    });
    this.#listings = this.#newListings(onSeen);
    this.#disposal = new FolderDisposal({
      ...deps,
      isLookedThroughSince: (at) => this.#listings.progress.isThroughSince(at),
      onMissing: (path) => this.#otherArchiver.missing([path]),
    });
    this.#events = new FolderEvents(deps, (path, isDirectory) => this.#hint(path, isDirectory));
    this.#hints = new HintQueue({
      clock,
      handleHint: (path) =>
        this.#away.isOn ? this.#away.handleHint(path, this.#times) : handleHint(path, this.#listings.deps),
      onHandled: onSeen,
      onMissed: () => this.#listings.forgetDirectories(),
      mayHandle: () => !this.#mustWait,
    });
    this.#examineDeps = this.#toExamine();
  }

  #newListings(onSeen: () => void): FolderListings {
    const deps = this.#deps;
    return new FolderListings({
      ...deps,
      settling: this.#settling,
      isInPlace: () => this.#presence.isInPlace(),
      restedMs: (identity) => this.#restedMs(identity),
      beside: (list) => this.#hints.during(list),
      // Disposals that a crash interrupted, and duplicates of documents from other folders.
      onWhole: () => this.#disposal.soon(),
      onSeen,
      onGone: (paths) => this.#otherArchiver.missing(paths),
      onIdentity: (identity) => this.#away.compared(identity),
      cameBeforeFirstWatch: (identity) => this.#away.cameBeforeFirstWatch(identity, this.#times),
      hasTaken: (file, identity) => this.#away.hasTaken(file, identity),
    });
  }

  #toExamine(): ExamineDeps {
    const deps = this.#deps;
    const lookAtMount = (): Promise<void> => this.#presence.lookAtMount();
    const onAdmitted = (admitted: Admitted): void => {
      this.#otherArchiver.admitted(admitted);
      deps.onAdmitted(admitted);
    };
    const sink = this.#away.sinkOver(new LedgerSink({ ...deps, lookAtMount, onAdmitted }));
    return {
      ...deps,
      sink,
      folder: mountGuard(
        deps.folder,
        (file) => sink.knows(file),
        () => this.#presence.isInPlace(),
      ),
      settling: this.#settling,
      lookAtMount,
      mark: () => this.#presence.fileSystem?.mark ?? null,
      onNote: (verdict, path) => {
        deps.onAmiss?.(path);
        // If settling does not retry it, every listing has to.
        if (verdict === 'unreadable' && !this.#settling.has(path)) this.#listings.forgetDirectories();
      },
    };
  }

  /** In a single run, time before the run counts too. */
  #restedMs(identity: FileIdentity): number {
    const { fileSystem } = this.#presence;
    return this.#isOnce && fileSystem && this.#clockTrust.isGiven
      ? restedMs(identity, fileSystem, this.#deps.clock.now())
      : 0;
  }

  /** Directories that could not be listed by this run; for the exit status of `--once`. */
  get unreadableDirs(): number {
    return this.#listings.unreadableDirs;
  }

  get status() {
    const { path } = this.#deps.settings;
    const settling = this.#settling.size;
    return {
      path,
      ...this.#presence.state,
      mode: this.#isPolled ? ('polled' as const) : ('events' as const),
      fileSystem: this.#presence.fileSystem?.name ?? null,
      settling,
      lastListing: this.#listings.last,
    };
  }

  /** Call it after the machine slept: events may have been lost, and cached directories are out of date. */
  woke(): void {
    this.#listings.forgetDirectories();
    this.#relistSoon = true;
    this.#watchNotifier.notify();
  }

  /** Call it when a document of this folder was accepted: its files may be archived or deleted, if so configured. */
  disposeSoon(): void {
    this.#disposal.soon();
    this.#watchNotifier.notify();
  }

  /**
   * Whether every file that was in the folder at `at` (monotonic milliseconds) has been decided on; if not, requests a listing.
   * A folder that can't be listed makes only its own documents (`isOwn`) wait, so that its trouble stays local (promise P4). If
   * a document of another folder was moved into it, it is queued again under its name when it is found.
   */
  isLookedThroughSince(at: number, isOwn: boolean): boolean {
    if (this.#isOver || this.#listings.progress.isThroughSince(at)) return true;
    const { state } = this.#presence.state;
    // By then, the leader has listed it; bytes missing here may be with the agent that admitted the document.
    if (state === 'standby') return !isOwn || this.#deps.clock.monotonic() - at >= LED_ELSEWHERE_MS;
    const isAway = state !== 'starting' && state !== 'watching';
    if (!isOwn && (isAway || this.#listings.progress.isStuckSince(at))) return true;
    if (!this.#listings.progress.hasBegunSince(at)) {
      this.#listings.ask();
      this.#watchNotifier.notify();
    }
    return false;
  }

  /** Watches the folder; resolves when aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const settled = this.#settle(signal);
    while (!signal.aborted) {
      const found = await this.#presence.look();
      if (found?.state === 'present' && !this.#mustWait) await this.#watchWhilePresent(found, signal);
      if (!signal.aborted) await this.#watchNotifier.wait(PRESENCE_MS, signal);
    }
    await settled;
    await this.#presence.release();
    this.#deps.watchLimit.over(this.#deps.settings.path);
  }

  /** Whether this machine can reach the folder, no matter which agent takes it in. */
  async isReachable(): Promise<boolean> {
    return this.#presence.isReachable();
  }

  /** Another agent takes in this shared folder now. Call it after `run` has ended; `run` may be called again later. */
  standBy(message: string): void {
    if (this.#presence.state.state !== 'standby') {
      this.#settling.forget();
      this.#trouble.unreadable(this.#settling.unreadable);
      this.#away.letGo();
    }
    this.#presence.standBy(message);
  }

  /** Accepts the folder although none of its known files is in it; a person confirmed that. */
  async takeOver(): Promise<void> {
    await this.#presence.takeOver();
    this.#watchNotifier.notify();
  }

  /** Lists the folder once; resolves true when every file is admitted or noted, false if the folder is not there. */
  async runOnce(signal: AbortSignal): Promise<boolean> {
    const found = await this.#presence.look();
    this.#refuseWhereWritesFail();
    if (found?.state !== 'present' || !(await this.#mayWatch())) return false;
    this.#presence.watchAs(found.token);
    this.#isOnce = true;
    const stop = new AbortController();
    const settled = this.#settle(AbortSignal.any([signal, stop.signal]));
    try {
      await this.#firstListing('fresh', signal);
      while (this.#settling.size > 0) {
        signal.throwIfAborted();
        this.#refuseWhereWritesFail();
        await this.#watchNotifier.wait(PRESENCE_MS, signal);
      }
    } finally {
      stop.abort();
      await settled;
      await this.#presence.release();
      // The folder is not listed again.
      this.#isOver = true;
    }
    return true;
  }

  async dispose(signal: AbortSignal): Promise<void> {
    await this.#disposal.run(this.#presence.foreign !== null, signal);
  }

  async #watchWhilePresent({ token }: Present, signal: AbortSignal): Promise<void> {
    const { settings, log, clock } = this.#deps;
    const foreign = this.#presence.foreign;
    this.#presence.watchAs(token);
    if (!this.#hasNoEvents) await this.#events.begin();
    try {
      // Start over: the ledger has not been asked about the folder yet.
      if (await this.#whileAway(token, signal)) return;
      if (!(await this.#mayWatch())) return;
      const files = await this.#firstListing('backlog', signal);
      this.#presence.watching();
      // Another agent may have led the folder and left files that are still being split.
      this.#deps.pages?.wake();
      const times = new ListingTimes(this.#deps, files);
      while (!signal.aborted) {
        if (await this.#whileAway(token, signal)) {
          this.#listings.forget();
          // The folder was replaced.
          if (this.#away.isOn) return;
          // List soon: finds files that were not deferred, and those that are gone.
          this.#relistSoon = true;
        }
        const { hasDirs } = this.#hints;
        const { mayPassOver } = this.#listings;
        const isPolled = this.#isPolled;
        const due = times.due({ isPolled, isAskedFor: this.#listings.isAskedFor, hasDirs, mayPassOver });
        const idle = !this.#hints.hasPaths && !this.#disposal.isDue && !this.#relistSoon;
        const nextIn = Math.min(due.all, due.changed, due.dirs) - clock.monotonic();
        if (this.#writesFail) await this.#watchNotifier.wait(PRESENCE_MS, signal);
        else if (idle) await this.#watchNotifier.wait(Math.max(0, Math.min(nextIn, PRESENCE_MS)), signal);
        if (signal.aborted) return;
        if (this.#writesFail) {
          // No file was examined meanwhile, so that time must not count as progress.
          this.#listings.progress.forget();
          continue;
        }
        await this.#hints.work();
        if (this.#disposal.isDue) await this.dispose(signal);
        const present = await this.#presence.look();
        if (present?.state !== 'present' || present.token !== token || this.#presence.foreign !== foreign)
          return;
        // Files that arrived before events were available again.
        if (await this.#events.tryAgain()) this.#relistSoon = true;
        const now = clock.monotonic();
        const isFull = this.#relistSoon || now >= due.all;
        const isOver = now >= due.changed;
        if (!isFull && !isOver && now < due.dirs) continue;
        const waitedBefore = this.#settling.roomWaitedMs;
        const dirs = this.#hints.takeDirs();
        let compared = 0;
        if (isFull) {
          this.#relistSoon = false;
          compared = await this.#listings.all('fresh', signal);
        } else if (isOver) compared = await this.#listings.changed(signal);
        else for (const dir of dirs) await this.#listings.directory(dir, signal);
        const what = isFull ? 'all' : isOver ? 'changed' : 'dirs';
        times.listed(now, what, compared, this.#settling.roomWaitedMs - waitedBefore);
      }
    } catch (error) {
      if (signal.aborted) return;
      const fields = { folder: settings.path, ...describeError(error) };
      // If the folder went away or the ledger can't be written, the listing is retried; both are reported elsewhere.
      if (this.#writesFail) this.#presence.holdUp();
      if (isUnreachable(systemCode(error)) || this.#writesFail)
        log.debug('The listing was cut short', fields);
      else log.warn('The folder could not be listed; trying again', fields);
    } finally {
      this.#listings.forget();
      await this.#events.end();
    }
  }

  /** Watches without the ledger while that is away and the folder is the same. False if the ledger is reachable. */
  async #whileAway(token: string, signal: AbortSignal): Promise<boolean> {
    if (!this.#away.isOn) return false;
    const isStill = async (): Promise<boolean> => {
      const now = await this.#presence.look();
      return now?.state === 'present' && now.token === token;
    };
    const isPolled = (): boolean => this.#isPolled;
    const round = { ...this.#times, hints: this.#hints, notifier: this.#watchNotifier, isStill, isPolled };
    await this.#away.watch(round, signal);
    if (!this.#away.isOn) this.#watchNotifier.notify();
    return true;
  }

  /**
   * False in a foreign folder that was never watched: the first watch decides what to do with existing files, so it waits for
   * the folder itself, or for a person to confirm this one. The ledger may know files already, from while it was away.
   */
  async #mayWatch(): Promise<boolean> {
    const { ledger, settings } = this.#deps;
    return this.#presence.foreign === null || !(await ledger.isFirstWatch(settings.path));
  }

  async #firstListing(lane: Lane, signal: AbortSignal): Promise<number> {
    const { settings, ledger, log, confirmAbove } = this.#deps;
    if (this.#presence.foreign === null) await this.#disposal.recover(signal);
    const isFirstWatch = await ledger.isFirstWatch(settings.path);
    await this.#disposal.begin(isFirstWatch);
    if (isFirstWatch) {
      const { sent, skipped } = await firstWatch(this.#listings.deps, signal);
      // Only now: before its first watch, the ledger has no record of the folder, nor of its file system.
      await this.takeOver();
      const say = sent > confirmAbove ? log.warn.bind(log) : log.info.bind(log);
      say('Watching a folder for the first time', {
        folder: settings.path,
        filesToSend: sent,
        filesSkipped: skipped,
      });
    }
    this.#presence.firstWatched();
    await this.#endTakeover(signal);
    return this.#listings.all(lane, signal);
  }

  /** Leaves alone files that another agent may have sent. Runs after the first watch, which applies `existing`. */
  async #endTakeover(signal: AbortSignal): Promise<void> {
    const until = this.#presence.othersUntil;
    if (until === null) return;
    // A share has its own clock, so that no file in it is certainly newer.
    const untilNs = this.#presence.isOnNetwork ? null : BigInt(until) * 1_000_000n;
    const isNewer = ({ ctimeNs }: FileIdentity) => untilNs !== null && ctimeNs >= untilNs;
    const left = await leaveFormerFiles(this.#listings.deps, isNewer, signal);
    await this.#presence.takenOver();
    this.#deps.log.info('Took the folder over from another agent', {
      folder: this.#deps.settings.path,
      filesLeft: left,
    });
    this.#trouble.takenOver(left);
  }

  #hint(absolute: string, isDirectory = false): void {
    const { path: folder, recursive } = this.#deps.settings;
    const path = absolute === folder ? '' : relativeTo(folder, absolute);
    if (path === null) return;
    if (isDirectory && recursive) this.#hints.addDir(path);
    else this.#hints.add(path);
    this.#watchNotifier.notify();
  }

  #settle(signal: AbortSignal): Promise<void> {
    const onExamined = (): void => {
      this.#trouble.unreadable(this.#settling.unreadable);
      if (this.#settling.size === 0) this.#watchNotifier.notify();
    };
    return settleLoop(this.#examineDeps, this.#settleNotifier, onExamined, signal);
  }

  get #hasNoEvents(): boolean {
    return this.#deps.settings.watch === 'poll' || this.#presence.isOnNetwork;
  }

  get #times(): Times {
    return { areForeign: this.#presence.isOnNetwork, areCoarse: this.#presence.hasCoarseClock };
  }

  get #isPolled(): boolean {
    return this.#hasNoEvents || this.#events.areMissed;
  }

  get #writesFail(): boolean {
    return this.#deps.ledger.storage.trouble() !== null;
  }

  #refuseWhereWritesFail(): void {
    const trouble = this.#deps.ledger.storage.trouble();
    if (trouble) throw new ReceiptdError(trouble.code, trouble.message, { hint: trouble.hint });
  }

  /** Whether files have to wait, because the ledger can't be written and nothing replaces it meanwhile. */
  get #mustWait(): boolean {
    return this.#writesFail && !this.#away.isOn;
  }

  /** Checks the folder's file system if it is present; resolves the mark of the one it belongs to. See `OfflineModeDeps`. */
  lookAtMount(): Promise<string | null> {
    return this.#presence.belongsOn();
  }
}
