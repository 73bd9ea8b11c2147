import { ReceiptdError } from '../../core/domain/errors.ts';
import { Connector, type Connection, type Target, refuseTransactionPooling } from './connection.ts';
import { ledgerFailure } from './failure.ts';
import { NOW, requireTables } from './tables.ts';

/** Facts about the database, checked before an agent works with it. */
export interface LedgerFacts {
  /** Version of PostgreSQL. */
  readonly server: string;
  /** Null for a Unix socket, which needs no encryption. */
  readonly isEncrypted: boolean | null;
  /** Milliseconds that the database's clock is ahead of this machine's, as precisely as the latency allows. */
  readonly clockAheadMs: number;
  /** Rights that agents need and the role lacks, such as `INSERT on documents`. */
  readonly lacks: readonly string[];
}

const FACTS = `
SELECT current_setting('server_version') AS server,
       (inet_server_addr() IS NULL) AS "isSocket",
       coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS "isEncrypted"`;

/** One table for each kind of right: they are granted together. */
const RIGHTS = `
SELECT format('%s on %s', wanted.privilege, wanted.name) AS lacking
  FROM (VALUES ('SELECT', 'agents'), ('UPDATE', 'agents'), ('INSERT', 'documents'), ('UPDATE', 'documents'),
               ('INSERT', 'attempts'), ('INSERT', 'files'), ('INSERT', 'counts'), ('INSERT', 'chain'),
               ('DELETE', 'leads'), ('SELECT', 'tables')) AS wanted (privilege, name)
 WHERE NOT has_table_privilege('receiptd.' || wanted.name, wanted.privilege)`;

/**
 * Examines the ledger without changing anything.
 * @throws ReceiptdError LEDGER_UNREACHABLE, LEDGER_REFUSED, LEDGER_MISSING, LEDGER_OLDER, LEDGER_NEWER
 */
export async function examineLedger(target: Target, clock: { now(): number }): Promise<LedgerFacts> {
  const connector = new Connector(target);
  let connection: Connection | null = null;
  let other: Connection | null = null;
  try {
    connection = await connector.connect('receiptd check');
    other = await connector.connect('receiptd check');
    await refuseTransactionPooling(connection, other, connector.where);
    await requireTables(connection, connector.where);
    const facts = await connection.get<{ server: string; isSocket: boolean; isEncrypted: boolean }>(FACTS);
    const lacking = await connection.all<{ lacking: string }>(RIGHTS);
    const before = clock.now();
    const there = await connection.get<{ now: number }>(`SELECT ${NOW} AS now`);
    const here = (before + clock.now()) / 2;
    if (!facts || !there) throw new Error('the database gave no row');
    return {
      server: facts.server,
      isEncrypted: facts.isSocket ? null : facts.isEncrypted,
      clockAheadMs: Math.round(there.now - here),
      lacks: lacking.map((row) => row.lacking),
    };
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    throw ledgerFailure(error, connector.where);
  } finally {
    for (const each of [connection, other]) await each?.close().catch(() => {});
  }
}
