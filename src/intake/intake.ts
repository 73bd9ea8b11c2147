import type { FileIdentity, Lane } from '../core/domain/document.ts';
import { describeError, ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { isUnreachable } from '../core/domain/unreachable.ts';
import type { WhyFact } from '../core/domain/why.ts';
import { Notifier } from '../core/notifier.ts';
import type { FolderHints } from '../core/ports/folder.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { Admitted } from '../core/ports/ledgerIntake.ts';
import { Changes, type WatchLimit } from './changes.ts';
import { FolderDisposal } from './dispose/folderDisposal.ts';
import { Examination, type ExamineDeps } from './examine.ts';
import { ListingTimes, type ListingKind, type ListingTimesDeps } from './listingTimes.ts';
import type { OfflineFolder, OfflineMode } from './offline.ts';
import type { FolderClaimDeps } from './presence/folderClaim.ts';
import { FolderTrouble } from './presence/folderTrouble.ts';
import { hasCoarseClock, mountGuard } from './presence/mountIdentity.ts';
import { OtherArchiver } from './presence/otherArchiver.ts';
import { Presence } from './presence/presence.ts';
import { Recorder, type RecorderDeps } from './record.ts';
import type { RememberedFolder } from './remembered.ts';
import { Scanner, type ScannerDeps } from './scanner.ts';
import { PastRest, UnstableFiles } from './stability.ts';

/** Longest wait between two checks of the folder's presence. */
const PRESENCE_MS = 2_000;
/** How long a missing document of a folder led by another agent may still turn up: it may have been renamed there. */
const LED_ELSEWHERE_MS = 60_000;
/**
 * Minimum age of a change before the file is read, on a file system with a coarse clock, so that a later write gets another
 * timestamp. Otherwise a scanner that overwrites a file within the same tick, with the same size, would leave it as the
 * ledger knows it, and the second scan would be missed.
 */
const COARSE_QUIET_MS = 2_000;

export interface IntakeDeps
  extends
    Pick<
      ExamineDeps,
      'folder' | 'settings' | 'inspector' | 'log' | 'memory' | 'buffers' | 'looks' | 'isWhole'
    >,
    Pick<RecorderDeps, 'ledger' | 'payloads' | 'clock' | 'host' | 'pages'>,
    Pick<FolderClaimDeps, 'claims' | 'takeOverAfterMs'>,
    Pick<ScannerDeps, 'watchedSince'>,
    ListingTimesDeps {
  readonly hints: FolderHints;
  /** Shared by the process; without it, this intake keeps its own. */
  /** What is remembered of the folder across configuration reloads. */
  readonly remembered: RememberedFolder;
  readonly watchLimit: WatchLimit;
  readonly incidents: Incidents;
  /** Stands in for an unreachable shared ledger. Left out if this agent has its own. */
  readonly offline?: OfflineMode | null;
  /** A first watch that is to send more files than this is logged as a warning. */
  readonly confirmAbove: number;
  /** Milliseconds since the machine was started. */
  readonly upForMs?: (() => number) | undefined;
  readonly onAdmitted: (admitted: Admitted) => void;
  /** A file was noted instead of sent, for example as rejected or unreadable. */
  readonly onAmiss?: (path: string) => void;
}

/**
 * One watched folder, from events and listings to admitted documents:
 *
 *   absent ──appears──▶ starting (first listing) ──▶ watching ──replaced, gone, unreadable──▶ absent
 *
 * Events say where to look; the listing says what is there. The intake waits for a folder that is absent or that another
 * agent on this machine takes in. A foreign folder (see mountIdentity.ts) is watched like any other, so that new files are
 * admitted, but it shows as unreachable, and none of its files counts as gone. Only its first watch waits.
 *
 * While a shared ledger is offline, the same rounds go on without it: files are told by their change times, images deferred
 * (offline.ts). When it is back, everything is compared again.
 */
export class Intake {
  readonly #deps: IntakeDeps;
  readonly #offline: OfflineFolder | null;
  readonly #unstable: UnstableFiles;
  readonly #pastRest: PastRest;
  readonly #trouble: FolderTrouble;
  readonly #presence: Presence;
  readonly #otherArchiver: OtherArchiver;
  readonly #changes: Changes;
  readonly #scanner: Scanner;
  readonly #disposal: FolderDisposal;
  readonly #examination: Examination;
  /** Wakes the loop that watches the folder. */
  readonly #notifier: Notifier;
  /** Wakes what looks at names while a listing is under way. */
  readonly #nameNotifier: Notifier;
  /** Wakes the examination of files. */
  readonly #dueNotifier: Notifier;
  #relistSoon = false;
  /** Whether this round compares files without the ledger. A single run, and the first listing of a folder, always ask it. */
  #isWithoutLedger = false;
  #isOver = false;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    const { folder, settings, clock, log, incidents } = deps;
    const offline = deps.offline?.of(settings) ?? null;
    this.#offline = offline;
    this.#notifier = new Notifier(clock);
    this.#nameNotifier = new Notifier(clock);
    this.#dueNotifier = new Notifier(clock);
    this.#unstable = new UnstableFiles(clock, settings.settle, { still: deps.remembered.still });
    this.#pastRest = new PastRest(clock, deps.upForMs?.() ?? Infinity);
    this.#trouble = new FolderTrouble(settings.path, incidents);
    this.#presence = new Presence({
      ...deps,
      offline,
      trouble: this.#trouble,
      onFileSystem: (found) => {
        this.#unstable.quietAtLeastMs = hasCoarseClock(found) ? COARSE_QUIET_MS : 0;
      },
    });
    this.#otherArchiver = new OtherArchiver({
      ...deps,
      onProven: (paths, archivedTo) => this.#trouble.takenElsewhere(paths, archivedTo),
    });
    this.#changes = new Changes({
      ...deps,
      onChange: () => {
        this.#notifier.notify();
        this.#nameNotifier.notify();
      },
      onLost: () => this.#scanner.forgetDirectories(),
    });
    this.#scanner = new Scanner({
      ...deps,
      offline,
      unstable: this.#unstable,
      isOffline: () => this.#isWithoutLedger,
      isInPlace: () => this.#presence.isInPlace(),
      restedMs: (identity) => this.#pastRest.ms(identity, this.#presence.fileSystem),
      times: () => this.#presence.times,
      onSeen: () => this.#dueNotifier.notify(),
      onGone: (paths) => this.#otherArchiver.missing(paths),
      onBadName: (path) => deps.onAmiss?.(path),
      onUnlisted: (directories) => this.#trouble.unlisted(directories),
      onUnwatched: (subfolders) => this.#trouble.unwatched(subfolders),
    });
    this.#disposal = new FolderDisposal({
      ...deps,
      isLookedThroughSince: (at) => this.#scanner.isThroughSince(at),
      onMissing: (path) => this.#otherArchiver.missing([path]),
      onStuck: (path, code) => this.#trouble.originalsStay({ path, code, afterUpload: settings.afterUpload }),
      onNoneStuck: () => this.#trouble.originalsStay(null),
    });
    const lookAtMount = (): Promise<void> => this.#presence.lookAtMount();
    const recorder = new Recorder({
      ...deps,
      offline,
      lookAtMount,
      onAdmitted: (admitted) => {
        this.#otherArchiver.admitted(admitted);
        deps.onAdmitted(admitted);
      },
    });
    this.#examination = new Examination({
      ...deps,
      log,
      recorder,
      unstable: this.#unstable,
      lookAtMount,
      folder: mountGuard(
        folder,
        (path) => recorder.knows(path),
        () => this.#presence.isInPlace(),
      ),
      mark: () => this.#presence.fileSystem?.mark ?? null,
      onNote: (verdict, path) => {
        deps.onAmiss?.(path);
        // If it is not retried by itself, every listing has to.
        if (verdict === 'unreadable' && !this.#unstable.has(path)) this.#scanner.forgetDirectories();
      },
      onExamined: () => {
        this.#trouble.unreadable(this.#unstable.unreadable);
        if (this.#unstable.size === 0) this.#notifier.notify();
      },
    });
  }

  /** Directories that could not be listed by this run; for the exit status of `--once`. */
  get unreadableDirs(): number {
    return this.#scanner.unreadableDirs;
  }

  get status() {
    return {
      path: this.#deps.settings.path,
      ...this.#presence.state,
      mode: this.#isPolled ? ('polled' as const) : ('events' as const),
      fileSystem: this.#presence.fileSystem?.name ?? null,
      settling: this.#unstable.size,
      lastListing: this.#scanner.last,
    };
  }

  /** Call it after the machine slept: events may have been lost, and remembered directories are out of date. */
  woke(): void {
    this.#scanner.forgetDirectories();
    this.#relistSoon = true;
    this.#notifier.notify();
  }

  /** Call it when a document of this folder was accepted: its files may be archived or deleted, if so configured. */
  disposeSoon(): void {
    this.#disposal.soon();
    this.#notifier.notify();
  }

  /**
   * Whether every file that was in the folder at `at` (monotonic milliseconds) has been decided on; if not, requests a listing.
   * A folder that can't be listed makes only its own documents (`isOwn`) wait, so that its trouble stays local (promise P4). If
   * a document of another folder was moved into it, it is queued again under its name when it is found.
   */
  isLookedThroughSince(at: number, isOwn: boolean): boolean {
    const scanner = this.#scanner;
    if (this.#isOver || scanner.isThroughSince(at)) return true;
    const { state } = this.#presence.state;
    // By then, the leader has listed it; bytes missing here may be with the agent that admitted the document.
    if (state === 'standby') return !isOwn || this.#deps.clock.monotonic() - at >= LED_ELSEWHERE_MS;
    const isAway = state !== 'starting' && state !== 'watching';
    if (!isOwn && (isAway || scanner.isStuckSince(at))) return true;
    if (!scanner.hasBegunSince(at)) {
      scanner.ask();
      this.#notifier.notify();
    }
    return false;
  }

  /** Whether this machine can reach the folder, no matter which agent takes it in. */
  async isReachable(): Promise<boolean> {
    return this.#presence.isReachable();
  }

  /** Another agent takes in this shared folder now. Call it after `run` has ended; `run` may be called again later. */
  standBy(why: WhyFact): void {
    if (this.#presence.state.state !== 'standby') {
      this.#unstable.forget();
      this.#trouble.unreadable(this.#unstable.unreadable);
      this.#offline?.letGo();
    }
    this.#presence.standBy(why);
  }

  /** Accepts the folder although none of its known files is in it; a person confirmed that. */
  async takeOver(): Promise<void> {
    await this.#presence.takeOver();
    this.#notifier.notify();
  }

  async dispose(signal: AbortSignal): Promise<void> {
    await this.#disposal.run(this.#presence.foreign !== null, signal);
  }

  /** Checks the folder's file system if it is present; resolves the mark of the one it belongs to. See `OfflineModeDeps`. */
  lookAtMount(): Promise<string | null> {
    return this.#presence.belongsOn();
  }

  /** Lists the folder once; resolves true when every file is admitted or noted, false if the folder is not there. */
  async runOnce(signal: AbortSignal): Promise<boolean> {
    const found = await this.#presence.look();
    this.#refuseWhereWritesFail();
    if (found?.state !== 'present' || !(await this.#mayBegin())) return false;
    this.#presence.watchAs(found.token);
    this.#pastRest.count();
    const stop = new AbortController();
    const examined = this.#examination.run(this.#dueNotifier, AbortSignal.any([signal, stop.signal]));
    try {
      await this.#begin('fresh', signal);
      while (this.#unstable.size > 0) {
        signal.throwIfAborted();
        this.#refuseWhereWritesFail();
        await this.#notifier.wait(PRESENCE_MS, signal);
      }
    } finally {
      stop.abort();
      await examined;
      await this.#presence.release();
      // The folder is not listed again.
      this.#isOver = true;
    }
    return true;
  }

  /** Watches the folder; resolves when aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { settings, watchLimit } = this.#deps;
    const examined = this.#examination.run(this.#dueNotifier, signal);
    const deaf = this.#offline?.onChange(() => this.#notifier.notify());
    while (!signal.aborted) {
      const found = await this.#presence.look();
      if (found?.state === 'present' && !this.#mustWait) await this.#whilePresent(found.token, signal);
      if (!signal.aborted) await this.#notifier.wait(PRESENCE_MS, signal);
    }
    deaf?.();
    await examined;
    await this.#presence.release();
    watchLimit.over(settings.path);
  }

  /** Watches until the folder is gone, replaced or can't be listed, or `signal` aborts. `token`: which folder it is. */
  async #whilePresent(token: string, signal: AbortSignal): Promise<void> {
    const { settings, log } = this.#deps;
    const presence = this.#presence;
    presence.watchAs(token);
    if (!this.#hasNoEvents) await this.#changes.begin();
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
      this.#scanner.forget();
      await this.#changes.end();
    }
  }

  async #watch(token: string, signal: AbortSignal): Promise<void> {
    const presence = this.#presence;
    const { foreign } = presence;
    // The first listing waits until the ledger can be asked about the folder.
    this.#isWithoutLedger = this.#isOffline;
    const isBegun = !this.#isWithoutLedger;
    let files = 0;
    if (isBegun) {
      if (!(await this.#mayBegin())) return;
      files = await this.#begin('backlog', signal);
      presence.watching();
      // Another agent may have led the folder and left files that are still being split.
      this.#deps.pages?.wake();
    } else this.#relistSoon = true;
    const times = new ListingTimes(this.#deps, files);
    while (!signal.aborted) {
      await this.#rest(times, signal);
      if (signal.aborted) return;
      if (this.#isOffline !== this.#isWithoutLedger) {
        this.#isWithoutLedger = !this.#isWithoutLedger;
        if (!this.#isWithoutLedger && !isBegun) return;
        // Finds files that were not deferred, and those that are gone.
        this.#relistSoon = true;
        this.#scanner.forget();
      }
      if (this.#mustWait) {
        // No file was examined meanwhile, so that time must not count as progress.
        this.#scanner.forgetProgress();
        continue;
      }
      await this.#lookAtNames();
      if (!this.#isOffline && this.#disposal.isDue) await this.#disposal.run(foreign !== null, signal);
      const present = await presence.look();
      if (present?.state !== 'present' || present.token !== token || presence.foreign !== foreign) return;
      // Files that arrived before events were available again.
      if (await this.#changes.tryAgain()) this.#relistSoon = true;
      const due = this.#relistSoon ? 'all' : times.dueNow(this.#need);
      if (due !== null) await this.#list(due, times, signal);
    }
  }

  /** Waits until there is something to do. */
  async #rest(times: ListingTimes, signal: AbortSignal): Promise<void> {
    const mayDispose = this.#disposal.isDue && !this.#isOffline;
    if (this.#mustWait) await this.#notifier.wait(PRESENCE_MS, signal);
    else if (!this.#changes.hasNames && !mayDispose && !this.#relistSoon)
      await this.#notifier.wait(Math.min(times.nextIn(this.#need), PRESENCE_MS), signal);
  }

  async #list(kind: ListingKind, times: ListingTimes, signal: AbortSignal): Promise<void> {
    const scanner = this.#scanner;
    const from = this.#deps.clock.monotonic();
    const waitedBefore = this.#unstable.roomWaitedMs;
    // A listing of the whole folder covers these too.
    const dirs = this.#changes.takeDirs();
    if (kind === 'all') this.#relistSoon = false;
    const isBack = new AbortController();
    const until = this.#isWithoutLedger ? AbortSignal.any([signal, isBack.signal]) : signal;
    const deaf = this.#offline?.onChange(() => {
      if (this.#isWithoutLedger && !this.#isOffline) isBack.abort();
    });
    try {
      const compared = await this.#beside(async () => {
        if (kind === 'all') return this.#all('fresh', until);
        if (kind === 'changed') {
          this.#disposal.soon();
          return scanner.changed(until);
        }
        for (const dir of dirs) await scanner.directory(dir, until);
        return 0;
      });
      times.listed(from, kind, compared, this.#unstable.roomWaitedMs - waitedBefore);
    } catch (error) {
      if (signal.aborted || !isBack.signal.aborted) throw error;
      // The ledger is back, and everything is compared with it now.
      this.#relistSoon = true;
    } finally {
      deaf?.();
    }
  }

  #all(lane: Lane, signal: AbortSignal): Promise<number> {
    // Disposals that a crash interrupted, and duplicates of documents from other folders.
    this.#disposal.soon();
    return this.#scanner.all(lane, signal);
  }

  /** Looks at what events report while `list` runs, which may take minutes. Rejects like `list` or, if that succeeds, like a failed look. */
  async #beside(list: () => Promise<number>): Promise<number> {
    const over = new AbortController();
    const following = this.#follow(over.signal);
    // Awaited below, after the listing.
    following.catch(() => undefined);
    let compared: number;
    try {
      compared = await list();
    } finally {
      over.abort();
      await following.catch(() => undefined);
    }
    await following;
    return compared;
  }

  async #follow(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      if (!this.#mustWait) await this.#lookAtNames();
      await this.#nameNotifier.wait(this.#changes.hasNames ? PRESENCE_MS : null, over);
    }
  }

  async #lookAtNames(): Promise<void> {
    for (const [dir, names] of this.#changes.takeNames())
      for (const each of await this.#scanner.look(dir, [...names])) this.#changes.alsoList(each);
  }

  /**
   * False in a foreign folder that was never watched: the first watch decides what to do with existing files, so it waits for
   * the folder itself, or for a person to confirm this one. The ledger may know files already, from while it was away.
   */
  async #mayBegin(): Promise<boolean> {
    const { ledger, settings } = this.#deps;
    return this.#presence.foreign === null || !(await ledger.isFirstWatch(settings.path));
  }

  /** The first listing after a folder appears, and what is decided before. Resolves the number of files compared. */
  async #begin(lane: Lane, signal: AbortSignal): Promise<number> {
    const { settings, ledger, log, confirmAbove } = this.#deps;
    const presence = this.#presence;
    if (presence.foreign === null) await this.#disposal.recover(signal);
    const isFirstWatch = await ledger.isFirstWatch(settings.path);
    await this.#disposal.begin(isFirstWatch);
    if (isFirstWatch) {
      const { sent, skipped } = await this.#scanner.firstWatch(signal);
      // Only now: before its first watch, the ledger has no record of the folder, nor of its file system.
      await presence.takeOver();
      const say = sent > confirmAbove ? log.warn.bind(log) : log.info.bind(log);
      say('folderFirstWatched', { folder: settings.path, filesToSend: sent, filesSkipped: skipped });
    }
    presence.firstWatched();
    // After the first watch, which applies `existing`.
    await this.#endTakeover(signal);
    return this.#beside(() => this.#all(lane, signal));
  }

  /** Leaves alone files that another agent may have sent. */
  async #endTakeover(signal: AbortSignal): Promise<void> {
    const { settings, log } = this.#deps;
    const until = this.#presence.othersUntil;
    if (until === null) return;
    // A share has its own clock, so that no file in it is certainly newer.
    const untilNs = this.#presence.times.areForeign ? null : BigInt(until) * 1_000_000n;
    const isNewer = ({ ctimeNs }: FileIdentity) => untilNs !== null && ctimeNs >= untilNs;
    const left = await this.#scanner.leaveFormerFiles(isNewer, signal);
    await this.#presence.takenOver();
    log.info('folderTakenOver', { folder: settings.path, filesLeft: left });
    this.#trouble.takenOver(left);
  }

  get #need() {
    const { isAskedFor, mayPassOver } = this.#scanner;
    return { isPolled: this.#isPolled, isAskedFor, hasDirs: this.#changes.hasDirs, mayPassOver };
  }

  get #hasNoEvents(): boolean {
    return this.#deps.settings.watch === 'poll' || this.#presence.times.areForeign;
  }

  /** Whether the folder is listed at intervals, because it has no events or they are missed. */
  get #isPolled(): boolean {
    return this.#hasNoEvents || this.#changes.areMissed;
  }

  get #isOffline(): boolean {
    return this.#offline?.isOn === true;
  }

  get #writesFail(): boolean {
    return this.#deps.ledger.storage.trouble() !== null;
  }

  /** Whether files have to wait, because the ledger can't be written and nothing stands in for it. */
  get #mustWait(): boolean {
    return this.#writesFail && !this.#isOffline;
  }

  #refuseWhereWritesFail(): void {
    const trouble = this.#deps.ledger.storage.trouble();
    if (trouble) throw new ReceiptdError(trouble);
  }
}
