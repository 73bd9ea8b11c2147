import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorsPage } from '../../src/cli/errorsPage.ts';
import { ERRORS_PAGE } from '../../src/cli/generate.ts';
import english from '../../src/console/app/languages/en.ts';
import { ERROR_CODES } from '../../src/core/domain/errors.ts';
import { BUTTONS } from '../../src/texts/en/errorsPage.ts';
import { MARKS } from '../support/catalogue.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const text = errorsPage();

it('docs/errors.md matches the texts', async () => {
  expect(await readFile(join(ROOT, ERRORS_PAGE), 'utf8'), 'run `npm run generate`').toBe(text);
});

it('docs/errors.md has a section for each code, with a sentence of the program', () => {
  const sections = text.split(/^### /m).slice(1);
  expect(sections.map((section) => section.split('\n')[0])).toEqual(ERROR_CODES);
  for (const section of sections) expect(section).toMatch(/^[A-Z_]+\n\n(?:- )?.*[.…]$/m);
  expect(text).not.toMatch(/undefined|null|NaN|\[object|⟨/);
});

it('docs/errors.md names the buttons as the console does', () => {
  const { troubles, nav, config, settings } = english(MARKS);
  const { pages, resume, open, ...others } = BUTTONS;
  expect(troubles).toMatchObject(others);
  expect([resume('x'), open('x')]).toEqual([troubles.resume('x'), troubles.open('x')]);
  const { alerts, results, monitoring, storage } = settings.sections;
  const { folders, endpoints, fleet } = nav;
  const titles = Object.entries({ alerts, results, monitoring, storage }).map(([name, { title }]) => [
    name,
    title,
  ]);
  expect(pages).toEqual({ folders, endpoints, fleet, file: config.title, ...Object.fromEntries(titles) });
});

it('every code is made somewhere in the program', async () => {
  const entries = await readdir(join(ROOT, 'src'), { recursive: true });
  const files = entries.filter((entry) => entry.endsWith('.ts') && !/^texts|exitStatus\.ts$/.test(entry));
  const sources = await Promise.all(files.map((file) => readFile(join(ROOT, 'src', file), 'utf8')));
  // A comparison with a code or a comment makes none.
  const code = sources
    .join('\n')
    .replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    .replace(/(?:===|!==|case) '[A-Z_]+'/g, '');
  const unused = ERROR_CODES.filter(
    (each) => !code.includes(`'${each}'`) && !code.includes(`'${each}.`) && !code.includes(`[${each}]`),
  );
  expect(unused).toEqual([]);
});
