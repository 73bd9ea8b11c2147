import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { check } from 'prettier';
import { expect, it } from 'vitest';
import { appendHistory, type Entry } from '../../bench/report/history.ts';
import { writePerformance } from '../../bench/report/performance.ts';
import type { Figure } from '../../bench/scenario.ts';
import { SCENARIOS } from '../../bench/scenarios/index.ts';
import { tempDir } from '../support/tempDir.ts';

const BEFORE = '# Performance\n\nBy  people, as  they like it.\n\n';
const AFTER = '\n\n## Where the time goes\n\n|a|\n|-|\n|b|\n';
const ratio = { unit: 'ratio', better: null } as const;

function figure(name: string, value: number, more: Partial<Figure> = {}): Figure {
  return { name, value, unit: 's', better: 'less', ...more };
}

function entry(figures: readonly Figure[], more: Partial<Entry> = {}): Entry {
  return {
    date: '2026-11-21T15:00:00.000Z',
    commit: 'd53e6cc000000000000000000000000000000000',
    machine: { processor: 'A CPU', processors: 2, memoryGB: 8, kernel: 'Linux 6', node: 'v20.20.2' },
    quick: false,
    scenario: 'backlog',
    figures,
    skipped: [],
    ...more,
  };
}

async function office() {
  const root = tempDir('bench');
  for (const dir of ['bench', 'docs']) await mkdir(join(root, dir));
  const file = join(root, 'docs', 'performance.md');
  const text = `${BEFORE}<!-- figures: begin -->\n\nold\n\n<!-- figures: end -->${AFTER}`;
  await writeFile(file, text);
  return { root, file };
}

it('writes the last full runs between the marks, and nothing else', async () => {
  const { root, file } = await office();
  await appendHistory(root, entry([figure('time', 77)]));
  const figures = [
    figure('large: count', 5_000, { unit: 'count', better: null }),
    figure('large: size', 2_800, { unit: 'MB', better: null }),
    figure('large: receiptd, time', 9),
    figure('large: quick', 200, { unit: 'ms', target: 300 }),
    figure('large: slow', 250, { unit: 'ms', target: 300 }),
    figure('large: curl | xargs vs. curl', 6.9, ratio),
    figure('large: receiptd vs. curl', 1.92, { unit: 'ratio', target: 1.6 }),
    figure('small: receiptd vs. curl', 2.31, { unit: 'ratio', target: 2.5, note: 'Twice.' }),
    figure('neither: time', 9),
  ];
  await appendHistory(
    root,
    entry(figures, { dirty: true, skipped: ['rclone: this machine has no rclone.'] }),
  );
  await appendHistory(root, entry([figure('time', 88)], { quick: true }));
  await writePerformance(root, SCENARIOS);
  const text = await readFile(file, 'utf8');
  expect(text.startsWith(BEFORE)).toBe(true);
  expect(text.endsWith(`<!-- figures: end -->${AFTER}`)).toBe(true);
  const written = text.slice(BEFORE.length, -AFTER.length);
  expect(written).not.toMatch(/old|77|88/);
  expect(written).toContain('21 November 2026, commit d53e6cc with changes, machine A.');
  expect(written).toContain('- Machine A: 2 × A CPU, 8 GB of memory');
  expect(written).toContain('rclone: this machine has no rclone.');
  const lines = written.replaceAll(/ +/g, ' ').split('\n');
  const rows = lines.filter((line) => line.startsWith('|') && !line.includes('--'));
  expect(rows).toEqual([
    '| figure | measured | target |',
    '| large (5,000): receiptd vs. curl | 1.92 × | at most 1.6 × (missed) |',
    '| curl \\| xargs vs. curl | 6.9 × | |',
    '| slow | 250 ms | at most 300 ms |',
    '| small: receiptd vs. curl | 2.31 × | at most 2.5 × |',
  ]);
  expect(await check(`${written}\n`, { parser: 'markdown', printWidth: 110 })).toBe(true);
  await writePerformance(root, SCENARIOS);
  expect(await readFile(file, 'utf8')).toBe(text);
});

it('draws the ratios where a peer has one, and takes away what is no longer shown', async () => {
  const { root, file } = await office();
  const pictures = join(root, 'docs', 'performance');
  const peers = [
    figure('drawn: curl & co vs. curl', 6.9, ratio),
    figure('drawn: receiptd vs. curl', 1.92, { unit: 'ratio', target: 1.6 }),
  ];
  await appendHistory(root, entry(peers));
  await writePerformance(root, SCENARIOS);
  expect(await readdir(pictures)).toEqual(['backlog-drawn.svg']);
  expect(await readFile(file, 'utf8')).toContain('](performance/backlog-drawn.svg)');
  const svg = await readFile(join(pictures, 'backlog-drawn.svg'), 'utf8');
  for (const said of ['curl &amp; co', '6.9 ×', '1.92 ×', 'target 1.6 ×', 'prefers-color-scheme: dark'])
    expect(svg).toContain(said);
  await writeFile(join(pictures, 'profile.svg'), 'by people');
  await appendHistory(
    root,
    entry([figure('drawn: receiptd vs. curl', 1.92, { unit: 'ratio', target: 1.6 })]),
  );
  await writePerformance(root, SCENARIOS);
  expect(await readdir(pictures)).toEqual(['profile.svg']);
});
