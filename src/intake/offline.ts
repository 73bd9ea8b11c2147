import { sameIdentity, type FileIdentity } from '../core/domain/document.ts';
import { describeError, isOfLedger, ReceiptdError } from '../core/domain/errors.ts';
import type { Naming } from '../core/domain/naming.ts';
import type { Note } from '../core/domain/note.ts';
import { conditionOf } from '../core/domain/problem.ts';
import type { FolderSettings } from '../core/domain/settings.ts';
import { Notifier } from '../core/notifier.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { DeferredImage, DeferredJournal } from '../core/ports/deferredJournal.ts';
import type { ImageInspector } from '../core/ports/image.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Admitted } from '../core/ports/ledgerIntake.ts';
import type { Log } from '../core/ports/log.ts';
import type { PayloadStore } from '../keeper/payloadStore.ts';
import type { RememberedFolder, RememberedFolders } from './remembered.ts';
import { nameContext, namingFor } from './nameContext.ts';
import type { Times } from './presence/presence.ts';
import type { Candidate, PagedFile } from './judge.ts';
import { TICK_MS } from './stability.ts';

const LOOK_AGAIN_MS = 2_000;
/** Retry interval for an image that can't be admitted for a reason specific to it. */
const ODD_AGAIN_MS = 60_000;
/** Images per batch, which share a commit. They are requested, and therefore admitted, in order. */
const ADMITTED_AT_ONCE = 32;
/** Number of recently decided files to remember; older ones may be checked again. */
const REMEMBERED = 50_000;
/** Resolution of the coarsest file system clock (vfat). */
const SAME_TIME_NS = 2_000_000_000n;
const TICK_NS = BigInt(TICK_MS) * 1_000_000n;
const NEVER = 1n << 80n;
const KEY = 'deferredJournal';

export interface OfflineModeDeps {
  readonly deferred: DeferredJournal;
  readonly ledger: Pick<Ledger, 'admit' | 'beginSplit' | 'storage'>;
  readonly payloads: Pick<PayloadStore, 'copy' | 'keepsCopies' | 'copies'>;
  readonly inspector: ImageInspector;
  readonly incidents: Incidents;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: string;
  readonly folders: readonly FolderSettings[];
  readonly remembered: RememberedFolders;
  /** Reads from the ledger what must be known before anything else; called until it succeeds once in this process. */
  readonly prepare: () => Promise<void>;
  /** A file that has to be split into pages was recorded. */
  readonly onFile: () => void;
  readonly onAdmitted: (folder: string, admitted: Admitted) => void;
  /**
   * Checks whether this folder is still on the same file system. Called before its images are admitted: afterwards they would
   * count as known files of the file system it was on before the outage. Resolves the mark of the one it belongs to; null if unknown.
   */
  readonly lookAtMount: (folder: string) => Promise<string | null>;
}

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
  /** The latest decision on a file, by folder and path, oldest first: it need not be checked again before the ledger is back. */
  readonly #decided = new Map<string, { readonly identity: FileIdentity; readonly isDeferred: boolean }>();
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
    for (const image of left) this.decided(image.folder, image.path, image.identity, true);
    this.#state = this.#isUnreachable ? 'offline' : left.length > 0 || !isPrepared ? 'replaying' : 'online';
    // Files that arrived while no agent ran are left to the listing: without the ledger, new ones can't be told from known ones.
    const { remembered } = deps;
    if (this.#state === 'online') {
      remembered.backOnline();
      return;
    }
    remembered.wentOffline();
    remembered.allHeldUp();
  }

  /** Whether images are deferred instead of admitted. */
  get isOn(): boolean {
    return (this.#state !== 'online' || this.#isUnreachable) && this.#deps.payloads.keepsCopies;
  }

  of(settings: FolderSettings): OfflineFolder {
    return new OfflineFolder(this, settings);
  }

  remembered(folder: string): RememberedFolder {
    return this.#deps.remembered.of(folder);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether the copy with this hash is needed even if the ledger does not need it. */
  needs(sha256: string): boolean {
    return this.#deferring.has(sha256) || this.#deps.deferred.needs(sha256);
  }

  /** `identity`: the version of the file that was decided. */
  decided(folder: string, path: string, identity: FileIdentity, isDeferred: boolean): void {
    const key = keyOf(folder, path);
    this.#decided.delete(key);
    this.#decided.set(key, { identity, isDeferred });
    if (this.#decided.size <= REMEMBERED) return;
    for (const oldest of this.#decided.keys()) return void this.#decided.delete(oldest);
  }

  /** Whether this version of the file was decided; null if not. */
  decisionOn(folder: string, path: string, identity: FileIdentity): { readonly isDeferred: boolean } | null {
    const decided = this.#decided.get(keyOf(folder, path));
    return decided && sameIdentity(decided.identity, identity) ? decided : null;
  }

  /** Defers an image, or a file to split. True once it is durable here. False if there is no room or the write failed: it stays in its folder. */
  async defer(candidate: Candidate, settings: FolderSettings, isFile: boolean): Promise<boolean> {
    const { deferred, payloads, inspector, clock, log } = this.#deps;
    const { path, identity, mark, bytes, type, lane } = candidate;
    const { path: folder, endpoint, template } = settings;
    const captured = !isFile && template.usesCaptured ? await inspector.capturedAt(bytes, type) : null;
    const sha256 = await inspector.sha256(bytes);
    const image = { folder, path, identity, mark, endpoint, sha256, type, lane, at: clock.now() };
    this.#deferring.set(sha256, (this.#deferring.get(sha256) ?? 0) + 1);
    try {
      if (!(await payloads.copy(sha256, bytes))) return false;
      await deferred.defer({ ...image, capturedAt: captured?.getTime() ?? null, ...(isFile && { isFile }) });
    } catch (error) {
      this.#unwritable(error);
      return false;
    } finally {
      const others = (this.#deferring.get(sha256) ?? 1) - 1;
      if (others > 0) this.#deferring.set(sha256, others);
      else this.#deferring.delete(sha256);
    }
    this.#deps.incidents.close(KEY);
    this.decided(folder, path, identity, true);
    log.info('imageDeferred', { folder, path, sha256, bytes: bytes.length });
    // The ledger may be reachable again by now.
    this.#notifier.notify();
    return true;
  }

  notes(): Note[] {
    const images = this.#deps.deferred.waiting().length;
    return images === 0 ? [] : [{ kind: 'deferred', images }];
  }

  /** Admits deferred images whenever the ledger is back, until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const deaf = this.#deps.ledger.storage.onChange(() => {
      this.#look();
      this.#notifier.notify();
    });
    this.#look();
    while (!signal.aborted) {
      await this.once(signal);
      const isIdle = this.#state === 'online' && this.#odd.size === 0;
      if (!signal.aborted) await this.#notifier.wait(isIdle ? null : LOOK_AGAIN_MS, signal);
    }
    deaf();
  }

  /** Admits what was deferred, if the ledger is back. */
  async once(signal: AbortSignal): Promise<void> {
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
        await this.#replay(waiting, signal);
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

  /**
   * Admits images as of the time when they were deferred. Admitting one again that was admitted before a crash has no effect.
   * Rejects with errors of the ledger or the journal.
   */
  async #replay(images: readonly DeferredImage[], signal: AbortSignal): Promise<void> {
    const homes = new Map<string, string | null>();
    for (const folder of new Set(images.map((image) => image.folder)))
      homes.set(folder, await this.#deps.lookAtMount(folder));
    for (let start = 0; start < images.length && !signal.aborted; start += ADMITTED_AT_ONCE) {
      const batch = images.slice(start, start + ADMITTED_AT_ONCE);
      const ends = await Promise.allSettled(
        batch.map((image) => {
          // The folder may be on another file system now, without the file: record it as gone. A listing that finds it sees it again.
          const isElsewhere = image.mark === null || image.mark !== homes.get(image.folder);
          return this.#admit(image, isElsewhere);
        }),
      );
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    }
  }

  async #admit(image: DeferredImage, isElsewhere: boolean): Promise<void> {
    const { ledger, deferred, payloads, log, onAdmitted, onFile } = this.#deps;
    const { endpoint, folder, path, identity, sha256, type, lane, at } = image;
    const seen = { endpoint, file: { folder, path, identity }, sha256, at, isElsewhere };
    let admitted: Admitted | null = null;
    try {
      if (image.isFile) await ledger.beginSplit(seen);
      else admitted = await ledger.admit({ ...seen, type, lane, naming: this.#namingOf(image) });
    } catch (error) {
      if (isOfLedger(error) || ledger.storage.trouble() !== null) throw error;
      // It does not delay the others (promise P4).
      this.#odd.add(image);
      this.#oddAt = this.#deps.clock.monotonic();
      log.error('deferredImageNotRecorded', { folder, path, sha256, ...describeError(error) });
      return;
    }
    await deferred.admitted(image);
    if (admitted !== null) {
      const { id: documentId, name } = admitted.document;
      const { kind } = admitted;
      log.info('deferredImageRecorded', { documentId, name, folder, path, sha256, kind });
      onAdmitted(folder, admitted);
    } else onFile();
    // Until now the journal needed the copy. If the image was already known or sent, nothing needs it any more.
    await payloads.copies.dropUnwanted(sha256);
  }

  #namingOf(image: DeferredImage): Naming {
    const { folders, host } = this.#deps;
    const { path, identity, sha256, at, capturedAt } = image;
    const of = namingFor(image, folders);
    const captured = capturedAt === null ? null : new Date(capturedAt);
    return of.template.naming(nameContext(path, identity, sha256, captured, of, { now: at, host }));
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
    if (before === 'online') this.#deps.remembered.wentOffline();
    if (state === 'online') {
      this.#deps.remembered.backOnline();
      this.#deps.incidents.close(KEY);
    }
    for (const listener of this.#listeners) listener();
  }

  #markPrepared(): void {
    this.#isPrepared = true;
    this.#prepared();
  }

  #unwritable(error: unknown): void {
    if (!isOfJournal(error)) throw error;
    this.#deps.incidents.open({ key: KEY, ...conditionOf(error.facts()) });
  }
}

/**
 * One folder while the ledger is offline. Files can't be compared with the ledger then, so change times (ctime) tell which are new; new
 * files that they do not reveal are found by the listing once the ledger is back. Change times in a local folder are compared with the
 * local clock; those on a share, which has its own clock, with the latest one seen there before.
 */
export class OfflineFolder {
  readonly #mode: OfflineMode;
  readonly #settings: FolderSettings;

  constructor(mode: OfflineMode, settings: FolderSettings) {
    this.#mode = mode;
    this.#settings = settings;
  }

  /** Whether the ledger is unreachable, or has not recorded yet what was deferred. */
  get isOn(): boolean {
    return this.#mode.isOn;
  }

  onChange(listener: () => void): () => void {
    return this.#mode.onChange(listener);
  }

  defer(image: Candidate): Promise<boolean> {
    return this.#mode.defer(image, this.#settings, false);
  }

  /** Defers a file that is to be split into pages once the ledger is back. Resolves like `defer`. */
  deferPages(file: PagedFile): Promise<boolean> {
    return this.#mode.defer({ ...file, type: 'pdf' }, this.#settings, true);
  }

  /** This version of the file was decided, but not deferred. */
  decided({ path, identity }: { readonly path: string; readonly identity: FileIdentity }): void {
    this.#mode.decided(this.#settings.path, path, identity, false);
  }

  /** Whether a file that was found is to be taken in. */
  isNew(path: string, identity: FileIdentity, times: Times): boolean {
    return (
      identity.ctimeNs > this.#since(times) &&
      this.#mode.decisionOn(this.#settings.path, path, identity) === null
    );
  }

  /** Whether this version of the file was deferred: it was taken, even if it may not be in the ledger yet. */
  hasDeferred(path: string, identity: FileIdentity): boolean {
    return this.#mode.decisionOn(this.#settings.path, path, identity)?.isDeferred === true;
  }

  /** A file was compared with the ledger. If none ever was, the first listing while offline sets the latest change time (`listed`). */
  compared({ ctimeNs }: FileIdentity): void {
    const seen = this.#seen;
    if (seen.latestNs === null || ctimeNs > seen.latestNs) seen.latestNs = ctimeNs;
  }

  /** The whole folder was listed while offline. */
  listed(latestNs: bigint): void {
    this.#seen.latestNs ??= latestNs;
  }

  /** Whether a file certainly arrived while the folder's first watch waited for the ledger; `existing` does not apply to it then. */
  cameBeforeFirstWatch({ ctimeNs }: FileIdentity, times: Times): boolean {
    const { isHeldUp, latestNs } = this.#seen;
    if (!isHeldUp) return false;
    // On a share without the tolerance of `#since`, which would include the latest of its old files.
    return times.areForeign ? latestNs !== null && ctimeNs > latestNs : ctimeNs > this.#since(times);
  }

  /** The folder is present, but its first watch has to wait for the ledger. */
  holdUp(): void {
    this.#seen.isHeldUp = true;
  }

  /** The folder no longer waits for the ledger. */
  letGo(): void {
    this.#seen.isHeldUp = false;
  }

  /** Files changed later are new, by the folder's clock. Subtracts its resolution: a file from just after may look older. */
  #since({ areForeign, areCoarse }: Times): bigint {
    if (!areForeign) {
      const since = BigInt(this.#seen.since) * 1_000_000n;
      return since - (areCoarse ? SAME_TIME_NS : TICK_NS);
    }
    // If no file was ever compared, the listing once the ledger is back handles the existing ones.
    const { latestNs } = this.#seen;
    return latestNs === null ? NEVER : latestNs - SAME_TIME_NS;
  }

  get #seen(): RememberedFolder {
    return this.#mode.remembered(this.#settings.path);
  }
}

function keyOf(folder: string, path: string): string {
  return `${folder}\0${path}`;
}

function isOfJournal(error: unknown): error is ReceiptdError {
  return error instanceof ReceiptdError && (error.code === 'STATE_UNWRITABLE' || error.code === 'DISK_FULL');
}
