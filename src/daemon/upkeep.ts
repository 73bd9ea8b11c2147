import { describeError, ReceiptdError } from '../core/domain/errors.ts';
import { conditionOf } from '../core/domain/problem.ts';
import { within } from '../core/domain/why.ts';
import { ageOf, momentOf } from '../core/domain/moment.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { Ledger, LedgerUpkeep } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';

export interface UpkeepDeps {
  readonly ledger: LedgerUpkeep & Pick<Ledger, 'storage' | 'fleet'>;
  readonly incidents: Incidents;
  readonly clock: Clock;
  readonly log: Log;
  readonly backupEveryMs: number;
  /** Number of automatic backups to keep; 0: none are made. */
  readonly backups: number;
}

/** Delay after start, when everything else is using the disk. */
const FIRST_AFTER_MS = 60_000;
const LOOK_EVERY_MS = 60 * 60_000;
const CHECK_EVERY_MS = 24 * 60 * 60_000;

/** Backs up and verifies the ledger periodically until aborted. */
export async function upkeep(deps: UpkeepDeps, signal: AbortSignal): Promise<void> {
  const { backupEveryMs, ledger } = deps;
  // The database administrators back up a shared ledger.
  const backups = ledger.fleet === null ? deps.backups : 0;
  await Promise.all([
    every(CHECK_EVERY_MS, 0, () => check(deps, signal), deps, signal),
    ...(backups === 0
      ? []
      : [every(backupEveryMs, await untilBackup(deps), () => backUp(deps), deps, signal)]),
  ]);
}

/** Counts from the newest backup, so that frequent restarts do not push out older days' backups. */
async function untilBackup({ ledger, clock, backupEveryMs }: UpkeepDeps): Promise<number> {
  const last = await ledger.lastBackup();
  const waitMs = last === null ? 0 : last + backupEveryMs - clock.now();
  // A backup dated in the future was made while the clock was wrong.
  return waitMs > backupEveryMs ? 0 : Math.max(0, waitMs);
}

async function every(
  ms: number,
  firstMs: number,
  work: () => Promise<void>,
  { clock, log }: UpkeepDeps,
  signal: AbortSignal,
): Promise<void> {
  let waitMs = Math.max(firstMs, Math.min(FIRST_AFTER_MS, ms));
  while (!signal.aborted) {
    await rest(waitMs, clock, signal);
    if (signal.aborted) return;
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) log.warn('ledgerMaintenanceFailed', describeError(error));
    }
    waitMs = ms;
  }
}

/** Counts time asleep too: a laptop may sleep most of the day. */
async function rest(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const from = momentOf(clock);
  for (let leftMs = ms; leftMs > 0 && !signal.aborted; leftMs = ms - ageOf(from, clock))
    await clock.sleep(Math.min(leftMs, LOOK_EVERY_MS), signal).catch(() => {});
}

async function backUp({ ledger, incidents, log, backups }: UpkeepDeps): Promise<void> {
  // On a full disk a backup would take the space that the ledger needs.
  if (ledger.storage.trouble()) return;
  try {
    const { file, head } = await ledger.backup(null);
    await ledger.pruneBackups(backups);
    incidents.close('backup');
    log.info('ledgerBackedUp', { file, journalEntry: head.seq, journalHash: head.hash });
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    incidents.open({ key: 'backup', ...conditionOf(error.facts()) });
  }
}

async function check({ ledger, incidents, log }: UpkeepDeps, signal: AbortSignal): Promise<void> {
  const verdict = await ledger.check(signal);
  if (verdict === null) {
    incidents.close('ledger');
    log.debug('ledgerChecked');
    return;
  }
  incidents.open({
    key: 'ledger',
    code: 'LEDGER_DAMAGED',
    params: within({ is: 'checkFound', detail: verdict }),
  });
}
