import { BY_INDEX, type Connection, type Connector } from './connection.ts';
import { isLost } from './failure.ts';
import type { Sql } from './statements.ts';

/** Concurrent reads; others wait. */
const MOST = 3;

/** Connections unused for this long are closed, so that an idle agent keeps none. */
const IDLE_MS = 10_000;

/** Read connections, opened on demand. */
export class Readers {
  readonly #connector: Connector;
  readonly #name: string;
  readonly #idleMs: number;
  readonly #free: Connection[] = [];
  readonly #waiting: (() => void)[] = [];
  /** Connections opened since the last `renew`. */
  #good = new WeakSet<Connection>();
  #open = 0;
  #isClosed = false;
  #idle: NodeJS.Timeout | null = null;

  constructor(connector: Connector, name: string, idleMs = IDLE_MS) {
    this.#connector = connector;
    this.#name = name;
    this.#idleMs = idleMs;
  }

  /** Retries once if an idle connection turns out to be dead. */
  async use<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    const isFresh = !connection.isUsed;
    try {
      return await work(connection.own);
    } catch (error) {
      if (isFresh || !isLost(error)) throw error;
    } finally {
      this.#giveBack(connection.own);
    }
    return this.use(work);
  }

  /** Discards all connections: they may be half-open, or lead to a server that is no longer the primary. */
  renew(): void {
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
      const free = this.#free.pop();
      if (free?.isOpen === true) return { own: free, isUsed: true };
      if (free) this.#open -= 1;
      else if (this.#open < MOST) break;
      else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#open += 1;
    const good = this.#good;
    try {
      const own = await this.#connector.connect(`receiptd ${this.#name} reading`);
      await own.exec(BY_INDEX);
      good.add(own);
      return { own, isUsed: false };
    } catch (error) {
      this.#open -= 1;
      this.#waiting.shift()?.();
      throw error;
    }
  }

  #giveBack(connection: Connection): void {
    const isKept = this.#open <= MOST && this.#good.has(connection) && !this.#isClosed;
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
