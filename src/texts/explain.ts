import type { Condition, ErrorCode, SaidElsewhere, Words } from './facts.ts';
import { OF_PROBLEMS } from './codes.ts';
import type { FindingFact } from './en/findings.ts';
import type { WhyFact } from './en/why.ts';
import { isErrorKey, type ErrorKey } from './errors.ts';
import { areOfSettings, ended, phrase } from './phrase.ts';
import type { Texts } from './texts.ts';

/** Whether an error's message is all that is known. */
export function isOfError(params: object): boolean {
  return Object.keys(params).every((name) => name === 'detail' || name === 'error' || name === 'why');
}

/** A problem; `since`: null if nothing says when it began. */
type Lasting = Condition & { readonly since: string | null };

interface Explanation {
  /** Without a full stop. */
  readonly what: string;
  readonly cure: string;
}

/** What is wrong and what to do; null for a code that has no words. `params`: left out for an error. */
export function explain(
  { codes }: Pick<Texts, 'codes'>,
  code: ErrorCode,
  params?: object,
): Explanation | null {
  // An error's own message says which folder or file.
  const known = params !== undefined && isOfError(params) ? undefined : params;
  const isUnknown = known === undefined && OF_PROBLEMS.some((each) => each === code);
  if (isUnknown || !Object.hasOwn(codes, code)) return null;
  // Each function takes the parameters of its code.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { what, cure } = codes[code as keyof typeof codes] as Record<keyof Explanation, ExplainText>;
  return { what: said(what, known), cure: said(cure, known) };
}

type ExplainText = string | ((params: object | undefined) => string);

function said(text: ExplainText, params: object | undefined): string {
  return typeof text === 'string' ? text : text(params);
}

/** What words errors, and what they tell along with something else; `errors` alone leaves the latter as it is. */
type ErrorWording = Pick<Texts, 'errors'> & Partial<Pick<Texts, 'why' | 'problems'>>;

/** `params`: those of the key; null for one that has none. */
export function wordsOf(texts: ErrorWording, key: ErrorKey, params: object | null): Words {
  // Each function takes the parameters of its key.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const entry = texts.errors[key] as Words | ((params: object | null) => Words);
  return typeof entry === 'function' ? entry(params && inside(texts, params)) : entry;
}

/** Parameters with all that they tell in English, an error or why something is so, in the language of the texts. */
function inside<P extends object>(texts: ErrorWording, params: P): P {
  const its = Object.entries(params).map(([name, value]: [string, unknown]) => [
    name,
    told(texts, name, value),
  ]);
  const { error, why, detail } = params as { error?: unknown; why?: unknown; detail?: unknown };
  const said = typeof detail === 'string' ? detail : '';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same, in other words
  return {
    ...(Object.fromEntries(its) as P),
    ...(isError(error) && { detail: errorWords(texts, { ...error, message: said, hint: '' }) }),
    ...(isFact(why) && isWording(texts) && { detail: whyWords(texts, { message: said, fact: why }) }),
  };
}

function told(texts: ErrorWording, name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || name === 'error') return value;
  if (Array.isArray(value)) return value.map((each: unknown) => told(texts, '', each));
  if ('is' in value && value.is === 'error' && 'error' in value && isError(value.error))
    return isWording(texts) ? errorLine(texts, value.error) : errorWords(texts, value.error);
  return inside(texts, value);
}

const isError = (value: unknown): value is SaidElsewhere =>
  typeof value === 'object' && value !== null && 'key' in value && typeof value.key === 'string';
const isFact = (value: unknown): value is { readonly is: string } =>
  typeof value === 'object' && value !== null && 'is' in value && typeof value.is === 'string';
const isWording = (texts: ErrorWording): texts is Pick<Texts, 'errors' | 'why' | 'problems'> =>
  texts.why !== undefined && texts.problems !== undefined;

/** An error's words; as they are if another version worded it. */
export function errorWords(
  texts: ErrorWording,
  { key, params, message, hint }: Omit<SaidElsewhere, 'code'>,
): string {
  const own = [message, hint].filter(Boolean).join(' ');
  if (typeof key !== 'string' || !isErrorKey(texts.errors, key)) return own;
  try {
    return wordsOf(texts, key, params ?? null).join(' ');
  } catch {
    return own;
  }
}

/** The same in one line: of several mistakes in settings, the first one and how many more there are. */
function errorLine(
  texts: Pick<Texts, 'errors' | 'why' | 'problems'>,
  said: Omit<SaidElsewhere, 'code'>,
): string {
  const { params, message } = said;
  if (!areOfSettings(params) || params.problems.length < 2) return errorWords(texts, said);
  const [first = ''] = message.split('\n', 1);
  const alone = { ...params, problems: params.problems.slice(0, 1) };
  const words = errorWords(texts, { ...said, message: first, params: alone });
  return `${words} ${texts.problems.more(params.problems.length - 1)}`;
}

/** What exactly the agent found, in one line; null if it says nothing more. In English unless the catalogue has it. */
export function detailOf(
  texts: Pick<Texts, 'errors' | 'problems' | 'why'>,
  { params }: Condition,
): string | null {
  if ('why' in params && params.why) return whyWords(texts, { message: params.detail, fact: params.why });
  if ('error' in params && params.error !== undefined)
    return errorLine(texts, { ...params.error, message: params.detail });
  return 'detail' in params && params.detail !== '' ? params.detail : null;
}

/** What is wrong, as a sentence, with what the agent found. */
export function whatIsWrong(texts: Texts, condition: Condition): string {
  const what = explain(texts, condition.code, condition.params)?.what ?? condition.code;
  const detail = detailOf(texts, condition);
  if (detail === null) return `${what}.`;
  return `${what}: ${ended(detail)}`;
}

/** `fact`: as another version may have sent it. */
export function noteWords(
  { agentNotes }: Pick<Texts, 'agentNotes'>,
  { text, fact }: { readonly text: string; readonly fact?: { readonly is?: unknown } | undefined },
): string {
  const { is } = fact ?? {};
  return typeof is === 'string' && Object.hasOwn(agentNotes, is) ? phrase(agentNotes, { ...fact, is }) : text;
}

/** Why a document or a file was not sent, a request failed, or something is on hold. `fact`: as another version may have stored it. */
export function whyWords(
  texts: Pick<Texts, 'why' | 'errors' | 'problems'>,
  { message, fact }: { readonly message: string; readonly fact?: { readonly is?: unknown } | null },
): string {
  const { is } = fact ?? {};
  if (typeof is !== 'string') return message;
  try {
    // Written by this version, or by one that words it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const its = fact as WhyFact;
    if (its.is === 'error') return errorLine(texts, its.error);
    return Object.hasOwn(texts.why, is) ? phrase(texts.why, inside(texts, its)) : message;
  } catch {
    return message;
  }
}

/** What was found, as a sentence or more, with the code of an error. */
export function findingWords(
  texts: Texts,
  { fact, checkedAs }: { readonly fact: FindingFact; readonly checkedAs?: string },
): string {
  const as = checkedAs === undefined ? '' : ` ${texts.findings.checkedAs({ user: checkedAs })}`;
  if (fact.is === 'error') return `${errorLine(texts, fact.error)} [${fact.error.code}]${as}`;
  if (fact.is === 'why') return `${whyWords(texts, { message: fact.detail, fact: fact.why ?? null })}${as}`;
  if (fact.is !== 'problem') return `${phrase(texts.findings, inside(texts, fact))}${as}`;
  return `${whatIsWrong(texts, fact.problem)} ${cureOf(texts, fact.problem)} [${fact.problem.code}]${as}`;
}

/** A problem, as far as it says how urgent it is. */
interface Seen {
  readonly code: string;
  readonly needsAttention: boolean;
}

/** How people see it: it needs somebody, somebody paused it on purpose, or it passes by itself. */
export function urgencyOf({ code, needsAttention }: Seen): 'needed' | 'paused' | 'passing' {
  if (code === 'UPLOADS_PAUSED') return 'paused';
  return needsAttention ? 'needed' : 'passing';
}

/** What to do about it. */
export function cureOf(texts: Texts, { code, params }: Condition): string {
  return explain(texts, code, params)?.cure ?? '';
}

/** Since when, how many documents wait for it, and when it is tried again. `now`: null if no agent runs that could try. */
export function courseOf(
  { problems, format: { time } }: Texts,
  { code, since, params }: Lasting,
  now: number | null,
): { readonly before: string[]; readonly after: string[] } {
  const before = [
    ...(since === null ? [] : [problems.since(time(since))]),
    ...('waiting' in params && params.waiting > 0 ? [problems.waiting(params.waiting)] : []),
  ];
  if (!('until' in params) || params.until === null) return { before, after: [] };
  if (code === 'UPLOADS_PAUSED') return { before, after: [problems.resumed(time(params.until))] };
  if (now === null) return { before, after: [problems.whenRunning] };
  const isDue = Date.parse(params.until) <= now;
  return { before, after: [isDue ? problems.now : problems.until(time(params.until))] };
}

/** All of it, in order. */
export function sentencesOf(texts: Texts, problem: Lasting, now: number | null): string[] {
  const { before, after } = courseOf(texts, problem, now);
  return [whatIsWrong(texts, problem), ...before, cureOf(texts, problem), ...after];
}
