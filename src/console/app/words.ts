import { pretty } from './json.ts';
import type { Texts } from './languages/en.ts';

/** A part of a sentence of the agent or the service, as a page shows it. */
export type Word =
  | { readonly kind: 'text' | 'code' | 'time'; readonly text: string }
  /** What a program said to a program: what a person can read of it, and the whole. */
  | { readonly kind: 'folded'; readonly text: string; readonly whole: string };

/** Times carry their offset, so that each reader can have them by the own clock: as `local` writes them, and ISO 8601. */
const TIME = String.raw`\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d [+-]\d\d:\d\d|T\d\d:\d\d:\d\d(?:\.\d+)?Z)`;
const PARTS = new RegExp(`\`(?<code>[^\`\\n]+)\`|(?<time>${TIME})`, 'g');
/** Without commands: what is for machines has marks of its own. */
const TIMES = new RegExp(`(?<time>${TIME})`, 'g');
/** Where the agent quotes an answer that is no sentence. */
const QUOTED = /: "(?=[{[<])/;

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

/** Where the agent quotes the service, in words or not. */
const SAID = /: "(?=\S)/;

/** What the service said to people, and all that it said; null where the sentence quotes nothing. */
export function quoteIn(sentence: string): { readonly said: string | null; readonly whole: string } | null {
  const quoted = SAID.exec(sentence);
  if (quoted === null) return null;
  const from = quoted.index + quoted[0].length;
  const whole = sentence.slice(from, endOf(sentence, from));
  return { said: /^[{[<]/.test(whole) ? spoken(whole) : whole, whole };
}

/** Of what is for machines. */
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

/** Engines agree on ISO 8601 alone. */
const isoOf = (time: string): string => time.replace(/^(\S{10}) (\S{8}) /, '$1T$2');

/** The quotation mark that ends what begins at `from`; there may be others within. */
function endOf(sentence: string, from: number): number {
  const ends = [...sentence.matchAll(/"(?=[.;]|$)/g)].map(({ index }) => index).filter((at) => at > from);
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

/** Where services put the words that are meant for people; nothing says that ours does. */
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

/** The words in an answer that are meant for people; null where none are found. */
function spoken(whole: string): string | null {
  if (whole.startsWith('<')) return /<(?:title|h1)[^>]*>\s*([^<]+?)\s*</i.exec(whole)?.[1] ?? null;
  const found = spokenIn(parsed(whole), 0);
  if (found !== null) return found;
  // Cut short.
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

/** The page that shows what a command does; the first that fits. */
const PAGES: readonly (readonly [command: RegExp, place: string, page: keyof Texts['pages']])[] = [
  [/^receiptd results list --unmatched$/, '#/results?unmatched=1', 'unmatched'],
  [/^receiptd results list$/, '#/results', 'results'],
  [/^receiptd list --needs-person$/, '#/documents?attention=needed', 'needed'],
  [/^receiptd list --state ([a-z]+)$/, '#/documents?state=$1', 'documents'],
  [/^receiptd list$/, '#/documents', 'documents'],
  [/^receiptd status$/, '#/', 'status'],
  [/^receiptd fleet status$/, '#/fleet', 'fleet'],
  [/^receiptd endpoint create NAME$/, '#/endpoints/new', 'create'],
];

/** Null for what has to be done in a terminal. */
export function pageOf(
  command: string,
): { readonly href: string; readonly page: keyof Texts['pages'] } | null {
  for (const [pattern, place, page] of PAGES)
    if (pattern.test(command)) return { href: command.replace(pattern, place), page };
  return null;
}
