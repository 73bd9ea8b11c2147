/** Promise P1: what came to rest in the folder is not lost, whatever becomes of its file. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drawReceipt } from '../../support/images.ts';
import { accept, fault, pending, status } from '../../support/scriptedService.ts';
import { spoolingPlace } from './spooling.ts';

/** Far beyond every grace and back-off of bytes that are missing. */
const LATER = 600_000;
const image = (seed: string) => drawReceipt({ type: 'jpeg', seed, width: 48, height: 64 });

it('loses nothing if a scanner keeps overwriting SCAN0001.jpg during an outage', async () => {
  const place = await spoolingPlace();
  const { clock, service, scans } = place;
  service.script = () => fault('ECONNREFUSED', false);
  const agent = await place.run();
  await agent.watching();
  const path = join(scans, 'SCAN0001.jpg');
  const scanned: Buffer[] = [];
  for (let i = 0; i < 12; i += 1) {
    const bytes = await image(`scan ${i}`);
    scanned.push(bytes);
    await writeFile(path, bytes);
    await clock.advanceUntil(async () => (await place.counts())['queued'] === i + 1);
    if (i % 5 === 1) await rm(path);
    if (i % 5 === 3) await rename(path, join(scans, `renamed ${i}.jpg`));
    if (i === 8) await rm(join(scans, `renamed ${i}.jpg`));
    await clock.advance(i * 10_000);
  }
  expect(await agent.files()).toHaveLength(12);
  const asked = service.asked.length;
  service.script = accept;
  await clock.advanceUntil(async () => (await place.counts())['accepted'] === 12, 10_000);
  // The oracle is what the service was sent, not what the ledger says.
  const received = service.asked.slice(asked).map(({ text }) => text);
  expect(received.toSorted()).toEqual(scanned.map((bytes) => bytes.toString('latin1')).toSorted());
  expect(new Set(service.asked.map(({ name }) => name)).size).toBe(12);
  const counts = await place.counts();
  expect([counts['lost'], counts['failed'], counts['queued']]).toEqual([undefined, undefined, undefined]);
  await clock.advanceUntil(async () => (await agent.files()).length === 0);
});

it('makes no copy and keeps the spool directory empty if nothing is wrong', async () => {
  const place = await spoolingPlace();
  const { clock, service } = place;
  service.script = async (request) => {
    await clock.sleep(100);
    return accept(request);
  };
  const agent = await place.run();
  await agent.watching();
  for (let i = 0; i < 6; i += 1) {
    await place.drop(`s${i}.jpg`);
    await clock.advanceUntil(async () => (await place.counts())['accepted'] === i + 1);
    expect(await agent.files()).toEqual([]);
  }
  expect(agent.puts).toEqual([]);
});

it('sends a file that is overwritten while its upload hangs', async () => {
  const place = await spoolingPlace();
  const { clock, service, scans } = place;
  const hangs = pending();
  service.script = () => hangs.answer;
  const agent = await place.run();
  await agent.watching();
  const first = await image('first');
  await writeFile(join(scans, 'SCAN0001.jpg'), first);
  await clock.advanceUntil(() => service.asked.length === 1);
  await clock.advance(1_000);
  expect(await agent.files()).toHaveLength(1);
  await rm(join(scans, 'SCAN0001.jpg'));
  service.script = accept;
  hangs.give(fault('ETIMEDOUT', true));
  await clock.advanceUntil(async () => (await place.counts())['accepted'] === 1, 1_000);
  expect(service.asked.map(({ text }) => text)).toEqual([first.toString('latin1'), first.toString('latin1')]);
});

it('copies an image after a kill before its copy, or reports it as lost by name if it was overwritten', async () => {
  const place = await spoolingPlace();
  const { clock, service, scans, ledger } = place;
  service.script = () => fault('ECONNREFUSED', false);
  // Admitted by a process that ended before it could do anything else.
  const kept = await place.admit('kept.jpg');
  const gone = await place.admit('gone.jpg');
  await writeFile(join(scans, 'gone.jpg'), 'another image');
  const agent = await place.run({ watch: { settings: { existing: { kind: 'skip' } } } });
  await clock.advanceUntil(() => agent.spool.has(kept.sha256));
  expect(await agent.files()).toEqual([kept.sha256]);
  await rm(join(scans, 'kept.jpg'));
  await clock.advance(LATER);
  expect((await ledger.document(kept.id))?.state).toBe('queued');
  service.script = accept;
  await clock.advanceUntil(async () => (await ledger.document(kept.id))?.state === 'accepted', 5_000);
  expect(service.asked.at(-1)?.text).toBe('the text of kept.jpg');
  await clock.advanceUntil(async () => (await ledger.document(gone.id))?.state === 'lost', 5_000);
  const [line] = place.log.said('Lost: its image was gone');
  expect(line?.fields).toMatchObject({ name: gone.name, sha256: gone.sha256 });
});

it('sends waiting images from the spool after a kill', async () => {
  const place = await spoolingPlace();
  const { clock, service, scans } = place;
  service.script = () => status(503);
  const first = await place.run();
  await first.watching();
  const bytes = await image('only');
  await writeFile(join(scans, 'SCAN0001.jpg'), bytes);
  await clock.advanceUntil(async () => (await first.files()).length === 1);
  await first.stop();
  await rm(join(scans, 'SCAN0001.jpg'));
  service.script = accept;
  const second = await place.run();
  await clock.advanceUntil(async () => (await place.counts())['accepted'] === 1, 1_000);
  expect(service.asked.at(-1)?.text).toBe(bytes.toString('latin1'));
  await clock.advanceUntil(async () => (await second.files()).length === 0);
});

it('a full spool pauses admission, reports it, and resumes once there is room', async () => {
  const place = await spoolingPlace();
  const { clock, service, scans } = place;
  service.script = () => fault('ECONNREFUSED', false);
  const images = await Promise.all(Array.from({ length: 6 }, (_, i) => image(`scan ${i}`)));
  const spoolLimit = images.slice(0, 4).reduce((sum, { length }) => sum + length, 0) + 200;
  const agent = await place.run({ keeping: { spoolLimit } });
  await agent.watching();
  for (const [i, bytes] of images.entries()) {
    await writeFile(join(scans, `s${i}.jpg`), bytes);
    if (i < 4) await clock.advanceUntil(async () => (await place.counts())['queued'] === i + 1);
  }
  await clock.advanceUntil(() => agent.incidents.list().length === 1);
  await clock.advance(LATER);
  expect(await place.counts()).toEqual({ queued: 4 });
  expect(agent.spool.usedBytes).toBeLessThanOrEqual(spoolLimit);
  expect(agent.incidents.list()).toMatchObject([{ code: 'SPOOL_FULL' }]);
  expect(place.log.said('The spool is full')).toHaveLength(1);

  service.script = accept;
  await clock.advanceUntil(async () => (await place.counts())['accepted'] === 6, 1_000);
  expect(agent.incidents.list()).toEqual([]);
  expect(new Set(service.asked.slice(-6).map(({ text }) => text)).size).toBe(6);
});
