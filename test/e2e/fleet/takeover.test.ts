import { describe, expect, test } from 'vitest';
import { needsPostgres } from '../../support/postgres.ts';
import { until } from '../support/agent.ts';
import { Desk } from './desk.ts';

describe.skipIf(!needsPostgres())('the work of an agent whose lease has run out', () => {
  test('if killed while it splits PDFs: another agent continues, and every page is sent once', async () => {
    const desk = await Desk.open({ agents: 2 });
    const { sandbox } = desk.site;
    const a = await desk.start(0);
    await desk.start(1);
    for (const name of ['first.pdf', 'second.pdf']) await desk.feed(name, 7);
    await until(() => sandbox.received().length >= 8, 'pages of the second file');
    await a.kill();
    expect(sandbox.received().length).toBeLessThan(14);
    await desk.settled();

    const { world, breaches } = await desk.judged();
    expect(breaches).toEqual([]);
    expect(world.stored).toHaveLength(14);
    expect(new Set(world.attempts.map(({ agent }) => agent))).toEqual(new Set(['pc-a', 'pc-b']));
    expect(world.sightings.map(({ path, verdict }) => [path, verdict]).sort()).toEqual(
      ['first.pdf', 'second.pdf'].map((name) => [name, 'split']),
    );
  });

  test('if frozen for longer than its lease: its late writes are refused, and it continues under a new lease', async () => {
    const desk = await Desk.open({ agents: 2 });
    const { sandbox } = desk.site;
    sandbox.misbehave({ kind: 'delay', delayMs: 500, times: 1 });
    const a = await desk.start(0);
    await desk.scan(1);
    await until(() => sandbox.stats().uploadsInFlight === 1, 'an upload to be under way');
    a.freeze();
    await desk.start(1);
    // Meanwhile, the answer waits for the frozen agent.
    await desk.settled();
    expect(sandbox.received()).toMatchObject([{ tries: 2 }]);
    a.thaw();
    await until(async () => (await desk.site.epochOf('pc-a')) === 3, 'agent pc-a to begin anew');
    await desk.agent(1).stop();
    await desk.scan(1);
    await desk.settled();

    const { world, breaches } = await desk.judged();
    expect(breaches).toEqual([]);
    expect(world.attempts).toMatchObject([
      { document: 1, agent: 'pc-a', outcome: 'unknown' },
      { document: 1, agent: 'pc-b', outcome: 'accepted' },
      { agent: 'pc-a', outcome: 'accepted' },
    ]);
  });
});
