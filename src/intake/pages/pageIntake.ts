import { describeError, isOfLedger } from '../../core/domain/errors.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';
import { Notifier } from '../../core/notifier.ts';
import type { Split } from '../../core/ports/ledgerPages.ts';
import type { PageSink } from '../settle/admissionSink.ts';
import type { Candidate } from '../settle/admit.ts';
import { OwnCopies } from './ownCopies.ts';
import { SplitWork, type SplitWorkDeps } from './splitWork.ts';

export interface PageIntakeDeps extends Omit<SplitWorkDeps, 'copies'> {
  /** Whether this agent takes apart what came in there; another one may lead a shared folder. */
  readonly isOurs: (folder: string) => boolean;
}

const OPEN_AT_ONCE = 100;
/** What can't be done now is tried again: the spool is full, or what takes files apart does not start. */
const RETRY_MS = 10_000;

/**
 * Files that are taken apart. A file is
 *
 *   settled ──its bytes are in the spool──▶ open (in the ledger) ──page after page: in the spool, then named──▶ ended
 *
 * From `open` on nothing of it is lost, whatever becomes of the file or of this process: what is open is gone through again after a
 * start, and a page that is decided is passed over. Open files take turns, so that one of a thousand pages keeps no other waiting for long.
 */
export class PageIntake implements PageSink {
  readonly #deps: PageIntakeDeps;
  readonly #copies: OwnCopies;
  readonly #notifier: Notifier;
  /** Those that were begun before the process ended last are among them, until they were looked for. */
  #mayBeOpen = true;
  readonly #works = new Map<number, SplitWork>();

  constructor(deps: PageIntakeDeps) {
    this.#deps = deps;
    this.#copies = new OwnCopies(deps.payloads.copies, deps.log);
    this.#notifier = new Notifier(deps.clock);
  }

  /** Takes a file; it can't be lost any more once this resolves to true. False: there is no room for it now. */
  async take(file: Omit<Candidate, 'type'>, settings: FolderSettings): Promise<boolean> {
    const { ledger, inspector, clock, log } = this.#deps;
    const { path, identity, bytes } = file;
    const sha256 = await inspector.sha256(bytes);
    const seen = { folder: settings.path, path, identity };
    const taken = await this.#copies.whileKept(sha256, bytes, () =>
      ledger.beginSplit({ endpoint: settings.endpoint, file: seen, sha256, at: clock.now() }),
    );
    if (taken === 'noRoom') return false;
    if (taken === null) log.debug('Unchanged', { folder: settings.path, path });
    else
      log.info('Found a file with several pages', {
        folder: settings.path,
        path,
        sha256,
        bytes: bytes.length,
      });
    this.wake();
    return true;
  }

  /** There may be something to do. */
  wake(): void {
    this.#mayBeOpen = true;
    this.#notifier.notify();
  }

  /** Takes apart what comes, until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { ledger, log } = this.#deps;
    const deaf = ledger.storage.onChange(() => this.wake());
    while (!signal.aborted) {
      let isLeft = true;
      try {
        isLeft = ledger.storage.trouble() !== null || (await this.#round(signal)) > 0;
      } catch (error) {
        if (!isOfLedger(error))
          log.error('A file could not be split into pages; trying again', describeError(error));
      }
      if (!signal.aborted) await this.#notifier.wait(isLeft ? RETRY_MS : null, signal);
    }
    deaf();
  }

  /** Goes on until nothing is open that could be gone on with now, for a run that ends by itself. */
  async drain(signal: AbortSignal): Promise<void> {
    await this.#round(signal);
  }

  /** Resolves how many files are open still. */
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
        // It has had its turn; the others have theirs first.
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
    const work = new SplitWork(split, { ...this.#deps, copies: this.#copies });
    this.#works.set(split.id, work);
    return work;
  }
}
