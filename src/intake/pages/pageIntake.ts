import { describeError, isOfLedger } from '../../core/domain/errors.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';
import { Notifier } from '../../core/notifier.ts';
import type { Split } from '../../core/ports/ledgerPages.ts';
import type { PagedFile } from '../judge.ts';
import type { PageSink } from '../record.ts';
import { SplitWork, type SplitWorkDeps } from './splitWork.ts';

export interface PageIntakeDeps extends SplitWorkDeps {
  /** Whether this agent splits the files of a folder; another agent may lead a shared one. */
  readonly isOurs: (folder: string) => boolean;
}

const OPEN_AT_ONCE = 100;
/** Retry interval if a file can't be split now: the spool is full, or the splitting process does not start. */
const RETRY_MS = 10_000;

/**
 * Splits files into pages. A file is
 *
 *   settled ──its bytes are in the spool──▶ open (in the ledger) ──page after page: in the spool, then named──▶ ended
 *
 * Once `open`, no page is lost, whatever happens to the file or to this process: open files are resumed after a start,
 * without the pages already decided. They take turns, so that a file of a thousand pages does not hold up others.
 */
export class PageIntake implements PageSink {
  readonly #deps: PageIntakeDeps;
  readonly #notifier: Notifier;
  /** Whether there may be open files. True at first: an earlier process may have left some. */
  #mayBeOpen = true;
  readonly #works = new Map<number, SplitWork>();

  constructor(deps: PageIntakeDeps) {
    this.#deps = deps;
    this.#notifier = new Notifier(deps.clock);
  }

  /** Takes a file. Once this resolves true, it can't be lost any more. False if there is no room for it now. */
  async take(file: PagedFile, settings: FolderSettings): Promise<boolean> {
    const { ledger, payloads, inspector, clock, log } = this.#deps;
    const { path, identity, bytes } = file;
    const sha256 = await inspector.sha256(bytes);
    const seen = { folder: settings.path, path, identity };
    // Made even with `spool: never`: a page exists nowhere else.
    const taken = await payloads.copies.whileKept(sha256, bytes, () =>
      ledger.beginSplit({ endpoint: settings.endpoint, file: seen, sha256, at: clock.now() }),
    );
    if (typeof taken === 'string') return false;
    if (taken === null) log.debug('fileUnchanged', { folder: settings.path, path });
    else
      log.info('multiPageFileFound', {
        folder: settings.path,
        path,
        sha256,
        bytes: bytes.length,
      });
    this.wake();
    return true;
  }

  /** Call when there may be files to split. */
  wake(): void {
    this.#mayBeOpen = true;
    this.#notifier.notify();
  }

  /** Splits files as they come in, until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { ledger, log } = this.#deps;
    const deaf = ledger.storage.onChange(() => this.wake());
    while (!signal.aborted) {
      let isLeft = true;
      try {
        isLeft = ledger.storage.trouble() !== null || (await this.#round(signal)) > 0;
      } catch (error) {
        if (!isOfLedger(error)) log.error('splitFailed', describeError(error));
      }
      if (!signal.aborted) await this.#notifier.wait(isLeft ? RETRY_MS : null, signal);
    }
    deaf();
  }

  /** Splits every open file that can be split now; for a single run. */
  async drain(signal: AbortSignal): Promise<void> {
    await this.#round(signal);
  }

  /** Resolves the number of files still open. */
  async #round(signal: AbortSignal): Promise<number> {
    let left = 0;
    for (let stuck: ReadonlySet<number> = new Set(); this.#mayBeOpen && !signal.aborted;) {
      this.#mayBeOpen = false;
      const open = await this.#open();
      left = open.length;
      const now = new Set(stuck);
      for (const split of open) {
        if (signal.aborted) break;
        if (now.has(split.id)) continue;
        const end = await this.#workOf(split).slice(signal);
        if (end === 'ended') {
          this.#works.delete(split.id);
          left -= 1;
        } else if (end === 'later') now.add(split.id);
        // Its turn is over; the others go first.
        else this.#mayBeOpen = true;
      }
      stuck = now;
    }
    if (left > 0) this.#mayBeOpen = true;
    return left;
  }

  async #open(): Promise<Split[]> {
    const { ledger, isOurs } = this.#deps;
    const open: Split[] = [];
    for (let after = 0; ;) {
      const batch = await ledger.openSplits(after, OPEN_AT_ONCE);
      open.push(...batch.filter(({ file }) => isOurs(file.folder)));
      const last = batch.at(-1);
      if (batch.length < OPEN_AT_ONCE || last === undefined) return open;
      after = last.id;
    }
  }

  #workOf(split: Split): SplitWork {
    const known = this.#works.get(split.id);
    if (known) return known;
    const work = new SplitWork(split, this.#deps);
    this.#works.set(split.id, work);
    return work;
  }
}
