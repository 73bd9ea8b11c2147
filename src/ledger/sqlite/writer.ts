import { dirname, join, resolve } from 'node:path';
import type { Clock } from '../../core/ports/clock.ts';
import { markDamaged } from './files.ts';
import { openLedgerAndJournal } from './openLedgerAndJournal.ts';
import { leaveCleanShutdownMark } from './cleanShutdownMark.ts';
import { Store } from './store.ts';
import { Trouble, type ReservedSpace } from './trouble.ts';

export interface WriterOptions {
  readonly path: string;
  readonly clock: Clock;
  /** Directory of backups; `backups` beside the ledger by default. */
  readonly backupsDir?: string;
  /** Disk space for the outcomes of requests in progress when the disk is full. */
  readonly reserve?: ReservedSpace;
  /** Called with how long each commit waited for the disk; milliseconds. */
  readonly onSynced?: (ms: number) => void;
  /** Called with each repair needed before the ledger could be used, in sentences. */
  readonly onMended?: (story: string) => void;
}

/** A ledger and its only writer. */
export interface Writer {
  readonly store: Store;
  readonly trouble: Trouble;
  readonly backupsDir: string;
  /** Reports the start time of a full check that found nothing; null if it found damage. */
  readonly looked: (soundAt: number | null) => void;
  /**
   * Commits what is queued, folds everything into the main file, and leaves the clean-shutdown mark if it is known to
   * be sound. Idempotent.
   */
  readonly close: () => Promise<void>;
}

/**
 * Opens the ledger and its journal for their only writer. Creates them if missing, upgrades them to the latest version,
 * and repairs damage (openLedgerAndJournal.ts).
 * @throws ReceiptdError STATE_UNWRITABLE, LEDGER_NEWER
 */
export function openWriter(options: WriterOptions): Writer {
  const { clock, reserve = null } = options;
  let isMended = false;
  const onMended = (story: string): void => {
    isMended = true;
    options.onMended?.(story);
  };
  const path = resolve(options.path);
  const backupsDir = options.backupsDir ?? join(dirname(path), 'backups');
  const { db, journal, ...opened } = openLedgerAndJournal({ path, backupsDir, at: clock.now(), onMended });
  const trouble = new Trouble(clock, reserve, {
    onDamaged: (message) => markDamaged(path, message),
    isMendedNext: !isMended,
  });
  const store = new Store(db, path, {
    journal,
    trouble,
    ...(options.onSynced && { onSynced: options.onSynced }),
  });
  let lookedAt: number | null = opened.lookedAt;
  return {
    store,
    trouble,
    backupsDir,
    looked: (soundAt) => void (lookedAt = soundAt),
    async close() {
      const isWell = trouble.trouble() === null;
      const isWhole = await store.close();
      if (isWhole && isWell && lookedAt !== null) leaveCleanShutdownMark(path, lookedAt, clock.now());
    },
  };
}
