import { describeError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { WatchedFolder } from '../../core/ports/folder.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Admitted } from '../../core/ports/ledgerIntake.ts';
import type { Log } from '../../core/ports/log.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';

export interface OtherArchiverDeps {
  readonly folder: WatchedFolder;
  readonly settings: Pick<FolderSettings, 'path' | 'afterUpload' | 'share'>;
  readonly ledger: Pick<Ledger, 'sources' | 'begunDisposals'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called once, after PROOFS files: their paths, and where the last one was found. */
  readonly onProven: (paths: readonly string[], archivedTo: string) => void;
}

/** Number of files that prove another agent; a person may have archived a single one. */
const PROOFS = 3;
/** Minimum interval between looks, since each reads an archive directory, which may be large and on a slow share. */
const LOOK_EVERY_MS = 1_000;
/** Number of recently admitted files to remember. */
const REMEMBERED = 1_000;

/**
 * Detects an agent on another machine that processes the same folder. Such agents share only the folder and leave no traces
 * in it. But if both archive originals, this one finds some in the archive, with the same path and bytes, that it did not
 * archive. Only originals admitted by this run count: a restored ledger may not know what this agent archived before.
 */
export class OtherArchiver {
  readonly #deps: OtherArchiverDeps;
  readonly #admitted = new Map<string, { readonly size: number; readonly sha256: string }>();
  readonly #proofs: string[] = [];
  #lookedAt = -Infinity;

  constructor(deps: OtherArchiverDeps) {
    this.#deps = deps;
  }

  admitted({ kind, document }: Admitted): void {
    if (kind !== 'queued' || !this.#isOfInterest) return;
    const { path, size, sha256 } = document;
    this.#admitted.set(path, { size, sha256 });
    if (this.#admitted.size <= REMEMBERED) return;
    for (const oldest of this.#admitted.keys()) return void this.#admitted.delete(oldest);
  }

  /** These files are missing from their paths. */
  async missing(paths: readonly string[]): Promise<void> {
    if (!this.#isOfInterest) return;
    const { clock, folder, log, onProven } = this.#deps;
    for (const path of paths) {
      const original = this.#admitted.get(path);
      if (!original || clock.monotonic() - this.#lookedAt < LOOK_EVERY_MS) continue;
      this.#lookedAt = clock.monotonic();
      this.#admitted.delete(path);
      try {
        const found = await folder.findArchived(path, original.size, original.sha256);
        if (found === null || (await this.#isOwn(path, original.sha256, found))) continue;
        this.#proofs.push(path);
        if (this.#proofs.length === PROOFS) onProven(this.#proofs, found);
      } catch (error) {
        log.debug('otherArchiverUnknown', {
          folder: folder.path,
          path,
          ...describeError(error),
        });
      }
    }
  }

  get #isOfInterest(): boolean {
    const { settings } = this.#deps;
    const isFleets = (settings.share ?? null) !== null;
    return settings.afterUpload === 'archive' && !isFleets && this.#proofs.length < PROOFS;
  }

  async #isOwn(path: string, sha256: string, archivedTo: string): Promise<boolean> {
    const { ledger, folder } = this.#deps;
    if ((await ledger.sources(sha256)).some((source) => source.archivedTo === archivedTo)) return true;
    return (await ledger.begunDisposals(folder.path)).some(({ file }) => file.path === path);
  }
}
