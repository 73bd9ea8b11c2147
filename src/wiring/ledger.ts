import { mayExist } from '../system/mayExist.ts';
import { join } from 'node:path';
import type { Config, PostgresConfig } from '../config/config.ts';
import { agentInstance } from '../state-dir/agentInstance.ts';
import { ledgerMoved, refuseMovedLedger } from '../state-dir/ledgerMoved.ts';
import { systemClock } from '../system/systemClock.ts';
import { accountsAmong, type AccountOf } from '../core/domain/account.ts';
import { paramsOf, ReceiptdError } from '../core/domain/errors.ts';
import { verifyJournal, type JournalVerification, type KeptHead } from '../ledger/journal/verify.ts';
import { compareWithJournal, type LedgerComparison } from '../ledger/sqlite/compare.ts';
import { journalPathOf } from '../ledger/sqlite/files.ts';
import type { WriterLink } from '../ledger/thread/link.ts';
import type { JournalHead } from '../core/ports/journal.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';
import type { DeferredJournal } from '../core/ports/deferredJournal.ts';
import type { Spool } from '../core/ports/spool.ts';
import { openSpool } from '../keeper/spool/openSpool.ts';
import { agentName, sharesOf, targetOf } from '../config/fleetMember.ts';
import { openReports, withReports } from '../ledger/configured/reports.ts';
import { ledgerPath } from '../state-dir/stateFiles.ts';
import { ofError, type WhyFact } from '../core/domain/why.ts';

interface OpenOptions {
  readonly version: string;
  readonly log: Log;
  /** Called with an account of a repair, which a person should read. */
  readonly onMended: (story: string) => void;
  /** Called if the shared ledger has lost commits of this agent, with an account that a person should read. */
  readonly onWentBack: (story: string) => void;
  /** Called with the time that each commit waited for the disk. */
  readonly onSynced?: (ms: number) => void;
  /** Looks up an endpoint's account; left out if the configuration does not change. */
  readonly accountOf?: AccountOf;
  /** For SQLite: the writer thread or its program; if left out, this thread writes. */
  readonly thread?: string | WriterLink;
  /** Opened by a command while no agent runs. */
  readonly isCommand?: boolean;
  /** Called once, while opening waits for a thread or a database. */
  readonly meanwhile?: () => void;
}

/** The caller holds the instance lock of the state directory. @throws ReceiptdError what opening throws; LEDGER_EXISTS, LEDGER_MOVED */
export async function openLedger(config: Config, options: OpenOptions): Promise<Ledger> {
  if (config.ledger.kind === 'postgres') return openShared(config, config.ledger, options);
  await refuseMovedLedger(config.stateDir);
  return openOwn(config, options);
}

/** Opens the ledger in the state directory, even if it was moved. The caller holds the instance lock. */
export async function openOwn(
  config: Config,
  {
    onMended,
    onSynced = () => {},
    accountOf = accountsAmong(config.endpoints),
    thread,
    meanwhile = () => {},
  }: Pick<OpenOptions, 'onMended' | 'onSynced' | 'accountOf' | 'thread' | 'meanwhile'>,
): Promise<Ledger> {
  const path = ledgerPath(config);
  const [reserve, bytes] = [join(config.stateDir, 'reserve'), config.storage.reserve];
  if (thread !== undefined) {
    const { openSqliteLedgerBeside } = await import('../ledger/open.ts');
    return openSqliteLedgerBeside({
      thread,
      path,
      clock: systemClock,
      reserve: { path: reserve, bytes },
      onMended,
      accountOf,
      onSynced,
      meanwhile,
    });
  }
  const [{ openSqliteLedger }, { Reserve }] = await Promise.all([
    import('../ledger/open.ts'),
    import('../ledger/sqlite/reserve.ts'),
  ]);
  return openSqliteLedger({
    path,
    clock: systemClock,
    reserve: new Reserve(reserve, bytes),
    onMended,
    accountOf,
    onSynced,
  });
}

async function openShared(
  config: Config,
  ledger: PostgresConfig,
  {
    version,
    log,
    onWentBack,
    accountOf = accountsAmong(config.endpoints),
    isCommand = false,
    meanwhile = () => {},
  }: OpenOptions,
): Promise<Ledger> {
  await refuseForgetting(config, agentName(ledger));
  const { openPostgresLedger } = await import('../ledger/openPostgres.ts');
  const instance = await agentInstance(config.stateDir);
  meanwhile();
  return openPostgresLedger({
    target: targetOf(ledger),
    name: agentName(ledger),
    instance,
    version,
    isCommand,
    leaseMs: ledger.lease,
    shares: sharesOf(config.folders),
    clock: systemClock,
    random: Math.random,
    log,
    accountOf,
    memoryPath: join(config.stateDir, 'committed.journal'),
    onWentBack,
  });
}

/** Refuses to start with a shared ledger that does not know this machine's documents: they would be sent again. */
async function refuseForgetting(config: Config, agent: string): Promise<void> {
  const path = ledgerPath(config);
  if (!mayExist(path)) return;
  const moved = await ledgerMoved(config.stateDir);
  // An unreadable mark has no agent name.
  if (moved?.isComplete === true && (moved.agent === agent || moved.agent === '')) return;
  if (moved?.isComplete === true)
    throw new ReceiptdError('AGENT_RENAMED.sinceMove', { moved: moved.agent, agent });
  throw new ReceiptdError('LEDGER_EXISTS.notShared', { path });
}

/** Copies a SQLite ledger to a new file. The caller holds the instance lock. @throws ReceiptdError what opening and backing up throw */
export async function copyLedger(config: Config, target: string): Promise<JournalHead> {
  await refuseMovedLedger(config.stateDir);
  const ledger = await openOwn(config, { onMended: () => {} });
  try {
    return (await ledger.backup(target)).head;
  } finally {
    await ledger.close();
  }
}

/** Null if the ledger has no journal. */
export function ledgerHead(config: Config): Promise<JournalHead | null> {
  return withReports(config, (reports) => reports.head());
}

/** Verifies the journal's chain (in a shared ledger, that of every agent), and the ledger against it; works with or without a running daemon. */
export async function verifyLedger(
  config: Config,
  head: KeptHead | null,
  signal: AbortSignal,
): Promise<{ readonly journal: JournalVerification; readonly ledger: LedgerComparison }> {
  if (config.ledger.kind === 'postgres') {
    const { verifyPostgresLedger } = await import('../ledger/fleet/verify.ts');
    return verifyPostgresLedger(targetOf(config.ledger), agentName(config.ledger), head, signal);
  }
  const path = ledgerPath(config);
  const journal = await verifyJournal(journalPathOf(path), { head: head ?? undefined, signal });
  try {
    return { journal, ledger: await compareWithJournal(path, journalPathOf(path), signal) };
  } catch (error) {
    // The journal can be verified without a sound ledger.
    if (!(error instanceof ReceiptdError) || !isFinding(error, journalPathOf(path))) throw error;
    const damage = paramsOf(error, 'LEDGER_DAMAGED.file');
    const finding: WhyFact = damage === null ? ofError(error) : { is: 'ledgerDamaged', ...damage };
    return { journal, ledger: { findings: [finding], documents: 0, head: null } };
  }
}

/** Whether the error is about the ledger itself, and not about reading it here. */
function isFinding({ code }: ReceiptdError, journalPath: string): boolean {
  return code === 'LEDGER_DAMAGED' || (code === 'LEDGER_MISSING' && mayExist(journalPath));
}

/** Not damage: another version of the program can read it. */
function isOfOtherVersion({ code }: ReceiptdError): boolean {
  return code === 'LEDGER_OLDER' || code === 'LEDGER_NEWER';
}

/**
 * For commands that only read or copy: they must not upgrade the ledger.
 * @throws ReceiptdError LEDGER_OLDER, LEDGER_NEWER
 */
export async function refuseOtherVersion(config: Config): Promise<void> {
  try {
    await (await openReports(config)).close();
  } catch (error) {
    // Opening the ledger finds or repairs any other problem.
    if (!(error instanceof ReceiptdError) || isOfOtherVersion(error)) throw error;
  }
}

/** Null for a local ledger, unless a former shared one left deferred images to admit. */
export async function openConfiguredDeferredJournal(
  config: Config,
  isShared: boolean,
  log: Log,
): Promise<DeferredJournal | null> {
  const path = join(config.stateDir, 'deferred.journal');
  if (!isShared && !mayExist(path)) return null;
  const { openDeferredJournal } = await import('../keeper/spool/deferredJournal.ts');
  return openDeferredJournal({ path, log });
}

export function openConfiguredSpool(config: Config, log: Log): Promise<Spool> {
  return openSpool({ dir: join(config.stateDir, 'spool'), limitBytes: config.storage.spoolLimit, log });
}
