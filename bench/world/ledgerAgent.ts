import { randomUUID } from 'node:crypto';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import { openPostgresLedger } from '../../src/ledger/openPostgres.ts';
import { systemClock } from '../../src/system/systemClock.ts';

/** Opens a shared ledger as an agent, without the rest of an agent. */
export function openLedgerAgent(
  url: string,
  name: string,
  shares: ReadonlyMap<string, string> = new Map(),
): Promise<Ledger> {
  return openPostgresLedger({
    target: { url, passwordFile: null, caFile: null },
    name,
    instance: randomUUID(),
    version: 'bench',
    leaseMs: 15_000,
    shares,
    clock: systemClock,
    random: Math.random,
    log: { debug() {}, info() {}, warn() {}, error: console.error },
  });
}
