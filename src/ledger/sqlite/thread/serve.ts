import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../../../core/ports/clock.ts';
import type { StorageTrouble } from '../../../core/ports/ledger.ts';
import { createAdmin } from '../admin.ts';
import { createDisposals } from '../disposals.ts';
import { createHolds } from '../holds.ts';
import { createIntake, markSkipped } from '../intake.ts';
import { createPages } from '../pages.ts';
import { lineWrites } from '../claims.ts';
import { createQueue } from '../queue.ts';
import { Reserve } from '../reserve.ts';
import { createResults } from '../results.ts';
import { createBackup } from '../upkeep.ts';
import { openWriter, type Writer } from '../writer.ts';
import {
  END,
  fromData,
  IS_ENDED,
  toData,
  type Answer,
  type Call,
  type Calls,
  type Said,
  type ThreadData,
  type Writing,
} from './protocol.ts';

/**
 * The thread's side: waits for the path, opens the ledger, reports that, and handles calls until it is asked to close.
 * Calls that arrive during a commit share the next one, and the answers of a commit are sent together.
 */
export function serveLedger(port: MessagePort, clock: Clock): void {
  port.once('message', (data: ThreadData) => open(port, data, clock));
}

/** Call first. Requests are heard between two calls, so none is ended. */
export function endOnRequest(port: MessagePort, shared: Int32Array): void {
  process.once('exit', () => {
    Atomics.store(shared, IS_ENDED, 1);
    Atomics.notify(shared, IS_ENDED);
  });
  port.on('message', (said: unknown) => {
    if (said === END) process.exit();
  });
}

function open(port: MessagePort, data: ThreadData, clock: Clock): void {
  const say = (what: Said): void => port.postMessage(what);
  const mended: string[] = [];
  const answering = new Answering(say);
  let writer: Writer;
  try {
    const { path, backupsDir, reserve } = data;
    writer = openWriter({
      path,
      clock,
      ...(backupsDir !== undefined && { backupsDir }),
      ...(reserve && { reserve: new Reserve(reserve.path, reserve.bytes) }),
      onMended: (story) => void mended.push(story),
      onSynced: (ms) => answering.synced(ms),
    });
  } catch (error) {
    say({ kind: 'refused', error: toData(error) });
    port.close();
    return;
  }
  const trouble = writer.trouble.trouble();
  answering.watch(writer.trouble);
  const writing = writingOn(writer, clock);
  port.on('message', ({ calls, isLast }: Calls) => {
    for (const call of calls) void answering.to(call, writing);
    if (isLast) void close(writer, answering, say).then(() => port.close());
  });
  say({ kind: 'opened', mended, backupsDir: writer.backupsDir, trouble });
}

async function close(writer: Writer, answering: Answering, say: (what: Said) => void): Promise<void> {
  await writer.close();
  await answering.end();
  say({ kind: 'closed' });
}

function writingOn({ store, trouble, backupsDir, looked }: Writer, clock: Clock): Writing {
  return {
    ...createIntake(store),
    ...createPages(store),
    ...createQueue(store),
    ...createDisposals(store),
    ...lineWrites(store),
    ...createHolds(store, clock),
    ...createAdmin(store, clock),
    ...createResults(store),
    backup: createBackup(store, { clock, backupsDir }),
    markSkipped: (files, note) => markSkipped(store, files, note),
    readFailed: async (failure) => void trouble.met(fromData(failure)),
    looked: async (soundAt) => looked(soundAt),
  };
}

interface Watched {
  trouble(): StorageTrouble | null;
  onChange(listener: () => void): unknown;
}

/** Collects answers and sends those of the same moment together. */
class Answering {
  readonly #say: (what: Said) => void;
  #storage: Watched | null = null;
  #trouble: StorageTrouble | null = null;
  #answers: Answer[] = [];
  #synced: number[] = [];
  #isDue = false;
  #open = 0;
  #onDone: () => void = () => {};

  constructor(say: (what: Said) => void) {
    this.#say = say;
  }

  /**
   * A caller that gets a rejection must already know about the trouble: a change is sent before the answers that result
   * from it.
   */
  watch(storage: Watched): void {
    this.#storage = storage;
    this.#trouble = storage.trouble();
    storage.onChange(() => {
      this.#trouble = storage.trouble();
      this.#say({ kind: 'trouble', trouble: this.#trouble });
    });
  }

  synced(ms: number): void {
    this.#synced.push(ms);
  }

  async to({ id, method, args }: Call, writing: Writing): Promise<void> {
    this.#open += 1;
    const answer = await this.#answer(id, writing[method] as Method, args);
    this.#answers.push(answer);
    this.#open -= 1;
    if (this.#isDue) return;
    this.#isDue = true;
    // After all promises of this commit have settled, and before the next commit.
    process.nextTick(() => this.#flush());
  }

  /** Resolves once all calls are answered. */
  async end(): Promise<void> {
    if (this.#open > 0) await new Promise<void>((done) => (this.#onDone = done));
    this.#flush();
  }

  async #answer(id: number, method: Method, args: readonly unknown[]): Promise<Answer> {
    try {
      return { id, value: await method(...args) };
    } catch (error) {
      return { id, error: toData(error) };
    }
  }

  #flush(): void {
    this.#isDue = false;
    const [answers, synced] = [this.#answers, this.#synced];
    [this.#answers, this.#synced] = [[], []];
    const trouble = this.#storage?.trouble() ?? null;
    const isSame = trouble?.code === this.#trouble?.code && trouble?.message === this.#trouble?.message;
    this.#trouble = trouble;
    if (answers.length > 0) this.#say({ kind: 'answers', answers, synced, ...(!isSame && { trouble }) });
    if (this.#open === 0) this.#onDone();
  }
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;
