import { ReceiptdError } from '../../../core/domain/errors.ts';
import type { Clock, Random } from '../../../core/ports/clock.ts';
import type { Log } from '../../../core/ports/log.ts';
import { ChainMemory } from '../../postgres/chainMemory.ts';
import { Connector, type Target } from '../../postgres/connection.ts';
import { Link } from '../../postgres/link.ts';
import { Readers } from '../../postgres/readers.ts';
import { isGivenUp, isOfServer, ledgerFailure } from '../../postgres/failure.ts';
import type { Self } from '../../postgres/session.ts';
import type { Sql } from '../../postgres/statements.ts';
import { Trouble } from '../../postgres/trouble.ts';
import { PostgresEngine, postgresReader } from '../engines/postgres.ts';
import { prepareTables } from '../engines/postgresTables.ts';
import { idOf } from '../entries.ts';
import { LedgerCore } from '../ledger.ts';
import { BY_INDEX, Member, type Beat, type MovedChain } from '../engines/member.ts';

export interface AgentOptions extends Self {
  readonly target: Target;
  /** Names of shared folders, by their absolute path on this machine. */
  readonly shares: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Absolute path of the file that remembers this agent's commits. Left out: nothing is remembered. */
  readonly memoryPath?: string;
  /** As in `Member`. */
  readonly moved?: MovedChain | undefined;
  /** Called if the database turns out to lack remembered commits. */
  readonly onWentBack?: (story: string) => void;
  /** Called with how long each commit took; milliseconds. */
  readonly onCommitted?: (ms: number) => void;
}

/** One agent of a fleet, connected from `start` on. */
export interface OpenAgent {
  readonly core: LedgerCore;
  readonly member: Member;
  readonly link: Link<Beat>;
  readonly trouble: Trouble;
  /** Runs `work` on committed state, on another connection. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Makes the tables if the role may, and begins the agent's session. If the database is unreachable now, it resolves anyway, with `trouble` set, and
   * keeps trying.
   * @throws ReceiptdError LEDGER_REFUSED, LEDGER_NEWER, LEDGER_OLDER, AGENT_NAME_TAKEN, AGENT_RENAMED
   */
  start(): Promise<void>;
  close(): Promise<void>;
}

export function createAgent(options: AgentOptions): OpenAgent {
  const { target, shares, clock, random, log, name, instance, version, leaseMs, isCommand = false } = options;
  const connector = new Connector(target);
  const trouble = new Trouble();
  const memory = options.memoryPath === undefined ? undefined : new ChainMemory(options.memoryPath, log);
  const member = new Member({
    self: { name, instance, version, leaseMs, isCommand },
    where: connector.where,
    folders: new Set([...shares.values()].map((share) => idOf(`share:${share}`, ''))),
    clock,
    memory,
    moved: options.moved,
    onWentBack: options.onWentBack,
  });
  const readers = new Readers(connector, name, { setting: BY_INDEX });
  let isClosed = false;
  member.onBack(() => readers.renew());

  async function read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    if (isClosed) throw new ReceiptdError('LEDGER_WRITE_FAILED.sharedClosed', { where: connector.where });
    const error = trouble.error();
    if (error) throw error;
    try {
      return await readers.use(work);
    } catch (failure) {
      if (!isOfServer(failure)) throw failure;
      const own = ledgerFailure(failure, connector.where);
      // A read that took too long says nothing about the others.
      if (!isGivenUp(failure)) trouble.met(own);
      throw own;
    }
  }

  const engine = new PostgresEngine({
    member,
    reader: postgresReader(read),
    onTrouble: (error) => trouble.met(error),
    ...(options.onCommitted && { onCommitted: options.onCommitted }),
    sleep: (ms) => clock.sleep(ms),
  });
  const core = new LedgerCore(engine);
  // Another server, or an administrator meanwhile, may have emptied the tables. What fails here fails with the next step, too.
  member.onBack(() => void core.start().catch(() => {}));
  const onBeat = (beat: Beat): Promise<void> => member.beaten(beat);
  const link = new Link<Beat>({
    connector,
    store: member,
    prepare: prepareTables,
    trouble,
    clock,
    random,
    log,
    onBeat,
  });
  return {
    core,
    member,
    link,
    trouble,
    read,
    async start() {
      await link.start();
      if (!trouble.trouble()) await core.start();
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await link.close();
      member.endWaiting();
      await core.close();
      await readers.close();
      memory?.close();
      trouble.close();
    },
  };
}
