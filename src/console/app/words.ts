import { pretty } from './json.ts';
import type { ConsoleTexts } from './languages/en.ts';

/** A part of a sentence from the agent or the service, for display. */
export type Word =
  | { readonly kind: 'text' | 'code' | 'time'; readonly text: string }
  /** A machine-readable answer: the part that people can read, and the whole. */
  | { readonly kind: 'folded'; readonly text: string; readonly whole: string };

/** Times with an offset, to convert to the reader's time zone: as written by `local`, and ISO 8601. */
const TIME = String.raw`\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d [+-]\d\d:\d\d|T\d\d:\d\d:\d\d(?:\.\d+)?Z)`;
const PARTS = new RegExp(`\`(?<code>[^\`\\n]+)\`|(?<time>${TIME})`, 'g');
/** Times only, because backticks mean something else in machine-readable text. */
const TIMES = new RegExp(`(?<time>${TIME})`, 'g');
/** Start of a quoted answer that is JSON or HTML. */
const QUOTED = /: ["„](?=[{[<])/;

export function wordsOf(sentence: string): Word[] {
  const quoted = QUOTED.exec(sentence);
  if (quoted === null) return plainWords(sentence);
  const from = quoted.index + quoted[0].length;
  const to = endOf(sentence, from);
  const whole = sentence.slice(from, to);
  const said = spoken(whole);
  const before = sentence.slice(0, quoted.index);
  const folded: Word = { kind: 'folded', text: said === null ? '' : `"${said}"`, whole: pretty(whole) };
  const after = sentence.slice(to + 1);
  return [...plainWords(said === null ? before : `${before}: `), folded, ...wordsOf(after)];
}

/** The service's words for people in its answer; null if it has none. */
export function saidIn(answer: string): string | null {
  return /^[{[<]/.test(answer) ? spoken(answer) : answer;
}

/** Finds times in machine-readable text. */
export const timesOf = (text: string): Word[] => plainWords(text, TIMES);

function plainWords(sentence: string, parts = PARTS): Word[] {
  const words: Word[] = [];
  const say = (kind: 'text' | 'code' | 'time', text: string) => text !== '' && words.push({ kind, text });
  let at = 0;
  for (const { index, 0: all, groups } of sentence.matchAll(parts)) {
    const { code, time } = groups ?? {};
    say('text', sentence.slice(at, index));
    say(time === undefined ? 'code' : 'time', code ?? isoOf(time ?? ''));
    at = index + all.length;
  }
  say('text', sentence.slice(at));
  return words;
}

/** JavaScript engines only agree on parsing ISO 8601. */
const isoOf = (time: string): string => time.replace(/^(\S{10}) (\S{8}) /, '$1T$2');

/** Index of the closing quotation mark for a quote that begins at `from` and may contain others. */
function endOf(sentence: string, from: number): number {
  const ends = [...sentence.matchAll(/["“](?=[.;]|$)/g)].map(({ index }) => index).filter((at) => at > from);
  const whole = ends.find((at) => parsed(sentence.slice(from, at)) !== undefined);
  return whole ?? ends.find((at) => /[}\]>…]/.test(sentence[at - 1] ?? '')) ?? ends[0] ?? sentence.length;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Common keys for messages to people. A guess: the service's API does not document one. */
const SPOKEN = [
  'message',
  'detail',
  'error_description',
  'description',
  'title',
  'reason',
  'error',
  'errors',
];

/** The part of an answer meant for people; null if none is found. */
function spoken(whole: string): string | null {
  if (whole.startsWith('<')) return /<(?:title|h1)[^>]*>\s*([^<]+?)\s*</i.exec(whole)?.[1] ?? null;
  const found = spokenIn(parsed(whole), 0);
  if (found !== null) return found;
  // The answer was truncated, so it can't be parsed.
  const [, text] = /"(?:message|detail|error_description|title)":\s*("(?:[^"\\]|\\.)*")/.exec(whole) ?? [];
  const said = text === undefined ? null : parsed(text);
  return typeof said === 'string' ? said : null;
}

const DEEPEST = 4;

function spokenIn(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value === '' || depth === 0 ? null : value;
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return null;
  const inner: unknown[] = Array.isArray(value)
    ? value
    : SPOKEN.map((key) => (value as Partial<Record<string, unknown>>)[key]);
  for (const each of inner) {
    const found = spokenIn(each, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** The console page for each command; the first match counts. */
const PAGES: readonly (readonly [command: RegExp, place: string, page: keyof ConsoleTexts['pages']])[] = [
  [/^receiptd results list --unmatched$/, '#/results?unmatched=1', 'unmatched'],
  [/^receiptd results list$/, '#/results', 'results'],
  [/^receiptd list --needs-person$/, '#/documents?attention=needed', 'needed'],
  [/^receiptd list --state ([a-z]+)$/, '#/documents?state=$1', 'documents'],
  [/^receiptd list$/, '#/documents', 'documents'],
  [/^receiptd status$/, '#/', 'status'],
  [/^receiptd fleet status$/, '#/fleet', 'fleet'],
  [/^receiptd endpoint create NAME$/, '#/endpoints/new', 'create'],
];

/** Null for commands that need a terminal. */
export function pageOf(
  command: string,
): { readonly href: string; readonly page: keyof ConsoleTexts['pages'] } | null {
  for (const [pattern, place, page] of PAGES)
    if (pattern.test(command)) return { href: command.replace(pattern, place), page };
  return null;
}
