import type { FileIdentity } from '../../core/domain/document.ts';
import { systemCode, systemError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { FileSystem, WatchedFolder } from '../../core/ports/folder.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { LedgerIntake } from '../../core/ports/ledgerIntake.ts';
import { nameOf, pathOf } from '../../core/paths.ts';
import type { AwayFact } from '../../core/domain/why.ts';

/** Number of known files that identify the folder. Stored with its mark, so that files admitted later do not count. */
const WITNESSES = 64;
const LOOK_AGAIN_MS = 30_000;
/** Resolution of the coarsest file system clock (vfat): a copy whose mtime differs by no more is the same file. */
const SAME_TIME_NS = 2_000_000_000n;
const NAMES_AT_ONCE = 256;

/** Mark set when a person confirmed the folder while no agent ran: the next file system it is found on is taken over. */
export const ANYTHING = '*';
/** Mark in a ledger that was rebuilt or predates marks: it knows the files, but not the folder's file system. */
const FORGOTTEN = '';

/**
 * Tells whether a folder is still the one whose files are known. An unmounted share or disk leaves an empty directory in
 * its place, and then a missing file must not count as gone:
 *
 *   own ──another file system, without any of the known files──▶ foreign
 *   foreign ──the former file system, or one of the witnesses──▶ own
 *
 * If no files are known, or one of them is found, the new file system is taken over. The state survives a restart.
 */
export class MountIdentity {
  readonly #folder: WatchedFolder;
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  #home: Home | null | undefined;
  #lookedAt = -Infinity;
  /** The last look; the next one starts after it. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ folder, ledger, clock }: { folder: WatchedFolder; ledger: Ledger; clock: Clock }) {
    this.#folder = folder;
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** Null if the folder is in its place; otherwise what is wrong. Rejects if the check fails. */
  look({ mark }: FileSystem): Promise<AwayFact | null> {
    const looked = this.#last.then(() => this.#look(mark));
    this.#last = looked.catch(() => undefined);
    return looked;
  }

  async #look(mark: string): Promise<AwayFact | null> {
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

  /** Accepts the present file system: known files missing from it are gone. Also used when a person confirms that. */
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

  /** Takes over the file system unless the folder has moved again: after a slow look, what it found may be out of date. */
  async #moveTo(mark: string, home: Home | null): Promise<AwayFact | null> {
    if (home === null) return this.takeOver(mark);
    if (await this.#liesOn(mark)) {
      await this.takeOver(mark);
      if (await this.#liesOn(mark)) return null;
      // The folder moved while the mark was being recorded: restore the old one.
      await this.#keep(home);
    }
    return foreign(this.#folder.path, home.mark, mark);
  }

  async #liesOn(mark: string): Promise<boolean> {
    const now = await this.#folder.availability();
    return now.state === 'present' && now.fileSystem.mark === mark;
  }

  /** Whether any listed file is known and unchanged. */
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
   * Picks witnesses evenly from the files that were known or awaiting commit when this was called; files admitted later may
   * be on the new file system. Empty files are left out, since they are all alike.
   */
  async #witnesses(): Promise<Witness[]> {
    const { path: folder } = this.#folder;
    const last = await this.#ledger.lastFile();
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
      if (known && known.fileId <= last && known.identity.size > 0)
        witnesses.push(witnessOf(pathOf(dir, name), known.identity));
    }
    return witnesses.slice(0, WITNESSES);
  }
}

/** The folder for readers of document bytes: unreachable while another one is in its place. */
export function inItsPlace(folder: WatchedFolder, ledger: LedgerIntake): WatchedFolder {
  return {
    ...folder,
    async availability() {
      const found = await folder.availability();
      if (found.state !== 'present') return found;
      const home = homeOf(await ledger.folderMark(folder.path));
      const { mark } = found.fileSystem;
      if (home === null || home.mark === mark || home.mark === ANYTHING) return found;
      return { state: 'unreachable', why: foreign(folder.path, home.mark, mark) };
    },
  };
}

/**
 * Wraps a folder so that a known file counts as gone only while the folder itself is in its place. Otherwise a missing
 * file is reported as an error of the folder (ESTALE), since it says nothing about the file.
 */
export function mountGuard(
  folder: WatchedFolder,
  isKnown: (path: string) => Promise<boolean>,
  isInPlace: () => Promise<boolean>,
): WatchedFolder {
  const isAbsent = async (path: string): Promise<boolean> => !(await isKnown(path)) || (await isInPlace());
  return {
    ...folder,
    stat: async (path) => {
      const found = await folder.stat(path);
      if (found !== null || (await isAbsent(path))) return found;
      throw systemError('ESTALE', `${folder.path} is not in its place`);
    },
    read: async (path, limit, options) => {
      const read = await folder.read(path, limit, options);
      return read.kind !== 'gone' || (await isAbsent(path)) ? read : { kind: 'unreadable', code: 'ESTALE' };
    },
  };
}

/** Whether the file system's change times may be as coarse as two seconds, even if they look finer. */
export function hasCoarseClock({ name, network }: FileSystem): boolean {
  return network || name === 'vfat' || name === 'exfat';
}

interface Witness {
  readonly path: string;
  readonly size: number;
  readonly mtimeNs: string;
}

/** The folder mark in the ledger: the file system's mark and, while the folder is foreign, the witnesses on a second line. */
interface Home {
  readonly mark: string;
  readonly witnesses: readonly Witness[] | null;
}

function homeOf(text: string | null): Home | null {
  if (text === null) return null;
  const cut = text.indexOf('\n');
  if (cut < 0) return { mark: text, witnesses: null };
  // Only `#keep` writes this.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { mark: text.slice(0, cut), witnesses: JSON.parse(text.slice(cut + 1)) as Witness[] };
}

function witnessOf(path: string, { size, mtimeNs }: FileIdentity): Witness {
  return { path, size, mtimeNs: String(mtimeNs) };
}

function foreign(folder: string, was: string, is: string): AwayFact {
  return { is: 'otherFileSystem', folder, was: was === FORGOTTEN ? null : was, now: is };
}
