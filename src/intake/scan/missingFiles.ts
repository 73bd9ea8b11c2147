import { byBytes } from '../../core/domain/byteOrder.ts';
import type { KnownFile, LedgerIntake } from '../../core/ports/ledgerIntake.ts';
import { pathOf } from '../../core/paths.ts';

/** Files per ledger query; more than one query is needed only if many files are gone. */
const KNOWN_AT_ONCE = 1_024;

export interface MissingFilesDeps {
  readonly ledger: Pick<LedgerIntake, 'knownFrom' | 'dirs'>;
  /** Absolute. */
  readonly folder: string;
  /** Whether to collect known files that are not listed. */
  readonly full: boolean;
}

/**
 * Looks up listed files in the ledger, and finds those that the ledger knows but the listing lacks. Merges the names of a
 * directory with those in the ledger, both sorted by their bytes: each is read once and none is kept in memory, since there
 * may be a million.
 */
export class MissingFiles {
  readonly #deps: MissingFilesDeps;
  readonly #listed = new Set<string>();
  readonly #absent: string[] = [];
  #open: { readonly dir: string; after: string; readonly badNames: Set<string> } | null = null;

  constructor(deps: MissingFilesDeps) {
    this.#deps = deps;
  }

  /** The directory was not listed, because it is unreadable or unchanged: none of its files counts as missing. */
  without(dir: string): void {
    this.#listed.add(dir);
  }

  /** Names that are not valid UTF-8, as they are shown. Kept apart, because their position in the order is unknown. */
  async badNames(dir: string, names: readonly string[]): Promise<void> {
    const { badNames } = await this.#enter(dir);
    for (const name of names) badNames.add(name);
  }

  /**
   * Looks up the next names of the listing. All names of a directory must come before those of the next, and every listed
   * directory must be passed here or to `badNames`, even an empty one. Resolves one entry for each name, in the same order.
   */
  async known(dir: string, names: readonly string[]): Promise<readonly (KnownFile | undefined)[]> {
    const open = await this.#enter(dir);
    const known: (KnownFile | undefined)[] = [];
    const last = names.at(-1);
    if (last === undefined) return known;
    await this.#upTo(open, last, (file) => {
      while (known.length < names.length && byBytes(names[known.length] ?? '', file.name) < 0)
        known.push(undefined);
      if (names[known.length] === file.name) known.push(file);
      else this.#missed(open, file.name);
    });
    while (known.length < names.length) known.push(undefined);
    return known;
  }

  /** Paths of the missing files at and below `under`. Call it when the listing is complete. */
  async all(under: string): Promise<readonly string[]> {
    await this.#close();
    const { ledger, folder } = this.#deps;
    for (const dir of await ledger.dirs(folder, under)) if (!this.#listed.has(dir)) await this.#enter(dir);
    await this.#close();
    return this.#absent;
  }

  async #enter(dir: string) {
    if (this.#open?.dir !== dir) await this.#close();
    this.#listed.add(dir);
    return (this.#open ??= { dir, after: '', badNames: new Set<string>() });
  }

  async #close(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    if (open && this.#deps.full) await this.#upTo(open, null, ({ name }) => this.#missed(open, name));
  }

  async #upTo(
    open: { readonly dir: string; after: string },
    upTo: string | null,
    each: (file: KnownFile & { readonly name: string }) => void,
  ): Promise<void> {
    const { ledger, folder } = this.#deps;
    for (;;) {
      const files = await ledger.knownFrom(folder, open.dir, { after: open.after, upTo }, KNOWN_AT_ONCE);
      for (const file of files) each(file);
      open.after = (files.length < KNOWN_AT_ONCE ? upTo : files.at(-1)?.name) ?? open.after;
      if (files.length < KNOWN_AT_ONCE) return;
    }
  }

  #missed(open: { readonly dir: string; readonly badNames: ReadonlySet<string> }, name: string): void {
    if (this.#deps.full && !open.badNames.has(name)) this.#absent.push(pathOf(open.dir, name));
  }
}
