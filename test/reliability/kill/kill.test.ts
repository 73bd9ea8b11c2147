import { afterAll, expect, test } from 'vitest';
import { hasStrace, killAll } from './agent.ts';
import { playCampaign } from './campaign.ts';
import { drawPlan, type Kill } from './plan.ts';
import { requirement } from '../../support/requires.ts';

/** The first of a mix; each has kills of more than one kind. */
const FROM = 1;
const ROUNDS = 2;

requirement('strace', hasStrace, 'Debian package strace');
afterAll(killAll);

test('rounds of kills at random moments, at writes of the state directory and at SQLite’s own breach no promise', async () => {
  const plans = Array.from({ length: ROUNDS }, (_, index) => drawPlan(FROM + index));
  const kinds = new Set<Kill['kind']>(plans.flatMap(({ runs }) => runs.map(({ kill }) => kill.kind)));
  expect(kinds).toContain('moment');
  expect(kinds).toContain('write');
  expect(kinds).toContain('sqlite');

  const { tally, breached } = await playCampaign({ from: FROM, rounds: ROUNDS, atOnce: 3 });
  expect(
    breached.map(({ plan, story, breaches, keptAt }) => ({ seed: plan.seed, breaches, story, keptAt })),
  ).toEqual([]);
  expect(tally.rounds).toBe(ROUNDS);
  expect(tally.kills).toBeGreaterThan(ROUNDS);
});

test('a seed draws the same round every time, and another seed another', () => {
  expect(drawPlan(7)).toEqual(drawPlan(7));
  expect(drawPlan(7)).not.toEqual(drawPlan(8));
});
