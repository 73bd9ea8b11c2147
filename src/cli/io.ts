import { homedir } from 'node:os';
import pc from 'picocolors';
import type { LoadContext } from '../config/config.ts';
import type { CliTexts } from '../texts/cli.ts';
import { escapeUnsafeJson } from '../core/domain/escape.ts';
import { wrapLine } from './wrap.ts';

/** The parts of the process that the program may use; only main.ts creates one. */
export interface ProcessParts {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  /** @throws ReceiptdError if the shell's folder was deleted; commands that need none of it still work */
  readonly cwd: string;
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly stop: AbortSignal;
  /** Calls `listener` on each SIGHUP, which ends the process if nobody listens; returns the function that stops listening. */
  readonly onReload: (listener: () => void) => () => void;
}

/** What commands use. */
export interface Io extends ProcessParts {
  /** In the language of the terminal. */
  readonly texts: CliTexts;
}

export type Colors = ReturnType<typeof pc.createColors>;

export function colorsFor(io: Pick<Io, 'env'>, stream: NodeJS.WriteStream): Colors {
  return pc.createColors(usesColor(io, stream));
}

/** Any non-empty NO_COLOR disables colour: https://no-color.org */
export function usesColor({ env }: Pick<Io, 'env'>, stream: NodeJS.WriteStream): boolean {
  return isTerminal(stream) && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** Contrary to its types, Node leaves `isTTY` undefined if the stream is not a terminal. */
export function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY ?? false;
}

/** Whether stderr is a terminal that can redraw a line. */
export function canDraw({ stderr, env }: Pick<Io, 'stderr' | 'env'>): boolean {
  return isTerminal(stderr) && env['TERM'] !== 'dumb';
}

export function print({ stdout }: Pick<Io, 'stdout'>, line = ''): void {
  stdout.write(`${fitted(stdout, line)}\n`);
}

/** Prints a table with its heading in bold. */
export function printTable(io: Io, text: string): void {
  const [head = '', ...lines] = text.split('\n');
  print(io, [colorsFor(io, io.stdout).bold(head), ...lines].join('\n'));
}

/** On a terminal, wraps lines between words, except JSON, which people copy. Otherwise lines stay whole. */
export function fitted(stream: NodeJS.WriteStream, text: string): string {
  if (!isTerminal(stream)) return text;
  const columns = stream.columns || 80;
  return text
    .split('\n')
    .flatMap((line) => (line.includes('{"') ? [line] : wrapLine(line, columns)))
    .join('\n');
}

/** Also escapes terminal control characters that JSON leaves bare (C1, bidirectional overrides); they parse to the same value. */
export function printJson(io: Io, value: unknown): void {
  const lines = JSON.stringify(value, null, 2).split('\n').map(escapeUnsafeJson);
  io.stdout.write(`${lines.join('\n')}\n`);
}

export function loadContext({ env, cwd }: Io): LoadContext {
  return { env, cwd, platform: process.platform, home: home(), isRoot: process.getuid?.() === 0 };
}

/** In a container, the user id may have neither a name nor a home. */
function home(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}
