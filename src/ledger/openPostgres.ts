import type { AccountOf } from '../core/domain/account.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { Ledger, LedgerUpkeep } from '../core/ports/ledger.ts';
import { headOf } from './postgres/chain.ts';
import { agentsNow, Fleet, placesOf } from './fleet/fleet.ts';
import { Member, type MemberOptions } from './fleet/member.ts';
import { View } from './reads/view.ts';
import { portOver } from './port.ts';

export interface PostgresLedgerOptions extends MemberOptions {
  /** The account that an endpoint uses, which credential holds refer to; by default one account for all. */
  readonly accountOf?: AccountOf;
}

/**
 * Opens the shared ledger for one agent. If the database is unreachable now, it resolves anyway, with `storage.trouble()` set, and keeps trying.
 * @throws ReceiptdError LEDGER_REFUSED, LEDGER_NEWER, LEDGER_OLDER, AGENT_NAME_TAKEN, AGENT_RENAMED
 */
export async function openPostgresLedger(options: PostgresLedgerOptions): Promise<Ledger> {
  const { clock, log, name, shares, accountOf } = options;
  const places = placesOf(name, shares);
  const member = new Member(options);
  const fleet = new Fleet({ member, places, clock, log });
  await member.start();
  // Lets a paused agent start paused. If a query fails, nothing can be sent either.
  if (member.trouble() === null) {
    await fleet.readPause().catch(() => {});
    if (options.isCommand !== true) await fleet.claimBack().catch(() => {});
  }
  const view = new View(member.core.engine.reader, places, () => member.session.agent);
  return portOver(member, {
    view,
    clock,
    now: () => member.now,
    accountOf,
    upkeep: createUpkeep(member.where),
    fleet,
    others: () => member.read(agentsNow),
    head: () => member.read((sql) => headOf(sql, member.session.agent)),
    closed: () => new ReceiptdError('LEDGER_WRITE_FAILED.sharedClosed', { where: member.where }),
    async close() {
      if (options.isCommand !== true) await fleet.leave();
      await member.close();
    },
  });
}

/** Backup and checks of a database are up to its administrators, who have better tools than any client. */
export function createUpkeep(where: string): LedgerUpkeep {
  return {
    isInPlace: async () => true,

    backup: async () => {
      throw new ReceiptdError('BACKUP_FAILED.shared', { where });
    },

    lastBackup: async () => null,

    pruneBackups: async () => {},

    check: async () => null,
  };
}
