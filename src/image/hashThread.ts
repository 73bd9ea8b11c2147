/** A program: the thread that hashes large images (hashing.ts). */
import { hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { Answer, Question } from './hashing.ts';

parentPort?.on('message', ({ id, memory, offset, length }: Question) => {
  const answer: Answer = { id, digest: hash('sha256', new Uint8Array(memory, offset, length), 'hex') };
  parentPort?.postMessage(answer);
});
