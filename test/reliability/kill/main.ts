import { spawnSync } from 'node:child_process';
import { endWithAgents } from '../support/agentProcess.ts';
import { trialOptions } from '../support/options.ts';
import { hasStrace } from './agent.ts';
import { playRounds, type Round } from './round.ts';
import { removeOpen } from './site.ts';
import { Tally } from './tally.ts';

/** Set in the child process that has its own mount namespace. */
const OWN_MOUNTS = 'RECEIPTD_CAMPAIGN_MOUNTS';
const COMMAND = 'npm run campaign -- kill';

const options = trialOptions(
  COMMAND,
  {
    rounds: {
      default: 220,
      least: 1,
      help: 'number of rounds; the default covers every ledger write of a first run',
    },
    from: { default: 1, least: 0, help: 'seed of the first round' },
    'at-once': { default: 2, least: 1, help: 'rounds to play at once' },
  },
  {
    story: 'print the story of every round',
    power:
      'cut the power instead: state directory and archives are on an ext4 that loses unsynced data (as root)',
  },
);

// Restarts itself in a private mount namespace for its disks.
if (options.power && process.env[OWN_MOUNTS] === undefined) {
  const again = ['--mount', '--propagation', 'private', process.execPath, ...process.argv.slice(1)];
  const { status } = spawnSync('unshare', again, {
    stdio: 'inherit',
    env: { ...process.env, [OWN_MOUNTS]: '1' },
  });
  process.exit(status ?? 1);
}

endWithAgents(removeOpen);

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const tally = new Tally();
const breached: number[] = [];
function tell(round: Round): void {
  const { plan, story, breaches, keptAt, ms } = round;
  tally.add(round);
  if (breaches.length === 0 && !options.story) return;
  say(`seed ${plan.seed}, ${Math.round(ms)} ms`);
  for (const line of story) say(`  ${line}`);
  for (const breach of breaches) say(`  BREACH: ${breach}`);
  if (breaches.length > 0) breached.push(plan.seed);
  if (keptAt === null) return;
  say(`  everything is kept in ${keptAt}`);
  say(`  to repeat: ${COMMAND} --rounds 1 --from ${plan.seed}${options.power ? ' --power' : ''}`);
}

if (!hasStrace) say('strace is missing: kills hit SQLite’s own writes only by chance.');
const { from, rounds, power } = options;
const startedAt = performance.now();
const { real } = await playRounds({ from, rounds, atOnce: options['at-once'], power }, tell);
const seconds = Math.round((performance.now() - startedAt) / 1000);
say(`Seeds ${from} to ${from + rounds - 1}, ${real ? 'photographed' : 'drawn'} receipts, ${seconds} s.`);
for (const line of tally.lines()) say(line);
if (breached.length > 0) say(`${breached.length} rounds with a breach: seeds ${breached.join(', ')}.`);
process.exit(breached.length === 0 ? 0 : 1);
