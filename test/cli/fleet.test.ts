import { describe, expect, it } from 'vitest';
import { fleetTable } from '../../src/cli/fleet.ts';
import type { FleetAgentJson } from '../../src/control/protocol/fleet.ts';
import { fleetNotes, fleetOf } from '../../src/control/queries/fleet.ts';
import type { FleetAgent } from '../../src/core/ports/fleet.ts';
import { cliTextsIn } from '../../src/texts/cli.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { FakeFleet } from '../support/fakeFleet.ts';

const texts = await cliTextsIn('en', String);
const NOW = Date.UTC(2026, 2, 2, 9);
const FRONT: FleetAgent = {
  name: 'front',
  host: 'pc-1',
  version: '1.2.3',
  state: 'running',
  startedAt: NOW - 3_600_000,
  lastSeenAt: NOW - 1_000,
  paused: null,
  queued: 1_204,
  uploading: 4,
  leads: ['scans', 'post'],
  holds: [],
};
const BACK: FleetAgent = {
  ...FRONT,
  name: 'back',
  state: 'silent',
  lastSeenAt: NOW - 300_000,
  paused: { by: 'anna', since: NOW },
  queued: 1,
  uploading: 0,
  leads: [],
  holds: [
    {
      scope: 'credentials',
      key: 'https://service.example',
      reason: 'HTTP_401',
      message: 'Not taken.',
      since: NOW,
      until: null,
      demandedUntil: null,
    },
  ],
};

async function jsonOf(agents: readonly FleetAgent[]): Promise<readonly FleetAgentJson[]> {
  const { agents: found } = await fleetOf({ fleet: { agents: async () => agents } });
  return found ?? [];
}

describe('the fleet', () => {
  it('is a table with the state, last contact, backlog and pauses of each agent', async () => {
    const lines = fleetTable(await jsonOf([BACK, FRONT]), texts, NOW).split('\n');
    expect(lines).toHaveLength(4);
    const cells = (line = '') => line.split(/ {2,}/);
    const { columns, states, ago, now, pausedBy } = texts.fleet;
    expect(cells(lines[0])).toEqual(Object.values(columns));
    expect(cells(lines[2])).toEqual([
      'back',
      'pc-1',
      '1.2.3',
      states.silent,
      ago(300_000),
      '1',
      '0',
      '-',
      'credentials',
      pausedBy('anna', new Date(NOW).toISOString()),
    ]);
    expect(cells(lines[3])).toEqual([
      'front',
      'pc-1',
      '1.2.3',
      states.running,
      now,
      '1,204',
      '4',
      'scans, post',
      '-',
      '-',
    ]);
  });

  it('escapes terminal sequences in the name of an agent', async () => {
    const text = fleetTable(await jsonOf([{ ...FRONT, name: 'x\u001b[2J', lastSeenAt: null }]), texts, NOW);
    expect(text).not.toContain('\u001b');
    expect(text).toContain(texts.fleet.never);
  });

  it('is queried once every ten seconds at most, and has no summary if the ledger is unreachable', async () => {
    const clock = new FakeClock();
    const fleet = new FakeFleet();
    const counted = { times: 0 };
    const agents = async () => {
      counted.times += 1;
      if (counted.times === 2) throw new Error('away');
      return fleet.agents();
    };
    const note = fleetNotes({ fleet: { agents } }, clock);
    for (const _ of [1, 2, 3])
      expect(await note()).toMatchObject({ kind: 'fleet', agents: [{ name: 'here' }] });
    expect(counted.times).toBe(1);
    await clock.advance(10_000);
    expect(await note()).toBeNull();
    expect(await fleetNotes({ fleet: null }, clock)()).toBeNull();
    expect(await fleetOf({ fleet: null })).toEqual({ agents: null });
  });
});
