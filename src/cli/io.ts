import { homedir } from 'node:os';
import pc from 'picocolors';
import type { LoadContext } from '../config/config.ts';

/** What a command may touch of the process; only main.ts makes one. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly stop: AbortSignal;
}

export function colorsFor(io: Io, stream: NodeJS.WriteStream) {
  return pc.createColors(usesColor(io, stream));
}

/** https://no-color.org: any value that is not empty. */
export function usesColor({ env }: Io, stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

export function print({ stdout }: Io, line = ''): void {
  stdout.write(`${line}\n`);
}

export function printJson(io: Io, value: unknown): void {
  print(io, JSON.stringify(value, null, 2));
}

export function loadContext({ env, cwd }: Io): LoadContext {
  return { env, cwd, platform: process.platform, home: homedir(), isRoot: process.getuid?.() === 0 };
}
