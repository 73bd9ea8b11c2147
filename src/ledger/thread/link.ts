import { Worker } from 'node:worker_threads';
import { ReceiptdError, saidBy, type Detail } from '../../core/domain/errors.ts';
import type { LedgerStorage, StorageTrouble } from '../../core/ports/ledger.ts';
import {
  fromData,
  toData,
  type ErrorData,
  END,
  IS_ENDED,
  type Answered,
  type ThreadCall,
  type Calls,
  type OpenedLedger,
  type ThreadMessage,
  type ThreadData,
} from './protocol.ts';
import type { Step } from '../ledger.ts';
import { StoreFailed, withFaults, type Answers, type Runner } from '../runner.ts';

interface Pending {
  readonly isLong: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
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
  #lastId = 0;
  #isClosing = false;
  #isClosed = false;
  /** Why calls are no longer possible. */
  #end: ReceiptdError | null = null;
  /** Of an uncaught error in the thread. */
  #why: Detail | null = null;

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
    this.#worker.on('message', (said: ThreadMessage) => {
      if ('id' in said) this.#answered(said);
      else this.storage.changed(said.trouble);
    });
    this.#worker.on('error', (error) => (this.#why = saidBy(error)));
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
  open(data: ThreadData, onSynced: (ms: number) => void): Promise<OpenedLedger> {
    this.#path = data.path;
    this.#onSynced = onSynced;
    // Now it is known which ledger that concerns.
    if (this.#end !== null) this.#over();
    return this.#ask('open', [data], true);
  }

  /** Ends the thread without opening a ledger. */
  cancel(): void {
    this.#worker.postMessage(END);
  }

  async run(steps: readonly Step[], areOutcomes: boolean): Promise<Answers> {
    const answers = await this.#ask('run', [steps, areOutcomes]);
    return withFaults(answers, (fault) => fromData(fault as ErrorData));
  }

  /** Takes minutes; steps are run meanwhile. */
  backup(target: string | null): ReturnType<Runner['backup']> {
    return this.#ask('backup', [target], true);
  }

  blanked(): Promise<void> {
    return this.#ask('blanked', []);
  }

  async readFailed(failure: unknown): Promise<void> {
    // Without the thread, the storage is in trouble already.
    await this.#ask('readFailed', [toData(failure)]).catch(() => {});
  }

  looked(soundAt: number | null): void {
    void this.#ask('looked', [soundAt]).catch(() => {});
  }

  /** @param isLong the thread is not suspected to hang while it is not answered */
  #ask<Call extends keyof Calls>(
    call: Call,
    args: Parameters<Calls[Call]>,
    isLong = false,
  ): ReturnType<Calls[Call]> {
    // The answer is that of the call.
    return new Promise<unknown>((resolve, reject) => {
      if (this.#end !== null || this.#isClosing) return reject(this.#end ?? this.#refusal());
      const id = (this.#lastId += 1);
      if (this.#pending.size === 0) this.#worker.ref();
      if (!isLong) this.storage.asked();
      this.#pending.set(id, { isLong, resolve, reject });
      this.#worker.postMessage({ id, call, args } satisfies ThreadCall);
    }) as ReturnType<Calls[Call]>;
  }

  /**
   * Resolves once the ledger is closed and the thread has ended. Idempotent.
   * @throws LEDGER_WRITE_FAILED if it ended earlier
   */
  async close(): Promise<void> {
    if (!this.#isClosing && this.#end === null) {
      const closing = this.#ask('close', [], true);
      this.#isClosing = true;
      await closing.then(
        () => (this.#isClosed = true),
        (error: unknown) => (this.#why ??= saidBy(error)),
      );
    }
    await this.#ended;
    if (!this.#isClosed && this.#end !== null) throw this.#end;
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
    for (const waiting of pending) waiting.reject(this.#end);
  }

  #death(): ReceiptdError {
    return new ReceiptdError('LEDGER_WRITE_FAILED.threadEnded', {
      path: this.#path,
      ...(this.#why ?? { detail: '' }),
    });
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
