import { describe, expect, it } from 'vitest';
import { Throughput } from '../../src/cli/throughput.ts';

function after(...looks: readonly (readonly [seconds: number, accepted: number])[]): Throughput {
  const throughput = new Throughput();
  for (const [seconds, accepted] of looks) throughput.add(seconds * 1_000, accepted);
  return throughput;
}

describe('the upload rate', () => {
  it('is unknown after one sample or less than a second', () => {
    expect(after().perMinute()).toBeNull();
    expect(after([0, 5]).perMinute()).toBeNull();
    expect(after([0, 5], [0.5, 9]).perMinute()).toBeNull();
    expect(after([0, 5], [0.5, 9]).forecast(10)).toBeNull();
  });

  it('covers the last five minutes', () => {
    expect(after([0, 0], [2, 4]).perMinute()).toBe(120);
    const looks = Array.from({ length: 40 }, (_, n) => [n * 60, n < 20 ? 0 : (n - 19) * 30] as const);
    expect(after(...looks).perMinute()).toBe(30);
  });

  it('starts over if the number of accepted documents falls', () => {
    const throughput = after([0, 100], [2, 110], [4, 90]);
    expect(throughput.perMinute()).toBeNull();
    throughput.add(6_000, 92);
    expect(throughput.perMinute()).toBe(60);
  });

  it('predicts when the backlog is empty, unless nothing is uploaded', () => {
    expect(after([0, 0], [60, 30]).forecast(15)).toBe(30_000);
    expect(after([0, 7], [60, 7]).forecast(15)).toBeNull();
  });
});

describe('the bar chart', () => {
  it('scales each sample to the fastest', () => {
    expect(after([0, 0], [1, 0], [2, 7], [3, 14], [4, 15]).bars(10)).toBe('▁██▂');
    expect(after([0, 0], [1, 0], [2, 7], [3, 14], [4, 15]).bars(2)).toBe('█▂');
  });

  it('is flat if nothing is uploaded, and empty at first', () => {
    expect(after([0, 3], [1, 3], [2, 3]).bars(10)).toBe('▁▁');
    expect(after([0, 3]).bars(10)).toBe('');
  });
});
