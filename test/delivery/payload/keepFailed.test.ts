/** What a document that a person has to decide about leaves in hand. */
import { expect, it } from 'vitest';
import { keeping } from './keeping.ts';
import { OFFICE, sendingPlace } from '../sending.ts';

it('releases the memory of a document that left the queue if there is no spool', async () => {
  const place = await sendingPlace();
  const { payloads, hand } = await keeping(place, { mode: 'never', handLimit: 100 });
  const bytes = Buffer.alloc(60, 'x');
  const admitted = await payloads.keep({ endpoint: OFFICE, folder: place.scans, bytes }, async () => ({
    kind: 'queued',
    document: await place.admit('s.jpg', { text: bytes.toString() }),
  }));
  const { document } = admitted!;
  expect(payloads.take(document.id)).toEqual(bytes);
  await payloads.sending(document, bytes);

  await payloads.returned(document, bytes, false);
  expect(hand.has(document.id)).toBe(true);
  payloads.take(document.id);
  await payloads.returned(document, bytes, true);
  expect(hand.has(document.id)).toBe(false);
  expect(hand.reserve(60)).toBe(true);
});
