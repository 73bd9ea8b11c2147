import type { JournalEntry, JournalHead } from '../../../core/ports/journal.ts';
import type { Row, Table } from './tables.ts';

export interface SourceEndpoint {
  readonly id: string;
  readonly baseUrl: string;
  readonly uid: string;
  readonly nextSeq: number;
  readonly nextLine: number;
  readonly name: string | null;
  readonly record: string | null;
  readonly createdAt: number | null;
}

export interface SourceFolder {
  readonly id: string;
  readonly path: string;
  readonly watchedAt: number | null;
  readonly mark: string | null;
  readonly rule: string | null;
  readonly stays: number | null;
}

export interface SourcePause {
  readonly scope: 'endpoint' | 'folder';
  readonly key: string;
  readonly message: string;
  readonly since: number;
}

/** Read access to the ledger of a single agent, or a copy of it. */
export interface Source {
  readonly head: JournalHead;
  readonly endpoints: readonly SourceEndpoint[];
  readonly folders: readonly SourceFolder[];
  readonly pauses: readonly SourcePause[];
  lastId(table: Table['name']): number;
  /** In the order of ids. */
  rows(table: Table, fromId: number, toId: number): readonly Row[];
  close(): void;
}

/** The journal after an entry. @throws ReceiptdError JOURNAL_DAMAGED */
export type EntriesAfter = (seq: number) => Iterable<JournalEntry>;
