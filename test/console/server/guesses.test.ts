import { describe, expect, it } from 'vitest';
import { Guesses } from '../../../src/console/server/guesses.ts';
import { FakeClock } from '../../support/fakeClock.ts';

function prepare() {
  const clock = new FakeClock();
  return { clock, guesses: new Guesses(clock) };
}

describe('password attempts from one address', () => {
  it('are delayed from the fourth on, but never for more than a minute', async () => {
    const { clock, guesses } = prepare();
    const waits: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      expect(guesses.take('192.0.2.1')).toBe(0);
      // An attempt does not extend the delay.
      const [waitMs = 0] = n < 2 ? [0] : [1, 2, 3].map(() => guesses.take('192.0.2.1'));
      waits.push(waitMs);
      await clock.advance(waitMs);
    }
    expect(waits).toEqual([0, 0, ...[1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map((s) => s * 1000)]);
  });

  it('are limited to three at once, however many are sent', () => {
    const { guesses } = prepare();
    const waits = Array.from({ length: 50 }, () => guesses.take('192.0.2.1'));
    expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(3);
  });

  it('are unlimited again after a correct password', () => {
    const { guesses } = prepare();
    for (let n = 0; n < 2; n += 1) guesses.take('192.0.2.1');
    guesses.right('192.0.2.1');
    expect([1, 2, 3].map(() => guesses.take('192.0.2.1'))).toEqual([0, 0, 0]);
  });

  it('are counted per IPv6 network, and per IPv4 address in either notation', () => {
    const { guesses } = prepare();
    for (const address of ['2001:db8::1', '2001:db8::2:3', '2001:db8:0:0:ffff::', '2001:db8:0:0:1:2:3:4'])
      guesses.take(address);
    expect(guesses.take('2001:db8::9')).toBeGreaterThan(0);
    expect(guesses.take('2001:db8:0:1::9')).toBe(0);
    for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1']) guesses.take(address);
    expect(guesses.take('::ffff:192.0.2.1')).toBeGreaterThan(0);
  });

  it('are not counted if they were never checked', () => {
    const { guesses } = prepare();
    for (let n = 0; n < 50; n += 1) {
      expect(guesses.take('192.0.2.1')).toBe(0);
      guesses.undo('192.0.2.1');
    }
  });
});

describe('password attempts from all addresses', () => {
  const many = (guesses: Guesses, from: number, count: number) =>
    Array.from({ length: count }, (_, n) => guesses.take(`10.0.${from}.${n}`));

  it('are limited to twenty, then one every three seconds', async () => {
    const { clock, guesses } = prepare();
    expect(many(guesses, 0, 30)).toEqual([...Array<number>(20).fill(0), ...Array<number>(10).fill(3000)]);
    await clock.advance(3000);
    expect(many(guesses, 1, 3)).toEqual([0, 3000, 3000]);
    await clock.advance(9000);
    expect(many(guesses, 2, 4)).toEqual([0, 0, 0, 3000]);
  });

  it('do not delay an address that sent the right password before', () => {
    const { guesses } = prepare();
    expect(guesses.take('192.0.2.1')).toBe(0);
    guesses.right('192.0.2.1');
    many(guesses, 0, 30);
    expect(guesses.take('192.0.2.9')).toBe(3000);
    expect(guesses.take('192.0.2.1')).toBe(0);
  });
});
