import { Socket } from 'node:net';
import { Client, types as ofPackage, type ClientConfig, type CustomTypesConfig, type QueryResult } from 'pg';
import { parse } from 'pg-connection-string';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { isLost, ledgerFailure } from './failure.ts';
import { readAuthorities, readPassword } from './files.ts';
import { statement, type SqlParams, type Sql } from './statements.ts';
import { randomUUID } from 'node:crypto';

export interface Target {
  /** As configured; may list several hosts, of which the writable one is used. */
  readonly url: string;
  /** Read for every connection, so that the password can be changed. */
  readonly passwordFile: string | null;
  /** Additional certificate authorities (PEM). */
  readonly caFile: string | null;
}

const CONNECT_WITHIN_MS = 10_000;
/** Longer than any of the agent's statements takes; a half-open connection is given up after this. */
const ANSWER_WITHIN_MS = 30_000;

/**
 * Overrides whatever is set for the role or the database. The server must notice soon if this end is gone or hangs
 * within a transaction, since its locks block others. Its statement timeout is shorter than ours, which distinguishes a
 * slow statement from a dead connection. JIT is off: compiling our small statements takes a hundred times as long as
 * running them.
 */
const settings = (answerWithinMs: number): string => `
SET search_path = receiptd; SET client_min_messages = warning; SET jit = off;
SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; SET tcp_user_timeout = 30000;
SET default_transaction_isolation = 'read committed'; SET lock_timeout = 0;
SET statement_timeout = ${Math.floor((answerWithinMs * 5) / 6)}; SET idle_in_transaction_session_timeout = ${answerWithinMs};
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
SELECT current_setting('transaction_read_only') AS "readOnly"`;

/** Statements say which index they mean: a plan made for a small table must be right for the large one that it becomes. */
export const BY_INDEX = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off';

/** A responsive server ends the connection at once. */
const GOODBYE_WITHIN_MS = 2_000;

/** 64-bit integers are ids and milliseconds here, which JavaScript numbers hold exactly. */
const NUMBERS: ReadonlySet<number> = new Set([20, 1700]);
const types: CustomTypesConfig = {
  getTypeParser: (oid, format) => (NUMBERS.has(oid) ? Number : ofPackage.getTypeParser(oid, format)),
};

/** One connection. Statements are pipelined: sent at once and answered in order. */
export interface Connection extends Sql {
  /** Sends without waiting; `settled` reports errors. */
  send(text: string, params?: SqlParams): void;
  /** Resolves once everything sent is answered. Rejects with the first failure. */
  settled(): Promise<void>;
  /** Several statements as one text, without parameters. */
  exec(text: string): Promise<void>;
  /** @throws if the server rolled back instead, which it does silently if a statement failed */
  commit(): Promise<void>;
  /** Calls back with each notification. */
  onNotify(listener: (payload: string) => void): void;
  /** Resolves with the reason when the connection is lost. */
  readonly lost: Promise<string>;
  readonly isOpen: boolean;
  close(): Promise<void>;
  /** Closes immediately, whatever is in progress. */
  destroy(): void;
}

/**
 * Connects to the first writable host of the target, starting with the last one that was.
 * @throws ReceiptdError LEDGER_UNREACHABLE, LEDGER_REFUSED
 */
export class Connector {
  readonly #target: Target;
  readonly #hosts: readonly string[];
  readonly #answerWithinMs: number;
  #last = 0;

  /** `answerWithinMs`: 0 for work of unknown duration. */
  constructor(
    target: Target,
    { answerWithinMs = ANSWER_WITHIN_MS }: { readonly answerWithinMs?: number } = {},
  ) {
    this.#target = target;
    this.#answerWithinMs = answerWithinMs;
    this.#hosts = hostsOf(target.url);
  }

  /** The ledger's location for people, without user and password. */
  get where(): string {
    return placeOf(this.#target.url);
  }

  /** @param answerWithinMs milliseconds after which an unanswered statement, and its connection, are given up */
  async connect(applicationName: string, answerWithinMs = this.#answerWithinMs): Promise<Connection> {
    let failure: ReceiptdError | null = null;
    for (let tried = 0; tried < this.#hosts.length; tried += 1) {
      const index = (this.#last + tried) % this.#hosts.length;
      try {
        const connection = await this.#connectTo(
          this.#hosts[index] as string,
          applicationName,
          answerWithinMs,
        );
        this.#last = index;
        return connection;
      } catch (error) {
        const own = ledgerFailure(error, this.where);
        // Prefer the error that needs correction to one that may pass.
        if (failure === null || own.code === 'LEDGER_REFUSED') failure = own;
      }
    }
    throw failure ?? new ReceiptdError('LEDGER_UNREACHABLE.noHost', { where: this.where });
  }

  async #connectTo(url: string, applicationName: string, answerWithinMs: number): Promise<Connection> {
    const { passwordFile, caFile } = this.#target;
    const password = passwordFile === null ? undefined : await readPassword(passwordFile);
    const ca = caFile === null ? undefined : await readAuthorities(caFile);
    const options = parse(url);
    const ssl = typeof options.ssl === 'object' && ca !== undefined ? { ...options.ssl, ca } : options.ssl;
    const socket = new Socket();
    const client = new Client({
      ...(options as unknown as ClientConfig),
      ...(ssl !== undefined && { ssl: ssl as never }),
      ...(password !== undefined && { password }),
      application_name: applicationName,
      connectionTimeoutMillis: Math.min(CONNECT_WITHIN_MS, answerWithinMs || CONNECT_WITHIN_MS),
      query_timeout: answerWithinMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types,
      stream: () => socket,
      // Missing from the package's types.
      ...({ pipeline: true } as object),
    });
    const connection = new OpenConnection(client, socket, this.where);
    await client.connect();
    try {
      // Not prepared: there may be a pooler in between, which is not known yet.
      const results = [await client.query<{ readOnly: string }>(settings(answerWithinMs))].flat();
      const readOnly = results.at(-1)?.rows[0]?.readOnly;
      if (readOnly === undefined)
        throw new ReceiptdError('LEDGER_UNREACHABLE.incompleteAnswer', { where: this.where });
      if (readOnly === 'on')
        throw new ReceiptdError('LEDGER_UNREACHABLE.readOnlyServer', { where: this.where });
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }
}

class OpenConnection implements Connection {
  readonly lost: Promise<string>;
  readonly #client: Client;
  /** The driver can't end a connection that does not answer; destroying its socket does. */
  readonly #socket: Socket;
  readonly #where: string;
  #sent: Promise<unknown>[] = [];
  #isOpen = true;

  constructor(client: Client, socket: Socket, where: string) {
    this.#client = client;
    this.#socket = socket;
    this.#where = where;
    this.lost = new Promise((resolve) => {
      client.on('error', (error: Error) => {
        this.#isOpen = false;
        resolve(error.message);
      });
      client.on('end', () => {
        this.#isOpen = false;
        resolve('closed');
      });
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async get<Row>(text: string, params?: SqlParams): Promise<Row | undefined> {
    return (await this.all<Row>(text, params))[0];
  }

  async all<Row>(text: string, params?: SqlParams): Promise<Row[]> {
    return (await this.#query(text, params)).rows as Row[];
  }

  async run(text: string, params?: SqlParams): Promise<number> {
    return (await this.#query(text, params)).rowCount ?? 0;
  }

  send(text: string, params?: SqlParams): void {
    const sent = this.#query(text, params);
    // `settled` reports it.
    sent.catch(() => {});
    this.#sent.push(sent);
  }

  async settled(): Promise<void> {
    const sent = this.#sent;
    this.#sent = [];
    for (const each of sent) await each;
  }

  async exec(text: string): Promise<void> {
    try {
      await this.#client.query(text);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async commit(): Promise<void> {
    try {
      const { command } = await this.#client.query('COMMIT');
      if (command !== 'COMMIT') throw new Error(`COMMIT was answered by ${command}`);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  onNotify(listener: (payload: string) => void): void {
    this.#client.on('notification', ({ payload }) => listener(payload ?? ''));
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    const timer = setTimeout(() => this.destroy(), GOODBYE_WITHIN_MS);
    await this.#client.end().catch(() => {});
    clearTimeout(timer);
  }

  destroy(): void {
    this.#isOpen = false;
    this.#socket.destroy();
  }

  async #query(text: string, params?: SqlParams): Promise<QueryResult> {
    try {
      return await this.#client.query(statement(text, params));
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #failed(error: unknown): unknown {
    if (isLost(error)) this.destroy();
    return isLost(error) ? ledgerFailure(error, this.#where) : error;
  }
}

/** One URL for each host: `postgres://user@a:5432,b/ledger` names two. */
export function hostsOf(url: string): readonly string[] {
  const found = /^([a-z]+:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/i.exec(url);
  if (!found) return [url];
  const [, before = '', hosts = '', after = ''] = found;
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}

/** Host, port and database, for people. */
export function placeOf(url: string): string {
  const found = /^[a-z]+:\/\/(?:[^@/]*@)?([^/?]*)(?:\/([^?]*))?/i.exec(url);
  const [, hosts = '', database = ''] = found ?? [];
  return `${hosts === '' ? 'this machine' : hosts}/${database}`;
}

/** Other clients may use the pool as well. */
const TRIES = 3;
/** Raised below. */
const OTHER_SESSION = 'RD001';

/**
 * Refuses transaction poolers: a session here is more than its transactions, with settings, prepared statements and
 * LISTEN. Of two connections to such a pool, the one that begins a transaction gets the server process that the other
 * had last. Must run before anything is prepared, which would fail with a misleading error.
 * @throws ReceiptdError LEDGER_REFUSED
 */
export async function refuseTransactionPooling(
  one: Connection,
  other: Connection,
  where: string,
): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const mark = randomUUID();
    await one.exec(`SET receiptd.session = '${mark}'`);
    await other.exec('BEGIN; SELECT 1');
    try {
      await one.exec(`
DO $$ BEGIN
  IF current_setting('receiptd.session', true) IS DISTINCT FROM '${mark}' THEN
    RAISE EXCEPTION 'another session' USING ERRCODE = '${OTHER_SESSION}';
  END IF;
END $$`);
    } catch (error) {
      if (systemCode(error) === OTHER_SESSION) throw new ReceiptdError('LEDGER_REFUSED.pooler', { where });
      throw error;
    }
    await other.exec('COMMIT');
  }
}

/** Concurrent reads; others wait. */
const MOST_READERS = 3;

/** Connections unused for this long are closed, so that an idle agent keeps none. */
const IDLE_MS = 10_000;

/** Read connections, opened on demand. */
export class Readers {
  readonly #connector: Connector;
  readonly #name: string;
  readonly #idleMs: number;
  readonly #free: Connection[] = [];
  readonly #reading = new Set<Connection>();
  readonly #waiting: (() => void)[] = [];
  /** Connections opened since the last `renew`. */
  #good = new WeakSet<Connection>();
  #open = 0;
  #isClosed = false;
  #isAway = false;
  #idle: NodeJS.Timeout | null = null;

  constructor(connector: Connector, name: string, idleMs = IDLE_MS) {
    this.#connector = connector;
    this.#name = name;
    this.#idleMs = idleMs;
  }

  /** Tries again if an idle connection turns out to be dead. */
  async use<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    const isFresh = !connection.isUsed;
    this.#reading.add(connection.own);
    try {
      return await work(connection.own);
    } catch (error) {
      if (isFresh || this.#isAway || !isLost(error)) throw error;
    } finally {
      this.#reading.delete(connection.own);
      this.#giveBack(connection.own);
    }
    return this.use(work);
  }

  /** The server is away. Reads end as well: on a half-open connection, they would wait for much longer than it took to notice. */
  end(): void {
    this.#isAway = true;
    for (const connection of this.#reading) connection.destroy();
  }

  /** Discards all connections: they may be half-open, or lead to a server that is no longer the primary. */
  renew(): void {
    this.#isAway = false;
    this.#good = new WeakSet();
    for (const connection of this.#free) connection.destroy();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#closeFree();
  }

  async #closeFree(): Promise<void> {
    if (this.#idle) clearTimeout(this.#idle);
    this.#idle = null;
    const free = this.#free.splice(0);
    this.#open -= free.length;
    await Promise.all(free.map((each) => each.close()));
  }

  async #take(): Promise<{ readonly own: Connection; readonly isUsed: boolean }> {
    for (;;) {
      this.#refuseIfAway();
      const free = this.#free.pop();
      if (free?.isOpen === true) return { own: free, isUsed: true };
      if (free) this.#open -= 1;
      else if (this.#open < MOST_READERS) break;
      else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#open += 1;
    const good = this.#good;
    try {
      const own = await this.#connector.connect(`receiptd ${this.#name} reading`);
      try {
        await own.exec(BY_INDEX);
        this.#refuseIfAway();
      } catch (error) {
        own.destroy();
        throw error;
      }
      good.add(own);
      return { own, isUsed: false };
    } catch (error) {
      this.#open -= 1;
      this.#waiting.shift()?.();
      throw error;
    }
  }

  #refuseIfAway(): void {
    if (!this.#isAway) return;
    // So that whoever waits for a turn hears of it, too.
    this.#waiting.shift()?.();
    throw new ReceiptdError('LEDGER_UNREACHABLE.lost', { where: this.#connector.where });
  }

  #giveBack(connection: Connection): void {
    const isKept = this.#open <= MOST_READERS && this.#good.has(connection) && !this.#isClosed;
    if (connection.isOpen && isKept) {
      this.#free.push(connection);
      if (this.#idle) this.#idle.refresh();
      else this.#idle = setTimeout(() => void this.#closeFree(), this.#idleMs).unref();
    } else {
      this.#open -= 1;
      void connection.close();
    }
    this.#waiting.shift()?.();
  }
}
