import { createReadStream } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { LEVELS, LOG_FILE_NAME, readJsonLine, terminalLine, type Level } from '../logs/lines.ts';
import { languageOfTerminal } from '../texts/language.ts';
import { logTextsIn } from '../texts/texts.ts';
import { choice, type Command } from './command.ts';
import { usesColor, type Io } from './io.ts';
import { writeChunks } from './list.ts';
import { numberOf, periodOf } from './optionValues.ts';
import { configOf, type JsonOption } from './session.ts';

interface LogsOptions extends JsonOption {
  readonly since?: string;
  readonly level?: Level;
  readonly search?: string;
  readonly lines?: string;
  readonly follow?: boolean;
}

/** Lines that are shown unless told otherwise. */
const SHOWN = 50;
/** How often a followed file is looked at. */
const LOOK_EVERY_MS = 300;

export function addLogs(program: Command, io: Io): void {
  const { logs: help } = io.texts.help;
  program
    .command('logs')
    .description(help.about)
    .option('--config <file>', io.texts.option.config)
    .option('--since <time>', help.since)
    .addOption(choice('--level <level>', help.level, LEVELS))
    .option('--search <text>', help.search)
    .option('-n, --lines <number>', help.lines)
    .option('-f, --follow', help.follow)
    .option('--json', help.json)
    .explain({
      examples: ['logs', 'logs --since 1h --level warn', 'logs --follow', 'logs --search SCAN0001'],
    })
    .action((options: LogsOptions) => logs(io, options));
}

async function logs(io: Io, options: LogsOptions): Promise<void> {
  const since = options.since === undefined ? null : periodOf('--since', options.since, Date.now()).since;
  const isAll = since !== null && options.lines === undefined;
  const most = isAll ? Infinity : numberOf('--lines', options.lines ?? String(SHOWN));
  const { stateDir } = await configOf(io, options);
  const dir = join(stateDir, 'logs');
  const path = join(dir, LOG_FILE_NAME);
  const shown = await wordingOf(io, options, since);
  const files = await filesIn(dir);
  if (files.length === 0) io.stderr.write(`${io.texts.logs.none(escapeUnsafe(dir))}\n`);
  // Opened before it is read: what is written meanwhile is followed.
  const current = options.follow ? await openOrNull(path) : null;
  const at = current === null ? Infinity : (await current.stat()).size;
  let kept: string[] = [];
  for (const file of files)
    for await (const line of linesOf(file, file === path ? at - 1 : Infinity)) {
      const text = shown(line);
      if (text === null) continue;
      if (isAll) await writeChunks(io, [text]);
      else kept.push(text);
      if (kept.length > 2 * most + SHOWN) kept = kept.slice(kept.length - most);
    }
  await writeChunks(io, kept.slice(Math.max(0, kept.length - most)));
  const onLine = (line: string) => writeChunks(io, [shown(line) ?? '']);
  if (options.follow) await follow(io, path, { file: current, at, onLine });
}

/** How a line is printed: in the words of the terminal's language, or as it is in the file. Null if it is not wanted. */
async function wordingOf(
  io: Io,
  { level, search, json }: LogsOptions,
  since: number | null,
): Promise<(line: string) => string | null> {
  const least = LEVELS.indexOf(level ?? 'debug');
  const wanted = search?.toLowerCase() ?? '';
  const events = await logTextsIn(languageOfTerminal(io.env));
  const color = usesColor(io, io.stdout);
  return (line) => {
    const entry = readJsonLine(line);
    const plain = `${escapeUnsafe(line)}\n`;
    // One that was cut off.
    if (entry === null) return since === null && level === undefined && wanted === '' ? plain : null;
    if ((since !== null && entry.at.getTime() < since) || LEVELS.indexOf(entry.level) > least) return null;
    const message = events[entry.event] ?? entry.message;
    if (!`${message}\n${line}`.toLowerCase().includes(wanted)) return null;
    return json
      ? plain
      : `${entry.at.toLocaleDateString('sv')} ${terminalLine({ ...entry, message }, color)}\n`;
  };
}

/** The log files, oldest first. */
async function filesIn(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((error: unknown) => unreadable(dir, error, []));
  const ageOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);
  return names
    .filter((name) => /^receiptd\.log(?:\.\d+)?$/.test(name))
    .sort((a, b) => ageOf(b) - ageOf(a))
    .map((name) => join(dir, name));
}

async function* linesOf(file: string, end: number): AsyncGenerator<string> {
  // A stream can't be told to read nothing.
  if (end < 0) return;
  try {
    yield* createInterface({ input: createReadStream(file, { end }), crlfDelay: Infinity });
  } catch (error) {
    // Rotated away meanwhile: its lines are in the next file or gone.
    unreadable(file, error, null);
  }
}

function unreadable<T>(file: string, error: unknown, none: T): T {
  const system = systemCode(error);
  if (system === undefined) throw error;
  if (system === 'ENOENT') return none;
  throw new ReceiptdError('CONTROL_FAILED.logUnreadable', { file, system }, { cause: error });
}

interface Followed {
  /** Null if there is none yet. */
  readonly file: FileHandle | null;
  readonly at: number;
  readonly onLine: (line: string) => Promise<void>;
}

/** Reports each new line until the command is stopped. A file that was rotated or removed is read to its end first. */
async function follow({ stop }: Io, path: string, { onLine, ...from }: Followed): Promise<void> {
  let { file, at } = from;
  let rest = '';
  const take = async (): Promise<void> => {
    if (file === null) return;
    const { size } = await file.stat();
    if (size <= at) return;
    const bytes = Buffer.alloc(size - at);
    at += (await file.read(bytes, 0, bytes.length, at)).bytesRead;
    const lines = (rest + bytes.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) await onLine(line);
  };
  while (!stop.aborted) {
    await take();
    const next = await openOrNull(path);
    if (next !== null && (file === null || (await idOf(next)) !== (await idOf(file)))) {
      await take();
      await file?.close();
      [file, at, rest] = [next, 0, ''];
      continue;
    }
    await next?.close();
    await sleep(LOOK_EVERY_MS, null, { signal: stop }).catch(() => {});
  }
  await file?.close();
}

async function openOrNull(path: string): Promise<FileHandle | null> {
  return open(path).catch((error: unknown) => unreadable(path, error, null));
}

async function idOf(file: FileHandle): Promise<string> {
  const { dev, ino } = await file.stat({ bigint: true });
  return `${dev} ${ino}`;
}
