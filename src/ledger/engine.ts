import type { JournalEntry } from '../core/ports/journal.ts';
import type { Entry } from './entries.ts';
import type { Cells, COUNTED, Table } from './schema.ts';

/** The last entry of this agent's chain that the tables have, and what ids and times of this transaction come from. */
export interface Head {
  readonly seq: number;
  /** The agent's number times `CHAIN`; 0 in a ledger with one agent. */
  readonly base: number;
  /** The agent's name; empty in a ledger with one agent. */
  readonly name: string;
  /** Wall-clock milliseconds: the database's where agents share it. */
  readonly now: number;
}

/** An entry that was read from a journal or a chain. `base` and `name` are those of its agent, where there are several. */
export interface RecordedEntry extends JournalEntry {
  readonly base?: number;
  readonly name?: string;
}

/** Whose fault an error is: of one of the rows, of the moment (another try may succeed), or of the store as a whole. */
export type EngineFault = 'row' | 'again' | 'store';

/** Look-ups and reads, in the language of statements.ts. */
export interface Reader {
  /** @param batch rows for `{rows}`, `{one}`; null for a statement without */
  each<Row>(
    statement: string,
    batch: readonly object[] | null,
    params?: object,
  ): readonly Row[] | Promise<readonly Row[]>;
}

/**
 * A connection, and what the two engines say differently. It decides nothing. A transaction is durable when `record` has returned (a journal file) or
 * `commit` has (PostgreSQL).
 */
export interface Engine extends Reader {
  /** Another connection, which sees what is committed. */
  readonly reader: Reader;
  /** Opens the transaction; in a fleet locks the agent, so that one that was fenced can do nothing. */
  begin(): Head | Promise<Head>;
  insert(
    table: Table | keyof typeof COUNTED,
    columns: Readonly<Record<string, string>>,
    rows: readonly Cells[],
    onConflict: string | undefined,
  ): void | Promise<void>;
  update(
    table: Table,
    columns: readonly string[],
    ids: readonly number[],
    rows: readonly Cells[],
  ): void | Promise<void>;
  record(entries: readonly { readonly entry: Entry; readonly at: number }[]): void | Promise<void>;
  /** Sets the tables' head behind entries that are recorded already. */
  replayed(entries: readonly RecordedEntry[]): void | Promise<void>;
  commit(): void | Promise<void>;
  /** Never fails. */
  rollback(): void | Promise<void>;
  /**
   * After a commit that failed or got no answer: whether the entries are recorded all the same. True: the tables may lack them, and `behind` brings
   * them.
   */
  isRecorded(error: unknown): boolean | Promise<boolean>;
  /**
   * Entries behind the tables' head, in parts. After an empty one, the next is asked for once all others are folded.
   */
  behind(): Iterable<readonly RecordedEntry[]> | AsyncIterable<readonly RecordedEntry[]>;
  /** Blanks what was erased, also what a crash left to be blanked. False if it could not be done now. */
  finish(): boolean | Promise<boolean>;
  /** Entries with personal data about these documents or files, as ranges: of this chain, and of others. */
  personalEntries(about: {
    readonly documents: ReadonlySet<number>;
    readonly files: ReadonlySet<number>;
  }): Promise<Pick<Extract<Entry, { kind: 'erased' }>, 'entries' | 'others'>>;
  /** Last entries of all chains, each as its base and number, those of this transaction not included. */
  heads():
    | readonly (readonly [base: number, seq: number])[]
    | Promise<readonly (readonly [base: number, seq: number])[]>;
  /**
   * In a fleet, within the transaction: from now on another agent, whose lease is over, can write nothing in its session. False: it is back. Left out
   * where there is one agent.
   */
  takeOver?(base: number): Promise<boolean>;
  faultOf(error: unknown): EngineFault;
  close(): void | Promise<void>;
}
