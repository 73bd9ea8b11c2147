import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { needsPostgres } from '../../support/postgres.ts';
import { until } from '../support/agent.ts';
import { Desk } from './desk.ts';

describe.skipIf(!needsPostgres())('a temporarily unreachable database', () => {
  test('behind a half-open connection: images are deferred, and sent once it is back', async () => {
    const desk = await Desk.open({ agents: 1 });
    const a = await desk.start(0);
    await desk.scan(1);
    await desk.settled();
    a.proxy.hang();
    await until(async () => (await a.log()).includes("The ledger can't be reached"), 'the agent to notice');
    await desk.scan(5);
    await desk.deferred(a, 5);
    // The bytes are in the spool.
    const [gone] = desk.scans.slice(-1);
    if (gone) await rm(join(desk.site.folder, gone.path));
    if (gone) gone.isThere = false;
    expect(desk.site.sandbox.received()).toHaveLength(1);
    a.proxy.heal();
    await desk.settled();

    const { world, breaches } = await desk.judged();
    expect(breaches).toEqual([]);
    expect(world.stored.map(({ tries }) => tries)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('at the start of an agent: the agent waits for it, and defers the images that it finds', async () => {
    const desk = await Desk.open({ agents: 1 });
    const { cluster } = desk.site;
    const a = await desk.start(0);
    await a.stop();
    await cluster.stop();
    await desk.start(0);
    await desk.scan(2);
    await desk.deferred(a, 2);
    await cluster.start();
    await desk.settled();

    const { world, breaches } = await desk.judged();
    expect(breaches).toEqual([]);
    expect(world.stored.map(({ tries }) => tries)).toEqual([1, 1]);
  });

  test('that is replaced by its standby: the agents find the standby among the hosts of their URL', async () => {
    const desk = await Desk.open({ agents: 2, withStandby: true });
    const { site } = desk;
    await Promise.all([desk.start(0), desk.start(1)]);
    await desk.scan(10);
    await until(() => site.sandbox.received().length >= 3, 'the first uploads');
    await site.failOver();
    await desk.scan(10);
    await desk.settled();

    const { world, breaches } = await desk.judged();
    expect(breaches).toEqual([]);
    expect(world.stored).toHaveLength(20);
  });
});
