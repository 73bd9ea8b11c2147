import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithAgents } from '../support/agentProcess.ts';
import { playRounds, roundsOf, trialOptions } from '../support/campaign.ts';
import { tableOf } from './flatness.ts';
import { soak } from './soak.ts';

const options = trialOptions('soak', {
  ...roundsOf(1),
  minutes: { default: 5, least: 1, help: 'duration of the faults, in minutes' },
  rate: { default: 30, least: 1, help: 'receipts per second, on average' },
});

endWithAgents();
const tell = (line: string): void => void process.stdout.write(`${line}\n`);
await playRounds('soak', options, async (seed) => {
  const samplesFile = join(tmpdir(), `receiptd-soak-${seed}-${process.pid}.jsonl`);
  tell(`seed ${seed}; samples in ${samplesFile}`);
  const { minutes, rate } = options;
  const { flatness, ...outcome } = await soak({
    seconds: minutes * 60,
    seed,
    rate,
    samplesFile,
    tell,
  });
  const growing = (flatness ?? []).filter(({ flat }) => !flat).map(({ what }) => `${what} grows`);
  if (flatness) tell(tableOf(flatness));
  return { ...outcome, breaches: [...outcome.breaches, ...growing] };
});
