import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import type { JournalEntry, JournalEvent, JournalHead } from '../../../src/core/ports/journal.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { portOver } from '../../../src/ledger/port.ts';
import type { Reader } from '../../../src/ledger/engine.ts';
import { SqliteEngine, type JournalEntries } from '../../../src/ledger/sqlite/engine.ts';
import { Statements } from '../../../src/ledger/sqlite/statements.ts';
import { makeTables } from '../../../src/ledger/sqlite/tables.ts';
import { createUpkeep } from '../../../src/ledger/sqlite/upkeep.ts';
import { toJournal } from '../../../src/ledger/entries.ts';
import { LedgerCore } from '../../../src/ledger/ledger.ts';
import { View } from '../../../src/ledger/reads/view.ts';
import { SqliteWriter } from '../../../src/ledger/writer.ts';
import { Trouble, type ReservedSpace } from '../../../src/ledger/sqlite/trouble.ts';
import type { Process } from './process.ts';
import { systemError } from './share.ts';

export const LEDGER = 'the ledger';
const PATH = '/state/ledger.db';
const BACKUPS = '/state/backups';

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

export function simulatedLedger(): SimulatedLedger {
  let db: DatabaseSyncInstance | null = null;
  const tables = (): DatabaseSyncInstance => {
    if (db === null) {
      db = new DatabaseSync(':memory:');
      makeTables(db, '');
    }
    return db;
  };
  return {
    heldUntil() {
      const row = db?.prepare('SELECT max(until) AS until FROM holds').get() as
        { until: number | null } | undefined;
      return row?.until ?? 0;
    },
    lose() {
      db?.close();
      db = null;
    },
    open(process, disk) {
      const clock = process.timeline.clockOf(process);
      const statements = new Statements(tables());
      if (disk.journal.length === 0) disk.append([toJournal(BEGUN, clock.now())]);
      const journal: JournalEntries = {
        get head() {
          return disk.head;
        },
        append: (entries) => append(process, disk, entries),
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
  };
}
