import type { FileIdentity } from '../../core/domain/document.ts';
import { systemCode } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { FileSystem, WatchedFolder } from '../../core/ports/folder.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { LedgerIntake } from '../../core/ports/ledgerIntake.ts';
import { nameOf, pathOf } from '../../core/paths.ts';

/** Known files by which the folder is known again; kept with its mark, so that what is admitted meanwhile does not count. */
const WITNESSES = 64;
const LOOK_AGAIN_MS = 30_000;
/** The coarsest clock of a file system (vfat): a copy that kept the times is the same file. */
const SAME_TIME_NS = 2_000_000_000n;
const NAMES_AT_ONCE = 256;

/** A person said that the folder is what it is, while no agent ran: whatever it lies on next is taken over. */
export const ANYTHING = '*';
/** Of a ledger that was rebuilt, or is of a version before marks: that knows the files, but not on what the folder lay. */
const FORGOTTEN = '';

/**
 * Whether a folder still is the one whose files are known. An unmounted share or disk leaves an empty directory in its
 * place, which says nothing about what is gone:
 *
 *   own ──another file system, and none of the known files is there──▶ foreign
 *   foreign ──the file system that it was, or one of the witnesses──▶ own
 *
 * Where nothing is known, or a known file is there, the new file system is taken over. Foreign outlives a restart.
 */
export class MountIdentity {
  readonly #folder: WatchedFolder;
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  #home: Home | null | undefined;
  #lookedAt = -Infinity;
  /** One look after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ folder, ledger, clock }: { folder: WatchedFolder; ledger: Ledger; clock: Clock }) {
    this.#folder = folder;
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** Null if the folder is in its place; otherwise what is wrong. Rejects if that can't be told. */
  look({ mark }: FileSystem): Promise<string | null> {
    const looked = this.#last.then(() => this.#look(mark));
    this.#last = looked.catch(() => undefined);
    return looked;
  }

  async #look(mark: string): Promise<string | null> {
    const home = (this.#home ??= homeOf(await this.#ledger.folderMark(this.#folder.path)));
    if (home?.mark === ANYTHING) return this.takeOver(mark);
    if (home?.mark === mark) return home.witnesses === null ? null : this.takeOver(mark);
    if (home === null || home.witnesses === null) {
      const witnesses = await this.#witnesses();
      if (witnesses.length === 0 || (await this.#knowsOne())) return this.#moveTo(mark, home);
      await this.#keep({ mark: home?.mark ?? FORGOTTEN, witnesses });
    } else if (this.#clock.monotonic() - this.#lookedAt >= LOOK_AGAIN_MS) {
      this.#lookedAt = this.#clock.monotonic();
      for (const witness of home.witnesses) if (await this.#isThere(witness)) return this.#moveTo(mark, home);
    }
    return foreign(this.#folder.path, home?.mark ?? FORGOTTEN, mark);
  }

  /** The mark of the file system to which the folder belongs; null before it was looked at. */
  async belongsOn(): Promise<string | null> {
    const home = (this.#home ??= homeOf(await this.#ledger.folderMark(this.#folder.path)));
    return home?.mark ?? null;
  }

  /** The folder is what it is now: known files that are not there are gone. Also for a person who knows that. */
  async takeOver(mark: string): Promise<null> {
    await this.#keep({ mark, witnesses: null });
    return null;
  }

  async #keep(home: Home): Promise<void> {
    const { path } = this.#folder;
    if (home.witnesses === null) await this.#ledger.setFolderMark(path, home.mark, this.#clock.now());
    else await this.#ledger.doubtFolderMark(path, `${home.mark}\n${JSON.stringify(home.witnesses)}`);
    this.#home = home;
    this.#lookedAt = this.#clock.monotonic();
  }

  /** A look that took long may tell of what lay there before: what is found on another file system by now proves nothing. */
  async #moveTo(mark: string, home: Home | null): Promise<string | null> {
    if (home === null) return this.takeOver(mark);
    if (await this.#liesOn(mark)) {
      await this.takeOver(mark);
      if (await this.#liesOn(mark)) return null;
      // Recording that took so long that it was true no more.
      await this.#keep(home);
    }
    return foreign(this.#folder.path, home.mark, mark);
  }

  async #liesOn(mark: string): Promise<boolean> {
    const now = await this.#folder.availability();
    return now.state === 'present' && now.fileSystem.mark === mark;
  }

  /** Whether any file of the present listing is known, as it is. */
  async #knowsOne(): Promise<boolean> {
    for await (const { dir, files } of this.#folder.list('')) {
      for (let start = 0; start < files.length; start += NAMES_AT_ONCE) {
        const names = files.slice(start, start + NAMES_AT_ONCE).map(({ path }) => nameOf(path));
        for (const [name, { identity }] of await this.#ledger.knownIn(this.#folder.path, dir, names))
          if (await this.#isThere(witnessOf(pathOf(dir, name), identity))) return true;
      }
    }
    return false;
  }

  async #isThere({ path, size, mtimeNs }: Witness): Promise<boolean> {
    let found;
    try {
      found = await this.#folder.stat(path);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return false;
    }
    if (found?.kind !== 'file' || found.identity.size !== size) return false;
    const difference = found.identity.mtimeNs - BigInt(mtimeNs);
    return difference <= SAME_TIME_NS && -difference <= SAME_TIME_NS;
  }

  /**
   * Evenly from all that was known or waited for its commit when this was called: what is admitted afterwards may lie where
   * the folder lies now. An empty file is no witness, since any other is like it.
   */
  async #witnesses(): Promise<Witness[]> {
    const { path: folder } = this.#folder;
    const last = await this.#ledger.lastSighting();
    let picked: { dir: string; name: string }[] = [];
    let every = 1;
    let count = 0;
    for (const dir of await this.#ledger.dirs(folder, '')) {
      for await (const batch of this.#ledger.namesIn(folder, dir)) {
        for (const name of batch) {
          if (count++ % every !== 0) continue;
          picked.push({ dir, name });
          if (picked.length < WITNESSES * 2) continue;
          picked = picked.filter((_, index) => index % 2 === 0);
          every *= 2;
        }
      }
    }
    const witnesses: Witness[] = [];
    for (const { dir, name } of picked) {
      const known = (await this.#ledger.knownIn(folder, dir, [name])).get(name);
      if (known && known.sighting <= last && known.identity.size > 0)
        witnesses.push(witnessOf(pathOf(dir, name), known.identity));
    }
    return witnesses.slice(0, WITNESSES);
  }
}

/** A folder as those see it who look for a document's bytes: while another stands in its place, it is not there. */
export function inItsPlace(folder: WatchedFolder, ledger: LedgerIntake): WatchedFolder {
  return {
    ...folder,
    async availability() {
      const found = await folder.availability();
      if (found.state !== 'present') return found;
      const home = homeOf(await ledger.folderMark(folder.path));
      const { mark } = found.fileSystem;
      if (home === null || home.mark === mark || home.mark === ANYTHING) return found;
      return { state: 'unreachable', message: foreign(folder.path, home.mark, mark) };
    },
  };
}

/** File systems that keep the time of a change no finer than two seconds, whatever the stamps look like. */
export function hasCoarseClock({ name, network }: FileSystem): boolean {
  return network || name === 'vfat' || name === 'exfat';
}

interface Witness {
  readonly path: string;
  readonly size: number;
  readonly mtimeNs: string;
}

/** What the ledger keeps as the folder's mark: the mark, and on a second line the witnesses while it is foreign. */
interface Home {
  readonly mark: string;
  readonly witnesses: readonly Witness[] | null;
}

function homeOf(text: string | null): Home | null {
  if (text === null) return null;
  const cut = text.indexOf('\n');
  if (cut < 0) return { mark: text, witnesses: null };
  // Written by `#keep`, and by nothing else.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { mark: text.slice(0, cut), witnesses: JSON.parse(text.slice(cut + 1)) as Witness[] };
}

function witnessOf(path: string, { size, mtimeNs }: FileIdentity): Witness {
  return { path, size, mtimeNs: String(mtimeNs) };
}

function foreign(path: string, was: string, is: string): string {
  const elsewhere =
    was === FORGOTTEN
      ? 'the file system it was on before is not known, and it'
      : `it is on a different file system than before (${is}, not ${was}) and`;
  return `${path} is unreachable: ${elsewhere} holds none of its files.`;
}
