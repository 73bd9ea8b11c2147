import { DEFAULT_ACCOUNT, type AccountOf } from '../../core/domain/account.ts';
import type { Clock, Random } from '../../core/ports/clock.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Log } from '../../core/ports/log.ts';
import { createAdmin } from './admin.ts';
import { Beat } from './beat.ts';
import { ChainMemory } from './chainMemory.ts';
import { Connector, type Target } from './connection.ts';
import { createDisposals } from './disposals.ts';
import { createFleet } from './fleet.ts';
import { createHolds } from './holds.ts';
import { createIntake } from './intake.ts';
import { Link } from './link.ts';
import { createPages } from './pages.ts';
import { Places } from './places.ts';
import { createQueue } from './queue.ts';
import { createReports } from './reports.ts';
import { createResults } from './results.ts';
import type { Self } from './session.ts';
import { Store } from './store.ts';
import { Trouble } from './trouble.ts';
import { Underway } from './underway.ts';
import { createUpkeep } from './upkeep.ts';

export interface PostgresLedgerOptions extends Self {
  readonly target: Target;
  /** Names of shared folders, by their absolute path on this machine. */
  readonly shares: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The account that an endpoint uses, which credential holds refer to; by default one account for all. */
  readonly accountOf?: AccountOf;
  /** Absolute path of the file that remembers this agent's commits. Left out: nothing is remembered. */
  readonly memoryPath?: string;
  /** Called if the database turns out to lack remembered commits. */
  readonly onWentBack?: (story: string) => void;
  /** Called with how long each commit took; milliseconds. */
  readonly onCommitted?: (ms: number) => void;
}

/**
 * Opens the shared ledger for one agent: creates or upgrades its schema if the role may, and begins the agent's
 * session. If the database is unreachable now, it resolves anyway, with `storage.trouble()` set, and keeps trying.
 * @throws ReceiptdError LEDGER_REFUSED, LEDGER_NEWER, LEDGER_OLDER, AGENT_NAME_TAKEN, AGENT_RENAMED
 */
export async function openPostgresLedger(options: PostgresLedgerOptions): Promise<Ledger> {
  const {
    target,
    shares,
    clock,
    random,
    log,
    accountOf = DEFAULT_ACCOUNT,
    name,
    instance,
    version,
    leaseMs,
    isCommand = false,
  } = options;
  const connector = new Connector(target);
  const trouble = new Trouble();
  const store = new Store({
    connector,
    self: { name, instance, version, leaseMs, isCommand },
    places: new Places(name, shares),
    clock,
    trouble,
    memory: options.memoryPath === undefined ? null : new ChainMemory(options.memoryPath, log),
    ...(options.onWentBack && { onWentBack: options.onWentBack }),
    ...(options.onCommitted && { onCommitted: options.onCommitted }),
  });
  const beat = new Beat(store, clock, log);
  const link = new Link({
    connector,
    store,
    trouble,
    clock,
    random,
    log,
    onBeat: (pulse) => beat.run(pulse),
  });
  await link.start();
  // Lets a paused agent start paused. If the query fails, nothing can be sent either.
  if (!trouble.trouble()) await beat.look().catch(() => {});
  const underway = new Underway();
  const fleet = createFleet(store, link, beat, clock, underway);
  return {
    ...createIntake(store),
    ...createPages(store),
    ...createQueue(store, underway, clock),
    ...createDisposals(store),
    ...createHolds(store, clock),
    ...createAdmin(store),
    ...createResults(store),
    ...createReports(store, accountOf),
    ...createUpkeep(connector.where),
    storage: trouble,
    fleet,
    async close() {
      await link.close();
      await store.close();
    },
  };
}
