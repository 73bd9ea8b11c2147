import { describe, expect, it } from 'vitest';
import { ClockTrust, restedMs } from '../../../src/intake/settle/atRest.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { watchingPlace } from '../watching.ts';

const NOW = Date.UTC(2026, 1, 3, 4, 5, 6);
const ext4 = { name: 'ext4', network: false };

/** A file changed this long ago, according to the clock that stamped it. */
function changed(agoMs: number, mtimeAgoMs = agoMs) {
  const at = (ms: number) => BigInt(NOW - ms) * 1_000_000n;
  return { size: 1, inode: 1n, ctimeNs: at(agoMs), mtimeNs: at(mtimeAgoMs) };
}

describe('the time that a file has certainly been unchanged', () => {
  it('is the time since its ctime, minus one kernel tick', () => {
    expect(restedMs(changed(1_000), ext4, NOW)).toBe(984);
    expect(restedMs(changed(5), ext4, NOW)).toBe(0);
  });

  it('ignores an old mtime that a copy preserved', () => {
    expect(restedMs(changed(0, 3_600_000), ext4, NOW)).toBe(0);
  });

  it('is zero if the clock was set back', () => {
    expect(restedMs(changed(-60_000), ext4, NOW)).toBe(0);
  });

  it.each(['nfs', 'cifs', 'fuse', '9p', 'vboxsf'])('is unknown on %s, which has its own clock', (name) => {
    expect(restedMs(changed(3_600_000), { name, network: true }, NOW)).toBe(0);
  });

  it.each(['overlay', 'vfat', 'local', '0x1234'])('is unknown on %s', (name) => {
    expect(restedMs(changed(3_600_000), { name, network: false }, NOW)).toBe(0);
  });
});

describe('trust in the clock', () => {
  const HOUR = 3_600_000;

  it.each([
    ['an hour ago', HOUR, true],
    ['a minute ago, when clocks are still set', 60_000, false],
  ])('depends on the uptime, for a machine started %s', (_when, upForMs, isGiven) => {
    expect(new ClockTrust(new FakeClock(), upForMs).isGiven).toBe(isGiven);
  });

  it.each([5_000, -5_000, 56 * 365 * 24 * HOUR])(
    'ends for a run in which the clock is set by %d ms',
    (byMs) => {
      const clock = new FakeClock();
      const trust = new ClockTrust(clock, HOUR);
      expect(trust.isGiven).toBe(true);
      clock.jump(byMs);
      expect([trust.isGiven, trust.isGiven]).toEqual([false, false]);
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
