import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import english from '../../../src/console/app/languages/en.ts';
import type { Format } from '../../../src/console/app/textFormat.ts';

const LANGUAGES = new URL('../../../src/console/app/languages/', import.meta.url);
const NAMES = (await readdir(fileURLToPath(LANGUAGES)))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replace(/\.ts$/, ''));
type Catalogue = (format: Format) => object;
const CATALOGUES = new Map(
  await Promise.all(
    NAMES.map(async (name) => {
      const { default: its } = (await import(new URL(`${name}.ts`, LANGUAGES).href)) as {
        default: Catalogue;
      };
      return [name, its] as const;
    }),
  ),
);

/** Texts are rendered with marks instead of values, which shows the values that a sentence contains. */
const FORMAT: Format = {
  number: (value) => String(value),
  counted: (value, one, other, more = {}) =>
    [`${String(value)} ${other}`, one, ...Object.values(more)].filter((each) => each !== '').join('/'),
};

/** Acts as a value of any kind: a number, a text, a list, or an object of these. */
function mark(name: string): unknown {
  const its = `⟨${name}⟩`;
  return new Proxy(() => its, {
    get: (_, key) => {
      if (key === Symbol.toPrimitive || key === 'toString' || key === 'toUpperCase') return () => its;
      if (key === 'map') return (each: (value: unknown) => unknown) => [String(each(mark(name)))];
      if (key === 'join') return () => its;
      return typeof key === 'string' ? mark(`${name}.${key}`) : undefined;
    },
  });
}

/** Every key with the marks of its sentence. */
function shapeOf(texts: object, path = ''): Map<string, string> {
  const shape = new Map<string, string>();
  for (const [key, value] of Object.entries(texts)) {
    const its = path === '' ? key : `${path}.${key}`;
    if (typeof value === 'string') shape.set(its, value.trim() === '' ? 'empty' : marksOf(value));
    else if (typeof value === 'function') shape.set(its, marksOf(said(value as Said)));
    else for (const [inner, marks] of shapeOf(value as object, its)) shape.set(inner, marks);
  }
  return shape;
}

type Said = (...values: unknown[]) => string;
const said = (sentence: Said): string =>
  sentence(...Array.from({ length: sentence.length }, (_, index) => mark(String(index))));

/** Values, and names of the program that must appear literally. */
const marksOf = (text: string): string =>
  [...new Set(text.match(/⟨[^⟩]*⟩|\{\w+\}|`[^`]+`/g))].sort().join(' ');

describe('the language files of the console', () => {
  const wanted = shapeOf(english(FORMAT));

  it.each(NAMES)('include every text in %s, with the same placeholders', (name) => {
    expect(Object.fromEntries(shapeOf(CATALOGUES.get(name)?.(FORMAT) ?? {}))).toEqual(
      Object.fromEntries(wanted),
    );
  });

  it.each(NAMES.filter((name) => name !== 'en'))('leave no sentence untranslated in %s', (name) => {
    const originals = textsOf(english(FORMAT));
    const same = [...textsOf(CATALOGUES.get(name)?.(FORMAT) ?? {})].filter(
      ([key, text]) => originals.get(key) === text && / \p{L}/u.test(text),
    );
    expect(same).toEqual([]);
  });
});

/** Every key with its text. */
function textsOf(texts: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([key, value]: [string, unknown]) => {
      const its = path === '' ? key : `${path}.${key}`;
      if (typeof value === 'string') return [[its, value] as const];
      if (typeof value === 'function') return [[its, said(value as Said)] as const];
      return [...textsOf(value as object, its)];
    }),
  );
}
