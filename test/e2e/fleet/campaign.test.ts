import { afterAll, expect, test } from 'vitest';
import { killAgents } from '../../reliability/support/agentProcess.ts';
import { playRound } from '../../reliability/fleet/campaign.ts';
import { needsPostgres } from '../../support/postgres.ts';

afterAll(killAgents);

test.skipIf(!needsPostgres())(
  'three agents on one folder send everything once and at the limited rate, despite kills, freezes, disconnections and database crashes',
  async () => {
    // With all kinds of faults.
    const settings = { seed: 5586, seconds: 4, agents: 3, perSecond: 20 };
    const { breaches, story = [], figures = {} } = await playRound(settings);
    expect(breaches, story.join('\n')).toEqual([]);
    // A busy machine has time for fewer.
    expect(figures['documents']).toBeGreaterThan(5);
  },
);
