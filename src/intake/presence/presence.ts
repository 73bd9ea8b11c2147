import { describeError, systemCode } from '../../core/domain/errors.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';
import { isUnreachable } from '../../core/domain/unreachable.ts';
import type { FileSystem, FolderAvailability, WatchedFolder } from '../../core/ports/folder.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import { SharedRun } from '../sharedRun.ts';
import { FolderClaim, type FolderClaimDeps } from './folderClaim.ts';
import { FolderState, type FolderTimes } from './folderState.ts';
import type { FolderTrouble } from './folderTrouble.ts';
import { hasCoarseClock, MountIdentity } from './mountIdentity.ts';

export interface PresenceDeps extends Omit<FolderClaimDeps, 'path' | 'isShared'> {
  readonly folder: WatchedFolder;
  readonly settings: Pick<FolderSettings, 'path' | 'share'>;
  readonly ledger: Ledger;
  readonly trouble: FolderTrouble;
  /** Of the process; not there: of this intake alone. */
  readonly folderTimes?: FolderTimes | undefined;
  /** What stands in for a shared ledger that is away. */
  readonly away: { readonly isOn: boolean; holdUp(): void; letGo(): void };
  /** On what the folder lies, whenever that is found out. */
  readonly onFileSystem: (fileSystem: FileSystem) => void;
}

/** Where one watched folder is: whether it is there and in its place, on what it lies, and who takes in what comes into it. */
export class Presence {
  readonly #deps: PresenceDeps;
  readonly #mount: MountIdentity;
  readonly #claim: FolderClaim;
  readonly #state: FolderState;
  readonly #mountLooks: SharedRun;
  /** Its first watch is recorded. */
  #isWatched = false;
  #fileSystem: FileSystem | null = null;
  /** Of the folder as it is watched now. */
  #token: string | null = null;
  #foreign: string | null = null;

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
    const { path, share = null } = deps.settings;
    this.#mount = new MountIdentity(deps);
    this.#claim = new FolderClaim({ ...deps, path, isShared: share !== null });
    this.#state = new FolderState(path, deps, deps.trouble);
    this.#mountLooks = new SharedRun(() =>
      // Known of the ledger alone, which is asked before what was deferred is admitted.
      this.#lookNow(async (fileSystem) => !deps.away.isOn && (await this.#mount.look(fileSystem))),
    );
  }

  get state(): FolderState['now'] {
    return this.#state.now;
  }

  get fileSystem(): FileSystem | null {
    return this.#fileSystem;
  }

  get isOnNetwork(): boolean {
    return this.#fileSystem?.network ?? false;
  }

  get hasCoarseClock(): boolean {
    return this.#fileSystem !== null && hasCoarseClock(this.#fileSystem);
  }

  /** What is wrong where another folder stands in its place; null: it is this one. */
  get foreign(): string | null {
    return this.#foreign;
  }

  /** From when on nobody else took in a folder that was another's; see `FolderClaim`. */
  get othersUntil(): number | null {
    return this.#claim.othersUntil;
  }

  /** It is watched as the folder that was found there. */
  watchAs(token: string): void {
    this.#token = token;
  }

  /** Its listings have begun. */
  watching(): void {
    this.#state.enter(this.#foreign === null ? 'watching' : 'unreachable', this.#foreign);
  }

  standBy(message: string): void {
    this.#state.enter('standby', message);
  }

  /** Null if that can't be told now, or another agent takes it in. */
  async look(): Promise<FolderAvailability | null> {
    const { folder, settings, away, log } = this.#deps;
    try {
      const found = await folder.availability();
      if (found.state !== 'present') {
        this.#state.enter(found.state, found.message);
        // What lies in it once it appears was not put there before our eyes.
        if (found.state === 'missing' && !this.#writesFail && !away.isOn) away.letGo();
        return found;
      }
      // Who leads a shared folder is not known then, and what two of a fleet defer becomes one document.
      const isFleets = away.isOn && (settings.share ?? null) !== null;
      const taken = isFleets ? null : await this.#claim.hold(found.token);
      if (taken !== null) {
        this.#state.enter('taken', taken);
        return null;
      }
      if (this.#writesFail || away.isOn) this.holdUp();
      this.#liesOn(found.fileSystem);
      // Known of the ledger alone; what comes into a foreign folder is deferred as it would be admitted.
      if (!away.isOn) this.#foreign = await this.#mount.look(found.fileSystem);
      if (this.#foreign !== null) this.#state.enter('unreachable', this.#foreign);
      else if (this.#state.now.state !== 'watching') this.#state.enter('starting', null);
      return found;
    } catch (error) {
      const fields = { folder: settings.path, ...describeError(error) };
      if (isUnreachable(systemCode(error)) || this.#writesFail)
        log.debug('The folder could not be checked', fields);
      else log.warn('The folder could not be checked', fields);
      return null;
    }
  }

  /** Whether it is there for this machine, no matter who takes in what comes into it. */
  async isReachable(): Promise<boolean> {
    const found = await this.#deps.folder.availability().catch(() => null);
    return found?.state === 'present';
  }

  /** Whether what is not in the folder is gone: not while the folder itself is away, or another stands in its place. */
  async isInPlace(): Promise<boolean> {
    const found = await this.#deps.folder.availability();
    if (found.state !== 'present' || found.token !== this.#token) return false;
    return (await this.#mount.look(found.fileSystem)) === null;
  }

  /** Finds out on what it lies by now, with a look that begins after this call. */
  lookAtMount(): Promise<void> {
    return this.#mountLooks.ask();
  }

  /** Records on what it lies now, if it is there, and resolves where it belongs. */
  async belongsOn(): Promise<string | null> {
    await this.#lookNow((fileSystem) => this.#mount.look(fileSystem));
    return this.#mount.belongsOn();
  }

  /** The folder is what it is now, although none of its known files may be there. */
  async takeOver(): Promise<void> {
    if (this.#fileSystem) await this.#mount.takeOver(this.#fileSystem.mark);
  }

  /** What lay in a folder that was another agent's is dealt with. */
  async takenOver(): Promise<void> {
    await this.#claim.settle();
  }

  /** The first watch of a folder that is there waits for the ledger. */
  holdUp(): void {
    if (!this.#isWatched) this.#deps.away.holdUp();
  }

  /** Its first watch is recorded. */
  firstWatched(): void {
    this.#isWatched = true;
    this.#deps.away.letGo();
  }

  /** Another agent may take it in. */
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
      // The folder won't say, which keeps no image from being admitted.
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
