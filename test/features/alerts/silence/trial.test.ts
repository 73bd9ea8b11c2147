import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { plainTable, tableOf } from './table.ts';
import { tryAlone, tryTogether } from './trial.ts';

const zone = process.env['TZ'];

beforeAll(() => {
  process.env['TZ'] = 'Europe/Berlin';
});

afterAll(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

it('alarms as docs/silent-scanner.md says it does, in offices of all kinds and over years', async () => {
  const counts = tryAlone(2);
  const text = await readFile(new URL('../../../../docs/silent-scanner.md', import.meta.url), 'utf8');
  expect(plainTable(text)).toBe(tableOf(counts));
  const of = (name: string) => counts.find(({ office }) => office.startsWith(name));
  expect(of('busy office')?.falsePerYear).toBeLessThan(1);
  expect(of('small office')?.sameDay).toBeGreaterThanOrEqual(30);
  expect(of('once a month')).toMatchObject({ falsePerYear: 0, closedPerYear: 0 });
});

it('tells a holiday of a company once, and not for each of its folders', () => {
  const { folders, all, alone, holidays } = tryTogether();
  expect(all).toBeLessThanOrEqual(holidays + 1);
  expect(alone / folders).toBeLessThan(5);
});
