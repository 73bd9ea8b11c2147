import { relative, sep } from 'node:path';
import type { Lane } from '../domain/document.ts';
import { describeError } from '../domain/errors.ts';
import type { FolderAvailability, FolderHints } from '../ports/folder.ts';
import { disposeAccepted, recoverAside } from './dispose.ts';
import type { ExamineDeps } from './examine.ts';
import { dirOf, observe } from './observe.ts';
import { firstWatch, reconcile, type ReconcileDeps } from './reconcile.ts';
import { settleLoop } from './settleLoop.ts';
import { Settling } from './settling.ts';
import { Wake } from './wake.ts';

/** Files of one folder that may be in memory because they are not at rest yet. */
const SETTLING_CAPACITY = 500;
/** How often a folder's presence is looked at. */
const PRESENCE_MS = 2_000;
/** Listing after events takes at most this share of the time, however large the folder is. */
const LISTING_PAUSE_MS = 1_000;
const LISTING_PAUSE_FACTOR = 20;
/** Without events the listing alone has to be quick. */
const POLLING_MS = 5_000;
/** After a disposal that did not work; it touches the file, so that it is read and hashed again. */
const DISPOSE_AGAIN_MS = 5 * 60_000;
/** More hints than this at once: the directories are listed instead. */
const HINTS_AT_ONCE = 1_000;

export type IntakeState = 'starting' | 'watching' | 'missing' | 'notADirectory' | 'unreadable';

export interface IntakeDeps extends Omit<ExamineDeps, 'settling' | 'onNote'> {
  readonly hints: FolderHints;
  readonly reconcileEveryMs: number;
  /** `existing: send` says so when more files than this lie in a folder that is first watched. */
  readonly confirmAbove: number;
}

/**
 * One watched folder, from events and listings to admitted documents:
 *
 *   absent ──appears──▶ starting (first listing) ──▶ watching ──replaced, gone, unreadable──▶ absent
 *
 * Events say where to look; the listing says what is there. A folder that is absent is waited for.
 */
export class Intake {
  readonly #deps: IntakeDeps;
  readonly #settling: Settling;
  readonly #examineDeps: ExamineDeps;
  readonly #reconcileDeps: ReconcileDeps;
  readonly #settleWake: Wake;
  readonly #watchWake: Wake;
  readonly #hinted = new Set<string>();
  readonly #dirtyDirs = new Set<string>();
  readonly #unreadableDirs = new Map<string, string>();
  #disposeSoon = false;
  #disposeNotBefore = 0;
  #relistSoon = false;
  #state: IntakeState = 'starting';
  #message: string | null = null;
  #lastListing: number | null = null;
  /** Files that lie in the folder and are not sent, as found by this run; for the exit status of `--once`. */
  readonly tally = { rejected: 0, incomplete: 0, unreadable: 0 };

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    this.#settling = new Settling(deps.clock, deps.settings.settle, SETTLING_CAPACITY);
    this.#settleWake = new Wake(deps.clock);
    this.#watchWake = new Wake(deps.clock);
    this.#examineDeps = { ...deps, settling: this.#settling, onNote: (verdict) => this.#count(verdict) };
    this.#reconcileDeps = {
      ...deps,
      settling: this.#settling,
      onSeen: () => this.#settleWake.ring(),
      onKnown: ({ verdict }) => this.#count(verdict),
      onUnreadableDir: (path, code) => this.#unreadableDir(path, code),
    };
  }

  get status() {
    const { path } = this.#deps.settings;
    const settling = this.#settling.size;
    return { path, state: this.#state, message: this.#message, settling, lastListing: this.#lastListing };
  }

  /** A document of this folder was accepted: its files may be disposed of, if so configured. */
  disposeSoon(): void {
    this.#disposeSoon = true;
    this.#watchWake.ring();
  }

  /** Something expected in the folder was not there: list it again soon. */
  relistSoon(): void {
    this.#relistSoon = true;
    this.#watchWake.ring();
  }

  /** Watches until aborted; resolves then. */
  async run(signal: AbortSignal): Promise<void> {
    const settled = this.#settle(signal);
    while (!signal.aborted) {
      const found = await this.#availability();
      if (found.state === 'present') await this.#watchWhilePresent(found.token, signal);
      if (!signal.aborted) await this.#watchWake.wait(PRESENCE_MS, signal);
    }
    await settled;
  }

  /** One listing; resolves when everything in it is admitted or noted. False if the folder is not there. */
  async runOnce(signal: AbortSignal): Promise<boolean> {
    const found = await this.#availability();
    if (found.state !== 'present') return false;
    const stop = new AbortController();
    const settled = this.#settle(AbortSignal.any([signal, stop.signal]));
    try {
      await this.#firstListing('fresh', signal);
      while (this.#settling.size > 0) {
        signal.throwIfAborted();
        await this.#watchWake.wait(PRESENCE_MS, signal);
      }
    } finally {
      stop.abort();
      await settled;
    }
    return true;
  }

  async dispose(signal: AbortSignal): Promise<void> {
    this.#disposeSoon = false;
    if (await disposeAccepted(this.#deps, signal)) return;
    this.#disposeSoon = true;
    this.#disposeNotBefore = this.#deps.clock.monotonic() + DISPOSE_AGAIN_MS;
  }

  get #mayDispose(): boolean {
    return this.#disposeSoon && this.#deps.clock.monotonic() >= this.#disposeNotBefore;
  }

  async #watchWhilePresent(token: string, signal: AbortSignal): Promise<void> {
    const { settings, hints, log, clock, reconcileEveryMs } = this.#deps;
    let polling = false;
    const distrust = (error: unknown) => {
      const fields = { folder: settings.path, ...describeError(error) };
      // A folder that went away is waited for; its absence is said elsewhere.
      if (fields.code === 'FOLDER_MISSING') log.debug('The folder is gone', fields);
      else if (!polling) log.error('Events of the folder are not to be relied on; it is polled', fields);
      polling = true;
      return null;
    };
    const watch = await hints
      .watch(settings.path, settings.recursive, (path) => this.#hint(path), distrust)
      .catch(distrust);
    try {
      await this.#firstListing('backlog', signal);
      this.#enter('watching', null);
      let fullAt = clock.monotonic();
      let listedAt = fullAt;
      let pauseMs = LISTING_PAUSE_MS;
      while (!signal.aborted) {
        const everyMs = polling
          ? Math.min(Math.max(POLLING_MS, pauseMs), reconcileEveryMs)
          : reconcileEveryMs;
        const dirtyAt = this.#dirtyDirs.size > 0 ? listedAt + pauseMs : Infinity;
        const idle = this.#hinted.size === 0 && !this.#mayDispose && !this.#relistSoon;
        const nextIn = Math.min(fullAt + everyMs, dirtyAt) - clock.monotonic();
        if (idle) await this.#watchWake.wait(Math.max(0, Math.min(nextIn, PRESENCE_MS)), signal);
        if (signal.aborted) return;
        await this.#observeHinted();
        if (this.#mayDispose) await this.dispose(signal);
        const present = await this.#availability();
        if (present.state !== 'present' || present.token !== token) return;
        const now = clock.monotonic();
        const waitedBefore = this.#settling.roomWaitedMs;
        if (this.#relistSoon || now >= fullAt + everyMs) {
          this.#relistSoon = false;
          this.#dirtyDirs.clear();
          await this.#list('', true, 'fresh', signal);
          fullAt = clock.monotonic();
        } else if (now >= dirtyAt) {
          const dirs = [...this.#dirtyDirs];
          this.#dirtyDirs.clear();
          for (const dir of dirs) await this.#listDirty(dir, signal);
        } else continue;
        listedAt = clock.monotonic();
        const listingMs = listedAt - now - (this.#settling.roomWaitedMs - waitedBefore);
        pauseMs = Math.max(LISTING_PAUSE_MS, listingMs * LISTING_PAUSE_FACTOR);
      }
    } catch (error) {
      if (signal.aborted) return;
      // The folder went away while it was listed, or the ledger can't be written: both are tried again.
      log.warn('The folder could not be listed; trying again', {
        folder: settings.path,
        ...describeError(error),
      });
    } finally {
      await watch?.close();
    }
  }

  async #firstListing(lane: Lane, signal: AbortSignal): Promise<void> {
    const { settings, ledger, log, confirmAbove } = this.#deps;
    await recoverAside(this.#deps, signal);
    if (await ledger.isFirstWatch(settings.path)) {
      const { sent, skipped } = await firstWatch(this.#reconcileDeps, signal);
      const say = sent > confirmAbove ? log.warn.bind(log) : log.info.bind(log);
      say('Watching a folder for the first time', {
        folder: settings.path,
        filesToSend: sent,
        filesSkipped: skipped,
      });
    }
    this.#reset();
    await this.#list('', true, lane, signal);
  }

  async #list(under: string, full: boolean, lane: Lane, signal: AbortSignal): Promise<void> {
    if (full) this.#reset();
    // What a kill kept from being disposed of, and duplicates whose document lies in another folder.
    if (full) this.#disposeSoon = true;
    await reconcile(this.#reconcileDeps, { lane, full, under }, signal);
    this.#lastListing = this.#deps.clock.now();
  }

  async #listDirty(dir: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#list(dir, false, 'fresh', signal);
    } catch (error) {
      // A directory that came and went: the next full listing knows. The folder itself is another matter.
      if (dir === '' || signal.aborted) throw error;
      this.#deps.log.debug('A directory could not be listed', { path: dir, ...describeError(error) });
    }
  }

  #hint(absolute: string): void {
    const path = relative(this.#deps.settings.path, absolute).split(sep).join('/');
    if (path.startsWith('..')) return;
    if (path === '' || this.#hinted.size >= HINTS_AT_ONCE)
      this.#dirtyDirs.add(path === '' ? '' : dirOf(path));
    else this.#hinted.add(path);
    this.#watchWake.ring();
  }

  async #observeHinted(): Promise<void> {
    const paths = [...this.#hinted];
    this.#hinted.clear();
    for (const path of paths) {
      const dir = await observe(path, this.#reconcileDeps);
      if (dir !== null) this.#dirtyDirs.add(dir);
    }
    if (paths.length > 0) this.#settleWake.ring();
  }

  #settle(signal: AbortSignal): Promise<void> {
    return settleLoop(this.#examineDeps, this.#settleWake, () => this.#watchWake.ring(), signal);
  }

  async #availability(): Promise<FolderAvailability> {
    const found = await this.#deps.folder.availability();
    if (found.state === 'present') {
      if (this.#state !== 'watching') this.#enter('starting', null);
    } else this.#enter(found.state, found.message);
    return found;
  }

  #enter(state: IntakeState, message: string | null): void {
    if (state === this.#state) return;
    const before = this.#state;
    this.#state = state;
    this.#message = message;
    const fields = { folder: this.#deps.settings.path, detail: message };
    if (state === 'watching') this.#deps.log.info('Watching', fields);
    else if (state !== 'starting')
      this.#deps.log.warn('The folder is not available; waiting for it', { ...fields, state });
    else if (before !== 'watching') this.#deps.log.info('The folder is there', fields);
  }

  /** Said once for each directory and code; what lies below is looked for again at every listing. */
  #unreadableDir(path: string, code: string): void {
    if (code === 'ENOENT') return;
    this.tally.unreadable += 1;
    if (this.#unreadableDirs.get(path) === code) return;
    this.#unreadableDirs.set(path, code);
    const fields = { folder: this.#deps.settings.path, path, code: 'FOLDER_UNREADABLE', systemCode: code };
    this.#deps.log.error("A directory can't be read; what lies in it waits", fields);
  }

  #reset(): void {
    Object.assign(this.tally, { rejected: 0, incomplete: 0, unreadable: 0 });
  }

  #count(verdict: string): void {
    if (verdict === 'rejected' || verdict === 'incomplete' || verdict === 'unreadable')
      this.tally[verdict] += 1;
  }
}
