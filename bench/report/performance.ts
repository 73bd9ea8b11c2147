import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { Scenario } from '../scenario.ts';
import { groups, type Group } from './groups.ts';
import { readHistory, type Entry } from './history.ts';
import { bars } from './plot.ts';
import { aim, amount, occasion, place, remark, verdict } from './words.ts';

const BEGIN = '<!-- figures: begin -->';
const END = '<!-- figures: end -->';

/** Rewrites the part of docs/performance.md between the two marks, and its pictures. The rest is written by hand. */
export async function writePerformance(root: string, scenarios: readonly Scenario[]): Promise<void> {
  const file = join(root, 'docs', 'performance.md');
  const text = await readFile(file, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${file} has no part between ${BEGIN} and ${END}`);
  const full = (await readHistory(root)).filter(({ quick }) => !quick);
  const sections: string[] = [];
  for (const scenario of scenarios) {
    const entry = full.findLast((each) => each.scenario === scenario.name);
    if (entry) sections.push(await section(root, scenario, entry));
  }
  const config = await resolveConfig(file);
  const formatted = await format(sections.join('\n\n'), { ...config, parser: 'markdown' });
  await writeFile(file, `${text.slice(0, begin)}${BEGIN}\n\n${formatted}\n${text.slice(end)}`);
}

async function section(root: string, { name, title }: Scenario, entry: Entry): Promise<string> {
  const found = groups(entry.figures);
  const pictures = await draw(root, name, title, found);
  const parts = found.flatMap((group) => {
    const picture = pictures.get(group);
    return [
      ...(group.name === '' ? [] : [`### ${heading(group.name)}`]),
      ...(picture === undefined
        ? []
        : [`![${heading(group.name || title)}: ratios as bars](performance/${picture})`]),
      rows(group),
    ];
  });
  const measured = `Measured on ${occasion(entry)}; ${place(entry.machine)}.`;
  const skipped = entry.skipped.map((sentence) => `- ${plain(sentence)}`).join('\n');
  return [`## ${title}`, plain(measured), ...parts, skipped].filter(Boolean).join('\n\n');
}

function rows({ figures }: Group): string {
  const lines = figures.map((figure) =>
    [figure.name, amount(figure.value, figure.unit), aim(figure), verdict(figure), remark(figure)].map(plain),
  );
  const table = [['figure', 'measured', 'target', '', 'note'], ['---', '--:', '---', '---', '---'], ...lines];
  const used = table[0]?.map((_, column) => lines.some((cells) => cells[column] !== ''));
  return table.map((cells) => `| ${cells.filter((_, column) => used?.[column]).join(' | ')} |`).join('\n');
}

/** Draws a picture for each load in which both the program and a peer have a ratio. @returns the names of the files */
async function draw(
  root: string,
  name: string,
  title: string,
  found: readonly Group[],
): Promise<Map<Group, string>> {
  const dir = join(root, 'docs', 'performance');
  await mkdir(dir, { recursive: true });
  const drawn = new Map<Group, string>();
  for (const group of found) {
    const ratios = group.figures.filter(({ unit }) => unit === 'ratio').toSorted((a, b) => a.value - b.value);
    if (new Set(ratios.map(({ better }) => better === null)).size < 2) continue;
    const file = `${[name, ...(group.name.toLowerCase().match(/[a-z0-9]+/g) ?? [])].join('-')}.svg`;
    await writeFile(join(dir, file), bars([title, group.name].filter(Boolean).join(': '), ratios));
    drawn.set(group, file);
  }
  const old = (await readdir(dir)).filter((file) => file === `${name}.svg` || file.startsWith(`${name}-`));
  for (const file of old.filter((each) => ![...drawn.values()].includes(each))) await rm(join(dir, file));
  return drawn;
}

const heading = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Escapes text for Markdown. */
const plain = (text: string): string => text.replace(/[\\|*_`<[\]]/g, (sign) => `\\${sign}`);
