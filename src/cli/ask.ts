import { isTerminal, type Io } from './io.ts';

/** Whether there is somebody to answer. */
export function canAsk({ stdin, stderr }: Io): boolean {
  return isTerminal(stdin) && isTerminal(stderr);
}

/** Anything but yes is no. */
export async function ask(io: Io, question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const reader = createInterface({ input: io.stdin, output: io.stderr });
  const answer = await reader
    .question(`${question} [y/N] `, { signal: io.stop })
    .finally(() => reader.close());
  return /^y(es)?$/i.test(answer.trim());
}
