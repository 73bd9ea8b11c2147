import { homedir } from 'node:os';
import pc from 'picocolors';
import type { LoadContext } from '../config/config.ts';
import { escapeUnsafeJson } from '../core/domain/escape.ts';
import { wrapLine } from './wrap.ts';

/** What a command may touch of the process; only main.ts makes one. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly stop: AbortSignal;
  /** Calls back at each SIGHUP, which ends the process where nobody listens; resolves the function that ends listening. */
  readonly onReload: (listener: () => void) => () => void;
}

export type Colors = ReturnType<typeof pc.createColors>;

export function colorsFor(io: Io, stream: NodeJS.WriteStream): Colors {
  return pc.createColors(usesColor(io, stream));
}

/** https://no-color.org: any value that is not empty. */
export function usesColor({ env }: Io, stream: NodeJS.WriteStream): boolean {
  return isTerminal(stream) && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** Node leaves `isTTY` undefined on what is no terminal, whatever its types say. */
export function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY ?? false;
}

/** A terminal on which a line can be drawn again. */
export function canDraw({ stderr, env }: Pick<Io, 'stderr' | 'env'>): boolean {
  return isTerminal(stderr) && env['TERM'] !== 'dumb';
}

export function print({ stdout }: Io, line = ''): void {
  stdout.write(`${fitted(stdout, line)}\n`);
}

/** On a terminal, lines break between words, but for JSON, which is copied; anywhere else they are whole. */
export function fitted(stream: NodeJS.WriteStream, text: string): string {
  if (!isTerminal(stream)) return text;
  const columns = stream.columns || 80;
  return text
    .split('\n')
    .flatMap((line) => (line.includes('{"') ? [line] : wrapLine(line, columns)))
    .join('\n');
}

/** JSON leaves some terminal commands bare (C1, bidirectional overrides); they are escaped, which reads back the same. */
export function printJson(io: Io, value: unknown): void {
  const lines = JSON.stringify(value, null, 2).split('\n').map(escapeUnsafeJson);
  io.stdout.write(`${lines.join('\n')}\n`);
}

export function loadContext({ env, cwd }: Io): LoadContext {
  return { env, cwd, platform: process.platform, home: home(), isRoot: process.getuid?.() === 0 };
}

/** A container may run under a number that has neither a name nor a home. */
function home(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}
