import type { Connection } from './connection.ts';

/** Long enough for the listing of a directory between two reads. */
const TOGETHER_MS = 200;

/**
 * A transaction for brief reads that come in a row, as those of a comparison of a folder do: each transaction counts as
 * a commit of the server. Between two reads it holds no snapshot.
 */
export class ReadTogether {
  #connection: Connection | null = null;
  #end: NodeJS.Timeout | undefined;
  #isReading = false;

  get isReading(): boolean {
    return this.#isReading;
  }

  /** Call before a read. */
  begin(connection: Connection): void {
    this.#isReading = true;
    clearTimeout(this.#end);
    if (this.#connection === connection) return;
    this.#connection = connection;
    // If it fails, so does the read.
    connection.exec('BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY').catch(() => {});
  }

  /** Call after a read that succeeded: the next one may join it. */
  pause(): void {
    this.#isReading = false;
    this.#end = setTimeout(() => this.end(), TOGETHER_MS).unref();
  }

  /** Call before a write, and after a read that failed. Idempotent. */
  end(): void {
    this.#isReading = false;
    clearTimeout(this.#end);
    const connection = this.#connection;
    this.#connection = null;
    if (connection?.isOpen === true) connection.exec('COMMIT').catch(() => {});
  }
}
