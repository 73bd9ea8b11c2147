import { afterAll, expect, test } from 'vitest';
import { killAgents } from '../support/agentProcess.ts';
import { hasStrace } from './agent.ts';
import { drawPlan, type Kill } from './plan.ts';
import { playRounds, type Round } from './round.ts';
import { Tally } from './tally.ts';
import { requirement } from '../../support/requires.ts';

/** Its round has all kinds of kills. */
const SEED = 10;

requirement('strace', hasStrace, 'Debian package strace');
afterAll(killAgents);

test('kills at random moments, at writes of the state directory and at SQLite’s own calls break no promise', async () => {
  const kinds = new Set<Kill['kind']>(drawPlan(SEED).runs.map(({ kill }) => kill.kind));
  expect([...kinds]).toEqual(expect.arrayContaining(['moment', 'write', 'sqlite']));

  const rounds: Round[] = [];
  await playRounds({ from: SEED, rounds: 1, atOnce: 1, power: false }, (round) => rounds.push(round));
  expect(
    rounds.flatMap(({ plan, story, breaches, keptAt }) =>
      breaches.length > 0 ? [{ seed: plan.seed, breaches, story, keptAt }] : [],
    ),
  ).toEqual([]);
  const tally = new Tally();
  for (const round of rounds) tally.add(round);
  expect(tally.rounds).toBe(1);
  expect(tally.kills).toBeGreaterThan(1);
});

test('a seed always draws the same round, and different seeds differ', () => {
  expect(drawPlan(7)).toEqual(drawPlan(7));
  expect(drawPlan(7)).not.toEqual(drawPlan(8));
});
