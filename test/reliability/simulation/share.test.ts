import { expect, it } from 'vitest';
import { sha256 as hashOf } from '../support/digest.ts';
import { Share } from './share.ts';

it('an overwritten file is indistinguishable only if the clock was set back to the exact time of the first', () => {
  const timeline = { now: 0, wall: 10_000 };
  const kind = { fileSystem: { name: 'vfat', network: false }, tickMs: 2_000, clockAheadMs: 0 };
  const share = new Share('/scans', kind, timeline as ConstructorParameters<typeof Share>[2]);
  const write = (now: number, wall: number, text: string): boolean => {
    [timeline.now, timeline.wall] = [now, wall];
    share.write('a.jpg', Buffer.from(text));
    return share.isAlike(hashOf(Buffer.from(text)));
  };
  write(0, 10_000, 'first');
  // Within one tick the agent has to wait.
  expect(write(1_500, 11_500, 'again')).toBe(false);
  expect(write(5_000, 15_000, 'later')).toBe(false);
  expect(write(9_000, 14_500, 'alike')).toBe(true);
  expect(write(13_000, 14_600, 'longer')).toBe(false);
});
