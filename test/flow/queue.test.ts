/** Which document is next, and when. */
import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, describe, it } from 'vitest';
import { endpointId } from '../../src/core/domain/document.ts';
import { accept, fault, pending } from '../support/scriptedService.ts';
import { OFFICE, sendingPlace } from './sending.ts';

describe('the queue', () => {
  it('forgets no document that falls due between two checks', async () => {
    const place = await sendingPlace();
    await place.clock.advance(0.7);
    await place.admit('a.jpg');
    await place.admit('b.jpg');
    await unlink(join(place.scans, 'b.jpg'));
    const held = pending();
    place.service.script = (request) => (request.name === 'doc-a.jpg' ? held.answer : accept(request));
    const sending = await place.start();
    await place.clock.advance(0);
    const { notBefore } = await place.document('doc-b.jpg');
    expect(notBefore).toBeGreaterThan(0);
    await writeFile(join(place.scans, 'b.jpg'), 'the text of b.jpg');
    // Now the wall clock, in whole milliseconds, has reached it, and the monotonic one not quite.
    await place.clock.advance(notBefore - place.clock.now() - 0.5);
    held.give(accept({ name: 'doc-a.jpg', endpoint: OFFICE } as Parameters<typeof accept>[0]));
    await place.clock.advance(60_000);
    expect(sending.accepted).toEqual(['doc-a.jpg', 'doc-b.jpg']);
  });

  it('forgets no document if a timer fires early, as timers in Node may', async () => {
    const place = await sendingPlace();
    const sleep = place.clock.sleep.bind(place.clock);
    place.clock.sleep = (ms, signal) => sleep(Math.max(0, ms - 0.6), signal);
    await place.clock.advance(0.7);
    await place.admit('a.jpg');
    await unlink(join(place.scans, 'a.jpg'));
    const sending = await place.start();
    await place.clock.advance(10);
    await writeFile(join(place.scans, 'a.jpg'), 'the text of a.jpg');
    await place.clock.advance(60_000);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });

  it('sends fresh scans before the backlog, alternating between folders, each in order of arrival', async () => {
    const place = await sendingPlace();
    const other = join(place.dir, 'other');
    for (let i = 0; i < 4; i += 1) await place.admit(`b${i}.jpg`, { lane: 'backlog' });
    for (let i = 0; i < 4; i += 1) await place.admit(`x${i}.jpg`, { folder: other });
    for (let i = 0; i < 4; i += 1) await place.admit(`y${i}.jpg`);
    const sending = await place.start({ overall: { concurrency: 1 } });
    await place.clock.advance(1_000);
    const order = sending.accepted.map((name) => name.slice(4, 6));
    expect(order.slice(8)).toEqual(['b0', 'b1', 'b2', 'b3']);
    expect(order.filter((name) => name.startsWith('x'))).toEqual(['x0', 'x1', 'x2', 'x3']);
    expect(order.filter((name) => name.startsWith('y'))).toEqual(['y0', 'y1', 'y2', 'y3']);
    for (let i = 0; i < 8; i += 2) expect(new Set([order[i]?.[0], order[i + 1]?.[0]])).toEqual(new Set('xy'));
  });

  it('sends nothing of a paused folder or endpoint, not even documents claimed in advance', async () => {
    const place = await sendingPlace();
    const other = join(place.dir, 'other');
    for (let i = 0; i < 10; i += 1) {
      await place.admit(`p${i}.jpg`);
      await place.admit(`o${i}.jpg`, { folder: other });
    }
    place.service.script = async (request) => {
      await place.clock.sleep(1_000);
      return accept(request);
    };
    const sending = await place.start({ overall: { concurrency: 2 } });
    await place.clock.advance(500);
    await sending.holds.pause('folder', place.scans, 'anna');
    sending.flow.forget();
    await place.clock.advance(60_000);
    const ofPaused = () => sending.accepted.filter((name) => name.startsWith('doc-p')).length;
    expect(ofPaused()).toBeLessThanOrEqual(2);
    expect(sending.accepted.filter((name) => name.startsWith('doc-o'))).toHaveLength(10);
    await sending.holds.resume('folder', place.scans);
    await sending.holds.pause('endpoint', endpointId(OFFICE), 'anna');
    sending.flow.forget();
    const before = ofPaused();
    await place.clock.advance(60_000);
    expect(ofPaused()).toBe(before);
    await sending.holds.resume('endpoint', endpointId(OFFICE));
    sending.flow.forget();
    await place.clock.advance(60_000);
    expect(sending.accepted).toHaveLength(20);
  });

  it('reports why nothing is sent', async () => {
    const place = await sendingPlace();
    // Half an hour before the next day's budget.
    place.clock.jump(14.5 * 3_600_000);
    const sending = await place.start({ overall: { perDay: 1 } });
    const why = () => sending.idles.at(-1)?.why;
    await place.clock.advance(100);
    expect(why()).toBe('done');
    await place.admit('a.jpg');
    await place.admit('b.jpg');
    place.service.script = () => fault('ECONNREFUSED', false);
    sending.flow.wake();
    await place.clock.advance(100);
    expect(why()).toBe('outage');
    place.service.script = accept;
    // What failed has used up this day's upload.
    await place.clock.advance(1_860_000);
    expect(sending.accepted).toHaveLength(1);
    expect(why()).toBe('hold');
    place.clock.jump(23.75 * 3_600_000);
    await place.clock.advance(1_800_000);
    expect(why()).toBe('done');
    expect(place.clock.sleeping).toBe(0);
  });
});
