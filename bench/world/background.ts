import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from './measure.ts';

/** Of what it says, the end of an agent's long day is enough. */
const KEPT_CHARACTERS = 100_000;

/** A command that runs until it is told to end. */
export interface Background {
  readonly pid: number;
  /** Resolves once standard error has said this. @throws Error if it ends before */
  readonly hasSaid: (words: string) => Promise<void>;
  /** With all that it started. @throws Error if it had ended by itself */
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
    // Its whole group: a shell does not pass the signal on.
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
