import { dirname, join, resolve } from 'node:path';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { JournalHead } from '../core/ports/journal.ts';
import { backupName, backupsIn, backupTo } from './sqlite/backup.ts';
import { leaveCleanShutdownMark } from './sqlite/cleanShutdownMark.ts';
import { storeFailure } from './sqlite/failure.ts';
import { markDamaged } from './sqlite/files.ts';
import { Trouble, type ReservedSpace } from './sqlite/trouble.ts';
import { startSqlite, type StartedSqlite } from './sqlite/start.ts';
import type { Step } from './ledger.ts';
import { StoreFailed, withFaults, type Answers, type Runner } from './runner.ts';

const BLANK_TRIES = 20;
const BLANK_AGAIN_MS = 500;

export interface WriterOptions {
  readonly path: string;
  readonly clock: Clock;
  /** `backups` beside the ledger by default. */
  readonly backupsDir?: string | undefined;
  /** Disk space for the outcomes of requests in progress when the disk is full. */
  readonly reserve?: ReservedSpace | undefined;
  /** Called with how long each commit waited for the disk; milliseconds. */
  readonly onSynced?: ((ms: number) => void) | undefined;
  /** Called with what had to be mended, in sentences. */
  readonly onMended?: ((story: string) => void) | undefined;
}

/** A ledger on SQLite and its only writer. */
export class SqliteWriter implements Runner {
  readonly storage: Trouble;
  readonly path: string;
  readonly backupsDir: string;
  readonly started: StartedSqlite;
  readonly #clock: Clock;
  #soundAt: number | null;

  constructor(started: StartedSqlite, storage: Trouble, path: string, backupsDir: string, clock: Clock) {
    this.started = started;
    this.storage = storage;
    this.path = path;
    this.backupsDir = backupsDir;
    this.#clock = clock;
    this.#soundAt = started.lookedAt;
    storage.watch(() => started.engine.tryWriting((error) => storeFailure(error, path, 'written')));
  }

  /** @throws ReceiptdError STATE_UNWRITABLE, LEDGER_NEWER, LEDGER_OLDER */
  static async open(options: WriterOptions): Promise<SqliteWriter> {
    const { clock, reserve = null } = options;
    const path = resolve(options.path);
    const backupsDir = options.backupsDir ?? join(dirname(path), 'backups');
    let isMended = false;
    const started = await startSqlite({
      path,
      now: () => clock.now(),
      backups: () => backupsIn(backupsDir),
      onSynced: options.onSynced,
      onMended(story) {
        isMended = true;
        options.onMended?.(story);
      },
    });
    const onDamaged = (message: string): void => markDamaged(path, message);
    const storage = new Trouble(clock, reserve, { onDamaged, isMendedNext: !isMended });
    return new SqliteWriter(started, storage, path, backupsDir, clock);
  }

  async run(steps: readonly Step[], areOutcomes: boolean): Promise<Answers> {
    const trouble: ReceiptdError | null = areOutcomes ? null : this.storage.error();
    if (trouble !== null) throw new StoreFailed(trouble, true);
    try {
      // Where the store failed after a part was done, the rest has its error as answer.
      return withFaults(await this.started.core.run(steps), (error) => {
        const failure = storeFailure(error, this.path, 'written');
        this.storage.met(failure);
        return failure;
      });
    } catch (error) {
      const failure = storeFailure(error, this.path, 'written');
      throw new StoreFailed(failure, this.storage.met(failure));
    }
  }

  async backup(target: string | null): Promise<{ readonly file: string; readonly head: JournalHead }> {
    const file = target ?? join(this.backupsDir, backupName(this.#clock.now()));
    return { file, head: await backupTo(this.started.engine.db, file) };
  }

  async blanked(): Promise<void> {
    for (let tries = 1; !(await this.started.core.settle()); tries += 1) {
      if (tries === BLANK_TRIES)
        throw new ReceiptdError('LEDGER_WRITE_FAILED.notRewritten', { path: this.path });
      await this.#clock.sleep(BLANK_AGAIN_MS);
    }
  }

  async readFailed(failure: unknown): Promise<void> {
    this.storage.met(failure);
  }

  looked(soundAt: number | null): void {
    this.#soundAt = soundAt;
  }

  /** Folds everything into the main file, and leaves the clean-shutdown mark if it is known to be sound. */
  async close(): Promise<void> {
    const isWell = this.storage.trouble() === null;
    this.storage.close();
    await this.started.core.idle();
    const isWhole = this.started.engine.foldLog();
    await this.started.core.close();
    if (isWhole && isWell && this.#soundAt !== null)
      leaveCleanShutdownMark(this.path, this.#soundAt, this.#clock.now());
  }
}
