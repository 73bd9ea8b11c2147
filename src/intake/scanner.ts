import { byBytes } from '../core/domain/byteOrder.ts';
import { isAsRecorded, type FileIdentity, type Lane } from '../core/domain/document.ts';
import { describeError, systemCode } from '../core/domain/errors.ts';
import { acceptPolicy, existingPolicy, type Existing, type FolderSettings } from '../core/domain/settings.ts';
import { toMessage } from '../core/domain/why.ts';
import { nameOf, pathOf } from '../core/paths.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { ListedDirectory, WatchedFolder } from '../core/ports/folder.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { FileSeen, KnownFile, LedgerIntake } from '../core/ports/ledgerIntake.ts';
import type { Log } from '../core/ports/log.ts';
import type { OfflineFolder } from './offline.ts';
import type { Times } from './presence/presence.ts';
import { TICK_MS, type UnstableFiles } from './stability.ts';

/** Names per ledger query. Unstable files may exceed their capacity by this many. */
const LOOKED_UP_AT_ONCE = 256;
/** Files per ledger query; more than one query is needed only if many files are gone. */
const KNOWN_AT_ONCE = 1_024;
/** Cap on remembered directories; a folder with more is compared in full at every listing. */
const DIRECTORIES_AT_MOST = 20_000;
/** How often subfolders that are not watched are looked into, at most: a share is listed every few seconds. */
const UNWATCHED_EVERY_MS = 10 * 60_000;
/**
 * How long to wait for a file since it was first seen, and for a folder that can't be listed. A file that stays incomplete or
 * keeps being written must not delay the report of a lost document forever.
 */
const PATIENCE_MS = 10 * 60_000;

export interface ScannerDeps {
  readonly folder: WatchedFolder;
  readonly settings: FolderSettings;
  readonly unstable: UnstableFiles;
  readonly ledger: Ledger;
  /** Stands in for an unreachable shared ledger; null if this agent has its own. */
  readonly offline: OfflineFolder | null;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether files are compared without the ledger. One answer for a whole round, so that none is taken for compared that was not. */
  readonly isOffline: () => boolean;
  /** Whether a missing file counts as gone: false while the folder is missing or replaced by another directory. */
  readonly isInPlace: () => Promise<boolean>;
  /** Milliseconds for which a newly found file has certainly not changed. */
  readonly restedMs: (identity: FileIdentity) => number;
  readonly times: () => Times;
  /** Since when this process watches the folder, or waits for it; wall-clock milliseconds. */
  readonly watchedSince: number;
  /** A file was found that may have to be sent. */
  readonly onSeen: () => void;
  /** Known files are gone. */
  readonly onGone: (paths: readonly string[]) => Promise<void>;
  /** A name that is not valid UTF-8 was noted. */
  readonly onBadName: (path: string) => void;
  /** All directories in the folder that can't be listed, with the system's error code, whenever they change. */
  readonly onUnlisted: (directories: ReadonlyMap<string, string>) => void;
  /** The subfolders that hold images and are not watched, after a listing of the whole folder. */
  readonly onUnwatched: (subfolders: readonly string[]) => void;
}

interface Listing {
  readonly lane: Lane;
  /** Whether known files are compared, and looked for: this finds new bytes under an old name, and files that are gone. */
  readonly isFull: boolean;
  /** Whether unchanged directories are left out. */
  readonly passesOver: boolean;
}

/** The start and end of a listing, in monotonic milliseconds. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Compares one folder with what is known of it: whatever is new or different waits until it is stable. The ledger knows the files;
 * while it is offline, their change times tell which are new (offline.ts). A listing is the truth; the names that events report are
 * looked at by the same comparison, only sooner.
 *
 * A directory in which nothing was created, replaced or deleted since all its files were compared need not be listed again:
 *
 *   unknown ──listed, with a stamp that counts──▶ unchanged ──another stamp──▶ listed again
 *      ▲                                             │
 *      └──── anything that may have been missed ─────┘
 *
 * The stamp does not change when a file is overwritten in place. Only events report that, until the next listing that compares all.
 *
 * How far the folder has been looked through. A listing of the whole folder is
 *
 *   under way ──ends──▶ listed ──every file seen until then is decided on, or was seen long ago──▶ through
 *
 * Only files seen until the end of the awaited listing count. New files and later listings do not delay it.
 */
export class Scanner {
  readonly #deps: ScannerDeps;
  #directories = new Map<string, { readonly stamp: string; readonly directories: readonly string[] }>();
  #forgotten = 0;
  /** Directories that can't be listed, with the system's error code. Every listing tries them again. */
  readonly #unreadable = new Map<string, string>();
  #isAskedFor = false;
  #lastListing: number | null = null;
  #unwatchedAt = -Infinity;
  #underWay: number | null = null;
  #awaited: Span | null = null;
  #latest: Span | null = null;
  #throughFrom = -Infinity;

  constructor(deps: ScannerDeps) {
    this.#deps = deps;
  }

  /** When the last listing ended, wall-clock milliseconds. */
  get last(): number | null {
    return this.#lastListing;
  }

  /** Number of directories that can't be listed. */
  get unreadableDirs(): number {
    return this.#unreadable.size;
  }

  /** Whether `ask` was called and no listing that compares all has begun since. It waits for the ledger. */
  get isAskedFor(): boolean {
    return this.#isAskedFor && !this.#isOffline;
  }

  ask(): void {
    this.#isAskedFor = true;
  }

  /** Whether a listing could skip unchanged directories. */
  get mayPassOver(): boolean {
    return this.#directories.size > 0;
  }

  /** Call it when a change may have been missed: the next listing compares everything, and a running one is not remembered. */
  forgetDirectories(): void {
    this.#directories = new Map();
    this.#forgotten += 1;
  }

  /** Call it when files were not examined for a while: earlier listings do not count any more. */
  forgetProgress(): void {
    this.#awaited = null;
    this.#latest = null;
    this.#throughFrom = -Infinity;
  }

  /** Call it when the folder may have been replaced or was not watched. */
  forget(): void {
    this.forgetProgress();
    this.forgetDirectories();
  }

  /* ---- How far it has been looked through ---- */

  /** Whether a listing that began after `at` (monotonic) is through. */
  isThroughSince(at: number): boolean {
    const { clock, unstable } = this.#deps;
    const isThrough = ({ to }: Span) => !unstable.hasSeenBetween(clock.monotonic() - PATIENCE_MS, to);
    while (this.#awaited && isThrough(this.#awaited)) {
      this.#throughFrom = this.#awaited.from;
      this.#awaited = this.#awaited === this.#latest ? null : this.#latest;
    }
    return this.#throughFrom > at;
  }

  hasBegunSince(at: number): boolean {
    return this.#hasListedSince(at) || (this.#underWay !== null && this.#underWay > at);
  }

  /**
   * Whether no listing that began after `at` is complete, and PATIENCE_MS have passed since `at` with none under way, or
   * before the one under way began.
   */
  isStuckSince(at: number): boolean {
    return !this.#hasListedSince(at) && (this.#underWay ?? this.#deps.clock.monotonic()) - at >= PATIENCE_MS;
  }

  #hasListedSince(at: number): boolean {
    return this.#latest !== null && this.#latest.from > at;
  }

  /* ---- Listings ---- */

  /** Compares every file. Resolves how many. */
  async all(lane: Lane, signal: AbortSignal): Promise<number> {
    const isFull = !this.#isOffline;
    const from = this.#deps.clock.monotonic();
    if (isFull) {
      this.#isAskedFor = false;
      this.#underWay = from;
    }
    let compared = 0;
    try {
      compared = await this.#list('', { lane, isFull, passesOver: false }, signal);
    } finally {
      this.#underWay = null;
    }
    if (!isFull) return compared;
    this.#latest = { from, to: this.#deps.clock.monotonic() };
    this.#awaited ??= this.#latest;
    this.isThroughSince(from);
    await this.#lookForUnwatched();
    return compared;
  }

  /** Compares the files of directories in which something was created, renamed or deleted. Resolves how many. */
  async changed(signal: AbortSignal): Promise<number> {
    return this.#list('', { lane: 'fresh', isFull: !this.#isOffline, passesOver: true }, signal);
  }

  /** Compares the files of one directory, and those below it, that are not known yet. */
  async directory(dir: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#list(dir, { lane: 'fresh', isFull: false, passesOver: false }, signal);
    } catch (error) {
      // A subdirectory may have been deleted again; the next full listing finds out. A failure of the folder itself counts.
      if (dir === '' || signal.aborted) throw error;
      this.#deps.log.debug('directoryNotListed', { path: dir, ...describeError(error) });
    }
  }

  async #list(under: string, { lane, isFull, passesOver }: Listing, signal: AbortSignal): Promise<number> {
    const { folder, settings, unstable, ledger, clock, offline } = this.#deps;
    const isOffline = this.#isOffline;
    const missing = new MissingFiles(ledger, settings.path, isFull);
    const [before, forgotten] = [this.#directories, this.#forgotten];
    const remembered: typeof before = new Map();
    const unchanged = (dir: string, stamp: string): readonly string[] | null => {
      const known = passesOver && forgotten === this.#forgotten ? before.get(dir) : undefined;
      if (known?.stamp !== stamp) return null;
      remembered.set(dir, known);
      return known.directories;
    };
    const unreadable = new Map<string, string>();
    let compared = 0;
    let isListed = false;
    let latestNs = 0n;
    for await (const listed of folder.list(under, signal, isFull ? unchanged : undefined)) {
      const { dir, files, badNames = [], stamp, directories = [] } = listed;
      if (listed.isUnchanged || !this.#canBeRead(listed, unreadable)) {
        missing.without(dir);
        if (!listed.isUnchanged) isListed = true;
        continue;
      }
      isListed = true;
      if (stamp !== undefined) remembered.set(dir, { stamp, directories });
      if (!isOffline) {
        for (const path of badNames) await this.#noteBadName(path);
        await missing.badNames(dir, badNames.map(nameOf));
      }
      const names = files.map(({ path }) => nameOf(path));
      for (let start = 0; start < names.length; start += LOOKED_UP_AT_ONCE) {
        await unstable.room(signal);
        const some = names.slice(start, start + LOOKED_UP_AT_ONCE);
        const known = isOffline ? [] : await missing.known(dir, some);
        const { isSure, newestNs } = await this.#compare(dir, some, known, { lane, isFull, isOffline });
        // Its files could not all be compared, so it is listed again next time.
        if (!isSure) remembered.delete(dir);
        if (newestNs > latestNs) latestNs = newestNs;
        compared += some.length;
        signal.throwIfAborted();
      }
    }
    // Only after the whole listing: if it fails, for example because the folder was replaced, nothing counts as gone.
    if (isFull && isListed) await this.#markGone(await missing.all(under));
    if (isFull && forgotten === this.#forgotten)
      this.#directories = remembered.size > DIRECTORIES_AT_MOST ? new Map() : remembered;
    if (isOffline && under === '') offline?.listed(latestNs);
    this.#forgetReadable(under, unreadable);
    this.#lastListing = clock.now();
    return compared;
  }

  /** Hands the new and changed files of one directory to `unstable`. `isSure`: the state of every file is known. */
  async #compare(
    dir: string,
    names: readonly string[],
    known: readonly (KnownFile | undefined)[],
    { lane, isFull, isOffline }: Pick<Listing, 'lane' | 'isFull'> & { readonly isOffline: boolean },
  ): Promise<{ readonly isSure: boolean; readonly newestNs: bigint }> {
    const { folder, settings, unstable, restedMs, onSeen, offline, times } = this.#deps;
    const asked: { readonly name: string; readonly stands: KnownFile | null }[] = [];
    for (const [at, name] of names.entries()) {
      if (unstable.has(pathOf(dir, name))) continue;
      const file = known[at];
      const stands = file !== undefined && !needsJudgingAnew(file, settings) ? file : null;
      if (stands === null || isFull) asked.push({ name, stands });
    }
    let isSure = true;
    let newestNs = 0n;
    const stats = await folder.statEach(
      dir,
      asked.map(({ name }) => name),
    );
    for (const [at, { name, stands }] of asked.entries()) {
      const stat = stats[at];
      if (stat === undefined) isSure = false;
      if (stat?.kind !== 'file') continue;
      const { identity } = stat;
      const path = pathOf(dir, name);
      if (isOffline) {
        if (identity.ctimeNs > newestNs) newestNs = identity.ctimeNs;
        if (offline?.isNew(path, identity, times()) !== true) continue;
      } else {
        offline?.compared(identity);
        if (stands !== null && isAsRecorded(stands, identity)) continue;
      }
      unstable.see(path, identity, lane, isOffline ? 0 : restedMs(identity));
      onSeen();
    }
    return { isSure, newestNs };
  }

  /* ---- Names that events reported ---- */

  /** Compares some names of one directory at once. Resolves the directories that should be listed as well, since events get lost in bursts. */
  async look(dir: string, names: readonly string[]): Promise<string[]> {
    const { folder, settings, unstable, ledger, clock, offline, onGone, onSeen, times } = this.#deps;
    const sorted = [...names].sort(byBytes);
    const stats = await folder.statEach(dir, sorted);
    const covered = sorted.filter((name) => folder.covers(pathOf(dir, name)));
    const isOffline = this.#isOffline;
    const known = isOffline ? NOTHING_KNOWN : await ledger.knownIn(settings.path, dir, covered);
    const toList = new Set<string>();
    const gone: string[] = [];
    for (const [at, name] of sorted.entries()) {
      const stat = stats[at];
      const path = pathOf(dir, name);
      if (stat === undefined) {
        this.forgetDirectories();
        continue;
      }
      const file = known.get(name);
      // The file is gone, even if a link or a directory took its place.
      if (file && stat?.kind !== 'file') gone.push(path);
      if (stat?.kind === 'other') {
        if (settings.recursive) toList.add(path);
        continue;
      }
      if (!folder.covers(path)) continue;
      toList.add(dir);
      if (stat === null) continue;
      const { identity } = stat;
      const stands = file !== undefined && !needsJudgingAnew(file, settings);
      const isKnown = isOffline
        ? offline?.isNew(path, identity, times()) !== true
        : stands && isAsRecorded(file, identity);
      if (isKnown) continue;
      // If there is no room, the listing finds the file later.
      if (unstable.has(path) || unstable.hasRoomBeside) unstable.see(path, identity, 'fresh');
      else this.forgetDirectories();
    }
    if (gone.length > 0 && (await this.#deps.isInPlace())) {
      await ledger.gone(settings.path, gone, clock.now());
      await onGone(gone);
    }
    onSeen();
    return [...toList];
  }

  /* ---- The first watch, and a takeover ---- */

  /** Applies `existing` to the files already in a folder, before they are first compared. Resolves how many are sent and skipped. */
  async firstWatch(signal: AbortSignal): Promise<{ readonly sent: number; readonly skipped: number }> {
    const { folder, settings, ledger, clock, offline, times } = this.#deps;
    const { existing } = settings;
    const skipped: FileSeen[] = [];
    let sent = 0;
    if (existing.kind === 'send') for await (const { files } of folder.list('', signal)) sent += files.length;
    else
      for await (const { path, identity } of this.#files({ isCompared: false }, signal)) {
        const isNew =
          this.#cameSinceWatched(identity) ||
          offline?.cameBeforeFirstWatch(identity, times()) === true ||
          this.#isDeferred(path, identity);
        if (isSkipped(identity, existing) && !isNew) skipped.push({ folder: settings.path, path, identity });
        else sent += 1;
      }
    await ledger.markWatched(settings.path, skipped, {
      reason: 'EXISTING',
      message: toMessage({ is: 'existing', existing: existingPolicy(existing).replace('existing=', '') }),
      sha256: null,
      policy: existingPolicy(existing),
      at: clock.now(),
    });
    return { sent, skipped: skipped.length };
  }

  /**
   * Whether a file was written since this process watches the folder: it is no existing one, even if it comes before the first listing.
   * By the time of its content, because a changed owner or mode makes no old file new. Not known on a share, which has another clock.
   */
  #cameSinceWatched({ mtimeNs }: FileIdentity): boolean {
    const { clock, times, watchedSince } = this.#deps;
    const { areForeign, areCoarse } = times();
    const at = Number(mtimeNs / 1_000_000n);
    // A file from the future is an old one of a wrong clock.
    return !areForeign && at >= watchedSince - (areCoarse ? 2_000 : TICK_MS) && at <= clock.now() + TICK_MS;
  }

  /**
   * Leaves alone the files of a folder that another agent watched until now: files unknown to this ledger may already have been
   * sent by that agent, so they are recorded as skipped. Files that arrived since are sent as usual. Resolves how many were left.
   */
  async leaveFormerFiles(isNewer: (identity: FileIdentity) => boolean, signal: AbortSignal): Promise<number> {
    const { settings, ledger, clock } = this.#deps;
    const left: FileSeen[] = [];
    for await (const { path, identity, known } of this.#files({ isCompared: true }, signal)) {
      const isOwn = known !== undefined && isAsRecorded(known, identity);
      if (!isOwn && !isNewer(identity) && !this.#isDeferred(path, identity))
        left.push({ folder: settings.path, path, identity });
    }
    await ledger.markWatched(settings.path, left, {
      reason: 'TAKEN_OVER',
      message: toMessage({ is: 'takenOver' }),
      sha256: null,
      // A change of `existing` causes a new decision.
      policy: existingPolicy(settings.existing),
      at: clock.now(),
    });
    return left.length;
  }

  /** Every file of the folder and, if compared, what the ledger knows of it. */
  async *#files(
    { isCompared }: { readonly isCompared: boolean },
    signal: AbortSignal,
  ): AsyncIterable<{
    readonly path: string;
    readonly identity: FileIdentity;
    readonly known: KnownFile | undefined;
  }> {
    const { folder, settings, ledger } = this.#deps;
    for await (const { dir, files } of folder.list('', signal)) {
      for (let start = 0; start < files.length; start += LOOKED_UP_AT_ONCE) {
        signal.throwIfAborted();
        const names = files.slice(start, start + LOOKED_UP_AT_ONCE).map(({ path }) => nameOf(path));
        const known = isCompared ? await ledger.knownIn(settings.path, dir, names) : NOTHING_KNOWN;
        for (const [at, stat] of (await folder.statEach(dir, names)).entries()) {
          const name = names[at] ?? '';
          if (stat?.kind !== 'file') continue;
          yield { path: pathOf(dir, name), identity: stat.identity, known: known.get(name) };
        }
      }
    }
  }

  #isDeferred(path: string, identity: FileIdentity): boolean {
    return this.#deps.offline?.hasDeferred(path, identity) === true;
  }

  get #isOffline(): boolean {
    return this.#deps.isOffline();
  }

  /* ---- What is not a file to send ---- */

  async #markGone(candidates: readonly string[]): Promise<void> {
    const { folder, settings, ledger, clock, isInPlace, onGone } = this.#deps;
    if (candidates.length === 0 || !(await isInPlace())) return;
    const gone: string[] = [];
    // Check each again: it may have appeared since the listing. A link or directory in its place counts as gone.
    for (const path of candidates) {
      const found = await folder.stat(path).catch((error: unknown) => {
        // The file waits for a later listing.
        if (systemCode(error) === undefined) throw error;
        return undefined;
      });
      if (found === null || found?.kind === 'other') gone.push(path);
    }
    // A share unmounted meanwhile leaves an empty directory, in which every file looks gone.
    if (gone.length === 0 || !(await isInPlace())) return;
    await ledger.gone(settings.path, gone, clock.now());
    await onGone(gone);
  }

  /** Notes a file whose name is not valid UTF-8: it can't be opened under the name shown, but people must learn of it. */
  async #noteBadName(path: string): Promise<void> {
    const { settings, ledger, clock, onBadName } = this.#deps;
    const identity = { size: 0, mtimeNs: 0n, ctimeNs: 0n, inode: 0n };
    if ((await ledger.known({ folder: settings.path, path })) !== null) return;
    await ledger.note(
      { folder: settings.path, path, identity },
      {
        verdict: 'unreadable',
        reason: 'NAME_NOT_UTF8',
        message: toMessage({ is: 'badName' }),
        sha256: null,
        policy: null,
        at: clock.now(),
      },
    );
    onBadName(path);
  }

  /** False if the directory itself could not be listed. */
  #canBeRead({ dir, unreadableDirs = [] }: ListedDirectory, met: Map<string, string>): boolean {
    for (const { path, code } of unreadableDirs) {
      // It may have come and gone, or the share is being unmounted.
      if (code === 'ENOENT') continue;
      met.set(path, code);
      if (this.#unreadable.get(path) === code) continue;
      this.#unreadable.set(path, code);
      this.#deps.onUnlisted(this.#unreadable);
    }
    return !unreadableDirs.some(({ path }) => path === dir);
  }

  /** Forgets the directories at and below `under` that could be listed, or that the listing did not meet. */
  #forgetReadable(under: string, met: ReadonlyMap<string, string>): void {
    const size = this.#unreadable.size;
    for (const path of this.#unreadable.keys()) {
      const isBelow = under === '' || path === under || path.startsWith(`${under}/`);
      if (isBelow && !met.has(path)) this.#unreadable.delete(path);
    }
    if (this.#unreadable.size < size) this.#deps.onUnlisted(this.#unreadable);
  }

  async #lookForUnwatched(): Promise<void> {
    const { clock, folder, log, onUnwatched } = this.#deps;
    const now = clock.monotonic();
    if (now < this.#unwatchedAt + UNWATCHED_EVERY_MS) return;
    this.#unwatchedAt = now;
    try {
      onUnwatched(await folder.unwatched());
    } catch (error) {
      // The folder went away; the next listing finds that out.
      log.debug('subfoldersNotExamined', describeError(error));
    }
  }
}

const NOTHING_KNOWN: ReadonlyMap<string, KnownFile> = new Map();

/**
 * Looks up listed files in the ledger, and finds those that the ledger knows but the listing lacks. Merges the names of a
 * directory with those in the ledger, both sorted by their bytes: each is read once and none is kept in memory, since there
 * may be a million.
 */
export class MissingFiles {
  readonly #ledger: Pick<LedgerIntake, 'knownFrom' | 'dirs'>;
  readonly #folder: string;
  readonly #isFull: boolean;
  readonly #listed = new Set<string>();
  readonly #absent: string[] = [];
  #open: { readonly dir: string; after: string; readonly badNames: Set<string> } | null = null;

  /** `isFull`: whether to collect known files that are not listed. */
  constructor(ledger: Pick<LedgerIntake, 'knownFrom' | 'dirs'>, folder: string, isFull: boolean) {
    this.#ledger = ledger;
    this.#folder = folder;
    this.#isFull = isFull;
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
    for (const dir of await this.#ledger.dirs(this.#folder, under))
      if (!this.#listed.has(dir)) await this.#enter(dir);
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
    if (open && this.#isFull) await this.#upTo(open, null, ({ name }) => this.#missed(open, name));
  }

  async #upTo(
    open: { readonly dir: string; after: string },
    upTo: string | null,
    each: (file: KnownFile & { readonly name: string }) => void,
  ): Promise<void> {
    for (;;) {
      const span = { after: open.after, upTo };
      const files = await this.#ledger.knownFrom(this.#folder, open.dir, span, KNOWN_AT_ONCE);
      for (const file of files) each(file);
      open.after = (files.length < KNOWN_AT_ONCE ? upTo : files.at(-1)?.name) ?? open.after;
      if (files.length < KNOWN_AT_ONCE) return;
    }
  }

  #missed(open: { readonly dir: string; readonly badNames: ReadonlySet<string> }, name: string): void {
    if (this.#isFull && !open.badNames.has(name)) this.#absent.push(pathOf(open.dir, name));
  }
}

/** Whether a verdict is temporary or was given under another configuration. */
function needsJudgingAnew(known: KnownFile, settings: FolderSettings): boolean {
  switch (known.verdict) {
    case 'unreadable':
      return true;
    case 'rejected':
      return known.policy !== acceptPolicy(settings);
    case 'skipped':
      return !staysSkipped(known, settings);
    case 'document':
    case 'duplicate':
    case 'split':
    case 'incomplete':
      return false;
  }
}

/** Files skipped under the present `existing`, including those left alone at a takeover, stay skipped until it changes. */
export function staysSkipped(
  { identity, policy }: Pick<KnownFile, 'identity' | 'policy'>,
  { existing }: Pick<FolderSettings, 'existing'>,
): boolean {
  return policy === existingPolicy(existing) || isSkipped(identity, existing);
}

export function isSkipped(identity: FileIdentity, existing: Existing): boolean {
  switch (existing.kind) {
    case 'send':
      return false;
    case 'skip':
      return true;
    case 'since':
      return identity.mtimeNs < BigInt(existing.at) * 1_000_000n;
  }
}
