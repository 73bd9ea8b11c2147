import { endWithAgents } from '../support/agentProcess.ts';
import { trialOptions } from '../support/options.ts';
import { playCampaign } from './campaign.ts';

const COMMAND = 'npm run campaign -- fleet';

const options = trialOptions(
  COMMAND,
  {
    seed: { default: Date.now() % 1_000_000, least: 0, help: 'seed of the first campaign' },
    campaigns: {
      default: 1,
      least: 1,
      help: 'number of campaigns, one after another, each with the next seed',
    },
    seconds: {
      default: 60,
      least: 5,
      help: 'seconds of faults in each campaign, before everything is repaired',
    },
    agents: { default: 3, least: 1, help: 'number of agents' },
    rate: { default: 0, least: 0, help: 'requests per second for all agents together; 0: no limit' },
  },
  { story: 'print each fault as it happens' },
);

endWithAgents();

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const total: Record<string, number> = {};
let breached = 0;
for (let seed = options.seed; seed < options.seed + options.campaigns; seed += 1) {
  const { seconds, agents, rate } = options;
  const settings = { seed, seconds, agents, perSecond: rate === 0 ? null : rate };
  const startedAt = performance.now();
  const told = options.story ? (line: string) => say(`  ${line}`) : undefined;
  const { breaches, figures, real, keptAt } = await playCampaign(settings, told);
  for (const [what, count] of Object.entries(figures)) total[what] = (total[what] ?? 0) + count;
  const took = Math.round((performance.now() - startedAt) / 1000);
  say(
    `seed ${seed}, ${real ? 'photographed' : 'drawn'} receipts, ${took} s: ${breaches.length === 0 ? 'no breach' : 'BREACHED'}`,
  );
  for (const breach of breaches) say(`  BREACH: ${breach}`);
  if (keptAt === null) continue;
  breached += 1;
  const limit = rate === 0 ? '' : ` --rate ${rate}`;
  say(`  everything is kept in ${keptAt}`);
  say(`  to repeat: ${COMMAND} --seed ${seed} --seconds ${seconds} --agents ${agents}${limit}`);
}
say(
  Object.entries(total)
    .map(([what, count]) => `${what} ${count}`)
    .join(', '),
);
process.exit(breached === 0 ? 0 : 1);
