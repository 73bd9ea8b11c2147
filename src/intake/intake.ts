import type { FileIdentity, Lane } from '../core/domain/document.ts';
import { describeError, ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { isUnreachable } from '../core/domain/unreachable.ts';
import type { FileSystem, FolderAvailability, FolderClaims, FolderHints } from '../core/ports/folder.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { Admitted } from '../core/ports/ledgerIntake.ts';
import { ClockTrust, restedMs } from './settle/atRest.ts';
import { NEVER_AWAY, type LedgerAway, type OwnFolder, type Times } from './ledgerAway.ts';
import { DISPOSE_AGAIN_MS, DisposalWaits } from './dispose/disposalWaits.ts';
import { disposeAccepted, recoverAside } from './dispose/dispose.ts';
import type { ExamineDeps } from './settle/examine.ts';
import { FolderClaim } from './presence/folderClaim.ts';
import { FolderEvents } from './watch/folderEvents.ts';
import { MountIdentity, hasCoarseClock } from './presence/mountIdentity.ts';
import { FolderState, type FolderTimes } from './presence/folderState.ts';
import { leaveFormerFiles } from './scan/formerFiles.ts';
import { FolderTrouble } from './presence/folderTrouble.ts';
import { HintQueue } from './watch/hintQueue.ts';
import { ListingTimes } from './scan/listingTimes.ts';
import { ScanProgress } from './scan/scanProgress.ts';
import { handleHint } from './watch/handleHint.ts';
import { OtherArchiver } from './presence/otherArchiver.ts';
import { relativeTo } from '../core/paths.ts';
import { firstWatch, reconcile, type ReconcileDeps } from './scan/reconcile.ts';
import { LedgerSink, type LedgerSinkDeps } from './settle/ledgerSink.ts';
import { settleLoop } from './settle/settleLoop.ts';
import { OriginalsRule } from './dispose/originalsRule.ts';
import { Settling } from './settle/settling.ts';
import { SharedRun } from './sharedRun.ts';
import { DirectoryCache, type LookOver } from './scan/directoryCache.ts';
import { UnreadableDirs } from './scan/unreadableDirs.ts';
import { Notifier } from '../core/notifier.ts';
import { mountGuard } from './presence/mountGuard.ts';
import type { WatchLimit } from './watch/watchLimit.ts';

/** Files of one folder that may be in memory because they are not at rest yet. */
const SETTLING_CAPACITY = 500;
/** How often a folder's presence is looked at. */
const PRESENCE_MS = 2_000;
/** How soon it is looked again whether all that lies in the folder is known. */
const RULE_AGAIN_MS = 500;
/**
 * A file is read no sooner than this after its last change where the file system's clock is coarse: whatever is
 * written after the reading then bears another time. Otherwise a scanner that overwrites a file within the same tick,
 * with as many bytes, would leave it as the ledger knows it, and the second scan would never be seen.
 */
const COARSE_QUIET_MS = 2_000;
/** For so long a document of a folder that another agent leads is looked for: it may have been renamed there. */
const LED_ELSEWHERE_MS = 60_000;

export interface IntakeDeps
  extends
    Omit<ExamineDeps, 'settling' | 'sink' | 'lookAtMount' | 'mark' | 'onNote'>,
    Omit<LedgerSinkDeps, 'lookAtMount'> {
  /** Stands in for a shared ledger that is away. Not there: the ledger is this agent's own. */
  readonly ledgerAway?: ((folder: OwnFolder) => LedgerAway) | undefined;
  readonly hints: FolderHints;
  /** Not there: no other agent can be on this machine. */
  readonly claims?: FolderClaims | undefined;
  /** See `FolderClaimDeps`. */
  readonly takeOverAfterMs: number;
  readonly incidents: Incidents;
  /** Of the process; not there: of this intake alone. */
  readonly folderTimes?: FolderTimes | undefined;
  /** Shared by all folders. */
  readonly watchLimit: WatchLimit;
  readonly reconcileEveryMs: number;
  /** Where there are no events, or they can't be relied on. */
  readonly pollEveryMs: number;
  /** How long ago the machine was started. */
  readonly upForMs?: (() => number) | undefined;
  /** See `ListingTimesDeps`. */
  readonly comparedApartMs?: number | undefined;
  /** `existing: send` says so when more files than this lie in a folder that is first watched. */
  readonly confirmAbove: number;
  /** This file was found not to be sendable as it is. */
  readonly onAmiss?: (path: string) => void;
}

type Present = FolderAvailability & { readonly state: 'present' };

/**
 * One watched folder, from events and listings to admitted documents:
 *
 *   absent ──appears──▶ starting (first listing) ──▶ watching ──replaced, gone, unreadable──▶ absent
 *
 * Events say where to look; the listing says what is there. A folder that is absent is waited for. One that is foreign
 * (see mountIdentity.ts) is watched like any other, so that what comes into it is admitted, but shows as unreachable, and
 * nothing in it counts as gone. One that another agent on this machine takes in is waited for, too.
 * While a shared ledger is away, all that the listing would have asked of it waits (ledgerAway.ts).
 */
export class Intake {
  readonly #deps: IntakeDeps;
  readonly #settling: Settling;
  readonly #scanProgress: ScanProgress;
  readonly #disposalWaits: DisposalWaits;
  readonly #originalsRule: OriginalsRule;
  readonly #mount: MountIdentity;
  readonly #claim: FolderClaim;
  readonly #trouble: FolderTrouble;
  readonly #state: FolderState;
  readonly #events: FolderEvents;
  readonly #otherArchiver: OtherArchiver;
  readonly #examineDeps: ExamineDeps;
  readonly #reconcileDeps: ReconcileDeps;
  readonly #settleNotifier: Notifier;
  readonly #watchNotifier: Notifier;
  readonly #hints: HintQueue;
  readonly #away: LedgerAway;
  readonly #unreadableDirs: UnreadableDirs;
  readonly #directories = new DirectoryCache();
  readonly #clockTrust: ClockTrust;
  #disposeSoon = false;
  #disposeNotBefore = 0;
  #relistSoon = false;
  #isAskedFor = false;
  #isOver = false;
  #isOnce = false;
  /** Its first watch is recorded. */
  #isWatched = false;
  #lastListing: number | null = null;
  #fileSystem: FileSystem | null = null;
  /** Of the folder as it is watched now. */
  #token: string | null = null;
  #foreign: string | null = null;
  /** Directories that could not be listed by this run; for the exit status of `--once`. */
  unreadableDirs = 0;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    this.#clockTrust = new ClockTrust(deps.clock, deps.upForMs?.() ?? Infinity);
    this.#settling = new Settling(deps.clock, deps.settings.settle, SETTLING_CAPACITY);
    this.#scanProgress = new ScanProgress(deps.clock, this.#settling);
    this.#disposalWaits = new DisposalWaits(deps.clock);
    this.#originalsRule = new OriginalsRule({
      ...deps,
      isLookedThroughSince: (at) => this.#scanProgress.isThroughSince(at),
    });
    this.#settleNotifier = new Notifier(deps.clock);
    this.#watchNotifier = new Notifier(deps.clock);
    const { folder, settings } = deps;
    const onSeen = (): void => this.#settleNotifier.notify();
    this.#away = deps.ledgerAway?.({ folder, settings, settling: this.#settling, onSeen }) ?? NEVER_AWAY;
    this.#mount = new MountIdentity(deps);
    const { path, share = null } = settings;
    this.#claim = new FolderClaim({ ...deps, path, isShared: share !== null });
    this.#trouble = new FolderTrouble(deps.settings.path, deps.incidents);
    this.#unreadableDirs = new UnreadableDirs(deps.settings.path, deps.log);
    this.#state = new FolderState(deps.settings.path, deps, this.#trouble);
    this.#events = new FolderEvents(deps, (path, isDirectory) => this.#hint(path, isDirectory));
    const mountLooks = new SharedRun(() =>
      // Known of the ledger alone, which is asked before what was deferred is admitted.
      this.#lookNow(async (fileSystem) => !this.#away.isOn && (await this.#mount.look(fileSystem))),
    );
    this.#otherArchiver = new OtherArchiver({
      ...deps,
      onProven: (paths, archivedTo) => this.#trouble.takenElsewhere(paths, archivedTo),
    });
    const lookAtMount = (): Promise<void> => mountLooks.ask();
    const onAdmitted = (admitted: Admitted): void => {
      this.#otherArchiver.admitted(admitted);
      deps.onAdmitted(admitted);
    };
    const sink = this.#away.sinkOver(new LedgerSink({ ...deps, lookAtMount, onAdmitted }));
    this.#examineDeps = {
      ...deps,
      sink,
      folder: mountGuard(
        folder,
        (file) => sink.knows(file),
        () => this.#isInPlace(),
      ),
      settling: this.#settling,
      lookAtMount,
      mark: () => this.#fileSystem?.mark ?? null,
      onNote: (verdict, path) => {
        deps.onAmiss?.(path);
        // One that is not tried again by itself is tried at every listing.
        if (verdict === 'unreadable' && !this.#settling.has(path)) this.#directories.forget();
      },
    };
    this.#reconcileDeps = {
      ...deps,
      settling: this.#settling,
      isInPlace: () => this.#isInPlace(),
      restedMs: (identity) =>
        this.#isOnce && this.#fileSystem && this.#clockTrust.isGiven
          ? restedMs(identity, this.#fileSystem, deps.clock.now())
          : 0,
      onSeen,
      onMissed: () => this.#directories.forget(),
      onGone: (paths) => this.#otherArchiver.missing(paths),
      onUnreadableDir: (path, code) => this.#unreadableDir(path, code),
      onIdentity: (identity) => this.#away.compared(identity),
      cameBeforeFirstWatch: (identity) => this.#away.cameBeforeFirstWatch(identity, this.#times),
      hasTaken: (file, identity) => this.#away.hasTaken(file, identity),
    };
    this.#hints = new HintQueue({
      clock: deps.clock,
      handleHint: (path) =>
        this.#away.isOn ? this.#away.handleHint(path, this.#times) : handleHint(path, this.#reconcileDeps),
      onHandled: onSeen,
      onMissed: () => this.#directories.forget(),
      mayHandle: () => !this.#mustWait,
    });
  }

  get status() {
    const { path } = this.#deps.settings;
    const settling = this.#settling.size;
    return {
      path,
      ...this.#state.now,
      mode: this.#isPolled ? ('polled' as const) : ('events' as const),
      fileSystem: this.#fileSystem?.name ?? null,
      settling,
      lastListing: this.#lastListing,
    };
  }

  /** The machine was asleep: events may have been lost, and what is known of directories is out of date. */
  woke(): void {
    this.#directories.forget();
    this.#relistSoon = true;
    this.#watchNotifier.notify();
  }

  /** A document of this folder was accepted: its files may be disposed of, if so configured. */
  disposeSoon(): void {
    this.#disposeSoon = true;
    this.#watchNotifier.notify();
  }

  /**
   * Whether all that lay in the folder at `at` (monotonic milliseconds) is known by now; if not, it is listed again soon.
   * Only for documents of its own (`isOwn`) does that matter while the folder can't be listed: its trouble stays in it
   * (promise P4), and a file that was moved into it is queued again, under its name, when it is found.
   */
  isLookedThroughSince(at: number, isOwn: boolean): boolean {
    if (this.#isOver || this.#scanProgress.isThroughSince(at)) return true;
    const { state } = this.#state.now;
    // Who leads it has listed it by then; what is missing here may be with the agent that admitted it.
    if (state === 'standby') return !isOwn || this.#deps.clock.monotonic() - at >= LED_ELSEWHERE_MS;
    const isAway = state !== 'starting' && state !== 'watching';
    if (!isOwn && (isAway || this.#scanProgress.isStuckSince(at))) return true;
    if (!this.#scanProgress.hasBegunSince(at)) {
      this.#isAskedFor = true;
      this.#watchNotifier.notify();
    }
    return false;
  }

  /** Watches until aborted; resolves then. */
  async run(signal: AbortSignal): Promise<void> {
    const settled = this.#settle(signal);
    while (!signal.aborted) {
      const found = await this.#availability();
      if (found?.state === 'present' && !this.#mustWait) await this.#watchWhilePresent(found, signal);
      if (!signal.aborted) await this.#watchNotifier.wait(PRESENCE_MS, signal);
    }
    await settled;
    await this.#claim.release();
    this.#deps.watchLimit.over(this.#deps.settings.path);
  }

  /** Whether the folder is there for this machine, no matter who takes in what comes into it. */
  async isReachable(): Promise<boolean> {
    const found = await this.#deps.folder.availability().catch(() => null);
    return found?.state === 'present';
  }

  /** Another agent takes in what comes into this shared folder; `run` has ended. `run` may be called again. */
  standBy(message: string): void {
    if (this.#state.now.state !== 'standby') {
      this.#settling.forget();
      this.#trouble.unreadable(this.#settling.unreadable);
      this.#away.letGo();
    }
    this.#state.enter('standby', message);
  }

  /** A person says that the folder is what it is now, although none of its known files is there. */
  async takeOver(): Promise<void> {
    if (this.#fileSystem) await this.#mount.takeOver(this.#fileSystem.mark);
    this.#watchNotifier.notify();
  }

  /** One listing; resolves when everything in it is admitted or noted. False if the folder is not there. */
  async runOnce(signal: AbortSignal): Promise<boolean> {
    const found = await this.#availability();
    this.#refuseWhereWritesFail();
    if (found?.state !== 'present') return false;
    this.#token = found.token;
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
      await this.#claim.release();
      // Nobody lists it again.
      this.#isOver = true;
    }
    return true;
  }

  async dispose(signal: AbortSignal): Promise<void> {
    this.#disposeSoon = false;
    if (this.#foreign !== null) return;
    const stays = await this.#originalsRule.stays();
    const onMissing = (path: string): Promise<void> => this.#otherArchiver.missing([path]);
    const deps = { ...this.#deps, onMissing };
    if (stays !== null && (await disposeAccepted(deps, { stays, waits: this.#disposalWaits }, signal)))
      return;
    if (this.#deps.settings.afterUpload === 'keep') return;
    this.#disposeSoon = true;
    const again = stays === null ? RULE_AGAIN_MS : DISPOSE_AGAIN_MS;
    this.#disposeNotBefore = this.#deps.clock.monotonic() + again;
  }

  get #mayDispose(): boolean {
    const isWanted = this.#disposeSoon || this.#disposalWaits.isOver;
    return isWanted && this.#deps.clock.monotonic() >= this.#disposeNotBefore;
  }

  async #watchWhilePresent({ token }: Present, signal: AbortSignal): Promise<void> {
    const { settings, log, clock } = this.#deps;
    const foreign = this.#foreign;
    this.#token = token;
    if (!this.#hasNoEvents) await this.#events.begin();
    try {
      // Restarted after that: what the ledger knows of the folder was not asked for yet.
      if (await this.#whileAway(token, signal)) return;
      const files = await this.#firstListing('backlog', signal);
      this.#state.enter(this.#foreign === null ? 'watching' : 'unreachable', this.#foreign);
      const times = new ListingTimes(this.#deps, files);
      while (!signal.aborted) {
        if (await this.#whileAway(token, signal)) {
          this.#scanProgress.forget();
          this.#directories.forget();
          // It is another folder by now.
          if (this.#away.isOn) return;
          // What was not deferred, and what is gone.
          this.#relistSoon = true;
        }
        const { hasDirs } = this.#hints;
        const mayPassOver = !this.#directories.isEmpty;
        const isPolled = this.#isPolled;
        const due = times.due({ isPolled, isAskedFor: this.#isAskedFor, hasDirs, mayPassOver });
        const idle = !this.#hints.hasPaths && !this.#mayDispose && !this.#relistSoon;
        const nextIn = Math.min(due.all, due.changed, due.dirs) - clock.monotonic();
        if (this.#writesFail) await this.#watchNotifier.wait(PRESENCE_MS, signal);
        else if (idle) await this.#watchNotifier.wait(Math.max(0, Math.min(nextIn, PRESENCE_MS)), signal);
        if (signal.aborted) return;
        if (this.#writesFail) {
          // No file was examined meanwhile, so that time says nothing of them.
          this.#scanProgress.forget();
          continue;
        }
        await this.#hints.work();
        if (this.#mayDispose) await this.dispose(signal);
        const present = await this.#availability();
        if (present?.state !== 'present' || present.token !== token || this.#foreign !== foreign) return;
        // Whatever came before the watch began.
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
          compared = await this.#listAll('fresh', signal);
        } else if (isOver) compared = await this.#lookOver(signal);
        else for (const dir of dirs) await this.#listDirty(dir, signal);
        const what = isFull ? 'all' : isOver ? 'changed' : 'dirs';
        times.listed(now, what, compared, this.#settling.roomWaitedMs - waitedBefore);
      }
    } catch (error) {
      if (signal.aborted) return;
      const fields = { folder: settings.path, ...describeError(error) };
      // The folder went away while it was listed, or the ledger can't be written: both are tried again, and said elsewhere.
      if (this.#writesFail) this.#holdUp();
      if (isUnreachable(systemCode(error)) || this.#writesFail)
        log.debug('The listing was cut short', fields);
      else log.warn('The folder could not be listed; trying again', fields);
    } finally {
      this.#scanProgress.forget();
      this.#directories.forget();
      await this.#events.end();
    }
  }

  /** Watches without the ledger, for as long as that is away and the folder is this one. False if the ledger is there. */
  async #whileAway(token: string, signal: AbortSignal): Promise<boolean> {
    if (!this.#away.isOn) return false;
    const isStill = async (): Promise<boolean> => {
      const now = await this.#availability();
      return now?.state === 'present' && now.token === token;
    };
    const isPolled = (): boolean => this.#isPolled;
    const round = { ...this.#times, hints: this.#hints, notifier: this.#watchNotifier, isStill, isPolled };
    await this.#away.watch(round, signal);
    if (!this.#away.isOn) this.#watchNotifier.notify();
    return true;
  }

  async #firstListing(lane: Lane, signal: AbortSignal): Promise<number> {
    const { settings, ledger, log, confirmAbove } = this.#deps;
    if (this.#foreign === null) await recoverAside(this.#deps, signal);
    const isFirstWatch = await ledger.isFirstWatch(settings.path);
    await this.#originalsRule.begin(isFirstWatch);
    if (isFirstWatch) {
      const { sent, skipped } = await firstWatch(this.#reconcileDeps, signal);
      // The ledger knows nothing of a folder before that, not even on what it lies.
      await this.takeOver();
      const say = sent > confirmAbove ? log.warn.bind(log) : log.info.bind(log);
      say('Watching a folder for the first time', {
        folder: settings.path,
        filesToSend: sent,
        filesSkipped: skipped,
      });
    }
    this.#isWatched = true;
    this.#away.letGo();
    await this.#endTakeover(signal);
    return this.#listAll(lane, signal);
  }

  /** After the first watch, whose `existing` is said of files that nobody has sent. */
  async #endTakeover(signal: AbortSignal): Promise<void> {
    const until = this.#claim.othersUntil;
    if (until === null) return;
    // A share has a clock of its own, so that nothing in it is surely newer.
    const untilNs = this.#isOnNetwork ? null : BigInt(until) * 1_000_000n;
    const isNewer = ({ ctimeNs }: FileIdentity) => untilNs !== null && ctimeNs >= untilNs;
    const left = await leaveFormerFiles(this.#reconcileDeps, isNewer, signal);
    await this.#claim.settle();
    this.#deps.log.info('Took the folder over from another agent', {
      folder: this.#deps.settings.path,
      filesLeft: left,
    });
    this.#trouble.takenOver(left);
  }

  /** Every file is compared with the ledger. Resolves how many those are. */
  async #listAll(lane: Lane, signal: AbortSignal): Promise<number> {
    this.unreadableDirs = 0;
    this.#isAskedFor = false;
    const lookOver = this.#directories.lookOver(true);
    let compared = 0;
    await this.#scanProgress.during(async () => {
      compared = await this.#listWhole({ lane, lookOver }, this.#reconcileDeps, signal);
    });
    return compared;
  }

  /** The same of directories in which something was created, renamed or deleted. */
  async #lookOver(signal: AbortSignal): Promise<number> {
    const lookOver = this.#directories.lookOver(false);
    // What was counted before is not counted again.
    const deps = this.#reconcileDeps;
    return this.#listWhole({ lane: 'fresh', lookOver }, deps, signal);
  }

  async #listWhole(
    how: { readonly lane: Lane; readonly lookOver: LookOver },
    deps: ReconcileDeps,
    signal: AbortSignal,
  ): Promise<number> {
    // What a kill kept from being disposed of, and duplicates whose document lies in another folder.
    this.#disposeSoon = true;
    const listed = this.#unreadableDirs.listing();
    const compared = await this.#list({ ...how, under: '', full: true }, deps, signal);
    listed();
    return compared;
  }

  async #list(
    how: Parameters<typeof reconcile>[1],
    deps: ReconcileDeps,
    signal: AbortSignal,
  ): Promise<number> {
    let compared = 0;
    await this.#hints.during(async () => {
      compared = await reconcile(deps, how, signal);
    });
    this.#lastListing = this.#deps.clock.now();
    return compared;
  }

  async #listDirty(dir: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#list({ under: dir, full: false, lane: 'fresh' }, this.#reconcileDeps, signal);
    } catch (error) {
      // A directory that came and went: the next full listing knows. The folder itself is another matter.
      if (dir === '' || signal.aborted) throw error;
      this.#deps.log.debug('A directory could not be listed', { path: dir, ...describeError(error) });
    }
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
    return this.#deps.settings.watch === 'poll' || this.#isOnNetwork;
  }

  get #isOnNetwork(): boolean {
    return this.#fileSystem?.network ?? false;
  }

  get #times(): Times {
    const areCoarse = this.#fileSystem !== null && hasCoarseClock(this.#fileSystem);
    return { areForeign: this.#isOnNetwork, areCoarse };
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

  /** Nothing could be done about a file. */
  get #mustWait(): boolean {
    return this.#writesFail && !this.#away.isOn;
  }

  /** Null if that can't be told now. */
  async #availability(): Promise<FolderAvailability | null> {
    try {
      const found = await this.#deps.folder.availability();
      if (found.state !== 'present') {
        this.#state.enter(found.state, found.message);
        // What lies in it once it appears was not put there before our eyes.
        if (found.state === 'missing' && !this.#writesFail && !this.#away.isOn) this.#away.letGo();
        return found;
      }
      // Who leads a shared folder is not known then, and what two of a fleet defer becomes one document.
      const isFleets = this.#away.isOn && (this.#deps.settings.share ?? null) !== null;
      const taken = isFleets ? null : await this.#claim.hold(found.token);
      if (taken !== null) {
        this.#state.enter('taken', taken);
        return null;
      }
      if (this.#writesFail || this.#away.isOn) this.#holdUp();
      this.#liesOn(found.fileSystem);
      // Known of the ledger alone; what comes into a foreign folder is deferred as it would be admitted.
      if (!this.#away.isOn) this.#foreign = await this.#mount.look(found.fileSystem);
      if (this.#foreign !== null) this.#state.enter('unreachable', this.#foreign);
      else if (this.#state.now.state !== 'watching') this.#state.enter('starting', null);
      return found;
    } catch (error) {
      const fields = { folder: this.#deps.settings.path, ...describeError(error) };
      if (isUnreachable(systemCode(error)) || this.#writesFail)
        this.#deps.log.debug('The folder could not be looked at', fields);
      else this.#deps.log.warn('The folder could not be looked at', fields);
      return null;
    }
  }

  /** Records on what the folder lies now, if it is there, and resolves where it belongs; see `OfflineModeDeps`. */
  async lookAtMount(): Promise<string | null> {
    await this.#lookNow((fileSystem) => this.#mount.look(fileSystem));
    return this.#mount.belongsOn();
  }

  #liesOn(fileSystem: FileSystem): void {
    this.#fileSystem = fileSystem;
    this.#settling.requireQuiet(hasCoarseClock(fileSystem) ? COARSE_QUIET_MS : 0);
  }

  async #lookNow(look: (fileSystem: FileSystem) => Promise<unknown>): Promise<void> {
    try {
      const found = await this.#deps.folder.availability();
      if (found.state !== 'present') return;
      this.#liesOn(found.fileSystem);
      await look(found.fileSystem);
    } catch (error) {
      // The folder won't say, which keeps no image from being admitted.
      if (systemCode(error) === undefined) throw error;
    }
  }

  /** Whether what is not in the folder is gone: not while the folder itself is away, or another stands in its place. */
  async #isInPlace(): Promise<boolean> {
    const found = await this.#deps.folder.availability();
    if (found.state !== 'present' || found.token !== this.#token) return false;
    return (await this.#mount.look(found.fileSystem)) === null;
  }

  #unreadableDir(path: string, code: string): void {
    if (code === 'ENOENT') return;
    this.unreadableDirs += 1;
    this.#unreadableDirs.met(path, code);
  }

  /** The first watch of a folder that is there waits for the ledger. */
  #holdUp(): void {
    if (!this.#isWatched) this.#away.holdUp();
  }
}
