import type { Clock } from '../../core/ports/clock.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { LedgerReports } from '../../core/ports/ledgerReports.ts';
import type { Log } from '../../core/ports/log.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';

export interface OriginalsRuleDeps {
  readonly settings: FolderSettings;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether all files that were in the folder at that time (monotonic milliseconds) are known by now. */
  readonly isLookedThroughSince: (at: number) => boolean;
}

/**
 * Decides to which files of a folder `afterUpload` applies, and records that in the ledger:
 *
 *   unknown ──the ledger has this rule──▶ in force
 *      │                                     ▲
 *      └──it has another one, or none──▶ waiting ──all existing files are known──┘ (they stay)
 *
 * If the rule is new or was lost, existing files stay unless the configuration says otherwise: people who set `delete` do
 * not mean last year's scans. In a folder that is watched for the first time, only files that were seen elsewhere stay, such
 * as under the folder's former path.
 */
export class OriginalsDecision {
  readonly #deps: OriginalsRuleDeps;
  readonly #rule: string;
  #stays: number | null = null;
  #since: number | null = null;

  constructor(deps: OriginalsRuleDeps) {
    this.#deps = deps;
    this.#rule = originalsRule(deps.settings);
  }

  /** Loads the rule from the ledger, or sets it. Call before the first listing. */
  async begin(isFirstWatch: boolean): Promise<void> {
    this.forget();
    const { settings, ledger, clock } = this.#deps;
    const current = await ledger.originalsRule(settings.path);
    if (current?.rule === this.#rule) {
      this.#stays = current.stays;
      return;
    }
    if (settings.afterUpload === 'keep') {
      // Files accepted under `keep` stay, even if another rule follows.
      if (current !== null) await this.#set('leave');
      return;
    }
    const { afterUploadExisting: existing = 'auto' } = settings;
    // In a new folder, files never seen before count as later than the rule; images seen in another folder stay.
    if (existing === 'include' || (existing === 'auto' && isFirstWatch)) {
      await this.#set(existing === 'include' ? 'include' : 'new');
      return;
    }
    // Minus 1: a listing that begins within the same millisecond counts.
    this.#since = clock.monotonic() - 1;
  }

  /** Forgets the rule: when seen again, the folder may be a different one, or another agent may have taken it in. */
  forget(): void {
    this.#stays = null;
    this.#since = null;
  }

  /** Id of the last file that stays; null while it is unknown, and no file may be touched. */
  async stays(): Promise<number | null> {
    if (this.#stays === null && this.#since !== null && this.#deps.isLookedThroughSince(this.#since)) {
      this.#since = null;
      await this.#set('leave');
    }
    return this.#stays;
  }

  async #set(existing: 'leave' | 'include' | 'new'): Promise<void> {
    const { settings, ledger, clock, log } = this.#deps;
    const { path: folder, afterUpload } = settings;
    const { stays } = await ledger.setOriginalsRule(folder, this.#rule, existing, clock.now());
    this.#stays = stays;
    if (afterUpload === 'keep') return;
    const accepted = await ledger.acceptedOriginals(folder, existing === 'include' ? null : stays);
    const fields = { folder, afterUpload, ...(accepted > 0 && { files: accepted }) };
    if (accepted === 0) log.info('afterUploadForNewFiles', fields);
    else if (existing !== 'include') log.warn('acceptedFilesStay', fields);
    else log.warn('afterUploadForAcceptedFiles', fields);
  }
}

export type OriginalsSettings = Pick<FolderSettings, 'afterUpload' | 'afterUploadOn' | 'afterUploadExisting'>;

/** The rule as text. If it changes, it may affect other files. */
function originalsRule({ afterUpload, afterUploadOn, afterUploadExisting }: OriginalsSettings): string {
  if (afterUpload === 'keep') return 'keep';
  const on = afterUploadOn === null ? '' : ` on ${afterUploadOn.toSorted().join(',')}`;
  return `${afterUpload}${on}${afterUploadExisting === 'include' ? ', existing included' : ''}`;
}

/** Files that were accepted before a folder's `afterUpload` was set. */
export interface FormerOriginals {
  readonly folder: string;
  readonly afterUpload: 'archive' | 'delete';
  readonly files: number;
  /** Whether they stay; otherwise they are archived or deleted as well. */
  readonly stay: boolean;
}

/** What these settings mean, or would mean, for files accepted before; null if there are none. */
export async function formerOriginals(
  reports: Pick<LedgerReports, 'originalsRule' | 'acceptedOriginals'>,
  settings: OriginalsSettings & Pick<FolderSettings, 'path'>,
): Promise<FormerOriginals | null> {
  const { path: folder, afterUpload, afterUploadExisting } = settings;
  if (afterUpload === 'keep') return null;
  const current = await reports.originalsRule(folder);
  const isInForce = current?.rule === originalsRule(settings);
  if (isInForce && current.stays === 0) return null;
  const files = await reports.acceptedOriginals(folder, isInForce ? current.stays : null);
  const stay = afterUploadExisting !== 'include';
  return files === 0 ? null : { folder, afterUpload, files, stay };
}
