import type { Log } from '../core/ports/log.ts';
import type { SpoolCopies } from '../keeper/spoolCopies.ts';

/** Spool copies made before the ledger needs them. */
export class OwnCopies {
  readonly #copies: Pick<SpoolCopies, 'make' | 'dropUnwanted' | 'alsoNeededBy'>;
  readonly #log: Log;
  /** Number of `whileKept` calls in progress, by hash. */
  readonly #underway = new Map<string, number>();

  constructor(copies: Pick<SpoolCopies, 'make' | 'dropUnwanted' | 'alsoNeededBy'>, log: Log) {
    this.#copies = copies;
    this.#log = log;
    copies.alsoNeededBy((hash) => this.#underway.has(hash));
  }

  /**
   * Runs `work` with these bytes in the spool; the copy stays if the ledger needs it then, which is not asked if `isWanted`
   * can tell from the result. `noRoom`: `work` did not run.
   */
  async whileKept<T>(
    hash: string,
    bytes: Buffer,
    work: () => Promise<T>,
    isWanted: (result: T) => boolean = () => false,
  ): Promise<T | 'noRoom'> {
    this.#underway.set(hash, (this.#underway.get(hash) ?? 0) + 1);
    let stays = false;
    try {
      if ((await this.#copies.make(hash, bytes)) !== 'there') return 'noRoom';
      const result = await work();
      stays = isWanted(result);
      return result;
    } finally {
      const others = (this.#underway.get(hash) ?? 1) - 1;
      if (others > 0) this.#underway.set(hash, others);
      else this.#underway.delete(hash);
      if (!stays) await this.drop(hash);
    }
  }

  /** Removes a copy that nothing needs. If that fails, the next sweep removes it. */
  async drop(hash: string): Promise<void> {
    await this.#copies.dropUnwanted(hash).catch((error: unknown) => {
      this.#log.debug('copyNotDropped', { sha256: hash, why: String(error) });
    });
  }
}
