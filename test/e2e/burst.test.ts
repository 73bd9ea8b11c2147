import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { insertJpegSegment } from '../support/handmadeImages.ts';
import { drawReceipt } from '../support/images.ts';
import { prepare, storedOnce, until } from './support/agent.ts';

const FILES = 400;
const MOST_MEMORY_MB = 200;

test(`${FILES} files dropped at once are all delivered, in bounded memory`, async () => {
  const site = await prepare({ delivery: { concurrency: 16 } });
  const agent = await site.start();
  const slip = await drawReceipt({ type: 'jpeg', seed: 'burst', width: 32, height: 48 });

  const started = performance.now();
  for (let n = 0; n < FILES; n += 1) {
    const counted = insertJpegSegment(slip, 0xfe, Buffer.from(`number ${n}`));
    writeFileSync(site.file('inbox', `SCAN${String(n).padStart(5, '0')}.jpg`), counted);
  }
  const droppedMs = performance.now() - started;
  await until(() => site.sandbox.stats().stored === FILES, 'all to arrive', 240_000);
  await until(() => site.sandbox.stats().uploadsInFlight === 0);
  const seconds = (performance.now() - started) / 1000;
  const memory = await agent.peakMemoryMb();
  console.info(
    `${FILES} files: dropped in ${(droppedMs / 1000).toFixed(1)} s, delivered in ${seconds.toFixed(1)} s, ` +
      `peak memory ${memory.toFixed(0)} MB`,
  );

  expect(await agent.stop()).toMatchObject({ status: 0 });
  expect((await storedOnce(site)).size).toBe(FILES);
  expect(site.sandbox.stats()).toMatchObject({ stored: FILES, repeats: 0 });
  expect(memory).toBeLessThan(MOST_MEMORY_MB);
});
