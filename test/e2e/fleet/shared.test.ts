/** Two built agents, one shared folder, one PostgreSQL, one service. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../../support/images.ts';
import { freshDatabase, needsPostgres } from '../../support/postgres.ts';
import {
  practiceService,
  prepare,
  Site,
  storedOnce,
  temporaryDirectory,
  until,
  type ConfigKeys,
} from '../support/agent.ts';
import { cleanUp } from '../../support/cleanUp.ts';
import { quickly } from '../support/commandLine.ts';
import type { Sandbox } from '../../../src/sandbox/server.ts';

interface Agent {
  readonly name: string;
  readonly state: 'running' | 'stopped' | 'silent';
  readonly queued: number;
  readonly uploading: number;
  readonly leads: readonly string[];
  readonly paused: { readonly by: string } | null;
}

const LEASE = '5s';

/** A machine of the fleet, with its own state directory and configuration, and the shared folder. */
async function machine(
  name: string,
  { sandbox, scans, url }: { sandbox: Sandbox; scans: string; url: string },
  more: ConfigKeys = {},
): Promise<Site> {
  const site = new Site(await temporaryDirectory(), sandbox);
  await site.configure({
    folders: [sharedFolder(scans)],
    ledger: { kind: 'postgres', url, agent: name, lease: LEASE },
    ...more,
  });
  return site;
}

function sharedFolder(path: string) {
  return { path, endpoint: 'office', share: 'scans', settle: { short: '50ms' } };
}

async function fleet() {
  const database = await freshDatabase();
  cleanUp(() => database.remove());
  const sandbox = await practiceService();
  const scans = join(await temporaryDirectory(), 'scans');
  const place = { sandbox, scans, url: database.url };
  const drop = async (...names: string[]): Promise<void> => {
    for (const name of names)
      await writeFile(join(scans, `${name}.jpg`), await drawReceipt({ type: 'jpeg', seed: name }));
  };
  return { ...place, place, drop };
}

async function agentsOf(site: Site): Promise<Record<string, Agent>> {
  const { stdout } = await site.look('fleet', 'status', '--json');
  const { agents } = JSON.parse(stdout) as { agents: Agent[] };
  return Object.fromEntries(agents.map((agent) => [agent.name, agent]));
}

async function holdsOf(site: Site): Promise<unknown[]> {
  const { stdout } = await site.look('status', '--json');
  return (JSON.parse(stdout) as { holds: unknown[] }).holds;
}

/** Names at the service, by image. */
function stored(sandbox: Sandbox): string[] {
  return sandbox.received().map(({ name }) => name);
}

const many = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe.skipIf(!needsPostgres())('two agents on one folder', () => {
  test('get pauses of the whole fleet, together send each image once; after one is killed, the other continues its work and retires it', async () => {
    const { sandbox, drop, place } = await fleet();
    const own = await temporaryDirectory();
    const [shared, mine] = [sharedFolder(place.scans), { path: own, endpoint: 'office' }];
    const one = await machine('one', place, { folders: [shared, mine] });
    const [two, desk] = [await machine('two', place), await machine('desk', place)];
    const first = await one.start();
    await until(async () => (await agentsOf(two))['one']?.leads[0] === 'scans');
    const second = await two.quickStart();

    // Pauses apply to the whole fleet, and commands also work on a machine without an agent.
    for (const name of ['one', 'two']) expect((await desk.look('fleet', 'pause', name)).status).toBe(0);
    await drop('a');
    await until(async () => (await desk.list()).some(({ state }) => state === 'queued'));
    for (const site of [one, two])
      await until(async () => (await site.look('status')).stdout.includes('This agent is paused by'));
    // The desk is not listed, because it is not an agent.
    const paused = await agentsOf(desk);
    expect(Object.keys(paused)).toEqual(['one', 'two']);
    expect(paused['two']).toMatchObject({ state: 'running', paused: { by: expect.any(String) as string } });
    expect(stored(sandbox)).toEqual([]);
    // Through the paused agent itself.
    expect((await one.look('fleet', 'resume', 'two')).status).toBe(0);
    await until(() => stored(sandbox).length === 1);
    expect(first.stderr).not.toContain('"message":"Accepted"');

    // A pause of the folder applies to the whole fleet.
    expect((await two.look('pause', place.scans)).stdout).toContain('Paused');
    await drop('b');
    await until(async () => (await desk.list()).length === 2);
    expect((await desk.look('status')).stdout).toContain('[UPLOADS_PAUSED]');
    expect((await one.look('fleet', 'resume', 'one')).status).toBe(0);
    expect((await one.look('resume', place.scans)).stdout).toContain('Resumed');
    await until(() => stored(sandbox).length === 2);
    expect(await desk.look('fleet', 'pause', 'three')).toBeRefused(1, 'AGENT_UNKNOWN', 'three');
    // Together, they send each image once.
    const earlier = stored(sandbox).length;
    const [firstSaid, secondSaid] = [first.stderr.length, second.stderr.length];
    sandbox.misbehave({ kind: 'delay', delayMs: 3_600_000 });
    await drop(...many('x', 24));
    const accepted = async (count: number): Promise<boolean> => {
      const rows = (await two.list()).filter(({ path }) => path?.startsWith(place.scans));
      return rows.length === count && rows.every(({ state }) => state === 'accepted');
    };
    // More than one of them may send at once: both take part.
    await until(() => sandbox.stats().uploadsInFlight === 8, 'both to send');
    sandbox.behave();
    await until(() => accepted(earlier + 24), 'all of them to be accepted');
    expect(new Set(stored(sandbox)).size).toBe(earlier + 24);
    expect(stored(sandbox)).toHaveLength(earlier + 24);
    const { stdout: said } = await two.look('status');
    expect(said).toContain('On standby since');
    expect(said).toContain('Agent one picks up its scans');
    expect(first.stderr.slice(firstSaid)).toContain('"message":"Accepted"');
    expect(second.stderr.slice(secondSaid)).toContain('"message":"Accepted"');

    // The service asks one of them to wait: once they know, none sends before that time is over.
    const before = sandbox.arrivals().length;
    sandbox.misbehave({ kind: 'status', status: 429, retryAfter: 3, times: 1 });
    await drop('w0');
    // On a machine that is too busy to see it, the time may be over.
    const isOver = () => sandbox.arrivals().length > before + 1;
    for (const site of [one, two])
      await until(async () => isOver() || (await holdsOf(site)).length > 0, 'both to know');
    await drop(...many('later', 3));
    await until(() => accepted(earlier + 28), 'those that had to wait to be accepted');
    const [refusedAt = 0, ...others] = sandbox.arrivals().slice(before);
    expect(others).toHaveLength(4);
    expect(Math.min(...others)).toBeGreaterThan(refusedAt + 2_900);

    // Killed during its own requests, whose answers never arrive.
    await two.look('fleet', 'pause', 'two');
    await until(async () => (await two.look('status')).stdout.includes('This agent is paused by'));
    sandbox.misbehave({ kind: 'stall', at: 'beforeAnswer' });
    const arrived = sandbox.arrivals().length;
    await drop(...many('y', 6));
    // It may still send fewer at once since it was asked to wait.
    await until(() => sandbox.stats().uploadsInFlight > 0);
    await writeFile(join(own, 'only.jpg'), await drawReceipt({ type: 'jpeg', seed: 'only' }));
    await until(
      async () => (await two.list()).length === earlier + 35,
      'an image of its own folder to be named',
    );
    await first.kill();
    const interrupted = sandbox.arrivals().length - arrived;
    sandbox.behave();
    await two.look('fleet', 'resume', 'two');
    await until(async () => (await agentsOf(two))['two']?.leads[0] === 'scans', 'the lead to be taken over');
    expect((await agentsOf(two))['one']).toMatchObject({ state: 'silent' });
    await drop(...many('z', 3));
    await until(() => accepted(earlier + 37), 'all of them to be accepted');
    // Requests in flight may have arrived, and are marked accordingly.
    const again = (await two.list()).filter(({ answerLost }) => answerLost);
    expect(again.length).toBeGreaterThanOrEqual(interrupted);
    expect(new Set(again.map(({ attempts }) => attempts))).toEqual(new Set([2]));
    expect((await storedOnce(two)).size).toBe(earlier + 37);

    // Documents that only the dead agent could read are settled, and the agent is removed.
    expect((await two.look('fleet', 'pause', 'one')).stdout).toContain('Agent one is silent, and was last');
    expect(await two.look('fleet', 'retire', 'one')).toBeRefused(
      2,
      'CONFIRMATION_NEEDED',
      '1 document waits',
    );
    expect((await two.look('fleet', 'retire', 'one', '--yes')).stdout).toBe(
      'Agent one is retired.\nLost: 1 document of its own folders. `receiptd list --state lost` shows them.\n',
    );
    expect(Object.keys(await agentsOf(two))).toEqual(['two']);
    expect(await two.look('fleet', 'pause', 'one')).toBeRefused(1, 'AGENT_UNKNOWN', 'one');
    expect((await two.list()).filter(({ state }) => state === 'lost')).toHaveLength(1);
    expect((await second.stop()).status).toBe(0);
    expect((await agentsOf(two))['two']).toMatchObject({ state: 'stopped', leads: [] });
  });
});

test('a ledger of a single agent has no fleet, which the fleet commands report', async () => {
  const site = await prepare();
  expect(await site.look('fleet', 'status')).toMatchObject({
    status: 0,
    stdout: 'This agent does not share its ledger. `receiptd status` shows how this agent is doing.\n',
  });
  expect(JSON.parse((await site.look('fleet', 'status', '--json')).stdout)).toEqual({ agents: null });
  const refused = await quickly(site, ['fleet', 'pause', 'one', '--config', site.config]);
  expect(refused).toBeRefused(2, 'USAGE', '`receiptd pause`');
});
