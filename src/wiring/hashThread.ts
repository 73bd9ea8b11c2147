/** Worker thread entry point: reads and hashes large images (image/hashing.ts). */
import { hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { HashAnswer, HashQuestion } from '../intake/image/hashing.ts';
import { readInto } from '../intake/folder/fileRead.ts';

function answer({ id, memory, offset, length, file }: HashQuestion): HashAnswer {
  const bytes = Buffer.from(memory, offset, length);
  const digest = (): string => hash('sha256', bytes, 'hex');
  if (file === null) return { id, digest: digest() };
  const read = readInto(file, bytes);
  // The bytes need no copy: they are in shared memory.
  return read.kind === 'bytes' ? { id, identity: read.identity, digest: digest() } : { id, read };
}

/** Bytes per batch of answers: the images of a batch are admitted together, and batches stay short. */
const TOGETHER_BYTES = 2 * 1024 * 1024;

parentPort?.on('message', (questions: readonly HashQuestion[]) => {
  let answers: HashAnswer[] = [];
  let bytes = 0;
  for (const question of questions) {
    answers.push(answer(question));
    bytes += question.length;
    if (bytes < TOGETHER_BYTES) continue;
    parentPort?.postMessage(answers);
    answers = [];
    bytes = 0;
  }
  if (answers.length > 0) parentPort?.postMessage(answers);
});
