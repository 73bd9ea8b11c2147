import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config, PostgresConfig } from '../config/config.ts';
import { agentInstance } from '../state-dir/agentInstance.ts';
import { ledgerMoved, refuseMovedLedger } from '../state-dir/ledgerMoved.ts';
import { systemClock } from '../system/systemClock.ts';
import { accountsAmong, type AccountOf } from '../core/domain/account.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { JournalVerification, KeptHead } from '../ledger/journal/verification.ts';
import { verifyJournal } from '../ledger/journal/verify.ts';
import { compareWithJournal, type Comparison } from '../ledger/sqlite/compare.ts';
import { journalPathOf } from '../ledger/sqlite/files.ts';
import type { WriterLink } from '../ledger/sqlite/thread/link.ts';
import type { JournalHead } from '../core/ports/journal.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';
import type { DeferredJournal } from '../core/ports/deferredJournal.ts';
import type { Spool } from '../core/ports/spool.ts';
import { openSpool } from '../delivery/spool/openSpool.ts';
import { agentName, sharesOf, targetOf } from '../config/fleetMember.ts';
import { openReports } from '../ledger/configured/reports.ts';
import { ledgerPath } from '../state-dir/stateFiles.ts';

interface OpenOptions {
  readonly version: string;
  readonly log: Log;
  /** Told what had to be mended: a person should read it. */
  readonly onMended: (story: string) => void;
  /** Told what this agent had committed and the shared ledger no longer knows: a person should read it. */
  readonly onWentBack: (story: string) => void;
  /** How long each commit waited for this machine's disk. */
  readonly onSynced?: (ms: number) => void;
  /** Where that may change. */
  readonly accountOf?: AccountOf;
  /** The thread that writes it, or its program, where it is in SQLite; left out: it is written here. */
  readonly thread?: string | WriterLink;
  /** A command, in the place of an agent that does not run. */
  readonly isCommand?: boolean;
  /** Called once opening waits for a thread or a database. */
  readonly meanwhile?: () => void;
}

/** The caller holds the instance lock of the state directory. @throws ReceiptdError what opening throws; LEDGER_EXISTS, LEDGER_MOVED */
export async function openLedger(config: Config, options: OpenOptions): Promise<Ledger> {
  if (config.ledger.kind === 'postgres') return openShared(config, config.ledger, options);
  await refuseMovedLedger(config.stateDir);
  return openOwn(config, options);
}

/** The one in the state directory, also where it was moved. The caller holds the instance lock. */
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
    const { openSqliteLedgerBeside } = await import('../ledger/sqlite/thread/open.ts');
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
    import('../ledger/sqlite/open.ts'),
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
  const { openPostgresLedger } = await import('../ledger/postgres/open.ts');
  const instance = await agentInstance(config.stateDir);
  meanwhile();
  return openPostgresLedger({
    target: targetOf(ledger),
    name: agentName(ledger),
    instance,
    version,
    isCommand,
    leaseMs: ledger.leaseMs,
    shares: sharesOf(config.folders),
    clock: systemClock,
    random: Math.random,
    log,
    accountOf,
    memoryPath: join(config.stateDir, 'committed.journal'),
    onWentBack,
  });
}

/** What the ledger of this machine knows would be sent again; what was moved over belongs to the agent of then. */
async function refuseForgetting(config: Config, agent: string): Promise<void> {
  const path = ledgerPath(config);
  if (!existsSync(path)) return;
  const moved = await ledgerMoved(config.stateDir);
  // A mark that can't be read names nobody.
  if (moved?.isComplete === true && (moved.agent === agent || moved.agent === '')) return;
  if (moved?.isComplete === true)
    throw new ReceiptdError(
      'AGENT_RENAMED',
      `This machine's ledger was moved as the agent ${moved.agent}, not ${agent}.`,
      {
        hint: `Set ledger.agent: ${moved.agent}.`,
      },
    );
  throw new ReceiptdError(
    'LEDGER_EXISTS',
    `${path} is a separate ledger whose contents are not in the shared one.`,
    {
      hint: "Move its contents with `receiptd ledger migrate`. If you don't need them, move the file and its journal elsewhere.",
    },
  );
}

/** What is done with the files of a ledger has no meaning for one that agents share. @throws ReceiptdError LEDGER_SHARED */
export function refuseShared({ ledger }: Pick<Config, 'ledger'>, what: string, hint: string): void {
  if (ledger.kind === 'sqlite') return;
  throw new ReceiptdError('LEDGER_SHARED', `${what}: the ledger is in PostgreSQL.`, { hint });
}

/** Copies one in SQLite into a new file. The caller holds the instance lock. @throws ReceiptdError what opening and backing up throw */
export async function copyLedger(config: Config, target: string): Promise<JournalHead> {
  await refuseMovedLedger(config.stateDir);
  const ledger = await openOwn(config, { onMended: () => {} });
  try {
    return (await ledger.backup(target)).head;
  } finally {
    await ledger.close();
  }
}

/** Null for a ledger that has no journal. */
export async function ledgerHead(config: Config): Promise<JournalHead | null> {
  const reports = await openReports(config);
  try {
    return await reports.head();
  } finally {
    await reports.close();
  }
}

/** The chain of every agent in the shared ledger's history, and whether the documents are as they say. */
async function verifyShared(
  ledger: PostgresConfig,
  head: KeptHead | null,
): Promise<{ readonly journal: JournalVerification; readonly ledger: Comparison }> {
  const { verifyPostgresLedger } = await import('../ledger/postgres/verify.ts');
  return verifyPostgresLedger(targetOf(ledger), agentName(ledger), head);
}

/** The journal's chain, and whether the ledger says the same; beside a running daemon or without one. */
export async function verifyLedger(
  config: Config,
  head: KeptHead | null,
): Promise<{ readonly journal: JournalVerification; readonly ledger: Comparison }> {
  if (config.ledger.kind === 'postgres') return verifyShared(config.ledger, head);
  const path = ledgerPath(config);
  const journal = await verifyJournal(journalPathOf(path), { head: head ?? undefined });
  try {
    return { journal, ledger: await compareWithJournal(path, journalPathOf(path), systemClock.now()) };
  } catch (error) {
    // What is wrong with the ledger must not hide what the journal says.
    if (!(error instanceof ReceiptdError) || isOfOtherVersion(error)) throw error;
    return { journal, ledger: { findings: [error.message], documents: 0, head: null } };
  }
}

/** No damage: another program reads it. */
function isOfOtherVersion({ code }: ReceiptdError): boolean {
  return code === 'LEDGER_OLDER' || code === 'LEDGER_NEWER';
}

/**
 * What only looks, or copies, brings no ledger to a new version.
 * @throws ReceiptdError LEDGER_OLDER, LEDGER_NEWER
 */
export async function refuseOtherVersion(config: Config): Promise<void> {
  try {
    await (await openReports(config)).close();
  } catch (error) {
    // Whatever else is wrong is found, or mended, by who works with it.
    if (!(error instanceof ReceiptdError) || isOfOtherVersion(error)) throw error;
  }
}

/** Null for a ledger that is never away, unless another one, that was, left something to be admitted. */
export async function openConfiguredDeferredJournal(
  config: Config,
  isShared: boolean,
  log: Log,
): Promise<DeferredJournal | null> {
  const path = join(config.stateDir, 'deferred.journal');
  if (!isShared && !existsSync(path)) return null;
  const { openDeferredJournal } = await import('../delivery/spool/deferredJournal.ts');
  return openDeferredJournal({ path, log });
}

export function openConfiguredSpool(config: Config, log: Log): Promise<Spool> {
  return openSpool({ dir: join(config.stateDir, 'spool'), limitBytes: config.storage.spoolLimit, log });
}
