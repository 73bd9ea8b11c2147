import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WatchedFolder } from '../../src/core/ports/folder.ts';
import { sha256 } from '../../src/core/sha256.ts';
import { createImageInspector } from '../../src/intake/image/inspect.ts';
import { settle } from '../support/fakeClock.ts';
import { drawReceipt } from '../support/images.ts';
import { hintsByHand, watchingPlace } from './watching.ts';

describe('a file that is being written', () => {
  it('is admitted with the bytes that were hashed, even if it changes just after they were read', async () => {
    const place = await watchingPlace();
    const first = await drawReceipt({ type: 'jpeg', seed: 'first' });
    const second = await drawReceipt({ type: 'jpeg', seed: 'second', width: 120 });
    await writeFile(join(place.scans, 'a.jpg'), first);
    let intruded = false;
    const given = hintsByHand();
    // The scanner writes the next scan, and its event arrives, between reading and judging.
    const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
      read: async (...all) => {
        const read = await real.read(...all);
        if (!intruded) {
          intruded = true;
          await writeFile(join(place.scans, 'a.jpg'), second);
          await real.stat('a.jpg');
          given.hint(join(place.scans, 'a.jpg'));
        }
        return read;
      },
    });
    const inspector = createImageInspector();
    const { admitted } = place.start({
      folder,
      deps: {
        hints: given.hints,
        inspector: {
          ...inspector,
          inspect: async (bytes) => {
            await settle();
            return inspector.inspect(bytes);
          },
        },
      },
    });
    await place.clock.advance(2_000);
    await place.clock.advance(120_000);
    expect(admitted.map(({ document }) => document.sha256)).toContain(sha256(second));
    for (const bytes of [first, second]) {
      const sources = await place.ledger.sources(sha256(bytes));
      for (const { identity } of sources) expect(identity.size).toBe(bytes.length);
    }
  });

  it('is admitted although its last piece arrives while the previous one is judged', async () => {
    const place = await watchingPlace();
    const whole = await drawReceipt({ type: 'jpeg', seed: 'pieces' });
    await writeFile(join(place.scans, 'a.jpg'), whole.subarray(0, whole.length - 100));
    const given = hintsByHand();
    let intruded = false;
    const inspector = createImageInspector();
    const { admitted } = place.start({
      deps: {
        hints: given.hints,
        inspector: {
          ...inspector,
          inspect: async (bytes) => {
            if (!intruded) {
              intruded = true;
              await appendFile(join(place.scans, 'a.jpg'), whole.subarray(whole.length - 100));
              given.hint(join(place.scans, 'a.jpg'));
              await settle();
            }
            return inspector.inspect(bytes);
          },
        },
      },
    });
    await place.clock.advanceUntil(() => admitted.length > 0);
    expect(admitted.map(({ document }) => document.size)).toEqual([whole.length]);
    // Before the long quiet time of an incomplete file.
    expect(place.clock.monotonic()).toBeLessThan(5_000);
  });

  it('is reported if it stays incomplete, and admitted once it is complete', async () => {
    const place = await watchingPlace();
    const { intake, admitted } = await place.watch();
    const whole = await drawReceipt({ type: 'jpeg', seed: 'cut' });
    await writeFile(join(place.scans, 'cut.jpg'), whole.subarray(0, whole.length / 2));
    await writeFile(join(place.scans, 'empty.jpg'), '');
    await place.clock.advanceUntil(() => intake.status.settling === 2);
    await place.clock.advance(595_000);
    expect(await place.states()).toEqual({});
    await place.clock.advance(10_000);
    expect(await place.states()).toEqual({ 'cut.jpg': 'incomplete', 'empty.jpg': 'incomplete' });
    expect(place.log.said('Not sent: incomplete')).toHaveLength(2);
    expect(intake.status.settling).toBe(0);
    await appendFile(join(place.scans, 'cut.jpg'), whole.subarray(whole.length / 2));
    await place.clock.advanceUntil(() => admitted.length === 1);
    expect(await place.states()).toEqual({ 'cut.jpg': 'queued', 'empty.jpg': 'incomplete' });
  });
});
