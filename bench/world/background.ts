import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from './measure.ts';

/** Keeps only the end of the output, because a long-running agent writes a lot. */
const KEPT_CHARACTERS = 100_000;

/** A command that runs until it is stopped. */
export interface Background {
  readonly pid: number;
  /** Resolves once standard error contains `words`. @throws Error if the process ends first */
  readonly hasSaid: (words: string) => Promise<void>;
  /** Stops it and its children. @throws Error if it had already ended */
  readonly stop: () => Promise<void>;
}

export async function startBackground({ file, args, cwd, env = process.env }: Command): Promise<Background> {
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  await once(child, 'spawn');
  const pid = child.pid as number;
  let said = '';
  let heard = (): void => {};
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-KEPT_CHARACTERS);
    heard();
  });
  const gone = once(child, 'exit');
  const end = (): void => {
    // The whole process group, because a shell does not forward signals.
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid);
  };
  process.once('exit', end);
  const endedEarly = (): Error =>
    new Error(`${file} ended with ${String(child.exitCode)}: ${said.slice(-2000)}`);
  return {
    pid,
    hasSaid: (words) =>
      new Promise((resolve, reject) => {
        heard = () => said.includes(words) && resolve();
        heard();
        void gone.then(() => reject(endedEarly()));
      }),
    stop: async () => {
      process.off('exit', end);
      if (child.exitCode !== null || child.signalCode !== null) throw endedEarly();
      end();
      await gone;
    },
  };
}
