import { isUnreachable } from '../../core/domain/unreachable.ts';
import { describeError, isOfLedger, ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { Disposal } from '../../core/ports/ledgerDisposals.ts';
import { disposeOne, hasFilesAside, recoverAside, type DisposeDeps } from './dispose.ts';
import { OriginalsDecision, type OriginalsRuleDeps } from './originalsRule.ts';

/** Interval for checking again whether all files in the folder are known. */
const RULE_AGAIN_MS = 500;
/** Retry interval after a failed disposal. Long, since each attempt reads and hashes the file again. */
const DISPOSE_AGAIN_MS = 5 * 60_000;
/** Maximum number of files that wait individually; with more, the whole folder waits. */
const WAITING_AT_MOST = 1_000;
const BATCH = 100;

/** Of a file system that takes nothing more. */
const FULL = new Set('ENOSPC EDQUOT EROFS'.split(' '));
/** Errors that a person has to remedy, besides those; others, such as a file that a viewer has locked, may pass until the next attempt. */
const NEEDS_PERSON = new Set('EACCES EPERM ENOTDIR ELOOP'.split(' '));

export type FolderDisposalDeps = DisposeDeps &
  OriginalsRuleDeps & {
    /** Called with the system's error code if an original can't be disposed of until a person helps. */
    readonly onStuck?: (path: string | null, code: string) => void;
    /** Called after a run if no original waits for another attempt. */
    readonly onNoneStuck?: () => void;
  };

/**
 * Disposes of one folder's originals, if it is configured: of those that may go, when that was asked for and when a wait is over. A file
 * that could not be disposed of waits without holding up the others (promise P4).
 */
export class FolderDisposal {
  readonly #deps: FolderDisposalDeps;
  readonly #rule: OriginalsDecision;
  /** Time of the next attempt by file, in monotonic milliseconds, earliest first. */
  readonly #waiting = new Map<number, number>();
  /** Until when a cause is not warned about again: a read-only archive must not fill the log. */
  readonly #warnedUntil = new Map<string, number>();
  #isWanted = false;
  #notBefore = 0;
  /** Whether the last run left originals that should have gone. */
  #isStuck = false;
  #isTrying = false;

  constructor(deps: FolderDisposalDeps) {
    this.#deps = deps;
    this.#rule = new OriginalsDecision(deps);
  }

  /** Ends interrupted disposals. Call before the first listing, while the folder is in its place. */
  async recover(signal: AbortSignal): Promise<void> {
    await recoverAside(this.#deps, signal);
  }

  /** Loads or sets the rule for originals. Call before the first listing. */
  async begin(isFirstWatch: boolean): Promise<void> {
    await this.#rule.begin(isFirstWatch);
  }

  /** Requests a run: there may be something to dispose of. */
  soon(): void {
    this.#isWanted = true;
  }

  get isDue(): boolean {
    const [first = Infinity] = this.#waiting.values();
    return (this.#isWanted || first <= this.#now) && this.#now >= this.#notBefore;
  }

  /** Disposes of what is due. `isForeign`: another folder is in its place, so nothing is touched. */
  async run(isForeign: boolean, signal: AbortSignal): Promise<void> {
    this.#isWanted = false;
    if (isForeign) return;
    const stays = await this.#rule.stays();
    const isDone = stays !== null && (await this.#disposeAccepted(stays, signal));
    this.#isStuck = stays !== null && (!isDone || this.#waiting.size > 0);
    if (isDone && !this.#isStuck && !signal.aborted) void this.#tryPlaces(signal);
    if (isDone || this.#deps.settings.afterUpload === 'keep') return;
    this.#isWanted = true;
    this.#notBefore = this.#now + (stays === null ? RULE_AGAIN_MS : DISPOSE_AGAIN_MS);
  }

  /** Archives or deletes the files of accepted documents, except those up to `stays`. False if the folder as a whole has to wait. */
  async #disposeAccepted(stays: number, signal: AbortSignal): Promise<boolean> {
    const { folder, settings, ledger } = this.#deps;
    const { path, afterUpload, afterUploadOn: statuses } = settings;
    if (afterUpload === 'keep') return true;
    let begun = await ledger.begunDisposals(path);
    // Left by this run, when the ledger could not be written or a file could not be put back.
    if (hasFilesAside(folder) || begun.length > 0) {
      await recoverAside(this.#deps, signal);
      begun = await ledger.begunDisposals(path);
    }
    const undecided = new Set(begun.map(({ fileId }) => fileId));
    for (const [fileId, until] of this.#waiting) if (until <= this.#now) this.#waiting.delete(fileId);
    let isWell = !hasFilesAside(folder) && undecided.size === 0;
    for (let afterFileId = 0; ;) {
      const batch = await ledger.toDispose(path, { afterFileId, limit: BATCH, stays, statuses });
      for (const disposal of batch) {
        if (signal.aborted) return isWell;
        afterFileId = disposal.fileId;
        if (undecided.has(afterFileId) || this.#waiting.has(afterFileId)) continue;
        try {
          await disposeOne(disposal, this.#deps);
        } catch (error) {
          if (this.#failed(disposal, error) || isOfLedger(error)) return false;
          if (hasFilesAside(folder) || !this.#wait(afterFileId)) isWell = false;
        }
      }
      if (batch.length < BATCH) return isWell;
    }
  }

  /** Reports a failure. Whether the next file would fail too. */
  #failed({ file }: Disposal, error: unknown): boolean {
    const { settings, log, onStuck } = this.#deps;
    const { code = '', ...rest } = describeError(error);
    const cause = systemCode(error instanceof ReceiptdError ? error.cause : error) ?? code;
    const isNew = (this.#warnedUntil.get(cause) ?? -Infinity) <= this.#now;
    if (isNew) this.#warnedUntil.set(cause, this.#now + DISPOSE_AGAIN_MS);
    const fields = { folder: settings.path, path: file.path, ...(code && { code }), ...rest };
    log[isNew ? 'warn' : 'debug']('originalNotDisposed', fields);
    if (needsPerson(cause)) onStuck?.(file.path, cause);
    return isOfAll(cause);
  }

  /** Makes a file wait. False if too many files wait already. */
  #wait(fileId: number): boolean {
    this.#waiting.delete(fileId);
    if (this.#waiting.size >= WAITING_AT_MOST) return false;
    this.#waiting.set(fileId, this.#now + DISPOSE_AGAIN_MS);
    return true;
  }

  /**
   * Reports what would keep originals in the folder before the first one has to go. In the background: an archive that hangs must not
   * keep scans from being taken in.
   */
  async #tryPlaces(signal: AbortSignal): Promise<void> {
    const { settings, folder, onStuck, onNoneStuck } = this.#deps;
    const { afterUpload } = settings;
    if (afterUpload === 'keep') return onNoneStuck?.();
    if (this.#isTrying) return;
    this.#isTrying = true;
    const code = await folder
      .unwritable(afterUpload === 'archive' ? 'archive' : 'nowhere')
      .catch(codeOf)
      .finally(() => (this.#isTrying = false));
    if (signal.aborted || this.#isStuck) return;
    if (code === null) onNoneStuck?.();
    else if (needsPerson(code)) onStuck?.(null, code);
  }

  get #now(): number {
    return this.#deps.clock.monotonic();
  }
}

/** Errors of the whole file system: the next file would fail too, so it is not touched. */
function isOfAll(code: string): boolean {
  return FULL.has(code) || isUnreachable(code);
}

function needsPerson(code: string): boolean {
  return NEEDS_PERSON.has(code) || isOfAll(code);
}

function codeOf(error: unknown): string {
  const code = systemCode(error);
  if (code === undefined) throw error;
  return code;
}
