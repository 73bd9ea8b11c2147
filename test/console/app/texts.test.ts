import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import english from '../../../src/console/app/languages/en.ts';
import type { Format } from '../../../src/console/app/textFormat.ts';
import { MARKS, shapeOf, textsOf } from '../../support/catalogue.ts';

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

describe('the language files of the console', () => {
  const wanted = shapeOf(english(MARKS));

  it.each(NAMES)('include every text in %s, with the same placeholders', (name) => {
    expect(Object.fromEntries(shapeOf(CATALOGUES.get(name)?.(MARKS) ?? {}))).toEqual(
      Object.fromEntries(wanted),
    );
  });

  it.each(NAMES.filter((name) => name !== 'en'))('leave no sentence untranslated in %s', (name) => {
    const originals = textsOf(english(MARKS));
    const same = [...textsOf(CATALOGUES.get(name)?.(MARKS) ?? {})].filter(
      ([key, text]) => originals.get(key) === text && / \p{L}/u.test(text),
    );
    expect(same).toEqual([]);
  });
});
