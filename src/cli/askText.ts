import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { isTerminal, type Io } from './io.ts';

/** From the terminal, or the next line of standard input. */
export async function askText(io: Io, question: string, echo: boolean): Promise<string> {
  if (!isTerminal(io.stdin)) return (await linesOf(io).next()).value?.trim() ?? '';
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: io.stdin, output: echo ? io.stderr : silent, terminal: true });
  // Only now: what is typed before the reader is there would be shown by the terminal itself.
  io.stderr.write(question);
  try {
    return (await reader.question('', { signal: io.stop })).trim();
  } finally {
    reader.close();
    if (!echo) io.stderr.write('\n');
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
