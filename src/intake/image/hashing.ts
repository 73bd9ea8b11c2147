import { hash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { FileIdentity } from '../../core/domain/document.ts';
import type { FileRead, ReadBeside } from '../../core/ports/folder.ts';

/** SHA-256 in hexadecimal digits. */
export type Hash = (bytes: Buffer) => Promise<string>;

/** What a thread is asked for, together with others (they come and go as arrays): the hash of what lies in this memory, or of `file`, which is read into it first. */
export interface Question {
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  readonly offset: number;
  readonly length: number;
  readonly file: string | null;
}

export type Answer =
  | {
      readonly id: number;
      readonly digest: string;
      /** Of the file that was read. */ readonly identity?: FileIdentity;
    }
  /** Why there is nothing to hash. */
  | { readonly id: number; readonly read: Exclude<FileRead, { kind: 'bytes' }> };

export interface Hashing {
  readonly hash: Hash;
  /** What is read so has been hashed by then: `hash` knows it. */
  readonly readBeside: ReadBeside;
}

/** Less is read and hashed sooner than a thread is asked. */
const BESIDE_BYTES = 64 * 1024;
/** The thread is memory for nobody while no image comes. */
const IDLE_MS = 60_000;

export const hashHere: Hash = async (bytes) => hash('sha256', bytes, 'hex');

/** Null: the thread failed. */
type OnAnswer = (answer: Answer | null) => void;

/**
 * Reads and hashes large images in a thread of its own, where they lie: their memory has to be shared, as a copy would take
 * as long as the hash. `program` is compose/hashThread.ts as it was built.
 *
 *   none ──a large image──▶ running ──nothing for a minute──▶ none
 *                              └──it fails──▶ none, for good: everything is read and hashed here
 */
export function createHashing(program: string, idleMs = IDLE_MS): Hashing {
  const waiting = new Map<number, OnAnswer>();
  /** Of what was read beside. */
  const digests = new WeakMap<Buffer, string>();
  let worker: Worker | null = null;
  let isBroken = false;
  let lastId = 0;
  let idle: NodeJS.Timeout | null = null;
  let questions: Question[] = [];

  const end = (): void => {
    void worker?.terminate();
    worker = null;
  };
  const fail = (): void => {
    isBroken = true;
    end();
    for (const onAnswer of waiting.values()) onAnswer(null);
    waiting.clear();
  };
  const answered = (answers: readonly Answer[]): void => {
    for (const answer of answers) {
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
    }
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
  const send = (): void => {
    worker?.postMessage(questions);
    questions = [];
  };
  const canAsk = (size: number): boolean => !isBroken && size >= BESIDE_BYTES;
  const ask = (memory: SharedArrayBuffer, bytes: Buffer, file: string | null): Promise<Answer | null> => {
    if (idle !== null) clearTimeout(idle);
    idle = null;
    worker ??= start();
    worker.ref();
    const id = (lastId += 1);
    // Once the promises of now have had their turn: what they ask for goes together.
    if (questions.length === 0) process.nextTick(send);
    questions.push({ id, memory, offset: bytes.byteOffset, length: bytes.length, file });
    return new Promise((done) => waiting.set(id, done));
  };

  return {
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
