import { Worker } from 'node:worker_threads';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { LedgerStorage, StorageTrouble } from '../../core/ports/ledger.ts';
import { fromData, toData } from './errorData.ts';
import { isFault, type Step } from '../ledger.ts';
import { StoreFailed, type Runner } from '../runner.ts';
import {
  END,
  IS_ENDED,
  type Answered,
  type Asked,
  type FaultData,
  type Said,
  type ThreadData,
} from './protocol.ts';

interface Pending {
  readonly isLong?: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface Opened {
  readonly mended: readonly string[];
  readonly backupsDir: string;
}

/** Young generation of the thread's heap: the objects of a commit are dropped with it. */
const YOUNG_GENERATION_MB = 8;
/** Threads that run, and the memory shared with each. */
const running = new Map<Worker, Int32Array>();
const EXIT_MS = 30_000;

/**
 * An exit of the process ends its threads wherever they are. In a call of SQLite's binding, that is a core dump, so each thread ends
 * itself between two calls first. One that hangs, such as on a dead disk, is ended with the process.
 */
function endThreads(): void {
  const latest = performance.now() + EXIT_MS;
  for (const worker of running.keys()) worker.postMessage(END);
  for (const shared of running.values())
    if (Atomics.wait(shared, IS_ENDED, 0, Math.max(0, latest - performance.now())) === 'timed-out')
      process.kill(process.pid, 'SIGKILL');
}

/**
 * The agent's side of the thread that writes the ledger.
 *
 *   started ──open──▶ opening ──▶ open ──close──▶ closing, until all earlier calls are answered ──▶ ended
 *   any ──the thread ends unexpectedly──▶ ended, with the storage in permanent trouble: the process ends (daemon/whileWritable.ts)
 *
 * While no call is pending, the thread does not keep the process alive.
 */
export class WriterLink implements Runner {
  readonly storage: MirroredStorage;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #ended: Promise<void>;
  #path = '';
  #onSynced: (ms: number) => void = () => {};
  #settleOpening: Pending | null = null;
  #lastId = 0;
  #isClosing = false;
  #isClosed = false;
  /** Why calls are no longer possible. */
  #end: ReceiptdError | null = null;
  /** Message of an uncaught error in the thread. */
  #words: string | null = null;

  /** Starts the thread, which loads its program meanwhile. */
  constructor(program: string) {
    this.storage = new MirroredStorage();
    const shared = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    this.#worker = new Worker(program, {
      workerData: shared,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.unref();
    if (running.size === 0) process.once('exit', endThreads);
    running.set(this.#worker, shared);
    this.#worker.on('message', (said: Said) => this.#heard(said));
    this.#worker.on('error', (error) => (this.#words = error.message));
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        running.delete(this.#worker);
        if (running.size === 0) process.off('exit', endThreads);
        this.#over();
        resolve();
      });
    });
  }

  /** @throws ReceiptdError what opening the ledger throws; LEDGER_WRITE_FAILED if the thread is gone */
  open(data: ThreadData, onSynced: (ms: number) => void): Promise<Opened> {
    this.#path = data.path;
    this.#onSynced = onSynced;
    return new Promise<unknown>((resolve, reject) => {
      this.#settleOpening = { resolve, reject };
      if (this.#end !== null) return this.#over();
      this.#worker.ref();
      this.#worker.postMessage(data);
    }) as Promise<Opened>;
  }

  /** Ends the thread without opening a ledger. */
  cancel(): void {
    this.#worker.postMessage(END);
  }

  async run(steps: readonly Step[], areOutcomes: boolean): Promise<readonly (readonly unknown[])[]> {
    const answers = (await this.#ask((id) => ({
      kind: 'run',
      id,
      steps,
      areOutcomes,
    }))) as readonly (readonly unknown[])[];
    return answers.map((each) =>
      each.some(isFault)
        ? each.map((one) => (isFault(one) ? { fault: fromData((one as FaultData).fault) } : one))
        : each,
    );
  }

  /** Takes minutes; steps are run meanwhile. */
  backup(target: string | null): ReturnType<Runner['backup']> {
    return this.#ask((id) => ({ kind: 'backup', id, target }), true) as ReturnType<Runner['backup']>;
  }

  async blanked(): Promise<void> {
    await this.#ask((id) => ({ kind: 'blanked', id }));
  }

  async readFailed(failure: unknown): Promise<void> {
    // Without the thread, the storage is in trouble already.
    await this.#ask((id) => ({ kind: 'readFailed', id, failure: toData(failure) })).catch(() => {});
  }

  looked(soundAt: number | null): void {
    if (this.#end === null) this.#worker.postMessage({ kind: 'looked', soundAt } satisfies Asked);
  }

  #ask(asked: (id: number) => Asked, isLong = false): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#end !== null || this.#isClosing) return reject(this.#end ?? this.#refusal());
      const id = (this.#lastId += 1);
      if (this.#pending.size === 0) this.#worker.ref();
      if (!isLong) this.storage.asked();
      this.#pending.set(id, { isLong, resolve, reject });
      this.#worker.postMessage(asked(id));
    });
  }

  /**
   * Resolves once the ledger is closed and the thread has ended. Idempotent.
   * @throws LEDGER_WRITE_FAILED if it ended earlier
   */
  async close(): Promise<void> {
    if (!this.#isClosing && this.#end === null) {
      this.#isClosing = true;
      this.#worker.ref();
      this.#worker.postMessage({ kind: 'close' } satisfies Asked);
    }
    await this.#ended;
    if (!this.#isClosed && this.#end !== null) throw this.#end;
  }

  #heard(said: Said): void {
    switch (said.kind) {
      case 'opened':
        this.storage.is(said.trouble);
        this.#worker.unref();
        return this.#settleOpening?.resolve(said);
      case 'refused':
        // The thread has nothing more to do, and ends.
        return this.#settleOpening?.reject(fromData(said.error));
      case 'trouble':
        return this.storage.changed(said.trouble);
      case 'answered':
        return this.#answered(said);
      case 'closed':
        this.#isClosed = true;
    }
  }

  #answered({ id, value, error, mayRecordOutcomes, synced, trouble }: Answered): void {
    this.storage.is(trouble);
    for (const ms of synced) this.#onSynced(ms);
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending?.isLong === false) this.storage.answered();
    if (error === undefined) pending?.resolve(value);
    else if (mayRecordOutcomes === undefined) pending?.reject(fromData(error));
    else pending?.reject(new StoreFailed(fromData(error), mayRecordOutcomes));
    if (this.#pending.size === 0 && !this.#isClosing) this.#worker.unref();
  }

  #over(): void {
    this.#end = this.#isClosed ? this.#refusal() : this.#death();
    if (!this.#isClosed) {
      const { hint = '' } = this.#end;
      this.storage.changed({ ...this.#end.facts(), code: 'LEDGER_WRITE_FAILED', hint, isForGood: true });
    }
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    this.storage.ended();
    for (const waiting of [this.#settleOpening, ...pending]) waiting?.reject(this.#end);
  }

  #death(): ReceiptdError {
    const detail = this.#words?.replace(/\.$/, '') ?? null;
    return new ReceiptdError('LEDGER_WRITE_FAILED.threadEnded', { path: this.#path, detail });
  }

  #refusal(): ReceiptdError {
    return new ReceiptdError('LEDGER_WRITE_FAILED.notOpen', { path: this.#path, isClosed: true });
  }
}

/** The thread's storage state, as last reported. */
class MirroredStorage implements LedgerStorage {
  readonly #listeners = new Set<() => void>();
  #trouble: StorageTrouble | null = null;
  /** Number of unanswered calls. */
  #open = 0;
  /** When calls began to wait, or the last answer came; monotonic milliseconds. */
  #heardAt = 0;

  trouble(): StorageTrouble | null {
    return this.#trouble;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  silentMs(): number {
    return this.#open === 0 ? 0 : performance.now() - this.#heardAt;
  }

  asked(): void {
    if (this.#open === 0) this.#heardAt = performance.now();
    this.#open += 1;
  }

  ended(): void {
    this.#open = 0;
  }

  answered(): void {
    this.#open -= 1;
    this.#heardAt = performance.now();
  }

  /** Sets the initial state or a new wording; listeners are not called. */
  is(trouble: StorageTrouble | null): void {
    this.#trouble = trouble;
  }

  changed(trouble: StorageTrouble | null): void {
    this.#trouble = trouble;
    for (const listener of this.#listeners) listener();
  }
}
