import { describeError, systemCode } from '../../core/domain/errors.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';
import { isUnreachable } from '../../core/domain/unreachable.ts';
import type { FileSystem, FolderAvailability, WatchedFolder } from '../../core/ports/folder.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import { FolderClaim, type FolderClaimDeps } from './folderClaim.ts';
import { FolderState, type FolderTimes } from './folderState.ts';
import type { FolderTrouble } from './folderTrouble.ts';
import { hasCoarseClock, MountIdentity } from './mountIdentity.ts';
import { ofError, type AwayFact, type WhyFact } from '../../core/domain/why.ts';

export interface PresenceDeps extends Omit<FolderClaimDeps, 'path' | 'isShared'> {
  readonly folder: WatchedFolder;
  readonly settings: Pick<FolderSettings, 'path' | 'share'>;
  readonly ledger: Ledger;
  readonly trouble: FolderTrouble;
  /** Shared by the process; without it, this intake keeps its own. */
  readonly folderTimes?: FolderTimes | undefined;
  /** Stands in for an unreachable shared ledger. */
  readonly away: { readonly isOn: boolean; holdUp(): void; letGo(): void };
  /** Called with the folder's file system whenever it was checked. */
  readonly onFileSystem: (fileSystem: FileSystem) => void;
}

/** How reliable the timestamps of a folder's files are. */
export interface Times {
  /** They come from another machine's clock. */
  readonly areForeign: boolean;
  /** They may be as coarse as two seconds. */
  readonly areCoarse: boolean;
}

/** Tracks one watched folder: whether it is present and in its place, its file system, and which agent takes in its files. */
export class Presence {
  readonly #deps: PresenceDeps;
  readonly #mount: MountIdentity;
  readonly #claim: FolderClaim;
  readonly #state: FolderState;
  readonly #mountLooks: SharedRun;
  /** Whether the folder's first watch is recorded in the ledger. */
  #isWatched = false;
  #fileSystem: FileSystem | null = null;
  /** Token of the folder being watched. */
  #token: string | null = null;
  /** Listings that failed, one after the other, and how the last one failed. */
  #failedListings = 0;
  #unlisted: string | null = null;
  #foreign: AwayFact | null = null;

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
    const { path, share = null } = deps.settings;
    this.#mount = new MountIdentity(deps);
    this.#claim = new FolderClaim({ ...deps, path, isShared: share !== null });
    this.#state = new FolderState(path, deps, deps.trouble);
    this.#mountLooks = new SharedRun(() =>
      // Only the ledger knows the mark. It is asked again before deferred images are admitted.
      this.#lookNow(async (fileSystem) => !deps.away.isOn && (await this.#mount.look(fileSystem))),
    );
  }

  get state(): FolderState['now'] {
    return this.#state.now;
  }

  get fileSystem(): FileSystem | null {
    return this.#fileSystem;
  }

  get times(): Times {
    const found = this.#fileSystem;
    return { areForeign: found?.network ?? false, areCoarse: found !== null && hasCoarseClock(found) };
  }

  /** What is wrong, if another folder is in its place; otherwise null. */
  get foreign(): AwayFact | null {
    return this.#foreign;
  }

  /** Since when no other agent has taken in a folder that was another agent's; see `FolderClaim`. */
  get othersUntil(): number | null {
    return this.#claim.othersUntil;
  }

  /** Watches the folder with this token from now on. */
  watchAs(token: string): void {
    this.#token = token;
  }

  /** A listing failed, though the folder is there. */
  notListed(error: unknown): void {
    const code = systemCode(error);
    if (code === undefined) return;
    this.#failedListings += 1;
    this.#unlisted = code;
  }

  /** The first listing is done. */
  watching(): void {
    this.#failedListings = 0;
    this.#state.enter(this.#foreign === null ? 'watching' : 'unreachable', this.#foreign);
  }

  standBy(why: WhyFact): void {
    this.#state.enter('standby', why);
  }

  /** Checks the folder and updates the state. Null if the check fails, or if another agent takes the folder in. */
  async look(): Promise<FolderAvailability | null> {
    const { folder, settings, away, log } = this.#deps;
    try {
      const found = await folder.availability();
      if (found.state !== 'present') {
        this.#failedListings = 0;
        this.#state.enter(found.state, found.why);
        // If it appears later, its files were not seen arriving, so they may be `existing` ones.
        if (found.state === 'missing' && !this.#writesFail && !away.isOn) away.letGo();
        return found;
      }
      // The leader of a shared folder is unknown while offline. If two agents defer the same file, it becomes one document.
      const isFleets = away.isOn && (settings.share ?? null) !== null;
      const taken = isFleets ? null : await this.#claim.hold(found.token);
      if (taken !== null) {
        this.#state.enter('taken', ofError(taken));
        return null;
      }
      if (this.#writesFail || away.isOn) this.holdUp();
      this.#liesOn(found.fileSystem);
      // Only the ledger knows the mark. Files in a foreign folder are deferred, as they would be admitted.
      if (!away.isOn) this.#foreign = await this.#mount.look(found.fileSystem);
      if (this.#foreign !== null) this.#state.enter('unreachable', this.#foreign);
      // One may fail because the folder was just replaced.
      else if (this.#failedListings > 1 && this.#unlisted !== null)
        this.#state.enter(isUnreachable(this.#unlisted) ? 'unreachable' : 'unreadable', {
          is: 'unlisted',
          folder: settings.path,
          system: this.#unlisted,
        });
      else if (this.#state.now.state !== 'watching') this.#state.enter('starting', null);
      return found;
    } catch (error) {
      const fields = { folder: settings.path, ...describeError(error) };
      if (isUnreachable(systemCode(error)) || this.#writesFail) log.debug('folderNotChecked', fields);
      else log.warn('folderNotChecked', fields);
      return null;
    }
  }

  /** Whether this machine can reach the folder, no matter which agent takes it in. */
  async isReachable(): Promise<boolean> {
    const found = await this.#deps.folder.availability().catch(() => null);
    return found?.state === 'present';
  }

  /** Whether a missing file counts as gone: false while the folder is away or another is in its place. */
  async isInPlace(): Promise<boolean> {
    const found = await this.#deps.folder.availability();
    if (found.state !== 'present' || found.token !== this.#token) return false;
    return (await this.#mount.look(found.fileSystem)) === null;
  }

  /** Checks the folder's file system, with a look that starts after this call. */
  lookAtMount(): Promise<void> {
    return this.#mountLooks.ask();
  }

  /** Checks the file system if the folder is present; resolves the mark of the one it belongs to, null if unknown. */
  async belongsOn(): Promise<string | null> {
    await this.#lookNow((fileSystem) => this.#mount.look(fileSystem));
    return this.#mount.belongsOn();
  }

  /** Accepts the folder as it is, even if all its known files are missing. */
  async takeOver(): Promise<void> {
    if (this.#fileSystem) await this.#mount.takeOver(this.#fileSystem.mark);
  }

  /** The files in a folder taken over from another agent have been handled. */
  async takenOver(): Promise<void> {
    await this.#claim.settle();
  }

  /** Delays the first watch of a present folder until the ledger is back. */
  holdUp(): void {
    if (!this.#isWatched) this.#deps.away.holdUp();
  }

  /** The folder's first watch has been recorded in the ledger. */
  firstWatched(): void {
    this.#isWatched = true;
    this.#deps.away.letGo();
  }

  /** Lets another agent take the folder in. */
  async release(): Promise<void> {
    await this.#claim.release();
  }

  async #lookNow(look: (fileSystem: FileSystem) => Promise<unknown>): Promise<void> {
    try {
      const found = await this.#deps.folder.availability();
      if (found.state !== 'present') return;
      this.#liesOn(found.fileSystem);
      await look(found.fileSystem);
    } catch (error) {
      // A folder that can't be checked does not keep images from being admitted.
      if (systemCode(error) === undefined) throw error;
    }
  }

  #liesOn(fileSystem: FileSystem): void {
    this.#fileSystem = fileSystem;
    this.#deps.onFileSystem(fileSystem);
  }

  get #writesFail(): boolean {
    return this.#deps.ledger.storage.trouble() !== null;
  }
}

/**
 * Combines concurrent requests for the same work. Requests made during a run share the next one, since the current run may
 * have begun too early for them.
 */
class SharedRun {
  readonly #work: () => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Settles with the outcome of a run that begins after this call. */
  ask(): Promise<void> {
    if (this.#next) return this.#next;
    const next = this.#last.then(() => {
      this.#next = null;
      return this.#work();
    });
    this.#next = next;
    this.#last = next.catch(() => undefined);
    return next;
  }
}
