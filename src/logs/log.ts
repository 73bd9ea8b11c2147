import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import winston from 'winston';
import { messageOf, systemCode } from '../core/domain/errors.ts';
import type { Log, LogEvent, LogFields } from '../core/ports/log.ts';
import type { LogLines } from '../core/ports/logLines.ts';
import { LEVELS, jsonLine, terminalLine } from './lines.ts';
import type { LogEntry, Level } from './lines.ts';
import { LogFile } from './logFile.ts';
import { RecentLines } from './recentLines.ts';
import { REDACTED, isSecretField } from './redact.ts';
import type { Redactor } from './redact.ts';
import { TerminalLines } from './terminalLines.ts';

export interface LogOptions {
  /** The words of each event; without secrets. */
  readonly texts: Readonly<Record<LogEvent, string>>;
  readonly level: Level;
  /** Second output besides the file; usually stderr. */
  readonly terminal: NodeJS.WritableStream;
  /** True: readable lines. False: one JSON object per line. */
  readonly isTerminal: boolean;
  /** Level for `terminal`, if it should show fewer lines than the file. */
  readonly terminalLevel?: Level | undefined;
  readonly color: boolean;
  /** JSON lines in `<dir>/receiptd.log`, rotated at `maxSize` bytes; keeps `maxFiles` rotated files. */
  readonly file?: { readonly dir: string; readonly maxSize: number; readonly maxFiles: number };
  readonly secrets: Redactor;
  readonly now?: () => Date;
  /** Monotonic milliseconds. */
  readonly monotonic?: () => number;
}

export interface ClosableLog extends Log {
  /** Resolves once the file has all lines and the terminal was given them, which may not have taken them yet. Drops later lines. Idempotent. */
  close(): Promise<void>;
  readonly lines: LogLines;
  /** Calls back now and at each change: why the file can't be written, or null. */
  readonly onFile: (listener: (trouble: string | null) => void) => void;
}

const FILE_RETRY_MS = 60_000;

/** Creates the agent's log. If the log file can't be written, reports that once on the terminal and retries every minute. */
export async function createLog(options: LogOptions): Promise<ClosableLog> {
  const { terminal, secrets } = options;
  const now = options.now ?? (() => new Date());
  // A closed pipe (EPIPE) must not end the agent.
  terminal.on('error', () => {});

  const lines = new RecentLines();
  const file = options.file === undefined ? null : openFile(options.file);
  const shownLines = new TerminalLines(terminal, (count) => say('warn', 'linesLeftOut', { count }));
  const logger = winston.createLogger({
    level: options.level,
    levels: Object.fromEntries(LEVELS.map((level, index) => [level, index])),
    format: winston.format.combine(),
    transports: [
      lineTransport(shownLines, 'shown', {
        accepts: () => shownLines.accepts(),
        level: options.terminalLevel,
      }),
      ...(file === null ? [] : [lineTransport(file, 'stored', { accepts: () => file.accepts() })]),
    ],
  });
  let closing: Promise<void> | null = null;
  let trouble: string | null = null;
  let listener: (trouble: string | null) => void = () => {};

  function tell(now: string | null): void {
    trouble = now;
    listener(now);
  }

  function openFile(place: NonNullable<LogOptions['file']>): LogFile {
    return new LogFile({
      ...place,
      monotonic: options.monotonic ?? (() => performance.now()),
      retryMs: FILE_RETRY_MS,
      onTrouble: (error) => {
        const why = systemCode(error) ?? messageOf(error);
        write('warn', 'logFileUnwritable', { dir: place.dir, why });
        tell(why);
      },
      onRecovered: () => {
        write('info', 'logFileWritable', { dir: place.dir });
        tell(null);
      },
      onReplaced: () => write('warn', 'logFileReplaced', { dir: place.dir }),
    });
  }

  /** Must also work after the logger ended: the final flush may discover that the file can't be written. */
  function write(level: Level, event: LogEvent, fields: LogFields = {}): void {
    if (!logger.isLevelEnabled(level)) return;
    const entry: LogEntry = {
      at: now(),
      level,
      event,
      message: options.texts[event],
      fields: redacted(fields, secrets),
    };
    const stored = jsonLine(entry);
    lines.add(stored);
    const shown = options.isTerminal ? terminalLine(entry, options.color) : stored;
    // Format lines here: winston would let a field named `level` or `message` replace the real one.
    if (logger.writable) logger.log({ level, message: '', shown, stored });
    else terminal.write(`${shown}\n`);
  }

  function say(level: Level, event: LogEvent, fields?: LogFields): void {
    if (closing === null) write(level, event, fields);
  }

  async function finish(): Promise<void> {
    const flushed = once(logger, 'finish');
    logger.end();
    await flushed;
    shownLines.end();
    await finished(shownLines);
    if (file !== null) {
      file.close();
      await finished(file);
    }
  }

  return {
    lines,
    onFile(told) {
      listener = told;
      told(trouble);
    },
    debug: (event, fields) => say('debug', event, fields),
    info: (event, fields) => say('info', event, fields),
    warn: (event, fields) => say('warn', event, fields),
    error: (event, fields) => say('error', event, fields),
    close: () => (closing ??= finish()),
  };
}

function lineTransport(
  stream: NodeJS.WritableStream,
  line: 'shown' | 'stored',
  { accepts = () => true, level }: { readonly accepts?: () => boolean; readonly level?: Level | undefined },
): winston.transport {
  const wanted = winston.format((info) => (accepts() ? info : false));
  const format = winston.format.combine(
    wanted(),
    winston.format.printf((info) => String(info[line])),
  );
  return new winston.transports.Stream({ stream, eol: '\n', format, ...(level !== undefined && { level }) });
}

function redacted(fields: LogFields, secrets: Redactor): LogFields {
  // One look at all the text of a line takes a fraction of the time of a look at each part.
  return isClean(fields, secrets) ? fields : redactFields(fields, secrets);
}

function isClean(fields: LogFields, secrets: Redactor): boolean {
  const parts: string[] = [];
  for (const key in fields) {
    if (isSecretField(key)) return false;
    parts.push(key, String(fields[key]));
  }
  return secrets.isClean(parts.join('\n'));
}

function redactFields(fields: LogFields, secrets: Redactor): LogFields {
  const clean: Record<string, LogFields[string]> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    clean[secrets.redact(key)] = isSecretField(key) ? REDACTED : redactValue(value, secrets);
  }
  return clean;
}

/** Checks numbers too, since they can be secrets; other values keep their type. */
function redactValue(value: LogFields[string], secrets: Redactor): LogFields[string] {
  const text = String(value);
  const clean = secrets.redact(text);
  const isPlain = value === null || typeof value === 'number' || typeof value === 'boolean';
  return clean === text && isPlain ? value : clean;
}
