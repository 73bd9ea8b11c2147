import type { Interface } from 'node:readline/promises';
import type { ReceiptdError } from '../core/domain/errors.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { fitted, isTerminal, type Io } from './io.ts';

/** Whether a person is at the terminal. */
export function canAsk({ stdin, stderr }: Io): boolean {
  return isTerminal(stdin) && isTerminal(stderr);
}

/** Asks a yes-or-no question. Any answer but yes counts as no. */
export async function ask(io: Io, question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const reader = createInterface({ input: io.stdin, output: io.stderr });
  const { hint, yes, inFull } = io.texts.answer;
  const answer = await answerTo(io, reader, `${fitted(io.stderr, question)} ${hint} `);
  return [yes, inFull].includes(answer.toLowerCase());
}

/** @throws `otherwise`, unless a person at the terminal answers yes */
export async function demandYes(io: Io, question: string, otherwise: ReceiptdError): Promise<void> {
  if (canAsk(io) && (await ask(io, escapeUnsafe(question)))) return;
  throw otherwise;
}

/** The person pressed Ctrl-C or Ctrl-D instead of answering. */
export class NotAnswered extends Error {}

/** Closes the reader. @throws NotAnswered */
export async function answerTo(io: Io, reader: Interface, question: string): Promise<string> {
  const gone = new AbortController();
  reader.once('SIGINT', () => gone.abort());
  reader.once('close', () => gone.abort());
  try {
    return (await reader.question(question, { signal: AbortSignal.any([io.stop, gone.signal]) })).trim();
  } catch (error) {
    io.stop.throwIfAborted();
    if (!gone.signal.aborted) throw error;
    io.stderr.write('\n');
    throw new NotAnswered('no answer');
  } finally {
    reader.close();
  }
}
