import type { Connection, Connector } from './connection.ts';
import { isLost } from './failure.ts';
import type { Sql } from './statements.ts';

/** Reads at once; more wait for their turn. */
const MOST = 3;

/** Connections for reading, made when they are needed. */
export class Readers {
  readonly #connector: Connector;
  readonly #name: string;
  readonly #free: Connection[] = [];
  readonly #waiting: (() => void)[] = [];
  #open = 0;
  #isClosed = false;

  constructor(connector: Connector, name: string) {
    this.#connector = connector;
    this.#name = name;
  }

  /** Once more where an idle connection turns out to be dead. */
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

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#free.splice(0).map((each) => each.close()));
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
    try {
      return { own: await this.#connector.connect(`receiptd ${this.#name} reading`), isUsed: false };
    } catch (error) {
      this.#open -= 1;
      this.#waiting.shift()?.();
      throw error;
    }
  }

  #giveBack(connection: Connection): void {
    if (connection.isOpen && !this.#isClosed) this.#free.push(connection);
    else {
      this.#open -= 1;
      void connection.close();
    }
    this.#waiting.shift()?.();
  }
}
