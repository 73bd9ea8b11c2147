import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import type { JournalEntry, JournalEvent, JournalHead } from '../../../src/core/ports/journal.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { toJournal as toRowJournal } from '../../../src/ledger/events.ts';
import { portOver } from '../../../src/ledger/next/adapter/open.ts';
import type { Reader } from '../../../src/ledger/next/engine.ts';
import {
  makeTables,
  SqliteEngine,
  Statements,
  type Entries,
} from '../../../src/ledger/next/engines/sqlite.ts';
import { createUpkeep } from '../../../src/ledger/next/engines/sqliteUpkeep.ts';
import { toJournal } from '../../../src/ledger/next/entries.ts';
import { LedgerCore } from '../../../src/ledger/next/ledger.ts';
import { View } from '../../../src/ledger/next/reads/view.ts';
import { SqliteWriter } from '../../../src/ledger/next/writer.ts';
import type { CommitJournal } from '../../../src/ledger/sqlite/commit.ts';
import { migrate } from '../../../src/ledger/sqlite/migrate.ts';
import { ledgerOver } from '../../../src/ledger/sqlite/open.ts';
import { replay } from '../../../src/ledger/sqlite/replay.ts';
import { HEAD } from '../../../src/ledger/sqlite/sql/journal.ts';
import { Store } from '../../../src/ledger/sqlite/store.ts';
import { Trouble, type ReservedSpace } from '../../../src/ledger/sqlite/trouble.ts';
import { Events } from '../../oracle/events.ts';
import type { Process } from './process.ts';
import { systemError } from './share.ts';

export const LEDGER = 'the ledger';
const PATH = '/state/ledger.db';
const BACKUPS = '/state/backups';

/** `rows`: the ledger in use. `steps`: the one that will replace it (src/ledger/next). */
export type LedgerKind = 'rows' | 'steps';

/** What a ledger needs of the disk that it is on. */
export interface LedgerDisk {
  readonly journal: JournalEntry[];
  readonly head: JournalHead;
  append(events: readonly JournalEvent[]): JournalHead;
  /** @throws the error of a full or failing disk */
  needSpace(): void;
  reserve(): ReservedSpace;
}

/** A ledger over a disk, in memory: what survives a process is the journal, and the tables unless they are lost. */
export interface SimulatedLedger {
  open(process: Process, disk: LedgerDisk): Ledger;
  /** When the last hold in the tables ends, by the wall clock; 0 if there is none. */
  heldUntil(): number;
  /** A power failure: loses what SQLite had not synced. */
  lose(): void;
  /** What an entry of its journal says. */
  eventsOf(entry: JournalEntry): readonly JournalEntry[];
}

export function simulatedLedger(kind: LedgerKind): SimulatedLedger {
  return kind === 'rows' ? rowLedger() : stepsLedger();
}

/** The tables, until they are lost. */
function tables(make: (db: DatabaseSyncInstance) => void, foreignKeys: boolean) {
  let db: DatabaseSyncInstance | null = null;
  return {
    open(): DatabaseSyncInstance {
      if (db === null) {
        db = new DatabaseSync(':memory:', { enableForeignKeyConstraints: foreignKeys });
        make(db);
      }
      return db;
    },
    heldUntil(): number {
      const row = db?.prepare('SELECT max(until) AS until FROM holds').get() as
        { until: number | null } | undefined;
      return row?.until ?? 0;
    },
    lose(): void {
      db?.close();
      db = null;
    },
  };
}

function rowLedger(): SimulatedLedger {
  const kept = tables((db) => migrate(db, 0, 0), true);
  return {
    ...kept,
    open(process, disk) {
      const clock = process.timeline.clockOf(process);
      const db = kept.open();
      if (disk.journal.length === 0) disk.append([toRowJournal(BEGUN, clock.now())]);
      const head = db.prepare(HEAD).get() as JournalHead | undefined;
      replay(db, LEDGER, disk.journal.slice(head?.seq ?? 0));
      const trouble = new Trouble(clock, disk.reserve());
      let before = 0;
      const journal: CommitJournal = {
        append(events) {
          before = disk.journal.length;
          return append(process, disk, events);
        },
        rewind: () => {
          if (!process.isDead) disk.journal.length = before;
        },
        tryWriting: () => disk.needSpace(),
        close: () => {},
      };
      const nextTurn = (work: () => void): void =>
        void process.timeline.after(process.delay(), process, work);
      return ledgerOver(new Store(db, PATH, { journal, trouble, nextTurn }), trouble, {
        clock,
        backupsDir: BACKUPS,
      });
    },
    eventsOf: (entry) => [entry],
  };
}

const BEGUN = { kind: 'begun', ledger: LEDGER, because: 'The ledger was made.' } as const;

/** A kill leaves all entries of a commit in the journal or none (src/ledger/journal/journal.ts), and the tables without them. */
function append(process: Process, disk: LedgerDisk, events: readonly JournalEvent[]): JournalHead {
  if (process.isDead) throw systemError('EIO', 'the process is dead');
  disk.needSpace();
  const kill = process.takeStep();
  if (kill === null) return disk.append(events);
  if (kill === 'after') disk.append(events);
  process.kill(`in a commit, ${kill} its entries were in the journal`);
  throw systemError('EIO', 'the process is dead');
}

function stepsLedger(): SimulatedLedger {
  const kept = tables((db) => makeTables(db, ''), false);
  const events = new Events();
  return {
    ...kept,
    open(process, disk) {
      const clock = process.timeline.clockOf(process);
      const statements = new Statements(kept.open());
      if (disk.journal.length === 0) disk.append([toJournal(BEGUN, clock.now())]);
      const journal: Entries = {
        get head() {
          return disk.head;
        },
        append: (entries) => void append(process, disk, entries),
        after: (seq) => disk.journal.slice(seq),
        blank: () => {},
        personal: () => [],
        tryWriting: () => disk.needSpace(),
        close: () => {},
      };
      const now = (): number => clock.now();
      const engine = new SqliteEngine({ writer: statements, reader: statements, journal, now });
      const core = new LedgerCore(engine);
      const started = core.start();
      const trouble = new Trouble(clock, disk.reserve());
      const writer = new SqliteWriter({ core, engine, lookedAt: 0 }, trouble, PATH, BACKUPS, clock);
      // Reads come between transactions: both use the one connection that a database in memory has.
      const reader: Reader = {
        each: (statement, batch, params) => core.between(() => statements.each(statement, batch, params)),
      };
      const runner = {
        storage: trouble,
        run: async (...args: Parameters<typeof writer.run>) => {
          await started;
          return writer.run(...args);
        },
        backup: (target: string | null) => writer.backup(target),
        blanked: () => writer.blanked(),
        readFailed: (failure: unknown) => writer.readFailed(failure),
        looked: () => {},
        close: async () => {},
      };
      return portOver(runner, {
        view: new View(reader),
        clock,
        accountOf: undefined,
        upkeep: createUpkeep({ path: PATH, clock, backupsDir: BACKUPS, checkerPath: '', runner: writer }),
        head: async () => disk.head,
        closed: () => new ReceiptdError('LEDGER_WRITE_FAILED.notOpen', { path: PATH, isClosed: true }),
        nextTurn: (work) => void process.timeline.after(process.delay(), process, work),
        close: async () => {},
      });
    },
    eventsOf: (entry) => events.read(entry),
  };
}
