/** The short form of `npm run campaign -- kill`. */
import { afterAll, expect, test } from 'vitest';
import { requirement } from '../../support/requires.ts';
import { killAgents } from '../support/agentProcess.ts';
import { loadImages } from '../support/images.ts';
import { hasStrace } from './agent.ts';
import { drawPlan } from './plan.ts';
import { playRound } from './round.ts';

/** Its round has all kinds of kills. */
const SEED = 10;

requirement('strace', hasStrace, 'Debian package strace');
afterAll(killAgents);

test('kills at random moments, at writes of the state directory and at SQLite’s own calls break no promise', async () => {
  const kinds = drawPlan(SEED).runs.map(({ kill }) => kill.kind);
  expect(kinds).toEqual(expect.arrayContaining(['moment', 'write', 'sqlite']));
  const images = await loadImages();
  const { breaches, story = [], figures = {} } = await playRound(SEED, images, { power: false });
  expect(breaches, story.join('\n')).toEqual([]);
  const kills = Object.entries(figures).filter(([what]) => what.startsWith('kills: '));
  expect(kills.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(1);
});
