import { systemCode } from '../../core/domain/errors.ts';
import { disposeAccepted, NEEDS_PERSON, recoverAside, type DisposeDeps } from './dispose.ts';
import { DISPOSE_AGAIN_MS, DisposalWaits } from './disposalWaits.ts';
import { OriginalsDecision, type OriginalsRuleDeps } from './originalsRule.ts';

/** Interval for checking again whether all files in the folder are known. */
const RULE_AGAIN_MS = 500;

export type FolderDisposalDeps = DisposeDeps &
  OriginalsRuleDeps & {
    /** Called after a run if no original waits for another attempt. */
    readonly onNoneStuck?: () => void;
  };

/** Schedules the disposal of one folder's originals, if it is configured. */
export class FolderDisposal {
  readonly #deps: FolderDisposalDeps;
  readonly #waits: DisposalWaits;
  readonly #rule: OriginalsDecision;
  #isWanted = false;
  #notBefore = 0;
  /** Whether the last run left originals that should have gone. */
  #isStuck = false;
  #isTrying = false;

  constructor(deps: FolderDisposalDeps) {
    this.#deps = deps;
    this.#waits = new DisposalWaits(deps.clock);
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
    const isWanted = this.#isWanted || this.#waits.isOver;
    return isWanted && this.#deps.clock.monotonic() >= this.#notBefore;
  }

  /** Disposes of what is due. `isForeign`: another folder is in its place, so nothing is touched. */
  async run(isForeign: boolean, signal: AbortSignal): Promise<void> {
    this.#isWanted = false;
    if (isForeign) return;
    const stays = await this.#rule.stays();
    const isDone =
      stays !== null && (await disposeAccepted(this.#deps, { stays, waits: this.#waits }, signal));
    this.#isStuck = stays !== null && (!isDone || !this.#waits.isEmpty);
    if (isDone && !this.#isStuck && !signal.aborted) void this.#tryPlaces(signal);
    if (isDone || this.#deps.settings.afterUpload === 'keep') return;
    this.#isWanted = true;
    const again = stays === null ? RULE_AGAIN_MS : DISPOSE_AGAIN_MS;
    this.#notBefore = this.#deps.clock.monotonic() + again;
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
    else if (NEEDS_PERSON.has(code)) onStuck?.(null, code);
  }
}

function codeOf(error: unknown): string {
  const code = systemCode(error);
  if (code === undefined) throw error;
  return code;
}
