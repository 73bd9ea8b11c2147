/** Ignores row after row of the inventory in a copy of the program: the test that a row names must fail. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVitest, type Vitest } from 'vitest/node';
import YAML from 'yaml';
import { trialOptions } from '../reliability/support/campaign.ts';
import { IgnoringCopy, LISTS } from './ignoring.ts';

const { rows, write, seen } = trialOptions(
  'inventory',
  { rows: { default: 1_000, least: 1, help: 'how many rows to ignore at most' } },
  {
    seen: 'also rows that a run has already seen fail',
    write: 'takes (unseen) from the rows of inventory.yaml whose test failed',
  },
);
const UNSEEN = ' (unseen)';
const file = join(process.cwd(), 'test/inventory/inventory.yaml');
const inventory = YAML.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>;
const chosen = LISTS.flatMap((list) =>
  Object.entries(inventory[list] ?? {}).map(([id, its]) => ({ row: `${list} ${id}`, id, its })),
)
  .filter(({ its }) => its !== 'none' && (seen || its.endsWith(UNSEEN)))
  .slice(0, rows);

/** Whether the test passes: false also if it is skipped or missing. */
async function passes(vitest: Vitest, its: string): Promise<boolean> {
  const [path = '', title = ''] = its.replace(UNSEEN, '').split(' › ');
  const found = await vitest.globTestSpecifications([`test/${path}.test.ts`]);
  const specs = found.filter(({ moduleId }) => moduleId.endsWith(`/test/${path}.test.ts`));
  const literal = title.split(/%[a-z]|\$\w+|…/).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  vitest.setGlobalTestNamePattern(literal.join('.*'));
  const { testModules } = await vitest.runTestSpecifications(specs);
  const modules = testModules.filter(({ moduleId }) => specs.some((spec) => spec.moduleId === moduleId));
  const states = modules.flatMap((module) =>
    [...module.children.allTests()].map((test) => test.result().state),
  );
  return states.includes('passed') && !states.includes('failed');
}

const dir = mkdtempSync(join(tmpdir(), 'receiptd-inventory-'));
process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
const copy = new IgnoringCopy(process.cwd(), dir);
process.chdir(dir);
const vitest = await createVitest('test', { root: dir, watch: false, reporters: [{}], maxWorkers: 1 });
const sound = new Map<string, boolean>();
let unnoticed = 0;
for (const { row, id, its } of chosen) {
  copy.ignore([]);
  if (!sound.has(its)) sound.set(its, await passes(vitest, its));
  copy.ignore([row]);
  const isNoticed = sound.get(its) === true && !(await passes(vitest, its));
  if (!isNoticed) unnoticed += 1;
  const verdict = isNoticed ? 'noticed' : sound.get(its) ? 'NOT NOTICED' : 'fails or is skipped without it';
  process.stdout.write(`${row}: ${verdict} (${its.replace(UNSEEN, '')})\n`);
  if (!isNoticed || !write) continue;
  const text = readFileSync(file, 'utf8').split('\n');
  const at = text.findIndex(
    (line) => line.includes(UNSEEN) && line.includes(its) && /^ {2}['"]?(.*?)['"]?: /.exec(line)?.[1] === id,
  );
  text[at] = text[at]?.replace(UNSEEN, '') ?? '';
  writeFileSync(file, text.join('\n'));
}
process.stdout.write(`${chosen.length - unnoticed} of ${chosen.length} rows are noticed.\n`);
await vitest.close();
process.exit(unnoticed === 0 ? 0 : 1);
