import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { isEveryCase } from '../../../support/everyCase.ts';
import { cellsOf, FIGURES, tableIn, tableOf } from './table.ts';
import { tryAlone, tryTogether } from './trial.ts';

beforeAll(() => {
  vi.stubEnv('TZ', 'Europe/Berlin');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

it('the silence alert performs as the figures state, in all kinds of offices over years', () => {
  const counts = tryAlone(2, (office) => isEveryCase || office === '3 a day');
  expect(counts.length).toBeGreaterThan(0);
  const rows = tableOf(counts).split('\n');
  expect(FIGURES.split('\n').filter((row) => isEveryCase || rows.includes(row))).toEqual(rows);
});

it('docs/silent-scanner.md shows an excerpt of the figures', async () => {
  const page = await readFile(new URL('../../../../docs/silent-scanner.md', import.meta.url), 'utf8');
  const [head = [], ...shown] = tableIn(page);
  const [all = [], , ...figures] = cellsOf(FIGURES);
  const columns = head.map((title) => all.indexOf(title));
  expect(columns).not.toContain(-1);
  expect(shown.length).toBeGreaterThan(3);
  const excerpt = figures.map((row) => columns.map((column) => row[column]));
  for (const row of shown) expect(excerpt).toContainEqual(row);
});

it('the figures meet the requirements', () => {
  const rows = cellsOf(FIGURES);
  const of = (name: string) =>
    rows
      .find(([office]) => office?.startsWith(name))
      ?.slice(1)
      .map(Number) ?? [];
  expect(of('busy office')[0]).toBeLessThan(1);
  expect(of('small office')[2]).toBeGreaterThanOrEqual(30);
  expect(of('once a month').slice(0, 2)).toEqual([0, 0]);
});

it("the silence alert reports a company's holiday once, not once per folder", () => {
  const { folders, all, alone, holidays } = tryTogether(isEveryCase ? 365 : 110);
  expect(all).toBeLessThanOrEqual(holidays + 1);
  expect(alone / folders).toBeLessThan(5);
});
