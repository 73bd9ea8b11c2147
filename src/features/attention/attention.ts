import { safeName } from '../../core/domain/attention.ts';
import { describeError, isOfLedger, systemCode, systemError } from '../../core/domain/errors.ts';
import type {
  AttentionBook,
  AttentionEntry,
  AttentionFolder,
  PreparedAttention,
} from '../../core/ports/attention.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { WatchedFolder } from '../../core/ports/folder.ts';
import type { Incidents } from '../../core/ports/incident.ts';
import type { LedgerReports } from '../../core/ports/ledgerReports.ts';
import type { Log } from '../../core/ports/log.ts';
import { sameIdentity } from '../../core/domain/document.ts';
import { listedPage, pageOf } from '../../core/domain/pages.ts';
import { relativeTo } from '../../core/paths.ts';
import { Notifier } from '../../core/notifier.ts';
import type { AllTexts } from '../../texts/texts.ts';
import { amissAt, STATES, type AmissFile } from './amiss.ts';
import { noteText } from './note.ts';

export interface AttentionDeps {
  /** A separate instance, so that admissions never wait for it. */
  readonly folder: WatchedFolder;
  readonly place: AttentionFolder;
  readonly book: AttentionBook;
  readonly ledger: Pick<LedgerReports, 'list' | 'standing' | 'head'>;
  readonly incidents: Incidents;
  readonly clock: Clock;
  readonly log: Log;
  /** Bytes. Larger files get a note but no copy. */
  readonly maxFileSize: number;
  /** For the notes. */
  readonly texts: Promise<AllTexts>;
  /** Whether the watched folder is present and still the same one. */
  readonly isInPlace: () => boolean;
  /** For a shared folder; left out if the folder is this agent's alone. */
  readonly shared?: {
    /** Whether another agent leads the folder's intake, and shows people what can't be sent. */
    readonly isLedElsewhere: () => boolean;
  };
}

const ATTENTION_LIMIT = 1_000;
/** Files queued to be checked; beyond this, the ledger is queried instead. */
const WAITING_LIMIT = 5_000;
const AT_ONCE = 20;
const LOOK_EVERY_MS = 3_000;
/** Interval of checks while the folder is missing or was not listed yet. */
const IN_PLACE_MS = 500;
const AGAIN_MS = 30_000;
/** Interval of queries about a shared folder, since nothing signals what other agents found out about its documents. */
const ASK_OTHERS_MS = 60_000;

interface New {
  readonly entry: AttentionEntry;
  readonly prepared: PreparedAttention;
}

/**
 * Shows people at the scanner which files can't be sent, and why. Each such file is
 *
 *   noticed ──written under hidden names──▶ pending (in the book) ──given its names──▶ shown
 *      ▲                                        └──killed: removed at the next start──┐   │
 *      └──────────────────────────────────────────────────────────────────────────────┘   │
 *   over: what is left of ours is removed ◀──fixed, gone, sent, or another problem now──┘
 *
 * What people delete stays deleted, because the book still has it. Intake and delivery never wait for this.
 */
export class AttentionFolders {
  readonly #deps: AttentionDeps;
  readonly #notifier: Notifier;
  readonly #entries = new Map<string, AttentionEntry>();
  readonly #waiting = new Set<string>();
  #made: string | null = null;
  #hasBegun = false;
  /** Whether to query the ledger for all such files. */
  #asksAll = true;
  #isFull = false;
  #checkedAt: number | null | undefined;
  #askOthersAt = -Infinity;

  constructor(deps: AttentionDeps) {
    this.#deps = deps;
    this.#notifier = new Notifier(deps.clock);
  }

  /** Call after a decision about this file. */
  look(path: string): void {
    if (this.#waiting.size < WAITING_LIMIT) this.#waiting.add(path);
    else this.#asksAll = true;
    this.#notifier.notify();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = this.#deps.isInPlace() ? await this.#try(signal) : await this.#aside(signal);
      if (!signal.aborted) await this.#notifier.wait(waitMs, signal);
    }
  }

  /** Updates the folder once, for a run that ends when the queue is empty. */
  async once(signal: AbortSignal): Promise<void> {
    if (this.#deps.isInPlace()) await this.#try(signal);
  }

  /** Resolves the milliseconds until the next check. */
  async #try(signal: AbortSignal): Promise<number> {
    const { incidents, place, log } = this.#deps;
    const key = `ATTENTION_UNWRITABLE ${place.path}`;
    try {
      await this.#work(signal);
      incidents.close(key);
      return LOOK_EVERY_MS;
    } catch (error) {
      if (signal.aborted) return 0;
      const code = systemCode(error);
      if (isOfLedger(error) || code === undefined) log.warn('attentionNotShown', describeError(error));
      else incidents.open({ key, code: 'ATTENTION_UNWRITABLE', params: { place: place.path, system: code } });
      return AGAIN_MS;
    }
  }

  /** The same while the folder is missing, or another agent shows its files. */
  async #aside(signal: AbortSignal): Promise<number> {
    const { shared, log } = this.#deps;
    if (shared?.isLedElsewhere() !== true) return IN_PLACE_MS;
    try {
      await this.#leave();
      return IN_PLACE_MS;
    } catch (error) {
      if (!signal.aborted) log.debug('attentionNotRemovedYet', describeError(error));
      return AGAIN_MS;
    }
  }

  /** Removes our files: notes by two agents about one file would contradict each other, and nobody would remove the older ones. */
  async #leave(): Promise<void> {
    if (!this.#hasBegun) await this.#begin();
    const { place } = this.#deps;
    this.#asksAll = true;
    this.#waiting.clear();
    if (this.#entries.size === 0 || !(await place.isThere())) return;
    for (const entry of this.#entries.values()) await place.remove(entry.files);
    this.#entries.clear();
    await this.#write();
  }

  async #work(signal: AbortSignal): Promise<void> {
    if (!this.#hasBegun) await this.#begin();
    const now = this.#deps.clock.monotonic();
    if (this.#deps.shared && now >= this.#askOthersAt) {
      this.#askOthersAt = now + ASK_OTHERS_MS;
      this.#asksAll = true;
      this.#checkedAt = undefined;
    }
    await this.#endThoseOver();
    if (this.#asksAll || (this.#isFull && this.#entries.size < ATTENTION_LIMIT)) await this.#askAll(signal);
    while (this.#waiting.size > 0 && !signal.aborted) {
      const some = [...this.#waiting].slice(0, AT_ONCE);
      await this.#show(some, signal);
      for (const path of some) this.#waiting.delete(path);
    }
  }

  /** Undoes entries that a crash left incomplete, so that they are written again. */
  async #begin(): Promise<void> {
    const { book, place } = this.#deps;
    // Known before the first file has to be shown.
    const code = await place.unwritable();
    if (code !== null) throw systemError(code, place.path);
    const { entries: known, made } = await book.read(this.#key);
    this.#made = made;
    if (known.length > 0 || (await place.isThere())) await place.sweep();
    for (const entry of known) {
      if (entry.isPending) await place.remove(entry.files);
      else this.#entries.set(entry.path, entry);
    }
    if (known.length > this.#entries.size) await this.#write();
    this.#hasBegun = true;
  }

  async #endThoseOver(): Promise<void> {
    const { ledger, folder, place } = this.#deps;
    if (this.#entries.size === 0) return;
    const seq = (await ledger.head())?.seq;
    if (seq !== undefined && seq === this.#checkedAt) return;
    const over: AttentionEntry[] = [];
    for (const entry of this.#entries.values()) {
      if ((await amissAt(ledger, folder.path, entry.path))?.about !== entry.about) over.push(entry);
    }
    // A needs-attention folder on another disk may be unmounted, and still hold the files.
    const liesInside = relativeTo(folder.path, place.path) !== null;
    if (over.length > 0 && !liesInside && !(await place.isThere())) return;
    for (const entry of over) {
      await place.remove(entry.files);
      this.#entries.delete(entry.path);
      // The file may have another problem now.
      this.#waiting.add(entry.path);
    }
    if (over.length > 0) await this.#write();
    this.#checkedAt = seq;
  }

  async #askAll(signal: AbortSignal): Promise<void> {
    const { ledger, folder } = this.#deps;
    this.#asksAll = false;
    this.#isFull = false;
    for await (const { path } of ledger.list({ states: STATES, folder: folder.path })) {
      signal.throwIfAborted();
      const inside = relativeTo(folder.path, path);
      if (inside === null) continue;
      for (const each of [inside, listedPage(inside)])
        if (each !== null && !this.#entries.has(each)) this.#waiting.add(each);
    }
  }

  async #show(paths: readonly string[], signal: AbortSignal): Promise<void> {
    const { ledger, folder, place } = this.#deps;
    const made: New[] = [];
    try {
      for (const path of paths) {
        const found = await amissAt(ledger, folder.path, path);
        if (found === null || this.#entries.get(path)?.about === found.about) continue;
        if (signal.aborted || !(await this.#hasRoom(made.length))) break;
        const prepared = await this.#prepare(path, found);
        if (prepared === null) continue;
        const { about } = found;
        made.push({ prepared, entry: { path, about, files: prepared.files, isPending: true } });
      }
      if (made.length === 0) return;
      for (const { entry } of made) this.#entries.set(entry.path, entry);
      await this.#write();
      for (const { entry, prepared } of made) {
        if (await place.publish(prepared)) this.#entries.set(entry.path, { ...entry, isPending: false });
        // Somebody took the name a moment ago.
        else {
          this.#entries.delete(entry.path);
          this.#asksAll = true;
        }
      }
      await this.#write();
    } catch (error) {
      await this.#takeBack(made);
      throw error;
    }
  }

  async #takeBack(made: readonly New[]): Promise<void> {
    const { place } = this.#deps;
    for (const { entry } of made) {
      if (this.#entries.get(entry.path)?.isPending === false) continue;
      this.#entries.delete(entry.path);
      await place.remove(entry.files).catch(() => {});
    }
    await place.sweep().catch(() => {});
    await this.#write().catch(() => {});
  }

  /** Null if the file has changed since; it is checked again anyway. */
  async #prepare(path: string, { standing, amiss }: AmissFile): Promise<PreparedAttention | null> {
    const { place, folder, maxFileSize } = this.#deps;
    const { size } = standing.identity;
    let copy: Uint8Array | null = null;
    // A page is part of its file, which people have.
    if (amiss.state !== 'unreadable' && pageOf(path) === null && size <= maxFileSize) {
      const read = await folder.read(path, maxFileSize);
      if (read.kind === 'gone' || read.kind === 'changed') return null;
      if (read.kind === 'bytes' && !sameIdentity(read.identity, standing.identity)) return null;
      if (read.kind === 'bytes') copy = read.bytes;
    }
    if (!(await place.isThere())) this.#made = (await place.make()) ?? this.#made;
    const note = noteText({ path, bytes: size, amiss, at: standing.at }, await this.#deps.texts);
    return place.prepare({ name: safeName(path), copy, note });
  }

  async #hasRoom(more: number): Promise<boolean> {
    const { place, log, folder } = this.#deps;
    if (this.#entries.size + more < ATTENTION_LIMIT) return true;
    let there = more;
    for (const { files } of this.#entries.values()) if ((await place.count(files)) > 0) there += 1;
    // People may have deleted some files, so bound the remembered entries too.
    if (there < ATTENTION_LIMIT && this.#entries.size + more < 10 * ATTENTION_LIMIT) return true;
    if (!this.#isFull)
      log.warn('attentionFolderFull', {
        folder: folder.path,
        shown: there,
      });
    this.#isFull = true;
    return false;
  }

  get #key() {
    return { folder: this.#deps.folder.path, place: this.#deps.place.path };
  }

  #write(): Promise<void> {
    return this.#deps.book.write(this.#key, { entries: [...this.#entries.values()], made: this.#made });
  }
}
