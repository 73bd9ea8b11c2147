/** A program: the thread that reads and hashes large images (image/hashing.ts). */
import { hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { Answer, Question } from '../intake/image/hashing.ts';
import { readInto } from '../intake/folder/readWhole.ts';

function answer({ id, memory, offset, length, file }: Question): Answer {
  const bytes = Buffer.from(memory, offset, length);
  const digest = (): string => hash('sha256', bytes, 'hex');
  if (file === null) return { id, digest: digest() };
  const read = readInto(file, bytes);
  // Not the bytes themselves: they lie in memory that both threads have.
  return read.kind === 'bytes' ? { id, identity: read.identity, digest: digest() } : { id, read };
}

parentPort?.on('message', (question: Question) => parentPort?.postMessage(answer(question)));
