import type { Condition } from '../../core/domain/problem.ts';
import type { Alert, WordedCause } from '../../core/ports/alert.ts';
import { cureOf, whatIsWrong } from '../../texts/explain.ts';
import type { AllTexts } from '../../texts/texts.ts';
import { DAY_MS, type Telling } from './book.ts';
import { digestText } from './digest.ts';
import type { AlertRecord, ReportedCause } from './state.ts';

/** Where and when an alert is made. */
export interface MessageWriter {
  readonly host: string;
  readonly now: number;
}

const LONGEST_SUBJECT = 200;
/** Causes in one alert that are listed individually. */
export const MOST_TOLD = 50;

export function recordOf(
  { id, kind, causes, follows, endedUntold }: Telling,
  { host, now }: MessageWriter,
): AlertRecord {
  return { id, kind, at: now, host, causes, follows, endedUntold, digest: null };
}

export function testRecord(id: string, { host, now }: MessageWriter): AlertRecord {
  return { id, kind: 'test', at: now, host, causes: [], follows: [], endedUntold: 0, digest: null };
}

/** What people read. */
export function worded(record: AlertRecord, texts: AllTexts): Alert {
  const { id, kind, at, host, follows } = record;
  const causes = record.causes.map((cause) => wordedCause(cause, texts));
  const common = { id, kind, at, host, follows, causes };
  const none = { code: null, hint: null, since: null, until: null };
  if (kind === 'test') return { ...common, ...none, ...texts.alertTexts.test };
  if (record.digest !== null) {
    const { from: since, to: until } = record.digest;
    return { ...common, ...none, ...digestText(record.digest, causes, texts), since, until };
  }
  const [first] = causes;
  const untils = causes.map((cause) => cause.until);
  return {
    ...common,
    code: first?.condition.code ?? null,
    subject: subjectOf(kind, causes, texts),
    text: textOf(record, causes, texts),
    hint: kind === 'closed' ? null : (first?.hint ?? null),
    since: Math.min(...causes.map(({ since }) => since)),
    until: untils.includes(null) ? null : Math.max(...untils.map((until) => until ?? 0)),
  };
}

function wordedCause(cause: ReportedCause, texts: AllTexts): WordedCause & ReportedCause {
  const { condition } = cause;
  return { ...cause, message: whatIsWrong(texts, condition), hint: cureOf(texts, condition) };
}

function subjectOf(
  kind: AlertRecord['kind'],
  causes: readonly WordedCause[],
  { alertTexts: alerts }: AllTexts,
): string {
  const [first] = causes;
  if (first === undefined) return '';
  const code = causes.every(({ condition }) => condition.code === first.condition.code)
    ? first.condition.code
    : null;
  const together: Readonly<Partial<Record<Condition['code'], (n: number) => string>>> = alerts.together;
  const all = code === null ? undefined : together[code];
  const several = all?.(causes.length) ?? alerts.several(causes.length, oneLine(first.message));
  const what = causes.length === 1 ? oneLine(first.message) : several;
  if (kind === 'closed') return alerts.resolved(what);
  return kind === 'stillOpen' ? alerts.stillOpen(what) : what;
}

function textOf(
  { kind, endedUntold }: AlertRecord,
  causes: readonly (WordedCause & ReportedCause)[],
  texts: AllTexts,
): string {
  const { alertTexts: alerts } = texts;
  return [
    ...causes.slice(0, MOST_TOLD).map((cause) => (kind === 'closed' ? over : open)(cause, texts)),
    ...(causes.length > MOST_TOLD ? [alerts.more(causes.length - MOST_TOLD)] : []),
    ...(endedUntold > 0 ? [alerts.endedUnreported(endedUntold)] : []),
    ...(kind === 'closed' ? [] : [alerts.seeAlso]),
  ].join('\n\n');
}

type MessageCause = WordedCause & ReportedCause;

function over(
  { message, condition, since, until, returns }: MessageCause,
  { alertTexts: alerts }: AllTexts,
): string {
  const before = returns === 0 ? '' : ` ${alerts.returns(returns)}`;
  const lasted = alerts.lasted(new Date(since).toISOString(), (until ?? since) - since);
  return `${alerts.resolved(message)} [${condition.code}]\n${lasted}${before}`;
}

function open(
  { message, hint, condition, since, times, awayMs }: MessageCause,
  { alertTexts: alerts, problems, format }: AllTexts,
): string {
  // A problem that keeps coming back needs another remedy than a single one.
  const flaps = times < 3 ? '' : `\n${alerts.comesAndGoes(times, DAY_MS, awayMs)}`;
  return `${message} [${condition.code}]\n${problems.since(format.time(since))} ${hint}${flaps}`;
}

function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > LONGEST_SUBJECT ? `${line.slice(0, LONGEST_SUBJECT)}…` : line;
}
