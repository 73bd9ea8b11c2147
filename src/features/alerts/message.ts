import type { ErrorCode } from '../../core/domain/errors.ts';
import { counted, local, span } from '../../core/domain/words.ts';
import type { Alert, AlertCause } from '../../core/ports/alert.ts';
import { DAY_MS, type Telling, type ToldCause } from './book.ts';

export interface Writer {
  readonly host: string;
  readonly now: number;
}

const LONGEST_SUBJECT = 200;
/** Causes in one alert that are listed individually. */
export const MOST_TOLD = 50;

/** The text that people read. */
export function alertOf(telling: Telling, { host, now }: Writer): Alert {
  const { id, kind, causes, follows, endedUntold } = telling;
  const [first] = causes;
  const untils = causes.map(({ until }) => until);
  return {
    id,
    kind,
    at: now,
    host,
    code: first?.code ?? null,
    subject: subjectOf(kind, causes),
    text: [
      ...causes.slice(0, MOST_TOLD).map((cause) => textOf(kind, cause)),
      ...(causes.length > MOST_TOLD ? [`And ${causes.length - MOST_TOLD} more.`] : []),
      ...(endedUntold > 0 ? [endedText(endedUntold)] : []),
      ...(kind === 'closed'
        ? []
        : ['`receiptd alerts` shows open problems; `receiptd status` shows how the agent is doing.']),
    ].join('\n\n'),
    hint: kind === 'closed' ? null : (first?.hint ?? null),
    since: Math.min(...causes.map(({ since }) => since)),
    until: untils.includes(null) ? null : Math.max(...untils.map((until) => until ?? 0)),
    causes: causes.map((cause) => causeOf(cause, cause.until)),
    follows,
  };
}

/** `until`: when it ended; null while it lasts. */
export function causeOf(
  { key, code, message, hint, since, count }: Omit<AlertCause, 'until'>,
  until: number | null,
): AlertCause {
  return { key, code, message, hint, since, until, count };
}

export function testAlert(id: string, { host, now }: Writer): Alert {
  return {
    id,
    kind: 'test',
    at: now,
    host,
    code: null,
    subject: 'This is a test alert; nothing is wrong.',
    text: 'It was sent with `receiptd alerts test` or `receiptd setup`. You will be alerted here when something is wrong.',
    hint: null,
    since: null,
    until: null,
    causes: [],
    follows: [],
  };
}

function subjectOf(kind: Telling['kind'], causes: readonly ToldCause[]): string {
  const over = kind === 'closed' ? 'Resolved: ' : kind === 'stillOpen' ? 'Still open: ' : '';
  const [first] = causes;
  if (first === undefined) return over;
  if (causes.length === 1) return over + oneLine(first.message);
  const what = causes.every(({ code }) => code === first.code) ? TOGETHER[first.code] : undefined;
  if (what !== undefined) return `${over}${causes.length} ${what}`;
  return `${over}${causes.length} problems, the first: ${oneLine(first.message)}`;
}

const TOGETHER: Readonly<Partial<Record<ErrorCode, string>>> = {
  FOLDER_MISSING: 'folders do not exist.',
  FOLDER_UNREACHABLE: "folders can't be reached.",
  FOLDER_UNREADABLE: "folders can't be read.",
  FILE_UNREADABLE: "folders have files that can't be read.",
  PERSON_NEEDED: 'folders have documents that need a person.',
};

function textOf(kind: Telling['kind'], cause: ToldCause): string {
  const { code, message, hint, since, until } = cause;
  if (kind === 'closed') {
    const lasted = until === null ? '' : `, ${span(until - since)} long`;
    return `Resolved: ${message} [${code}]\nSince ${local(since)}${lasted}.${returnsText(cause)}`;
  }
  return `${message} [${code}]\nSince ${local(since)}. ${hint}${timesText(cause)}`;
}

function returnsText({ returns }: ToldCause): string {
  if (returns === 0) return '';
  return ` In between, it stopped and came back ${counted(returns, 'time')}.`;
}

/** A problem that keeps coming back needs another remedy than a single one. */
function timesText({ times, awayMs }: ToldCause): string {
  if (times < 3) return '';
  return `\nIt comes and goes: this is the ${ordinal(times)} time within ${span(DAY_MS)}. It counts as over only once it has stayed away for ${span(awayMs)}; until then you get no more alerts about it.`;
}

function ordinal(value: number): string {
  return ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth'][value] ?? `${value}th`;
}

function endedText(count: number): string {
  const what = counted(count, 'other problem', 'other problems');
  return `${what} began and ended during the quiet hours; see the log.`;
}

function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > LONGEST_SUBJECT ? `${line.slice(0, LONGEST_SUBJECT)}…` : line;
}
