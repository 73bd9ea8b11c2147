import pc from 'picocolors';
import type { LogEvent, LogFields } from '../core/ports/log.ts';
import { escapeUnsafe, escapeUnsafeJson } from '../core/domain/escape.ts';
import { jsonObject } from '../core/domain/jsonObject.ts';

export const LOG_FILE_NAME = 'receiptd.log';

export const LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type Level = (typeof LEVELS)[number];

/** One log line before it is written, with secrets already redacted. */
export interface LogEntry {
  readonly at: Date;
  readonly level: Level;
  /** Its words in other languages stand in the catalogue. */
  readonly event: LogEvent;
  readonly message: string;
  readonly fields: LogFields;
}

/** Fields that identify a document: shown first and highlighted. */
const PROMINENT: readonly string[] = ['name', 'documentId'];

const RESERVED: ReadonlySet<string> = new Set(['timestamp', 'level', 'event', 'message']);

/** One JSON object on one line. A field named like a fixed one gets the suffix `Field`. */
export function jsonLine(entry: LogEntry): string {
  const line: Record<string, unknown> = {
    timestamp: entry.at.toISOString(),
    level: entry.level,
    event: entry.event,
    message: entry.message,
  };
  for (const key in entry.fields) line[RESERVED.has(key) ? `${key}Field` : key] = entry.fields[key];
  return escapeUnsafeJson(JSON.stringify(line));
}

/** A line of the log file; null if it is none, such as one that was cut off. */
export function readJsonLine(line: string): LogEntry | null {
  const { timestamp, level, event, message, ...fields } = jsonObject(line);
  const at = new Date(String(timestamp));
  const known = LEVELS.find((each) => each === level);
  if (known === undefined || Number.isNaN(at.getTime())) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what this program wrote
  return {
    at,
    level: known,
    event: event as LogEvent,
    message: String(message),
    fields: fields as LogFields,
  };
}

/** `14:03:22 info  Document accepted  name=… documentId=12 httpStatus=200`, in local time. */
export function terminalLine(entry: LogEntry, color: boolean): string {
  const paint = pc.createColors(color);
  const present = Object.entries(entry.fields).filter(([, value]) => value !== undefined && value !== null);
  const prominent = PROMINENT.flatMap((key) => present.filter(([name]) => name === key)).map(
    ([key, value]) => `${paint.dim(`${escapeUnsafe(key)}=`)}${paint.bold(shown(value))}`,
  );
  const quiet = present
    .filter(([key]) => !PROMINENT.includes(key))
    .map(([key, value]) => paint.dim(`${escapeUnsafe(key)}=${shown(value)}`));
  const fields = [...prominent, ...quiet].join(' ');
  const head = `${paint.dim(localTime(entry.at))} ${paint[LEVEL_COLOR[entry.level]](entry.level.padEnd(5))} ${escapeUnsafe(entry.message)}`;
  return fields === '' ? head : `${head}  ${fields}`;
}

function localTime(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((n) => String(n).padStart(2, '0')).join(':');
}

const LEVEL_COLOR = { error: 'red', warn: 'yellow', info: 'green', debug: 'dim' } as const;

/** Quotes values that could be misread as several fields. */
function shown(value: LogFields[string]): string {
  const text = escapeUnsafe(String(value));
  return text === '' || /[\s"=]/u.test(text) ? `"${text.replaceAll('"', String.raw`\"`)}"` : text;
}
