import { describe, expect, it, onTestFinished } from 'vitest';
import { SilentAgents } from '../../../../src/features/alerts/silence/silentAgents.ts';
import { OpenIncidents } from '../../../../src/daemon/openIncidents.ts';
import type { StorageTrouble } from '../../../../src/core/ports/ledger.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { FakeFleet } from '../../../support/fakeFleet.ts';
import { RecordedLog } from '../../../support/recordedLog.ts';

const MINUTE = 60_000;
const UNREACHABLE: StorageTrouble = { code: 'LEDGER_UNREACHABLE', message: 'Away.', hint: 'Wait.' };
const THERE = { name: 'there', host: 'there-pc', lastSeenAt: 0, silentMs: 10 * MINUTE };

function watching() {
  const [clock, log, fleet] = [new FakeClock(), new RecordedLog(), new FakeFleet()];
  const incidents = new OpenIncidents({ clock, log });
  const ledger: { trouble: StorageTrouble | null } = { trouble: null };
  const storage = { trouble: () => ledger.trouble };
  const stop = new AbortController();
  const running = new SilentAgents({ fleet, storage, incidents, clock, log }).run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  const said = () => incidents.list().map(({ code, params }) => ({ code, ...params }));
  return { clock, log, fleet, ledger, said };
}

describe('an agent that has fallen silent', () => {
  it('is reported with its host and the documents that wait for it alone, until it is back', async () => {
    const { clock, log, fleet, said } = watching();
    fleet.silent = [THERE];
    fleet.waiting.set('there', 12);
    await clock.advance(MINUTE);
    expect(said()).toEqual([
      {
        code: 'AGENT_SILENT',
        agent: 'there',
        host: 'there-pc',
        last: '1970-01-01T00:00:00.000Z',
        count: 12,
      },
    ]);
    fleet.waiting.clear();
    for (let i = 0; i < 61; i++) await clock.advance(MINUTE);
    expect(said()).toMatchObject([{ count: 0 }]);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    fleet.silent = [];
    await clock.advance(MINUTE);
    expect(said()).toEqual([]);
    expect(log.said('The problem is over')).toHaveLength(1);
  });

  it('is reported within a minute if documents wait for it, otherwise after ten', async () => {
    const { clock, fleet, said } = watching();
    fleet.silent = [
      { ...THERE, silentMs: 20_000 },
      { ...THERE, name: 'idle', silentMs: 20_000 },
    ];
    fleet.waiting.set('there', 1);
    await clock.advance(20_000);
    expect(said()).toMatchObject([{ agent: 'there', count: 1 }]);
  });

  it('is reported by the first running agent, or by the next one if the first is missing for long', async () => {
    const { clock, fleet, said } = watching();
    fleet.isFirst = false;
    fleet.silent = [THERE];
    for (let i = 0; i < 30; i++) await clock.advance(MINUTE);
    expect(said()).toEqual([]);
    fleet.isFirst = true;
    for (let i = 0; i < 10; i++) await clock.advance(MINUTE);
    expect(said()).toEqual([]);
    await clock.advance(MINUTE);
    expect(said()).toHaveLength(1);
    // It does not count as over when another agent reports it as well.
    fleet.isFirst = false;
    await clock.advance(MINUTE);
    expect(said()).toHaveLength(1);
  });

  it('has ten minutes to return once the ledger is back, and stays reported while the ledger is unreachable', async () => {
    const { clock, fleet, ledger, said } = watching();
    fleet.silent = [THERE];
    await clock.advance(MINUTE);
    ledger.trouble = UNREACHABLE;
    fleet.silent = [THERE, { ...THERE, name: 'yonder' }];
    for (let i = 0; i < 20; i++) await clock.advance(MINUTE);
    ledger.trouble = null;
    for (let i = 0; i < 10; i++) await clock.advance(MINUTE);
    expect(said()).toMatchObject([{ agent: 'there' }]);
    await clock.advance(MINUTE);
    expect(said()).toHaveLength(2);
  });
});
