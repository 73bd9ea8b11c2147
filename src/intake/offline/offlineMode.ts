import { conditionOf } from '../../core/domain/problem.ts';
import { describeError, ReceiptdError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ImageInspector } from '../../core/ports/image.ts';
import type { Incidents } from '../../core/ports/incident.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Admitted } from '../../core/ports/ledgerIntake.ts';
import type { Log } from '../../core/ports/log.ts';
import type { DeferredImage, DeferredJournal } from '../../core/ports/deferredJournal.ts';
import type { Candidate } from '../settle/admit.ts';
import { DecidedFiles } from './decidedFiles.ts';
import type { SeenSince, FolderSeenSince } from './seenSince.ts';
import { replay } from './replay.ts';
import type { PayloadStore } from '../../keeper/payloadStore.ts';
import type { Note } from '../../core/domain/note.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';
import { Notifier } from '../../core/notifier.ts';

export interface OfflineModeDeps {
  readonly deferred: DeferredJournal;
  readonly ledger: Pick<Ledger, 'admit' | 'beginSplit' | 'storage'>;
  readonly payloads: Pick<PayloadStore, 'copy' | 'keepsCopies' | 'copies' | 'hasRoomForCopy'>;
  readonly inspector: ImageInspector;
  readonly incidents: Incidents;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: string;
  readonly folders: readonly FolderSettings[];
  readonly seenSince: SeenSince;
  /** Reads from the ledger what must be known before anything else; called until it succeeds once in this process. */
  readonly prepare: () => Promise<void>;
  readonly onFile: () => void;
  readonly onAdmitted: (folder: string, admitted: Admitted) => void;
  /**
   * Checks whether this folder is still on the same file system. Called before its images are admitted: afterwards they would
   * count as known files of the file system it was on before the outage. Resolves the mark of the one it belongs to; null if unknown.
   */
  readonly lookAtMount: (folder: string) => Promise<string | null>;
}

const LOOK_AGAIN_MS = 2_000;
/** Retry interval for an image that can't be admitted for a reason specific to it. */
const ODD_AGAIN_MS = 60_000;
const KEY = 'deferredJournal';

/**
 * Takes in images while the shared ledger can't be reached:
 *
 *   online ──LEDGER_UNREACHABLE──▶ offline ──it answers──▶ replaying ──all that was deferred is admitted──▶ online
 *     └──an earlier process has left deferred images─────────▲  └──────LEDGER_UNREACHABLE──▶ offline
 *
 * In `offline` and `replaying` (`isOn`) an image is not admitted but deferred: copied into the spool, then written into the
 * local journal. Once `online`, folders are listed again, which finds files that were not deferred.
 */
export class OfflineMode {
  readonly #deps: OfflineModeDeps;
  readonly #notifier: Notifier;
  readonly #listeners = new Set<() => void>();
  readonly decided = new DecidedFiles();
  /** Number of deferrals in progress, by hash. */
  readonly #deferring = new Map<string, number>();
  /** Images that can't be admitted for a reason specific to them. */
  readonly #odd = new Set<DeferredImage>();
  #oddAt = -Infinity;
  #state: 'online' | 'offline' | 'replaying';
  #isPrepared = false;
  #prepared!: () => void;
  /** Resolves after `prepare`; nothing may be sent before. */
  readonly prepared: Promise<void>;

  constructor(deps: OfflineModeDeps, { isPrepared }: { isPrepared: boolean }) {
    this.#deps = deps;
    this.#notifier = new Notifier(deps.clock);
    this.prepared = new Promise((resolve) => {
      this.#prepared = resolve;
    });
    if (isPrepared) this.#markPrepared();
    deps.payloads.copies.alsoNeededBy((hash) => this.needs(hash));
    const left = deps.deferred.waiting();
    for (const image of left) this.decided.add(image.folder, image.path, image.identity, true);
    this.#state = this.#isUnreachable ? 'offline' : left.length > 0 || !isPrepared ? 'replaying' : 'online';
    // Files that arrived while no agent ran are left to the listing: without the ledger, new ones can't be told from known ones.
    const { seenSince } = deps;
    if (this.#state === 'online') {
      seenSince.backOnline();
      return;
    }
    seenSince.wentOffline();
    seenSince.allHeldUp();
  }

  /** Whether images are deferred instead of admitted. */
  get isOn(): boolean {
    return (this.#state !== 'online' || this.#isUnreachable) && this.#deps.payloads.keepsCopies;
  }

  /** Tells which files of one folder are new. */
  seenSince(folder: string): FolderSeenSince {
    return this.#deps.seenSince.of(folder);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether an image of that size could be deferred now. */
  hasRoom(bytes: number): boolean {
    return this.#deps.payloads.hasRoomForCopy(bytes);
  }

  /** Whether the copy with this hash is needed even if the ledger does not need it. */
  needs(sha256: string): boolean {
    return this.#deferring.has(sha256) || this.#deps.deferred.needs(sha256);
  }

  /** Defers an image. True once it is durable here. False if there is no room or the write failed: it stays in its folder. */
  async defer(candidate: Candidate, settings: FolderSettings): Promise<boolean> {
    const { inspector } = this.#deps;
    const captured = settings.template.usesCaptured
      ? await inspector.capturedAt(candidate.bytes, candidate.type)
      : null;
    return this.#keep(candidate, settings, { capturedAt: captured?.getTime() ?? null });
  }

  /** Defers a file that is to be split into pages once the ledger is back. Resolves like `defer`. */
  deferPages(file: Omit<Candidate, 'type'>, settings: FolderSettings): Promise<boolean> {
    return this.#keep({ ...file, type: 'pdf' }, settings, { capturedAt: null, isFile: true });
  }

  async #keep(
    candidate: Candidate,
    settings: FolderSettings,
    more: Pick<DeferredImage, 'capturedAt' | 'isFile'>,
  ): Promise<boolean> {
    const { deferred, payloads, inspector, clock, log } = this.#deps;
    const { path, identity, mark, bytes, type, lane } = candidate;
    const { path: folder, endpoint } = settings;
    const sha256 = await inspector.sha256(bytes);
    const image = { folder, path, identity, mark, endpoint, sha256, type, lane, at: clock.now() };
    this.#deferring.set(sha256, (this.#deferring.get(sha256) ?? 0) + 1);
    try {
      if (!(await payloads.copy(sha256, bytes))) return false;
      await deferred.defer({ ...image, ...more });
    } catch (error) {
      this.#unwritable(error);
      return false;
    } finally {
      const others = (this.#deferring.get(sha256) ?? 1) - 1;
      if (others > 0) this.#deferring.set(sha256, others);
      else this.#deferring.delete(sha256);
    }
    this.#deps.incidents.close(KEY);
    this.decided.add(folder, path, identity, true);
    log.info('imageDeferred', {
      folder,
      path,
      sha256,
      bytes: bytes.length,
    });
    // The ledger may be reachable again by now.
    this.#notifier.notify();
    return true;
  }

  notes(): Note[] {
    const images = this.#deps.deferred.waiting().length;
    return images === 0 ? [] : [{ kind: 'deferred', images }];
  }

  /** Replays deferred images whenever the ledger is back, until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const deaf = this.#deps.ledger.storage.onChange(() => {
      this.#look();
      this.#notifier.notify();
    });
    this.#look();
    while (!signal.aborted) {
      await this.#round(signal);
      const isIdle = this.#state === 'online' && this.#odd.size === 0;
      if (!signal.aborted) await this.#notifier.wait(isIdle ? null : LOOK_AGAIN_MS, signal);
    }
    deaf();
  }

  /** Admits images that an earlier process deferred; for a single run. */
  async once(signal: AbortSignal): Promise<void> {
    await this.#round(signal);
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { ledger, clock, log, deferred } = this.#deps;
    if (ledger.storage.trouble() !== null) return;
    try {
      if (!this.#isPrepared) {
        await this.#deps.prepare();
        this.#markPrepared();
      }
      if (clock.monotonic() - this.#oddAt >= ODD_AGAIN_MS) this.#odd.clear();
      for (;;) {
        const waiting = deferred.waiting().filter((image) => !this.#odd.has(image));
        if (waiting.length === 0) break;
        const homes = new Map<string, string | null>();
        for (const folder of new Set(waiting.map((image) => image.folder)))
          homes.set(folder, await this.#deps.lookAtMount(folder));
        const onOdd = (image: DeferredImage, error: unknown): void => this.#isOdd(image, error);
        await replay(waiting, { ...this.#deps, homes, onOdd }, signal);
        if (signal.aborted) return;
      }
      this.#enter('online');
    } catch (error) {
      if (signal.aborted) return;
      const fields = describeError(error);
      // Trouble with the ledger is reported where it was found.
      if (isOfJournal(error)) this.#unwritable(error);
      else if (ledger.storage.trouble() !== null) log.debug('replayCutShort', fields);
      else log.warn('deferredImagesNotRecordedYet', fields);
    }
  }

  get #isUnreachable(): boolean {
    return this.#deps.ledger.storage.trouble()?.code === 'LEDGER_UNREACHABLE';
  }

  #look(): void {
    if (this.#isUnreachable) this.#enter('offline');
    else if (this.#state === 'offline' && this.#deps.ledger.storage.trouble() === null)
      this.#enter('replaying');
  }

  #enter(state: 'online' | 'offline' | 'replaying'): void {
    const before = this.#state;
    if (before === state) return;
    this.#state = state;
    if (before === 'online') this.#deps.seenSince.wentOffline();
    if (state === 'online') {
      this.#deps.seenSince.backOnline();
      this.#deps.incidents.close(KEY);
    }
    for (const listener of this.#listeners) listener();
  }

  #markPrepared(): void {
    this.#isPrepared = true;
    this.#prepared();
  }

  #isOdd(image: DeferredImage, error: unknown): void {
    this.#odd.add(image);
    this.#oddAt = this.#deps.clock.monotonic();
    const { folder, path, sha256 } = image;
    this.#deps.log.error('deferredImageNotRecorded', {
      folder,
      path,
      sha256,
      ...describeError(error),
    });
  }

  #unwritable(error: unknown): void {
    if (!isOfJournal(error)) throw error;
    this.#deps.incidents.open({ key: KEY, ...conditionOf(error.facts()) });
  }
}

function isOfJournal(error: unknown): error is ReceiptdError {
  return error instanceof ReceiptdError && (error.code === 'STATE_UNWRITABLE' || error.code === 'DISK_FULL');
}
