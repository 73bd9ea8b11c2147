import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchOptions, type BenchOptions } from './options.ts';
import { compare } from './report/compare.ts';
import { appendHistory, environment } from './report/history.ts';
import { writePerformance } from './report/performance.ts';
import { table } from './report/table.ts';
import { SCENARIOS } from './scenarios/index.ts';

/** Relative to `build/bench`, where the compiled program is. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** `npm run bench`: runs the scenarios in sequence and records the findings of each as soon as it ends. */
async function run({ quick, only, dir }: BenchOptions): Promise<void> {
  const scratch = await mkdtemp(join(dir ?? tmpdir(), 'receiptd-bench-'));
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  // Node.js reads such a file at each start, which takes it 40 ms. The service of the benchmarks has no certificate.
  delete process.env['NODE_EXTRA_CA_CERTS'];
  try {
    // Read first, because edits during the run change the tree but not the measured build.
    const measured = await environment(ROOT);
    for (const scenario of SCENARIOS.filter(({ name }) => only.includes(name))) {
      say(`== ${scenario.title}`);
      const findings = await scenario.run({ quick, scratch, say });
      process.stdout.write(table(scenario, findings));
      const date = new Date().toISOString();
      await appendHistory(ROOT, { date, ...measured, quick, scenario: scenario.name, ...findings });
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  if (!quick) await writePerformance(ROOT, SCENARIOS);
}

const asked = benchOptions(
  SCENARIOS.map(({ name }) => name),
  process.argv.slice(2),
);
if (asked.kind === 'options' && asked.options.compare === null) await run(asked.options);
else {
  const { text, status } =
    asked.kind === 'said' ? asked : await compare(ROOT, asked.options.compare ?? 'HEAD', asked.options.only);
  (status === 0 ? process.stdout : process.stderr).write(text);
  process.exitCode = status;
}
