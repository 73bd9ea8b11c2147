import type { PostgresConfig } from '../config/config.ts';
import { systemClock } from '../system/systemClock.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { LedgerFacts } from '../ledger/postgres/examine.ts';
import { failure, type Finding } from '../core/domain/finding.ts';
import { databaseOf, targetOf } from '../config/fleetMember.ts';

/** Ledger times come from each agent's clock; if the clocks differ by more, the order of events is unknown. */
const CLOCKS_PART_MS = 5_000;
const subject = 'ledger';

/** Finds, by connecting, what would prevent an agent from using the shared ledger. */
export async function checkSharedLedger(ledger: PostgresConfig): Promise<Finding[]> {
  try {
    const { examineLedger } = await import('../ledger/postgres/examine.ts');
    return findingsAbout(ledger, await examineLedger(targetOf(ledger), systemClock));
  } catch (error) {
    // An agent with sufficient rights fixes these itself.
    const mends =
      error instanceof ReceiptdError && (error.code === 'LEDGER_OLDER' || error.code === 'LEDGER_MISSING');
    return [failure(subject, error, mends ? 'warn' : 'fail')];
  }
}

export function findingsAbout(ledger: PostgresConfig, facts: LedgerFacts): Finding[] {
  const { server, isEncrypted, clockAheadMs, lacks } = facts;
  const findings: Finding[] = [
    lacks.length === 0
      ? { level: 'ok', subject, fact: { is: 'ledgerShared', ...databaseOf(ledger), server, isEncrypted } }
      : { level: 'fail', subject, fact: { is: 'privileges', lacks } },
  ];
  if (Math.abs(clockAheadMs) > CLOCKS_PART_MS) {
    const fact = { is: 'databaseClock', ms: Math.abs(clockAheadMs), isBehind: clockAheadMs > 0 } as const;
    findings.push({ level: 'warn', subject, fact });
  }
  return findings;
}
