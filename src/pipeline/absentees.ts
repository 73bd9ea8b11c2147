import { byBytes } from '../domain/byteOrder.ts';
import type { LedgerIntake } from '../ports/ledger.ts';
import { pathOf } from './paths.ts';

/**
 * Files that the ledger knows and a listing of the whole folder lacks. The names of a directory are gone through beside
 * those of the ledger, both in the order of their bytes, so that neither are kept: there may be a million.
 */
export class Absentees {
  readonly #ledger: Pick<LedgerIntake, 'namesIn' | 'dirs'>;
  readonly #folder: string;
  readonly #listed = new Set<string>();
  readonly #absent: string[] = [];
  #open: Directory | null = null;

  constructor(ledger: Pick<LedgerIntake, 'namesIn' | 'dirs'>, folder: string) {
    this.#ledger = ledger;
    this.#folder = folder;
  }

  /** What lies in it is unknown, not gone. */
  unreadable(dir: string): void {
    this.#listed.add(dir);
  }

  /** The next batch of the listing; those of a directory come one after the other. */
  async besides(dir: string, names: readonly string[], badNames: readonly string[]): Promise<void> {
    if (this.#open?.dir !== dir) {
      await this.#close();
      this.#listed.add(dir);
      const known = this.#ledger.namesIn(this.#folder, dir)[Symbol.asyncIterator]();
      this.#open = { dir, known, batch: [], at: 0, badNames: new Set() };
    }
    for (const name of badNames) this.#open.badNames.add(name);
    for (const name of names) await this.#pass(this.#open, name);
  }

  /** Once the listing has come to its end; paths. */
  async all(under: string): Promise<readonly string[]> {
    await this.#close();
    for (const dir of await this.#ledger.dirs(this.#folder, under)) {
      if (this.#listed.has(dir)) continue;
      for await (const batch of this.#ledger.namesIn(this.#folder, dir))
        for (const name of batch) this.#absent.push(pathOf(dir, name));
    }
    return this.#absent;
  }

  async #close(): Promise<void> {
    if (this.#open) await this.#pass(this.#open, null);
    this.#open = null;
  }

  /** Goes through the known names up to a listed one, or to their end. */
  async #pass(open: Directory, listed: string | null): Promise<void> {
    for (;;) {
      if (open.at === open.batch.length) {
        const next = await open.known.next();
        open.batch = next.done === true ? [] : next.value;
        open.at = 0;
      }
      const known = open.batch[open.at];
      if (known === undefined) return;
      const order = listed === null ? -1 : byBytes(known, listed);
      if (order > 0) return;
      open.at += 1;
      if (order === 0) return;
      if (!open.badNames.has(known)) this.#absent.push(pathOf(open.dir, known));
    }
  }
}

interface Directory {
  readonly dir: string;
  readonly known: AsyncIterator<readonly string[]>;
  batch: readonly string[];
  at: number;
  /** As far as they can be shown; their order is unknown. */
  readonly badNames: Set<string>;
}
