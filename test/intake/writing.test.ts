import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { watchingPlace } from './watching.ts';

describe('a file that is being written', () => {
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
