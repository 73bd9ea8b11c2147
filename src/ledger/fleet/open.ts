import { describeError, isOfLedger, ReceiptdError } from '../../core/domain/errors.ts';
import type { Clock, Random } from '../../core/ports/clock.ts';
import type { Log } from '../../core/ports/log.ts';
import { Connector, type Target } from '../postgres/connection.ts';
import { Link } from '../postgres/link.ts';
import { OwnChain } from '../postgres/ownChain.ts';
import { Readers } from '../postgres/readers.ts';
import { isGivenUp, isOfServer, ledgerFailure } from '../postgres/failure.ts';
import type { Sql } from '../postgres/statements.ts';
import { FleetTrouble } from '../postgres/trouble.ts';
import { PostgresEngine, postgresReader } from '../postgres/engine.ts';
import { madeAnew, newer, SCHEMA_VERSION } from '../postgres/tables.ts';
import { folderIdOf } from '../entries.ts';
import { LedgerCore } from '../ledger.ts';
import { blankOwn, bringForward } from './bringForward.ts';
import { BY_INDEX, Member, type MovedChain, type Self } from '../postgres/member.ts';

export interface AgentOptions extends Self {
  readonly target: Target;
  /** Names of shared folders, by their absolute path on this machine. */
  readonly shares: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Absolute path of this agent's own copy of its chain. Left out: there is none. */
  readonly memoryPath?: string;
  /** As in `Member`. */
  readonly moved?: MovedChain | undefined;
  /** Called if the database turns out to lack entries of this agent. */
  readonly onWentBack?: (story: string) => void;
  /** Called with how long each commit took; milliseconds. */
  readonly onCommitted?: (ms: number) => void;
}

/** One agent of a fleet, connected from `start` on. */
export interface OpenAgent {
  readonly core: LedgerCore;
  readonly member: Member;
  readonly link: Link;
  readonly trouble: FleetTrouble;
  /** Runs `work` on committed state, on another connection. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Makes the tables if the role may, and begins the agent's session. If the database is unreachable now, it resolves anyway, with `trouble` set, and
   * keeps trying.
   * @throws ReceiptdError LEDGER_REFUSED, LEDGER_NEWER, LEDGER_OLDER, AGENT_NAME_TAKEN, AGENT_RENAMED
   */
  start(): Promise<void>;
  /**
   * Resolves once nothing that was erased is left in this agent's own copy of its chain. Other agents do the same with their next heartbeat.
   * @throws ReceiptdError LEDGER_WRITE_FAILED; it is tried again with each heartbeat
   */
  blanked(): Promise<void>;
  close(): Promise<void>;
}

export function createAgent(options: AgentOptions): OpenAgent {
  const { target, shares, clock, random, log, name, instance, version, leaseMs, isCommand = false } = options;
  const connector = new Connector(target);
  const trouble = new FleetTrouble();
  const own = options.memoryPath === undefined ? undefined : new OwnChain(options.memoryPath, log);
  const member: Member = new Member({
    self: { name, instance, version, leaseMs, isCommand },
    where: connector.where,
    folders: new Set([...shares.values()].map((share) => folderIdOf({ owner: `share:${share}`, path: '' }))),
    clock,
    own,
    bringForward: async (bringing, fromSeq) =>
      own !== undefined && (await bringForward(bringing, fromSeq, own, member)),
    moved: options.moved,
    onWentBack: options.onWentBack,
  });
  const readers = new Readers(connector, name, { setting: BY_INDEX });
  let isClosed = false;
  let isForward = false;

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
  /** Another server may lack what the tables had, and another version of the program may have emptied them. */
  async function foldAll(): Promise<void> {
    isForward = false;
    readers.renew();
    await core.start();
    isForward = true;
  }
  member.onBack(foldAll);
  const blank = (): Promise<void> => blankOwn({ read, agent: member.session.agent, own });
  let isBlankingLate = false;
  // An agent that writes nothing would read empty tables.
  member.onBeat(async ({ version, isBehind, isAnyErased }) => {
    if (version !== SCHEMA_VERSION) throw newer(connector.where, version);
    if (isBehind && isForward) throw madeAnew(connector.where);
    if (!isAnyErased) return;
    try {
      await blank();
      isBlankingLate = false;
    } catch (error) {
      if (!isBlankingLate) log.warn('chainNotBlanked', { path: own?.path ?? null, ...describeError(error) });
      isBlankingLate = true;
    }
  });
  const link = new Link({ connector, member, trouble, clock, random, log });
  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    await link.close();
    member.endWaiting();
    await core.close();
    await readers.close();
    own?.close();
    trouble.close();
  }

  return {
    core,
    member,
    link,
    trouble,
    read,
    async blanked() {
      try {
        await blank();
      } catch (error) {
        if (isOfLedger(error)) throw error;
        const path = options.memoryPath ?? '';
        throw new ReceiptdError('LEDGER_WRITE_FAILED.notRewritten', { path }, { cause: error });
      }
    },
    async start() {
      await link.start();
      if (trouble.trouble()) return;
      try {
        await foldAll();
      } catch (error) {
        const failure = ledgerFailure(error, connector.where);
        // The link notices, connects again, and does the same.
        if (failure.code === 'LEDGER_UNREACHABLE') return trouble.met(failure);
        await close();
        throw failure;
      }
    },
    close,
  };
}
