import { describe, expect, it } from 'vitest';
import type { FileIdentity } from '../../src/core/domain/document.ts';
import { PastRest } from '../../src/intake/stability.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { watchingPlace } from './watching.ts';

const NOW = Date.UTC(2026, 1, 3, 4, 5, 6);
const HOUR = 3_600_000;
const ext4 = { name: 'ext4', network: false };

/** A file changed this long ago, according to the clock that stamped it. */
function changed(agoMs: number, mtimeAgoMs = agoMs) {
  const at = (ms: number) => BigInt(NOW - ms) * 1_000_000n;
  return { size: 1, inode: 1n, ctimeNs: at(agoMs), mtimeNs: at(mtimeAgoMs) };
}

/** In a single run on a machine that was started an hour ago. */
function restedMs(identity: FileIdentity, on: Parameters<PastRest['ms']>[1] = ext4): number {
  const past = new PastRest(new FakeClock(NOW), HOUR);
  past.count();
  return past.ms(identity, on);
}

describe('the time that a file has certainly been unchanged', () => {
  it('is the time since its ctime, minus one kernel tick', () => {
    expect(restedMs(changed(1_000))).toBe(984);
    expect(restedMs(changed(5))).toBe(0);
  });

  it('counts only in a single run', () => {
    expect(new PastRest(new FakeClock(NOW), HOUR).ms(changed(HOUR), ext4)).toBe(0);
  });

  it('ignores an old mtime that a copy preserved', () => {
    expect(restedMs(changed(0, HOUR))).toBe(0);
  });

  it('is zero if the clock was set back', () => {
    expect(restedMs(changed(-60_000))).toBe(0);
  });

  it.each(['nfs', 'cifs', 'fuse', '9p', 'vboxsf'])('is unknown on %s, which has its own clock', (name) => {
    expect(restedMs(changed(HOUR), { name, network: true })).toBe(0);
  });

  it.each(['overlay', 'vfat', 'local', '0x1234'])('is unknown on %s', (name) => {
    expect(restedMs(changed(HOUR), { name, network: false })).toBe(0);
  });
});

describe('trust in the clock', () => {
  it.each([
    ['an hour ago', HOUR, HOUR - 16],
    ['a minute ago, when clocks are still set', 60_000, 0],
  ])('depends on the uptime, for a machine started %s', (_when, upForMs, rested) => {
    const past = new PastRest(new FakeClock(NOW), upForMs);
    past.count();
    expect(past.ms(changed(HOUR), ext4)).toBe(rested);
  });

  it.each([5_000, -5_000, 56 * 365 * 24 * HOUR])(
    'ends for a run in which the clock is set by %d ms',
    (byMs) => {
      const clock = new FakeClock(NOW);
      const past = new PastRest(clock, HOUR);
      past.count();
      expect(past.ms(changed(HOUR), ext4)).toBe(HOUR - 16);
      clock.jump(byMs);
      expect([past.ms(changed(HOUR), ext4), past.ms(changed(HOUR), ext4)]).toEqual([0, 0]);
    },
  );

  it('is missing right after startup, so a single run looks twice', async () => {
    const place = await watchingPlace();
    await place.drop('yesterday.jpg');
    place.clock.jump(Date.now() + 24 * HOUR - place.clock.now());
    const { intake } = place.create({ deps: { upForMs: () => 10_000 } });
    let isOver = false;
    const running = intake.runOnce(new AbortController().signal).finally(() => (isOver = true));
    await place.clock.advanceUntil(() => isOver, 10);
    await running;
    expect(await place.states()).toEqual({ 'yesterday.jpg': 'queued' });
    expect(place.clock.monotonic()).toBeGreaterThanOrEqual(200);
  });
});
