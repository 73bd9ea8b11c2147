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
  /** Once there is proof enough; the paths, and where the last one was found. */
  readonly onProven: (paths: readonly string[], archivedTo: string) => void;
}

/** One may be a person's doing. */
const PROOFS = 3;
/** A look reads a directory of the archive, which may be a large one on a slow share. */
const LOOK_EVERY_MS = 1_000;
/** The latest that were admitted. */
const REMEMBERED = 1_000;

/**
 * Two agents on two machines share nothing but the folder, and neither leaves a trace in it. Where both archive what they have
 * sent, this agent finds that an original has gone into the archive, under its path and with its bytes, and that it was not by
 * its own doing. Only originals that this run admitted count: what a restored ledger does not know of itself proves nothing.
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

  /** These are not in their places any more. */
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
        log.debug('Could not determine whether another agent archived a file', {
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
