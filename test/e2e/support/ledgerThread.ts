/** In the test's process one thread writes all ledgers: to start one takes half the processor time of a short run. */
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import threads, { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';

const PROGRAM = /\bledgerThread\.js$/;

let thread: Worker | null = null;

/** What the agent needs of a thread. */
class SharedThread extends EventEmitter {
  readonly #port: MessagePort;

  constructor(program: string) {
    super();
    thread ??= begin(program);
    const { port1, port2 } = new MessageChannel();
    thread.postMessage(port2, [port2]);
    this.#port = port1
      .on('message', (message) => this.emit('message', message))
      .on('close', () => this.emit('exit', 0));
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message);
  }

  ref(): void {
    this.#port.ref();
  }

  unref(): void {
    this.#port.unref();
  }

  terminate(): void {
    this.#port.close();
  }
}

function begin(program: string): Worker {
  const begun = new Worker(new URL('./ledgerThreads.mjs', import.meta.url), { workerData: program });
  begun.unref();
  return begun.on('error', (error) => {
    throw error;
  });
}

/** From now on, for the built program in this process. */
export function shareLedgerThread(): void {
  threads.Worker = new Proxy(Worker, {
    construct: (target, args: ConstructorParameters<typeof Worker>) =>
      PROGRAM.test(String(args[0])) ? new SharedThread(String(args[0])) : new target(...args),
  });
  syncBuiltinESMExports();
}
