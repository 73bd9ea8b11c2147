import { endWithAgents } from '../support/agentProcess.ts';
import { playRounds, roundsOf, trialOptions } from '../support/campaign.ts';
import { playRound } from './campaign.ts';

const options = trialOptions('fleet', {
  ...roundsOf(1, Date.now() % 1_000_000),
  seconds: { default: 60, least: 5, help: 'seconds of faults in each round, before everything is repaired' },
  agents: { default: 3, least: 1, help: 'number of agents' },
  rate: { default: 0, least: 0, help: 'requests per second for all agents together; 0: no limit' },
});

endWithAgents();
const { seconds, agents, rate } = options;
const perSecond = rate === 0 ? null : rate;
await playRounds('fleet', options, (seed) => playRound({ seed, seconds, agents, perSecond }));
process.exit();
