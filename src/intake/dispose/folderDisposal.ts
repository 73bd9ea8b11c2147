import { disposeAccepted, recoverAside, type DisposeDeps } from './dispose.ts';
import { DISPOSE_AGAIN_MS, DisposalWaits } from './disposalWaits.ts';
import { OriginalsRule, type OriginalsRuleDeps } from './originalsRule.ts';

/** How soon it is looked again whether all that lies in the folder is known. */
const RULE_AGAIN_MS = 500;

export type FolderDisposalDeps = DisposeDeps & OriginalsRuleDeps;

/** When the originals of one folder are disposed of, if they are to be. */
export class FolderDisposal {
  readonly #deps: FolderDisposalDeps;
  readonly #waits: DisposalWaits;
  readonly #rule: OriginalsRule;
  #isWanted = false;
  #notBefore = 0;

  constructor(deps: FolderDisposalDeps) {
    this.#deps = deps;
    this.#waits = new DisposalWaits(deps.clock);
    this.#rule = new OriginalsRule(deps);
  }

  /** Before the first listing, in a folder that is in its place. */
  async recover(signal: AbortSignal): Promise<void> {
    await recoverAside(this.#deps, signal);
  }

  /** Before the first listing. */
  async begin(isFirstWatch: boolean): Promise<void> {
    await this.#rule.begin(isFirstWatch);
  }

  /** There may be something to dispose of. */
  soon(): void {
    this.#isWanted = true;
  }

  get isDue(): boolean {
    const isWanted = this.#isWanted || this.#waits.isOver;
    return isWanted && this.#deps.clock.monotonic() >= this.#notBefore;
  }

  /** `isForeign`: another folder stands in its place, in which nothing is touched. */
  async run(isForeign: boolean, signal: AbortSignal): Promise<void> {
    this.#isWanted = false;
    if (isForeign) return;
    const stays = await this.#rule.stays();
    if (stays !== null && (await disposeAccepted(this.#deps, { stays, waits: this.#waits }, signal))) return;
    if (this.#deps.settings.afterUpload === 'keep') return;
    this.#isWanted = true;
    const again = stays === null ? RULE_AGAIN_MS : DISPOSE_AGAIN_MS;
    this.#notBefore = this.#deps.clock.monotonic() + again;
  }
}
