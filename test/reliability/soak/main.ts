import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithAgents } from '../support/agentProcess.ts';
import { trialOptions } from '../support/options.ts';
import { tableOf } from './flatness.ts';
import { soak } from './soak.ts';

const { minutes, seed, rate } = trialOptions('npm run campaign -- soak', {
  minutes: { default: 5, least: 1, help: 'duration of the faults, in minutes' },
  seed: { default: 1, least: 0, help: 'the same seed makes the same choices' },
  rate: { default: 30, least: 1, help: 'receipts per second, on average' },
});

endWithAgents();

const samplesFile = join(tmpdir(), `receiptd-soak-${seed}-${process.pid}.jsonl`);
const tell = (line: string): void => void process.stdout.write(`${line}\n`);
tell(`soak: ${minutes} min, seed ${seed}, ${rate} receipts per second; samples in ${samplesFile}`);

const { breaches, counts, flatness, dir } = await soak({
  seconds: minutes * 60,
  seed: String(seed),
  rate,
  samplesFile,
  tell,
});

for (const [what, count] of Object.entries(counts).toSorted(([a], [b]) => a.localeCompare(b)))
  tell(`${String(count).padStart(9)}  ${what}`);
if (flatness) tell(`\n${tableOf(flatness)}\n`);
const growing = (flatness ?? []).filter(({ flat }) => !flat).map(({ what }) => `${what} grows`);
const all = [...breaches, ...growing];
for (const breach of all.slice(0, 40)) tell(`BREACH ${breach}`);
if (all.length > 0) {
  tell(
    `${all.length} breaches; everything is kept in ${dir}; to repeat: npm run campaign -- soak --minutes ${minutes} --seed ${seed} --rate ${rate}`,
  );
  process.exitCode = 1;
} else tell('clean');
