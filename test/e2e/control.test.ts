import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { keepForFile } from '../support/cleanUp.ts';
import { quickly } from './support/commandLine.ts';
import { drawReceipt } from '../support/images.ts';
import { DEPOT, OFFICE, prepare, storedOnce, until, type Site } from './support/agent.ts';

const STATUS = z.object({
  daemon: z
    .object({ pid: z.number(), folders: z.array(z.object({ path: z.string(), state: z.string() })) })
    .nullable(),
  counts: z.array(z.object({ state: z.string(), count: z.number() })),
  holds: z.array(z.object({ scope: z.string(), reason: z.string(), until: z.string().nullable() })),
  problems: z.array(z.object({ code: z.string(), needsAttention: z.boolean() })),
});
const DETAIL = z.array(
  z.object({
    name: z.string(),
    endpointUid: z.string(),
    state: z.string(),
    status: z.string().nullable(),
    attempts: z.array(z.object({ outcome: z.string().nullable(), httpStatus: z.number().nullable() })),
    files: z.array(z.object({ path: z.string() })),
  }),
);
const ENDPOINTS = z.array(
  z.object({ alias: z.string().nullable(), uid: z.string(), name: z.string().nullable() }),
);

const statusOf = async (site: Site) => STATUS.parse(JSON.parse((await site.look('status', '--json')).stdout));
const show = async (site: Site, name: string) =>
  DETAIL.parse(JSON.parse((await site.look('show', name, '--json')).stdout));

async function drop(site: Site, name: string): Promise<void> {
  await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
}

async function nameOf(site: Site, file: string): Promise<string> {
  const row = (await site.list()).find(({ path }) => path === site.file('inbox', file));
  if (!row?.name) throw new Error(`${file} has no name`);
  return row.name;
}

async function untilState(site: Site, file: string, state: string): Promise<void> {
  const path = site.file('inbox', file);
  await until(
    async () => (await site.list()).some((row) => row.path === path && row.state === state),
    `${file} to be ${state}`,
  );
}

describe.each(['beside a running agent', 'without one'])('changing commands %s', (where) => {
  const beside = where === 'beside a running agent';
  let site: Site;
  let end: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    site = await prepare();
    if (beside) await site.quickStart();
    end = keepForFile();
  });
  afterAll(() => end?.());

  /** Lets the agent work: it is running, or runs once now. */
  async function go(): Promise<void> {
    if (!beside) await site.quickOnce();
  }

  test('pause and resume a folder and an endpoint', async () => {
    const inbox = site.file('inbox');
    for (const target of [inbox, 'office']) {
      const file = `${target === inbox ? 'folder' : 'endpoint'}.jpg`;
      expect(await site.quickMust('pause', target)).toBe(`Paused ${target}.\n`);
      await drop(site, file);
      await go();
      // The image is named and recorded, and waits.
      await untilState(site, file, 'held');
      const { holds, daemon } = await statusOf(site);
      const paused = daemon?.folders.map(({ state }) => state);
      expect(holds).toMatchObject([{ scope: target === inbox ? 'folder' : 'endpoint', reason: 'PAUSED' }]);
      expect(paused).toEqual(beside ? [target === inbox ? 'paused' : 'watching'] : undefined);
      expect(site.sandbox.stats().stored).toBe(target === inbox ? 0 : 1);

      expect(await site.quickMust('resume', target)).toBe(`Resumed ${target}.\n`);
      await go();
      await untilState(site, file, 'accepted');
    }
    expect((await storedOnce(site)).size).toBe(2);
  });

  test('pause everything until a time, which a later pause replaces', async () => {
    expect(await quickly(site, ['pause', '--until', '2020-01-31'])).toBeRefused(2, 'USAGE', '2020');
    // A path is meant from where the command is started.
    expect(await site.quickMust('pause', './inbox')).toContain(site.file('inbox'));
    expect(await site.quickMust('resume', './inbox')).toContain(site.file('inbox'));
    expect(await quickly(site, ['pause', './nowhere'])).toBeRefused(2, 'USAGE', site.file('nowhere'));
    expect(await quickly(site, ['pause', '--until', 'soon'])).toBeRefused(2, 'USAGE', '--until');
    expect(await site.quickMust('pause', '--until', '2h')).toMatch(/^Paused everything until .+\.\n$/);
    await drop(site, 'later.jpg');
    await go();
    await untilState(site, 'later.jpg', 'held');
    const { holds, problems } = await statusOf(site);
    const [{ until: ends } = { until: null }] = holds;
    expect(Date.parse(ends ?? '') - Date.now()).toBeGreaterThan(6_000_000);
    expect(problems).toMatchObject([{ code: 'UPLOADS_PAUSED', needsAttention: false }]);
    expect((await site.look('status')).stdout).toContain('Paused:\n  All uploads are paused');

    await site.quickMust('pause', '--until', '1s');
    await until(async () => {
      await go();
      return (await statusOf(site)).holds.length === 0;
    });
    await untilState(site, 'later.jpg', 'accepted');
  });

  test('retry sends a refused document again under its name', async () => {
    site.sandbox.misbehave({ kind: 'status', status: 400, nameIncludes: 'bad', times: 1 });
    await drop(site, 'bad.jpg');
    await go();
    await untilState(site, 'bad.jpg', 'failed');
    const name = await nameOf(site, 'bad.jpg');

    expect(await site.quickMust('retry', name)).toMatch(/^Queued 1 document: bad-[0-9a-f]{12}\.\n$/);
    await go();
    await untilState(site, 'bad.jpg', 'accepted');
    expect(await nameOf(site, 'bad.jpg')).toBe(name);
    const [detail] = await show(site, name);
    expect(detail?.attempts).toMatchObject([
      { outcome: 'refused', httpStatus: 400 },
      { outcome: 'accepted', httpStatus: 200 },
    ]);
    expect(detail?.files).toMatchObject([{ path: site.file('inbox', 'bad.jpg') }]);

    const again = await site.look('retry', name);
    expect(again).toMatchObject({ status: 1, stdout: '' });
    expect(again.stderr).toContain('resend');
    expect(await site.look('retry', 'nobody')).toMatchObject({ status: 1 });
  });

  test('resend sends an accepted document again to the same endpoint and to another', async () => {
    await drop(site, 'a.jpg');
    await go();
    await untilState(site, 'a.jpg', 'accepted');
    const name = await nameOf(site, 'a.jpg');

    expect(JSON.parse(await site.quickMust('resend', name, '--json'))).toEqual({
      name,
      endpointUid: OFFICE,
      outcome: 'queued',
    });
    await go();
    await until(() => site.sandbox.stats().repeats === 1);

    await site.quickMust('resend', name, '--endpoint', 'depot');
    await go();
    await until(async () => (await site.list('--endpoint', 'depot', '--state', 'accepted')).length === 1);
    const received = site.sandbox.received().filter(({ name: its }) => its === name);
    expect(received.map(({ endpointUid, tries }) => [endpointUid, tries])).toEqual([
      [OFFICE, 2],
      [DEPOT, 1],
    ]);
    expect(new Set(received.map((each) => each.sha256)).size).toBe(1);
    expect((await storedOnce(site)).size).toBe(site.sandbox.stats().stored);
  });

  test('endpoint create prints the uid, and endpoint list includes it', async () => {
    const text = await site.quickMust('endpoint', 'create', 'Warehouse', '--language', 'de-DE');
    const uid = /uid: "([^"]+)"/.exec(text)?.[1];
    const created = site.sandbox.endpoints().find((each) => each.uid === uid);
    expect(created).toMatchObject({ name: 'Warehouse', dominantLanguage: 'de-DE' });

    const listed = ENDPOINTS.parse(JSON.parse(await site.quickMust('endpoint', 'list', '--json')));
    expect(listed).toEqual([
      expect.objectContaining({ alias: 'office', uid: OFFICE }),
      expect.objectContaining({ alias: 'depot', uid: DEPOT }),
      expect.objectContaining({ alias: null, uid, name: 'Warehouse' }),
    ]);
    expect(site.sandbox.stats().requests['createEndpoint']).toEqual({ 201: 1 });
  });
});

test('reading commands print the same with a running agent and without one', async () => {
  const site = await prepare();
  const agent = await site.quickStart();
  await drop(site, 'a.jpg');
  await untilState(site, 'a.jpg', 'accepted');
  const name = await nameOf(site, 'a.jpg');
  const read = async () => ({
    list: JSON.parse(await site.quickMust('list', '--json')) as unknown,
    table: await site.quickMust('list'),
    show: await show(site, name),
    counts: (await statusOf(site)).counts,
  });
  const beside = await read();
  expect(beside.list).toMatchObject(await site.list());
  expect(beside.show).toMatchObject([{ name, endpointUid: OFFICE, state: 'accepted', status: 'PROCESSING' }]);
  expect(beside.counts).toMatchObject([{ state: 'accepted', count: 1 }]);
  expect((await statusOf(site)).daemon).toMatchObject({
    pid: process.pid,
    folders: [{ path: site.file('inbox'), state: 'watching' }],
  });
  await agent.stop();
  expect(await read()).toEqual(beside);
  expect((await statusOf(site)).daemon).toBeNull();
});

test('`list` is complete even if its output is read late', async () => {
  const site = await prepare();
  for (let n = 0; n < 400; n += 1) await writeFile(site.file('inbox', `${n}.jpg`), `note ${n}`);
  expect(await site.quickOnce()).toMatchObject({ status: 3 });

  // How much is unwritten when the command ends depends on the length of the rows, so several lengths are tried.
  const lengths = [240, 360];
  const listed = lengths.map(async (length) => {
    const list = site.spawnUnread('list', '--json', '--limit', String(length), '--config', site.config);
    await once(list, 'readable');
    // Time for a defective command to end early; a shorter time would only hide the defect.
    await sleep(500);
    const rows: unknown = JSON.parse(await text(list));
    return rows;
  });
  for (const [index, rows] of (await Promise.all(listed)).entries())
    expect(rows).toHaveLength(lengths[index] ?? 0);
});
