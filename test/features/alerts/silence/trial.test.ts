import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { isEveryCase } from '../../../support/everyCase.ts';
import { plainTable, tableOf } from './table.ts';
import { tryAlone, tryTogether } from './trial.ts';

beforeAll(() => {
  vi.stubEnv('TZ', 'Europe/Berlin');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

it('the silence alert performs as docs/silent-scanner.md states, in all kinds of offices over years', async () => {
  const counts = tryAlone(2, (office) => isEveryCase || office === '3 a day');
  const text = await readFile(new URL('../../../../docs/silent-scanner.md', import.meta.url), 'utf8');
  const table = plainTable(text).split('\n');
  expect(counts.length).toBeGreaterThan(0);
  const rows = tableOf(counts).split('\n');
  expect(table.filter((row) => isEveryCase || rows.includes(row))).toEqual(rows);
});

it('the table in docs/silent-scanner.md meets the requirements', async () => {
  const text = await readFile(new URL('../../../../docs/silent-scanner.md', import.meta.url), 'utf8');
  const rows = plainTable(text)
    .split('\n')
    .map((row) => row.split(' | '));
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
