import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { Figure, Scenario } from '../scenario.ts';
import { groups, type Group } from './groups.ts';
import { readHistory } from './history.ts';
import { bars } from './plot.ts';
import { aim, amount, occasion, place, verdict } from './words.ts';

const BEGIN = '<!-- figures: begin -->';
const END = '<!-- figures: end -->';

/** Rewrites the part of docs/performance.md between the two marks, and its pictures. The rest is written by hand. */
export async function writePerformance(root: string, scenarios: readonly Scenario[]): Promise<void> {
  const file = join(root, 'docs', 'performance.md');
  const text = await readFile(file, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${file} has no part between ${BEGIN} and ${END}`);
  const full = (await readHistory(root)).filter(({ quick }) => !quick);
  const machines: string[] = [];
  const sections: string[] = [];
  for (const scenario of scenarios) {
    const entry = full.findLast((each) => each.scenario === scenario.name);
    if (!entry) continue;
    const found = groups(entry.figures)
      .map((group) => ({ ...group, figures: shown(group.figures) }))
      .filter(({ figures }) => figures.length > 0);
    const pictures = await draw(root, scenario, found);
    if (found.length === 0) continue;
    const machine = place(entry.machine);
    if (!machines.includes(machine)) machines.push(machine);
    const measured = `${occasion(entry)}, machine ${letter(machines.indexOf(machine))}.`;
    const skipped = entry.skipped.map((sentence) => `Not compared: ${sentence}`);
    sections.push(`### ${scenario.title}`, plain([measured, ...skipped].join(' ')), ...pictures, rows(found));
  }
  const list = machines.map((machine, index) => `- Machine ${letter(index)}: ${plain(machine)}`).join('\n');
  const config = await resolveConfig(file);
  const formatted = await format([list, ...sections].join('\n\n'), { ...config, parser: 'markdown' });
  await writeFile(file, `${text.slice(0, begin)}${BEGIN}\n\n${formatted}\n${text.slice(end)}`);
}

/**
 * What the page shows of a load: how much it was, each ratio, and of the figures that share a target the one that is
 * closest to missing it; nothing of a load with neither. `bench/history.jsonl` has the rest.
 */
function shown(figures: readonly Figure[]): readonly Figure[] {
  const closest = new Map<string, Figure>();
  for (const figure of figures) {
    const { name, value, unit, better, target } = figure;
    if (unit !== 'ratio' && target === undefined) continue;
    const key = unit === 'ratio' ? name : `${better} ${target} ${unit}`;
    const other = closest.get(key);
    if (!other || (better === 'more' ? value < other.value : value > other.value)) closest.set(key, figure);
  }
  if (closest.size === 0) return [];
  const amounts = figures.filter(({ unit, better }) => unit === 'count' && better === null);
  return [...amounts, ...closest.values()];
}

/** Names the load and its count in its first row. */
function rows(found: readonly Group[]): string {
  const lines = found.flatMap(({ name: load, figures }) => {
    const count = figures.find(({ name }) => load !== '' && name === 'count');
    const named = count ? `${load} (${amount(count.value, count.unit)})` : load;
    return figures
      .filter((figure) => figure !== count)
      .map((figure, index) => {
        const name = index === 0 && load !== '' ? `${named}: ${figure.name}` : figure.name;
        const missed = verdict(figure).startsWith('not') ? ' (missed)' : '';
        return [name, amount(figure.value, figure.unit), aim(figure) + missed].map(plain);
      });
  });
  const table = [['figure', 'measured', 'target'], ['---', '--:', '---'], ...lines];
  const used = table[0]?.map((_, column) => lines.some((cells) => cells[column] !== ''));
  return table.map((cells) => `| ${cells.filter((_, column) => used?.[column]).join(' | ')} |`).join('\n');
}

/** Draws a picture for each load in which both the program and a peer have a ratio. @returns the links to them */
async function draw(root: string, { name, title }: Scenario, found: readonly Group[]): Promise<string[]> {
  const dir = join(root, 'docs', 'performance');
  await mkdir(dir, { recursive: true });
  const drawn = new Map<string, string>();
  for (const group of found) {
    const ratios = group.figures.filter(({ unit }) => unit === 'ratio').toSorted((a, b) => a.value - b.value);
    if (new Set(ratios.map(({ better }) => better === null)).size < 2) continue;
    const file = `${[name, ...(group.name.toLowerCase().match(/[a-z0-9]+/g) ?? [])].join('-')}.svg`;
    await writeFile(join(dir, file), bars([title, group.name].filter(Boolean).join(': '), ratios));
    drawn.set(file, `![${capital(group.name || title)}](performance/${file})`);
  }
  const old = (await readdir(dir)).filter((file) => file === `${name}.svg` || file.startsWith(`${name}-`));
  for (const file of old.filter((each) => !drawn.has(each))) await rm(join(dir, file));
  return [...drawn.values()];
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Names the machines of the page `A`, `B`, ... */
const letter = (index: number): string => String.fromCodePoint(65 + index);

/** Escapes text for Markdown. */
const plain = (text: string): string => text.replace(/[\\|*_`<[\]]/g, (sign) => `\\${sign}`);
