import { hash } from 'node:crypto';
import { Worker } from 'node:worker_threads';

/** SHA-256 in hexadecimal digits. */
export type Hash = (bytes: Buffer) => Promise<string>;

/** What a thread is asked for. */
export interface Question {
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  readonly offset: number;
  readonly length: number;
}

export interface Answer {
  readonly id: number;
  readonly digest: string;
}

/** Less is hashed sooner than a thread is asked. */
const BESIDE_BYTES = 64 * 1024;
/** The thread is memory for nobody while no image comes. */
const IDLE_MS = 60_000;

export const hashHere: Hash = async (bytes) => hash('sha256', bytes, 'hex');

interface Waiting {
  readonly bytes: Buffer;
  readonly done: (digest: Promise<string> | string) => void;
}

/**
 * Hashes large images in a thread of its own, where they lie: their memory has to be shared, as a copy would take as long
 * as the hash. `program` is hashThread.ts as it was built.
 *
 *   none ──a large image──▶ running ──nothing for a minute──▶ none
 *                              └──it fails──▶ none, for good: everything is hashed here
 */
export function createHashing(program: string, idleMs = IDLE_MS): Hash {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let isBroken = false;
  let lastId = 0;
  let idle: NodeJS.Timeout | null = null;

  const end = (): void => {
    void worker?.terminate();
    worker = null;
  };
  const fail = (): void => {
    isBroken = true;
    end();
    for (const { bytes, done } of waiting.values()) done(hashHere(bytes));
    waiting.clear();
  };
  const answered = ({ id, digest }: Answer): void => {
    waiting.get(id)?.done(digest);
    waiting.delete(id);
    if (waiting.size > 0) return;
    // Nobody waits any more who would keep the process alive.
    worker?.unref();
    idle ??= setTimeout(() => {
      idle = null;
      if (waiting.size === 0) end();
    }, idleMs).unref();
  };
  const start = (): Worker => {
    const started = new Worker(program);
    started.on('message', answered).on('error', fail);
    return started;
  };

  return async (bytes) => {
    const { buffer: memory, byteOffset: offset, length } = bytes;
    if (isBroken || length < BESIDE_BYTES || !(memory instanceof SharedArrayBuffer)) return hashHere(bytes);
    if (idle !== null) clearTimeout(idle);
    idle = null;
    worker ??= start();
    worker.ref();
    const id = (lastId += 1);
    const question: Question = { id, memory, offset, length };
    worker.postMessage(question);
    return new Promise((done) => waiting.set(id, { bytes, done }));
  };
}
