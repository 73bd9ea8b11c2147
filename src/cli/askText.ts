import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { ReceiptdError } from '../core/domain/errors.ts';
import { answerTo } from './ask.ts';
import { isTerminal, type Io } from './io.ts';

interface SecretInput {
  readonly input: 'clientId' | 'clientSecret' | 'password';
  readonly shortest?: number;
}

/** From the terminal, or the next line of standard input. */
export async function askText(io: Io, question: string, echo: boolean, wanted: SecretInput): Promise<string> {
  if (!isTerminal(io.stdin)) {
    const line = (await awaited(io, linesOf(io).next(), wanted.input)).value?.trim() ?? '';
    if (!line.includes('\0')) return line;
    throw new ReceiptdError('USAGE.inputNotText', wanted);
  }
  // `login 2> errors.txt`: the person still has to see the question.
  const screen = [io.stderr, io.stdout].find(isTerminal) ?? io.stderr;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: io.stdin, output: echo ? screen : silent, terminal: true });
  // The reader clears its line before it shows its question, so only a silent one leaves this to us. After the reader exists: until
  // then the terminal itself echoes what is typed.
  if (!echo) screen.write(question);
  try {
    return await answerTo(io, reader, echo ? question : '');
  } finally {
    if (!echo) screen.write('\n');
  }
}

const SILENT_MS = 2_000;

/** Waits for standard input. If nothing arrives, says what is expected; a signal ends the wait. */
export async function awaited<T>(io: Io, input: Promise<T>, what: SecretInput['input']): Promise<T> {
  io.stop.throwIfAborted();
  const told = setTimeout(() => io.stderr.write(`${io.texts.awaited[what]}\n`), SILENT_MS);
  let abort = (): void => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    abort = () => reject(io.stop.reason);
    io.stop.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([input, stopped]);
  } finally {
    clearTimeout(told);
    io.stop.removeEventListener('abort', abort);
  }
}

const readers = new WeakMap<Io, AsyncIterator<string, undefined>>();

/** One reader for all questions: the first one buffers input that a second would miss. */
function linesOf(io: Io): AsyncIterator<string, undefined> {
  let lines = readers.get(io);
  if (!lines) {
    lines = createInterface({ input: io.stdin })[Symbol.asyncIterator]() as AsyncIterator<string, undefined>;
    readers.set(io, lines);
  }
  return lines;
}
