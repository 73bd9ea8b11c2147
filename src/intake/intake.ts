import { ReceiptdError } from '../core/domain/errors.ts';
import { createStages, type FolderStages, type IntakeDeps } from './folderStages.ts';
import { PRESENCE_MS } from './folderWatch.ts';
import { settleLoop } from './settle/settleLoop.ts';
import type { WhyFact } from '../core/domain/why.ts';

/** How long a missing document of a folder led by another agent may still turn up: it may have been renamed there. */
const LED_ELSEWHERE_MS = 60_000;

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
  readonly #stages: FolderStages;
  #isOver = false;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    this.#stages = createStages(deps);
  }

  /** Directories that could not be listed by this run; for the exit status of `--once`. */
  get unreadableDirs(): number {
    return this.#stages.listings.unreadableDirs;
  }

  get status() {
    const { settling, presence, watch, listings } = this.#stages;
    return {
      path: this.#deps.settings.path,
      ...presence.state,
      mode: watch.isPolled ? ('polled' as const) : ('events' as const),
      fileSystem: presence.fileSystem?.name ?? null,
      settling: settling.size,
      lastListing: listings.last,
    };
  }

  /** Call it after the machine slept: events may have been lost, and cached directories are out of date. */
  woke(): void {
    this.#stages.watch.relistSoon();
  }

  /** Call it when a document of this folder was accepted: its files may be archived or deleted, if so configured. */
  disposeSoon(): void {
    const { disposal, notifier } = this.#stages;
    disposal.soon();
    notifier.notify();
  }

  /**
   * Whether every file that was in the folder at `at` (monotonic milliseconds) has been decided on; if not, requests a listing.
   * A folder that can't be listed makes only its own documents (`isOwn`) wait, so that its trouble stays local (promise P4). If
   * a document of another folder was moved into it, it is queued again under its name when it is found.
   */
  isLookedThroughSince(at: number, isOwn: boolean): boolean {
    const { listings, presence, notifier } = this.#stages;
    if (this.#isOver || listings.progress.isThroughSince(at)) return true;
    const { state } = presence.state;
    // By then, the leader has listed it; bytes missing here may be with the agent that admitted the document.
    if (state === 'standby') return !isOwn || this.#deps.clock.monotonic() - at >= LED_ELSEWHERE_MS;
    const isAway = state !== 'starting' && state !== 'watching';
    if (!isOwn && (isAway || listings.progress.isStuckSince(at))) return true;
    if (!listings.progress.hasBegunSince(at)) {
      listings.ask();
      notifier.notify();
    }
    return false;
  }

  /** Watches the folder; resolves when aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { presence, mustWait, watch, notifier } = this.#stages;
    const settled = this.#settle(signal);
    while (!signal.aborted) {
      const found = await presence.look();
      if (found?.state === 'present' && !mustWait()) await watch.whilePresent(found.token, signal);
      if (!signal.aborted) await notifier.wait(PRESENCE_MS, signal);
    }
    await settled;
    await presence.release();
    this.#deps.watchLimit.over(this.#deps.settings.path);
  }

  /** Whether this machine can reach the folder, no matter which agent takes it in. */
  async isReachable(): Promise<boolean> {
    return this.#stages.presence.isReachable();
  }

  /** Another agent takes in this shared folder now. Call it after `run` has ended; `run` may be called again later. */
  standBy(why: WhyFact): void {
    const { presence, settling, trouble, away } = this.#stages;
    if (presence.state.state !== 'standby') {
      settling.forget();
      trouble.unreadable(settling.unreadable);
      away.letGo();
    }
    presence.standBy(why);
  }

  /** Accepts the folder although none of its known files is in it; a person confirmed that. */
  async takeOver(): Promise<void> {
    const { presence, notifier } = this.#stages;
    await presence.takeOver();
    notifier.notify();
  }

  /** Lists the folder once; resolves true when every file is admitted or noted, false if the folder is not there. */
  async runOnce(signal: AbortSignal): Promise<boolean> {
    const { presence, first, pastRest, settling, notifier } = this.#stages;
    const found = await presence.look();
    this.#refuseWhereWritesFail();
    if (found?.state !== 'present' || !(await first.mayRun())) return false;
    presence.watchAs(found.token);
    pastRest.count();
    const stop = new AbortController();
    const settled = this.#settle(AbortSignal.any([signal, stop.signal]));
    try {
      await first.run('fresh', signal);
      while (settling.size > 0) {
        signal.throwIfAborted();
        this.#refuseWhereWritesFail();
        await notifier.wait(PRESENCE_MS, signal);
      }
    } finally {
      stop.abort();
      await settled;
      await presence.release();
      // The folder is not listed again.
      this.#isOver = true;
    }
    return true;
  }

  async dispose(signal: AbortSignal): Promise<void> {
    await this.#stages.disposal.run(this.#stages.presence.foreign !== null, signal);
  }

  #settle(signal: AbortSignal): Promise<void> {
    const { trouble, settling, notifier, examineDeps, settleNotifier } = this.#stages;
    const onExamined = (): void => {
      trouble.unreadable(settling.unreadable);
      if (settling.size === 0) notifier.notify();
    };
    return settleLoop(examineDeps, settleNotifier, onExamined, signal);
  }

  #refuseWhereWritesFail(): void {
    const trouble = this.#deps.ledger.storage.trouble();
    if (trouble) throw new ReceiptdError(trouble);
  }

  /** Checks the folder's file system if it is present; resolves the mark of the one it belongs to. See `OfflineModeDeps`. */
  lookAtMount(): Promise<string | null> {
    return this.#stages.presence.belongsOn();
  }
}
