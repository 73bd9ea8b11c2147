import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { trialOptions } from '../support/options.ts';
import { MUTATIONS, PROMISES } from './mutations.ts';
import { tryMutation } from './run.ts';

const ROOT = process.cwd();
const BUILD = fileURLToPath(new URL('../../..', import.meta.url));

const { workers, from, some } = trialOptions('npm run mutate --', {
  workers: { default: availableParallelism(), least: 1, help: 'worker processes of the simulation' },
  from: { default: 1, least: 1, help: 'first mutation, by its number in the list' },
  some: { default: MUTATIONS.length, least: 1, help: 'number of mutations' },
});

const chosen = MUTATIONS.slice(from - 1, from - 1 + some);
const survivors: string[] = [];
for (const [index, mutation] of chosen.entries()) {
  const started = performance.now();
  const { isKilled, by } = await tryMutation(mutation, { build: BUILD, root: ROOT, workers });
  if (!isKilled) survivors.push(mutation.what);
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  console.log(
    `${from + index}. ${isKilled ? 'killed' : 'SURVIVED'} (${seconds} s): ${mutation.what} [${mutation.promises.join(', ')}]\n   ${by}`,
  );
}
for (const promise of PROMISES) {
  const of = chosen.filter(({ promises }) => promises[0] === promise);
  const killed = of.filter(({ what }) => !survivors.includes(what));
  console.log(`${promise}: ${killed.length} of ${of.length}`);
}
console.log(`${chosen.length - survivors.length} of ${chosen.length} mutations were killed.`);
process.exitCode = survivors.length === 0 ? 0 : 1;
