/*
 * File name patterns of people: `*`, `**`, `?`, `[a-z]`, `[^a-z]`, `{a,b}`, `(a|b)`, `?(a)`, `+(a)`, `*(a)`, `@(a)`, `!(a)`, a leading `!`,
 * and `\` before a character that stands for itself. All patterns of a list become one automaton, so that a match takes time
 * in proportion to the name, whatever the patterns are: a regular expression could take years.
 */

/** A part of a pattern. */
type PatternPart =
  | { readonly kind: 'character'; readonly matches: (character: string) => boolean }
  | { readonly kind: 'sequence' | 'either'; readonly parts: readonly PatternPart[] }
  | { readonly kind: 'repeated'; readonly part: PatternPart; readonly least: 0 | 1; readonly most: 1 | null };

/** A pattern with at most one `!(…)`: names that match `is` and not `isNot`. */
interface Pattern {
  readonly is: PatternPart;
  readonly isNot: PatternPart | null;
}

export class PatternTooComplex extends Error {}

/** In characters; a name has at most 255. */
const LONGEST_PATTERN = 1_000;
/** Deepest nesting of groups. */
const DEEPEST = 20;
const LONGEST_RANGE = 1_000;
/** Steps of an automaton, for the memory; and repetitions in it, of which each can keep steps alive at every character. */
const MOST_STEPS = 50_000;
const MOST_REPETITIONS = 1_000;
/** Steps in states that are kept; beyond them, states are computed anew. */
const MOST_KEPT = 500_000;

/** Whether a text matches one of the patterns. @throws PatternTooComplex */
export function matcherOf(patterns: readonly string[]): (text: string) => boolean {
  const read = patterns.map((pattern) => new PatternReader(pattern).pattern());
  const plain = read.filter(({ isNot }) => isNot === null).map(({ is }) => is);
  const [any, ...others] = [
    automatonOf({ kind: 'either', parts: plain }),
    ...read.flatMap(({ is, isNot }) => {
      if (isNot === null) return [];
      const [yes, no] = [automatonOf(is), automatonOf(isNot)];
      return [(text: string) => yes(text) && !no(text)];
    }),
  ];
  return (text) => any(text) || others.some((matches) => matches(text));
}

const NO_SLASH: PatternPart = { kind: 'character', matches: (character) => character !== '/' };
const STAR: PatternPart = { kind: 'repeated', part: NO_SLASH, least: 0, most: null };
const ANYTHING: PatternPart = {
  kind: 'repeated',
  part: { kind: 'character', matches: () => true },
  least: 0,
  most: null,
};
const SLASH: PatternPart = literal('/');

class PatternReader {
  readonly #text: string;
  /** Where each group ends, by where it opens; other brackets stand for themselves. */
  readonly #ends: ReadonlyMap<number, number>;
  #at = 0;
  #depth = 0;
  /** The group in `!(…)`. */
  #without: PatternPart | null = null;
  #isWithout = false;

  constructor(text: string) {
    if (text.length > LONGEST_PATTERN) throw new PatternTooComplex();
    this.#text = text;
    this.#ends = endsOf(text);
  }

  pattern(): Pattern {
    const isNegated = /^!(?!\()/.test(this.#text);
    const start = (isNegated ? 1 : 0) + (this.#text.startsWith('./', isNegated ? 1 : 0) ? 2 : 0);
    const is = this.#from(start);
    if (isNegated && this.#without !== null) throw new PatternTooComplex();
    if (isNegated) return { is: ANYTHING, isNot: is };
    if (this.#without === null) return { is, isNot: null };
    this.#isWithout = true;
    return { is, isNot: this.#from(start) };
  }

  #from(start: number): PatternPart {
    this.#at = start;
    return this.#sequence(this.#text.length, '');
  }

  #sequence(end: number, between: string): PatternPart {
    const parts: PatternPart[] = [];
    while (this.#at < end && this.#text.charAt(this.#at) !== between) parts.push(this.#part());
    return { kind: 'sequence', parts };
  }

  #part(): PatternPart {
    const text = this.#text;
    const character = text.charAt(this.#at);
    if ('?+*@!'.includes(character) && text.charAt(this.#at + 1) === '(' && this.#ends.has(this.#at + 1)) {
      this.#at += 1;
      return this.#repeated(character, this.#group());
    }
    switch (character) {
      case '*':
        return this.#stars();
      case '?':
        this.#at += 1;
        return NO_SLASH;
      case '[':
        return this.#class() ?? this.#literal();
      case '{':
      case '(':
        return this.#ends.has(this.#at) ? this.#group() : this.#literal();
      case '/':
        // `out/**` is the directory itself, too; `*/**` is not every file.
        if (text.slice(this.#at) !== '/**' || /(?<!\\)\*$/.test(text.slice(0, this.#at)))
          return this.#literal();
        this.#at = text.length;
        return { kind: 'repeated', part: { kind: 'sequence', parts: [SLASH, ANYTHING] }, least: 0, most: 1 };
      case '\\':
        if (this.#at + 1 < text.length) this.#at += 1;
        return this.#literal();
      default:
        return this.#literal();
    }
  }

  #repeated(kind: string, part: PatternPart): PatternPart {
    switch (kind) {
      case '?':
        return { kind: 'repeated', part, least: 0, most: 1 };
      case '+':
        return { kind: 'repeated', part, least: 1, most: null };
      case '*':
        return { kind: 'repeated', part, least: 0, most: null };
      case '!':
        if (this.#isWithout) return part;
        // Only one, outside other groups: otherwise what it excludes is no single pattern.
        if (this.#without !== null || this.#depth > 0) throw new PatternTooComplex();
        this.#without = part;
        return STAR;
      default:
        return part;
    }
  }

  #literal(): PatternPart {
    const character = this.#text.charAt(this.#at);
    this.#at += 1;
    return literal(character);
  }

  /** `**` between slashes stands for any directories, also none; other stars for any characters of a name. */
  #stars(): PatternPart {
    const from = this.#at;
    do this.#at += 1;
    while (this.#text.charAt(this.#at) === '*' && !this.#ends.has(this.#at + 1));
    const [before, after] = [this.#text.charAt(from - 1), this.#text.charAt(this.#at)];
    const isAlone = '/{(,|!'.includes(before) && '/}),|'.includes(after);
    if (this.#at - from < 2 || !isAlone) return STAR;
    if (after !== '/') return ANYTHING;
    this.#at += 1;
    return { kind: 'repeated', part: { kind: 'sequence', parts: [ANYTHING, SLASH] }, least: 0, most: 1 };
  }

  #group(): PatternPart {
    const opensAt = this.#at;
    const end = this.#ends.get(opensAt) ?? opensAt;
    const isBrace = this.#text.charAt(opensAt) === '{';
    const range = isBrace ? rangeOf(this.#text.slice(opensAt + 1, end)) : null;
    if (range !== null) {
      this.#at = end + 1;
      return range;
    }
    if ((this.#depth += 1) > DEEPEST) throw new PatternTooComplex();
    const parts: PatternPart[] = [];
    do {
      this.#at += 1;
      parts.push(this.#sequence(end, isBrace ? ',' : '|'));
    } while (this.#at < end);
    this.#at = end + 1;
    this.#depth -= 1;
    if (!isBrace || parts.length > 1) return { kind: 'either', parts };
    return { kind: 'sequence', parts: [literal('{'), ...parts, literal('}')] };
  }

  /** Null if it does not end. */
  #class(): PatternPart | null {
    const found = CLASS.exec(this.#text.slice(this.#at));
    if (found === null) return null;
    const [whole, not = '', inside = ''] = found;
    this.#at += whole.length;
    const ranges: [from: string, to: string][] = [];
    for (const [, from = '', to = from] of inside.matchAll(/(\\.|[^])(?:-(\\.|[^]))?/g))
      ranges.push([from.at(-1) ?? '', to.at(-1) ?? '']);
    const has = (one: string) => ranges.some(([from, to]) => one >= from && one <= to);
    const isIn = (one: string) => has(one) || has(one.toLowerCase()) || has(one.toUpperCase());
    return { kind: 'character', matches: (one) => one !== '/' && isIn(one) !== (not !== '') };
  }
}

const CLASS = /^\[(\^?)(\]?(?:\\.|[^\]\\])*)\]/s;

function endsOf(text: string): Map<number, number> {
  const ends = new Map<number, number>();
  let open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '[') at += (CLASS.exec(text.slice(at))?.[0].length ?? 1) - 1;
    else if (character === '(' || character === '{') open.push(at);
    else if (character === ')' || character === '}') {
      const last = open.findLastIndex((each) => text.charAt(each) === (character === ')' ? '(' : '{'));
      if (last < 0) continue;
      ends.set(open[last] ?? 0, at);
      open = open.slice(0, last);
    }
  }
  return ends;
}

/** `1..12` or `a..f`. */
function rangeOf(text: string): PatternPart | null {
  const [, from = '', to = ''] = /^(\d{1,6}|[a-z])\.\.(\d{1,6}|[a-z])$/i.exec(text) ?? [];
  if (from === '' || /\d/.test(from) !== /\d/.test(to)) return null;
  const isNumber = /\d/.test(from);
  const [first, last] = [from, to]
    .map((end) => (isNumber ? Number(end) : end.charCodeAt(0)))
    .sort((a, b) => a - b);
  if (first === undefined || last === undefined || last - first > LONGEST_RANGE)
    throw new PatternTooComplex();
  const all = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const parts = all.map((each) => word(isNumber ? String(each) : String.fromCharCode(each)));
  return { kind: 'either', parts };
}

function word(text: string): PatternPart {
  return { kind: 'sequence', parts: text.split('').map(literal) };
}

function literal(wanted: string): PatternPart {
  const folded = fold(wanted);
  return { kind: 'character', matches: (character) => fold(character) === folded };
}

function fold(character: string): string {
  return character.toLowerCase();
}

/** One step of the automaton: to `next` if the character matches, or, without a character, to all of `next`. */
interface PatternStep {
  readonly matches: ((character: string) => boolean) | null;
  readonly next: number[];
}

/** Thompson's construction; its sets of steps become states when a text first needs them. */
function automatonOf(part: PatternPart): (text: string) => boolean {
  const steps: PatternStep[] = [];
  let repetitions = 0;
  const add = (step: PatternStep): number => {
    if (steps.length === MOST_STEPS) throw new PatternTooComplex();
    return steps.push(step) - 1;
  };
  const end = add({ matches: null, next: [] });
  /** @returns the first step of the part, which leads on to `next` */
  const build = (each: PatternPart, next: number): number => {
    switch (each.kind) {
      case 'character':
        return add({ matches: each.matches, next: [next] });
      case 'sequence':
        return each.parts.reduceRight((following, inner) => build(inner, following), next);
      case 'either':
        return add({ matches: null, next: each.parts.map((inner) => build(inner, next)) });
      case 'repeated': {
        if ((repetitions += 1) > MOST_REPETITIONS) throw new PatternTooComplex();
        if (each.most === 1) return add({ matches: null, next: [build(each.part, next), next] });
        const choice = add({ matches: null, next: [next] });
        const first = build(each.part, choice);
        steps[choice]?.next.push(first);
        return each.least === 0 ? choice : first;
      }
    }
  };
  const first = build(part, end);

  interface State {
    readonly steps: readonly number[];
    readonly isMatch: boolean;
    readonly after: Map<string, State>;
  }
  let states = new Map<string, State>();
  const stateOf = (from: readonly number[]): State => {
    const reached = new Set<number>(from);
    for (const at of reached) {
      const step = steps[at];
      if (step?.matches === null) for (const next of step.next) reached.add(next);
    }
    const kept = [...reached].filter((at) => at === end || steps[at]?.matches !== null).sort((a, b) => a - b);
    const key = kept.join(' ');
    const known = states.get(key);
    if (known) return known;
    const state: State = { steps: kept, isMatch: reached.has(end), after: new Map() };
    states.set(key, state);
    return state;
  };
  const start = stateOf([first]);
  let kept = 0;
  return (text) => {
    let state = start;
    for (let at = 0; at < text.length; at += 1) {
      if (state.steps.length === 0) return false;
      const character = text.charAt(at);
      let next = state.after.get(character);
      if (next === undefined) {
        next = stateOf(
          state.steps.flatMap((step) => (steps[step]?.matches?.(character) === true ? steps[step].next : [])),
        );
        state.after.set(character, next);
        if ((kept += 1 + next.steps.length) > MOST_KEPT) {
          kept = 0;
          states = new Map();
          start.after.clear();
        }
      }
      state = next;
    }
    return state.isMatch;
  };
}
