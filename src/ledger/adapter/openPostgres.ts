import type { AccountOf } from '../../core/domain/account.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import { headOf } from '../postgres/chain.ts';
import { createUpkeep } from '../postgres/upkeep.ts';
import { agentsNow, Fleet } from '../fleet/fleet.ts';
import { createAgent, type AgentOptions } from '../fleet/open.ts';
import { placesOf } from '../fleet/places.ts';
import { FleetRunner } from '../fleet/runner.ts';
import { View } from '../reads/view.ts';
import { portOver } from './open.ts';

export interface PostgresLedgerOptions extends AgentOptions {
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
  const agent = createAgent(options);
  const { member, trouble } = agent;
  const runner = new FleetRunner({
    core: agent.core,
    blanked: () => agent.blanked(),
    member,
    trouble,
    now: () => clock.now(),
  });
  const fleet = new Fleet({ agent, runner, places, clock, log });
  member.onBack(() => runner.endForgotten());
  await agent.start();
  // Lets a paused agent start paused. If a query fails, nothing can be sent either.
  if (!trouble.trouble()) {
    await fleet.readPause().catch(() => {});
    if (options.isCommand !== true) await fleet.claimBack().catch(() => {});
  }
  const view = new View(agent.core.engine.reader, places, () => member.session.agent);
  return portOver(runner, {
    view,
    clock,
    accountOf,
    upkeep: createUpkeep(member.where),
    fleet,
    others: () => agent.read(agentsNow),
    head: () => agent.read((sql) => headOf(sql, member.session.agent)),
    closed: () => new ReceiptdError('LEDGER_WRITE_FAILED.sharedClosed', { where: member.where }),
    async close() {
      if (options.isCommand !== true) await fleet.leave();
      await agent.close();
    },
  });
}
