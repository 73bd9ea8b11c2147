import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { answerTo } from './ask.ts';
import { isTerminal, type Io } from './io.ts';

/** From the terminal, or the next line of standard input. */
export async function askText(io: Io, question: string, echo: boolean): Promise<string> {
  if (!isTerminal(io.stdin)) {
    const what = `the ${question.replace(/: $/, '').toLowerCase()}`;
    return (await awaited(io, linesOf(io).next(), what)).value?.trim() ?? '';
  }
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: io.stdin, output: echo ? io.stderr : silent, terminal: true });
  // Only now: what is typed before the reader is there would be shown by the terminal itself.
  io.stderr.write(question);
  try {
    return await answerTo(io, reader, '');
  } finally {
    if (!echo) io.stderr.write('\n');
  }
}

const SILENT_MS = 2_000;

/** What comes from standard input, which may be open and silent: it is said then what is awaited, and a signal ends it. */
export async function awaited<T>(io: Io, input: Promise<T>, what: string): Promise<T> {
  io.stop.throwIfAborted();
  const told = setTimeout(
    () => io.stderr.write(`Waiting for ${what} on standard input, one line.\n`),
    SILENT_MS,
  );
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

/** One reader for all questions: a second one would find its input swallowed by the first. */
function linesOf(io: Io): AsyncIterator<string, undefined> {
  let lines = readers.get(io);
  if (!lines) {
    lines = createInterface({ input: io.stdin })[Symbol.asyncIterator]() as AsyncIterator<string, undefined>;
    readers.set(io, lines);
  }
  return lines;
}
