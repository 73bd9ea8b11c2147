/** A delivery that ends with a defect. */
import { expect, describe, it } from 'vitest';
import { accept } from '../../support/scriptedService.ts';
import { sendingPlace } from '../sending.ts';

describe('a bug after a request has begun', () => {
  it('leaves the document queued under its name, as possibly stored already', async () => {
    const place = await sendingPlace(['a.jpg', 'b.jpg']);
    let broken = true;
    place.service.script = (request) => {
      if (request.name === 'doc-a.jpg' && broken) throw new Error('a defect');
      return accept(request);
    };
    const sending = await place.start();
    await place.clock.advance(10_000);
    expect(sending.accepted).toEqual(['doc-b.jpg']);
    expect(await place.document('doc-a.jpg')).toMatchObject({
      state: 'queued',
      reason: 'INTERRUPTED',
      answerLost: true,
      attempts: 1,
    });
    expect(await place.attempts('doc-a.jpg')).toMatchObject([{ outcome: 'unknown' }]);
    broken = false;
    await place.clock.advance(60_000);
    expect(sending.accepted).toEqual(['doc-b.jpg', 'doc-a.jpg']);
  });

  it('is retried less and less often if it recurs, and never in a tight loop', async () => {
    const place = await sendingPlace(['a.jpg']);
    place.service.script = () => {
      throw new Error('a defect');
    };
    await place.start();
    await place.clock.advance(24 * 3_600_000);
    expect(place.service.asked.length).toBeGreaterThan(10);
    expect(place.service.asked.length).toBeLessThan(60);
  });
});
