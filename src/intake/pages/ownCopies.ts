import type { Log } from '../../core/ports/log.ts';
import type { SpoolCopies } from '../../delivery/payload/spoolCopies.ts';

/** Copies that are made before the ledger wants them. They lie in the spool whatever `spool` says: a page lies nowhere else. */
export class OwnCopies {
  readonly #copies: Pick<SpoolCopies, 'make' | 'dropUnwanted' | 'alsoNeededBy'>;
  readonly #log: Log;
  /** Between copy and ledger, by hash. */
  readonly #underway = new Map<string, number>();

  constructor(copies: Pick<SpoolCopies, 'make' | 'dropUnwanted' | 'alsoNeededBy'>, log: Log) {
    this.#copies = copies;
    this.#log = log;
    copies.alsoNeededBy((hash) => this.#underway.has(hash));
  }

  /** Does `work` with these bytes in the spool; it stays there if the ledger wants it then. */
  async whileKept<T>(hash: string, bytes: Buffer, work: () => Promise<T>): Promise<T | 'noRoom'> {
    this.#underway.set(hash, (this.#underway.get(hash) ?? 0) + 1);
    try {
      return (await this.#copies.make(hash, bytes)) === 'there' ? await work() : 'noRoom';
    } finally {
      const others = (this.#underway.get(hash) ?? 1) - 1;
      if (others > 0) this.#underway.set(hash, others);
      else this.#underway.delete(hash);
      await this.drop(hash);
    }
  }

  /** Removes it where nothing wants it any more. What fails goes with the next sweep. */
  async drop(hash: string): Promise<void> {
    await this.#copies.dropUnwanted(hash).catch((error: unknown) => {
      this.#log.debug('A copy could not be dropped', { sha256: hash, why: String(error) });
    });
  }
}
