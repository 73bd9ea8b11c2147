import { describeError, systemCode, type ErrorCode, type ReceiptdError } from '../../core/domain/errors.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';
import { isUnreachable } from '../../core/domain/unreachable.ts';
import { ofError, whyText, type AwayFact, type WhyFact } from '../../core/domain/why.ts';
import type { FileSystem, FolderAvailability, WatchedFolder } from '../../core/ports/folder.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import { FolderClaim, type FolderClaimDeps } from './folderClaim.ts';
import type { FolderTrouble } from './folderTrouble.ts';
import { hasCoarseClock, MountIdentity } from './mountIdentity.ts';

/** `standby`: another agent takes in this shared folder. */
export type IntakeState =
  'starting' | 'watching' | 'missing' | 'notADirectory' | 'unreadable' | 'unreachable' | 'taken' | 'standby';

/** `unreachable` is reported as an incident. */
const CODES: Readonly<Partial<Record<IntakeState, ErrorCode>>> = {
  missing: 'FOLDER_MISSING',
  notADirectory: 'FOLDER_NOT_A_DIRECTORY',
  unreadable: 'FOLDER_UNREADABLE',
  taken: 'FOLDER_TAKEN',
};

/** A state of a folder and when it began. */
export interface FolderSince {
  readonly state: IntakeState;
  readonly since: number;
}

/** What was found out about a folder. */
interface Facts {
  readonly found: FolderAvailability;
  /** Which other agent on this machine takes it in, if one does. */
  readonly taken: ReceiptdError | null;
  /** What is wrong, if another folder is in its place. */
  readonly foreign: AwayFact | null;
  /** How its listings fail; null if the last one did not. */
  readonly unlisted: WhyFact | null;
  readonly isListed: boolean;
}

/** The state of a folder: the first line that applies. */
function stateBy({ found, taken, foreign, unlisted, isListed }: Facts): [IntakeState, WhyFact | null] {
  if (found.state !== 'present') return [found.state, found.why];
  if (taken !== null) return ['taken', ofError(taken)];
  if (foreign !== null) return ['unreachable', foreign];
  if (unlisted?.is === 'unlisted')
    return [isUnreachable(unlisted.system) ? 'unreachable' : 'unreadable', unlisted];
  return [isListed ? 'watching' : 'starting', null];
}

export interface PresenceDeps extends Omit<FolderClaimDeps, 'path' | 'isShared'> {
  readonly folder: WatchedFolder;
  readonly settings: Pick<FolderSettings, 'path' | 'share'>;
  readonly ledger: Ledger;
  readonly trouble: FolderTrouble;
  /** Its last state is kept across configuration reloads. */
  readonly remembered: { state: FolderSince | null };
  /** Stands in for an unreachable shared ledger; null if this agent has its own. */
  readonly offline: { readonly isOn: boolean; holdUp(): void; letGo(): void } | null;
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

/**
 * Whether a watched folder is there, is still itself (mountIdentity.ts), and is this agent's to take in (folderClaim.ts). Logs each change
 * of its state once.
 */
export class Presence {
  readonly #deps: PresenceDeps;
  readonly #mount: MountIdentity;
  readonly #claim: FolderClaim;
  readonly #mountLooks: SharedRun;
  #state: IntakeState = 'starting';
  #why: WhyFact | null = null;
  #since: number;
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
    this.#since = deps.clock.now();
    this.#mountLooks = new SharedRun(() =>
      // Only the ledger knows the mark. It is asked again before deferred images are admitted.
      this.#lookNow(async (fileSystem) => !this.#isOffline && (await this.#mount.look(fileSystem))),
    );
  }

  get state() {
    return { state: this.#state, why: this.#why, since: this.#since };
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
    this.#enter(this.#foreign === null ? 'watching' : 'unreachable', this.#foreign);
  }

  standBy(why: WhyFact): void {
    this.#enter('standby', why);
  }

  /** Checks the folder and updates the state. Null if the check fails, or if another agent takes the folder in. */
  async look(): Promise<FolderAvailability | null> {
    const { folder, settings, log } = this.#deps;
    try {
      const found = await folder.availability();
      const taken = found.state === 'present' ? await this.#takenBy(found.token) : null;
      if (found.state === 'present' && taken === null) {
        if (this.#writesFail || this.#isOffline) this.holdUp();
        this.#liesOn(found.fileSystem);
        // Only the ledger knows the mark. Files in a foreign folder are deferred, as they would be admitted.
        if (!this.#isOffline) this.#foreign = await this.#mount.look(found.fileSystem);
      } else if (found.state !== 'present') this.#failedListings = 0;
      const isListed = this.#state === 'watching';
      const facts = { found, taken, foreign: this.#foreign, unlisted: this.#whyUnlisted, isListed };
      this.#enter(...stateBy(facts));
      // If it appears later, its files were not seen arriving, so they may be `existing` ones.
      if (found.state === 'missing' && !this.#writesFail && !this.#isOffline) this.#deps.offline?.letGo();
      return taken === null ? found : null;
    } catch (error) {
      const fields = { folder: settings.path, ...describeError(error) };
      if (isUnreachable(systemCode(error)) || this.#writesFail) log.debug('folderNotChecked', fields);
      else log.warn('folderNotChecked', fields);
      return null;
    }
  }

  /** The leader of a shared folder is unknown while offline. If two agents defer the same file, it becomes one document. */
  async #takenBy(token: string): Promise<ReceiptdError | null> {
    const isFleets = this.#isOffline && (this.#deps.settings.share ?? null) !== null;
    return isFleets ? null : this.#claim.hold(token);
  }

  /** One listing may fail because the folder was just replaced. */
  get #whyUnlisted(): WhyFact | null {
    if (this.#failedListings < 2 || this.#unlisted === null) return null;
    return { is: 'unlisted', folder: this.#deps.settings.path, system: this.#unlisted };
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
    if (!this.#isWatched) this.#deps.offline?.holdUp();
  }

  /** The folder's first watch has been recorded in the ledger. */
  firstWatched(): void {
    this.#isWatched = true;
    this.#deps.offline?.letGo();
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

  #enter(state: IntakeState, why: WhyFact | null): void {
    const { settings, remembered, log, trouble, clock } = this.#deps;
    trouble.unreachable(state === 'unreachable' ? why : null);
    this.#why = why;
    if (state === this.#state) return;
    const before = this.#state;
    this.#state = state;
    this.#since = remembered.state?.state === state ? remembered.state.since : clock.now();
    // Not `starting`: a reload passes through it, and must not restart the time of the state that follows.
    if (state !== 'starting') remembered.state = { state, since: this.#since };
    const fields = { folder: settings.path, detail: why && whyText(why) };
    const code = CODES[state];
    if (code) log.error('folderAway', { ...fields, state, code });
    else if (state === 'watching') log.info('folderWatched', fields);
    else if (state === 'standby') log.info('folderOnStandby', fields);
    else if (state === 'starting' && before !== 'watching' && before !== 'standby')
      log.info('folderBack', fields);
  }

  get #isOffline(): boolean {
    return this.#deps.offline?.isOn === true;
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
