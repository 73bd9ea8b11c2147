import { afterAll, expect, test } from 'vitest';
import { killAgents } from '../support/agentProcess.ts';
import { hasStrace } from './agent.ts';
import { playCampaign } from './campaign.ts';
import { drawPlan, type Kill } from './plan.ts';
import { requirement } from '../../support/requires.ts';
import { hasTurn } from '../../support/turns.ts';

/** Seeds whose rounds have all these kinds of kills. They take turns. */
const SEEDS = [10, 28, 34];
const ROUNDS = SEEDS.filter((_, at) => hasTurn(at, SEEDS.length));

requirement('strace', hasStrace, 'Debian package strace');
afterAll(killAgents);

test('kills at random moments, at writes of the state directory and at SQLite’s own calls break no promise', async () => {
  for (const seed of ROUNDS) {
    const kinds = new Set<Kill['kind']>(drawPlan(seed).runs.map(({ kill }) => kill.kind));
    expect(kinds).toContain('moment');
    expect(kinds).toContain('write');
    expect(kinds).toContain('sqlite');

    const { tally, breached } = await playCampaign({ from: seed, rounds: 1, atOnce: 1 });
    expect(
      breached.map(({ plan, story, breaches, keptAt }) => ({ seed: plan.seed, breaches, story, keptAt })),
    ).toEqual([]);
    expect(tally.rounds).toBe(1);
    expect(tally.kills).toBeGreaterThan(1);
  }
  expect(ROUNDS).not.toEqual([]);
});

test('a seed always draws the same round, and different seeds differ', () => {
  expect(drawPlan(7)).toEqual(drawPlan(7));
  expect(drawPlan(7)).not.toEqual(drawPlan(8));
});
