import type { AccountOf } from '../../../core/domain/account.ts';
import { ReceiptdError } from '../../../core/domain/errors.ts';
import type { JournalHead } from '../../../core/ports/journal.ts';
import type { Ledger } from '../../../core/ports/ledger.ts';
import { Places as Shares } from '../../postgres/places.ts';
import { createUpkeep } from '../../postgres/upkeep.ts';
import { Fleet, FleetState } from '../fleet/fleet.ts';
import { createAgent, type AgentOptions } from '../fleet/open.ts';
import { FleetRunner } from '../fleet/runner.ts';
import { View, type Places } from '../reads/view.ts';
import { portOver } from './open.ts';

export interface PostgresLedgerOptions extends AgentOptions {
  /** The account that an endpoint uses, which credential holds refer to; by default one account for all. */
  readonly accountOf?: AccountOf;
}

const HEAD = 'SELECT ledger, seq, hash FROM agents WHERE id = :agent';

/**
 * Opens the shared ledger for one agent. If the database is unreachable now, it resolves anyway, with `storage.trouble()` set, and keeps trying.
 * @throws ReceiptdError LEDGER_REFUSED, LEDGER_NEWER, LEDGER_OLDER, AGENT_NAME_TAKEN, AGENT_RENAMED
 */
export async function openPostgresLedger(options: PostgresLedgerOptions): Promise<Ledger> {
  const { clock, log, name, shares, accountOf } = options;
  const places = placesOf(new Shares(name, shares));
  const agent = createAgent(options);
  const { member, trouble } = agent;
  const state = new FleetState(() => member.now);
  const runner = new FleetRunner({ core: agent.core, member, trouble, now: () => clock.now() });
  const fleet = new Fleet({ agent, runner, state, places, clock, log });
  // If this fails, the link fails too, and connects again.
  member.onBack(() => void runner.endForgotten().catch(() => {}));
  await agent.start();
  // Lets a paused agent start paused. If a query fails, nothing can be sent either.
  if (!trouble.trouble()) {
    await fleet.look().catch(() => {});
    if (options.isCommand !== true) await fleet.claimBack().catch(() => {});
  }
  const view = new View(agent.core.engine.reader, places, () => member.session.agent);
  return portOver(runner, {
    view,
    clock,
    accountOf,
    upkeep: createUpkeep(member.where),
    fleet,
    others: state,
    head: () =>
      agent.read(async (sql) => {
        const head = await sql.get<JournalHead>(HEAD, { agent: member.session.agent });
        if (head === undefined) throw new Error('the row of this agent is missing');
        return head;
      }),
    closed: () => new ReceiptdError('LEDGER_WRITE_FAILED.sharedClosed', { where: member.where }),
    async close() {
      if (options.isCommand !== true) await fleet.leave();
      await agent.close();
    },
  });
}

function placesOf(shares: Shares): Places {
  return {
    keyOf(folder) {
      const { place: owner, folder: path } = shares.ofFolder(folder);
      return { owner, path };
    },
    pathOf: ({ owner, path }) => shares.toFolder(owner, path),
    reaches: ({ owner }) => shares.reaches(owner),
  };
}
