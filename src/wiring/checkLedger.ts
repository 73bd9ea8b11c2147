import type { PostgresConfig } from '../config/config.ts';
import { systemClock } from '../system/systemClock.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { span } from '../core/domain/words.ts';
import type { LedgerFacts } from '../ledger/postgres/examine.ts';
import type { Finding } from '../core/domain/finding.ts';
import { databasePlace, targetOf } from '../config/fleetMember.ts';

/** Ledger times come from each agent's clock; if the clocks differ by more, the order of events is unknown. */
const CLOCKS_PART_MS = 5_000;
const subject = 'ledger';

/** Finds, by connecting, what would prevent an agent from using the shared ledger. */
export async function checkSharedLedger(ledger: PostgresConfig): Promise<Finding[]> {
  try {
    const { examineLedger } = await import('../ledger/postgres/examine.ts');
    return findingsAbout(ledger, await examineLedger(targetOf(ledger), systemClock));
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    // An agent with sufficient rights fixes these itself.
    const mends = error.code === 'LEDGER_OLDER' || error.code === 'LEDGER_MISSING';
    return [{ level: mends ? 'warn' : 'fail', subject, message: error.sentence() }];
  }
}

export function findingsAbout(ledger: PostgresConfig, facts: LedgerFacts): Finding[] {
  const { server, isEncrypted, clockAheadMs, lacks } = facts;
  const way = isEncrypted === null ? '' : isEncrypted ? ', encrypted' : ', not encrypted';
  const findings: Finding[] = [];
  if (lacks.length === 0) {
    const message = `It is ${databasePlace(ledger)} and works (PostgreSQL ${server}${way}).`;
    findings.push({ level: 'ok', subject, message });
  } else {
    const message = `The user in ledger.url lacks privileges: ${lacks.join(', ')}. Have the owner run \`receiptd ledger prepare\`.`;
    findings.push({ level: 'fail', subject, message });
  }
  if (Math.abs(clockAheadMs) > CLOCKS_PART_MS) {
    const than = clockAheadMs > 0 ? 'behind' : 'ahead of';
    const message = `This machine's clock is ${span(Math.abs(clockAheadMs))} ${than} the database's, so times in the ledger will not match. Synchronize both clocks with NTP.`;
    findings.push({ level: 'warn', subject, message });
  }
  return findings;
}
