/** What a catalogue of texts says, with marks instead of values. */
import type { Format } from '../../src/texts/format.ts';
import { phrase, settingLines } from '../../src/texts/phrase.ts';

/** Shows the values that a sentence contains, and all its forms. */
export const MARKS: Format = {
  number: String,
  counted: (value, one, other, more = {}) =>
    [`${value} ${other}`, one, ...Object.values(more)].filter((each) => each !== '').join('/'),
  plural: (value, one, other) => (value === 1 ? one : other),
  bytes: String,
  duration: String,
  time: String,
  needsIn: () => ({ summary: String, cures: String }),
  phrase,
  ended: (text) => `${text}.`,
  settingLines,
  faultOf: () => 'closed',
  asWord: String,
  isTemporary: () => true,
};

const WITHOUT_EFFECT = new Set<string | symbol>(['toString', 'toUpperCase', 'replace']);

/** Acts as a value of any kind: a number, a text, a list, or an object of these. */
function mark(name: string): unknown {
  const its = `⟨${name}⟩`;
  return new Proxy(() => its, {
    get: (_, key) => {
      if (key === Symbol.toPrimitive || WITHOUT_EFFECT.has(key)) return () => its;
      if (key === 'map') return (each: (value: unknown) => unknown) => [String(each(mark(name)))];
      if (key === 'join') return () => its;
      if (key === Symbol.iterator) return function* () {};
      return typeof key === 'string' ? mark(`${name}.${key}`) : undefined;
    },
  });
}

/** Every key with the marks of its sentence. */
export function shapeOf(texts: object, path = ''): Map<string, string> {
  const shape = new Map<string, string>();
  for (const [key, value] of entriesOf(texts)) {
    const its = path === '' ? key : `${path}.${key}`;
    if (typeof value === 'string') shape.set(its, value.trim() === '' ? 'empty' : marksOf(value));
    else for (const [inner, marks] of shapeOf(value, its)) shape.set(inner, marks);
  }
  return shape;
}

/** Every key with its text. */
export function textsOf(texts: object, path = ''): Map<string, string> {
  return new Map(
    entriesOf(texts).flatMap(([key, value]) => {
      const its = path === '' ? key : `${path}.${key}`;
      return typeof value === 'string' ? [[its, value] as const] : [...textsOf(value, its)];
    }),
  );
}

/** What a function returns stands for it; how values are formatted is no text. */
function entriesOf(texts: object): [string, string | object][] {
  return Object.entries(texts)
    .filter(([key]) => key !== 'format')
    .map(([key, value]: [string, unknown]) => [
      key,
      typeof value === 'function' ? said(value as Said) : value,
    ])
    .filter((entry): entry is [string, string | object] => entry[1] !== undefined);
}

type Said = (...values: unknown[]) => string | object;
const said = (sentence: Said): string | object =>
  sentence(...Array.from({ length: sentence.length }, (_, index) => mark(String(index))));

/** Values, and names of the program that must appear literally. */
const marksOf = (text: string): string =>
  [...new Set(text.match(/⟨[^⟩]*⟩|\{\w+\}|`[^`]+`/g))].sort().join(' ');
