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
  /** Whether all that lay in the folder at that time (monotonic milliseconds) is known by now. */
  readonly isLookedThroughSince: (at: number) => boolean;
}

/**
 * From when on `afterUpload` holds for a folder, as the ledger keeps it:
 *
 *   unknown ──the ledger has this rule──▶ in force
 *      │                                     ▲
 *      └──it has another one, or none──▶ looking through what lies there ──all of it is known──┘ (it stays)
 *
 * Where a rule is new, or was lost, everything in the folder stays unless the configuration says otherwise: nobody who sets `delete`
 * means what was scanned last year. In a folder that is watched for the first time that is what was seen elsewhere, under a former path
 * of the same folder, say.
 */
export class OriginalsRule {
  readonly #deps: OriginalsRuleDeps;
  readonly #rule: string;
  #stays: number | null = null;
  #since: number | null = null;

  constructor(deps: OriginalsRuleDeps) {
    this.#deps = deps;
    this.#rule = originalsRule(deps.settings);
  }

  /** Before the first listing. */
  async begin(isFirstWatch: boolean): Promise<void> {
    this.forget();
    const { settings, ledger, clock } = this.#deps;
    const current = await ledger.originalsRule(settings.path);
    if (current?.rule === this.#rule) {
      this.#stays = current.stays;
      return;
    }
    if (settings.afterUpload === 'keep') {
      // What is accepted under it stays, also once another rule follows.
      if (current !== null) await this.#set('leave');
      return;
    }
    const { afterUploadExisting: existing = 'auto' } = settings;
    // What lies in a new folder and was never seen came after the rule; images that were seen in another folder stay.
    if (existing === 'include' || (existing === 'auto' && isFirstWatch)) {
      await this.#set(existing === 'include' ? 'include' : 'new');
      return;
    }
    // A listing that begins within the same millisecond counts.
    this.#since = clock.monotonic() - 1;
  }

  /** The folder may be another one, or another agent's, when it is seen again. */
  forget(): void {
    this.#stays = null;
    this.#since = null;
  }

  /** Up to which sighting files stay; null: that is not known yet, and nothing may be touched. */
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
    if (accepted === 0) log.info('afterUpload applies to new files from now on', fields);
    else if (existing !== 'include')
      log.warn(
        'Files accepted before afterUpload was set stay; to include them, set afterUploadExisting: include',
        fields,
      );
    else log.warn('afterUpload also applies to files accepted before it was set', fields);
  }
}

export type OriginalsSettings = Pick<FolderSettings, 'afterUpload' | 'afterUploadOn' | 'afterUploadExisting'>;

/** What is done with originals, and when: under another rule, other files may be concerned. */
function originalsRule({ afterUpload, afterUploadOn, afterUploadExisting }: OriginalsSettings): string {
  if (afterUpload === 'keep') return 'keep';
  const on = afterUploadOn === null ? '' : ` on ${afterUploadOn.toSorted().join(',')}`;
  return `${afterUpload}${on}${afterUploadExisting === 'include' ? ', existing included' : ''}`;
}

/** Files that were accepted before a folder's `afterUpload` was set; null where there are none. */
export interface FormerOriginals {
  readonly folder: string;
  readonly afterUpload: 'archive' | 'delete';
  readonly files: number;
  /** They are left alone; else they are archived or deleted as well. */
  readonly stay: boolean;
}

/** What these settings mean, or would mean, for files that are there already. */
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
