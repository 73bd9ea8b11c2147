import { hash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { FileIdentity } from '../../core/domain/document.ts';
import type { FileRead, ReadBeside } from '../../core/ports/folder.ts';

/** SHA-256 in hexadecimal digits. */
export type Hash = (bytes: Buffer) => Promise<string>;

/**
 * A request to the hash thread: hash the bytes in this memory, or read `file` into it first. Requests and answers are sent as
 * arrays.
 */
export interface HashQuestion {
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  readonly offset: number;
  readonly length: number;
  readonly file: string | null;
}

export type HashAnswer =
  | {
      readonly id: number;
      readonly digest: string;
      /** Set if a file was read. */ readonly identity?: FileIdentity;
    }
  /** The file could not be read, so there is nothing to hash. */
  | { readonly id: number; readonly read: Exclude<FileRead, { kind: 'bytes' }> };

export interface Hashing {
  readonly hash: Hash;
  /** Reads and hashes a file in the thread; `hash` of the resulting buffer then resolves without computing anything. */
  readonly readBeside: ReadBeside;
  /** Memory of images was dropped: the thread, which may still have a view of it, ends after its last request. */
  readonly forget: () => void;
}

/** Minimum size for the thread: smaller images are read and hashed faster than a request takes. */
const BESIDE_BYTES = 64 * 1024;
/** Requests done in the calling thread before another is started, two for each image: a single scan is done sooner than it starts. */
const FEW = 16;
/** Idle time after which the thread ends, to free its memory. */
const IDLE_MS = 60_000;

export const hashHere: Hash = async (bytes) => hash('sha256', bytes, 'hex');

/** Receives null if the thread failed. */
type OnAnswer = (answer: HashAnswer | null) => void;

/**
 * Reads and hashes large images in a worker thread. Their memory has to be shared with it, since copying would take as long as
 * hashing. `program` is the built wiring/hashThread.ts.
 *
 *   none ──more than a few large images──▶ running ──nothing for a minute, or forget──▶ none
 *                                             └──it fails──▶ never again: everything is read and hashed in this thread
 */
export function createHashing(program: string, { few = FEW, idleMs = IDLE_MS } = {}): Hashing {
  const waiting = new Map<number, OnAnswer>();
  /** Hashes of buffers that `readBeside` filled. */
  const digests = new WeakMap<Buffer, string>();
  let worker: Worker | null = null;
  let isBroken = false;
  let mustForget = false;
  let lastId = 0;
  /** Requests since the last rest. */
  let asked = 0;
  let resting: NodeJS.Timeout | undefined;
  let questions: HashQuestion[] = [];

  const end = (): void => {
    void worker?.terminate();
    worker = null;
    mustForget = false;
    asked = 0;
  };
  const rest = (): void => {
    clearTimeout(resting);
    resting = setTimeout(() => {
      if (waiting.size === 0) end();
    }, idleMs).unref();
  };
  const fail = (): void => {
    isBroken = true;
    end();
    for (const onAnswer of waiting.values()) onAnswer(null);
    waiting.clear();
  };
  const answered = (answers: readonly HashAnswer[]): void => {
    for (const answer of answers) {
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
    }
    if (waiting.size > 0) return;
    if (mustForget) return end();
    // Without open requests, the thread must not keep the process alive.
    worker?.unref();
    rest();
  };
  const start = (): Worker => {
    const started = new Worker(program, { resourceLimits: { maxYoungGenerationSizeMb: 1 } });
    started.on('message', answered).on('error', fail);
    return started;
  };
  const send = (): void => {
    worker?.postMessage(questions);
    questions = [];
  };
  const canAsk = (size: number): boolean => {
    if (isBroken || size < BESIDE_BYTES) return false;
    if (worker !== null) return true;
    asked += 1;
    rest();
    return asked > few;
  };
  const ask = (memory: SharedArrayBuffer, bytes: Buffer, file: string | null): Promise<HashAnswer | null> => {
    clearTimeout(resting);
    worker ??= start();
    worker.ref();
    const id = (lastId += 1);
    // Collects the requests made until the next tick into one message.
    if (questions.length === 0) process.nextTick(send);
    questions.push({ id, memory, offset: bytes.byteOffset, length: bytes.length, file });
    return new Promise((done) => waiting.set(id, done));
  };

  return {
    forget() {
      if (waiting.size === 0) end();
      else mustForget = true;
    },
    async hash(bytes) {
      const known = digests.get(bytes);
      if (known !== undefined) return known;
      const { buffer: memory, length } = bytes;
      if (!canAsk(length) || !(memory instanceof SharedArrayBuffer)) return hashHere(bytes);
      const answer = await ask(memory, bytes, null);
      return answer !== null && 'digest' in answer ? answer.digest : hashHere(bytes);
    },
    async readBeside(file, size, take) {
      if (!canAsk(size)) return null;
      const bytes = take(size);
      const { buffer: memory } = bytes;
      if (!(memory instanceof SharedArrayBuffer)) return null;
      const answer = await ask(memory, bytes, file);
      if (answer === null) return null;
      if ('read' in answer) return answer.read;
      const { digest, identity } = answer;
      if (identity === undefined) return null;
      digests.set(bytes, digest);
      return { kind: 'bytes', bytes, identity };
    },
  };
}
