/** What people should read of a problem, in each language, and where the console shows it. */
import { expect } from 'vitest';
import type { Problem } from '../../../src/core/domain/problem.ts';
import { cureOf, explain } from '../../../src/texts/explain.ts';
import type { Language } from '../../../src/texts/language.ts';
import { textsIn, type Texts } from '../../../src/texts/texts.ts';
import type { TestBrowser } from '../../console/app/support/browser.ts';

export const LOCALES = { en: 'en_GB', de: 'de_DE' } as const;

export const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** Without commands and keys, which the console turns into links, and without times. */
const piecesOf = (text: string): string[] =>
  text
    .split(/`[^`]*`/)
    .map((each) => flat(each).trim())
    // A full stop or an "or" is in every text.
    .filter((piece) => piece.length > 3);

function whatOf(texts: Texts, { code, params }: Problem): string {
  const words = explain(texts, code, params);
  if (words === null) throw new Error(`${code} has no words`);
  return words.what;
}

/** What is wrong and what to do, in pieces that every way of telling must contain. */
export async function wordsOf(language: Language, problems: readonly Problem[]): Promise<string[]> {
  const texts = await textsIn(language, () => '`time`');
  return problems.flatMap((problem) => [whatOf(texts, problem), cureOf(texts, problem)]).flatMap(piecesOf);
}

export async function expectInConsole(
  browser: TestBrowser,
  language: Language,
  problems: readonly Problem[],
): Promise<void> {
  const page = await browser.open('#/', { locale: LOCALES[language].replace('_', '-') });
  await page.locator('.troubles').first().waitFor();
  const shown = async () => flat(await page.locator('main').innerText());
  for (const piece of await wordsOf(language, problems)) await expect.poll(shown).toContain(piece);
}
