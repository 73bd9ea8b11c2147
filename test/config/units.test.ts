import { describe, expect, it } from 'vitest';
import { parseDuration, parseSize } from '../../src/config/units.ts';

describe('units', () => {
  it.each([
    ['200ms', 200],
    ['10s', 10_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1d', 86_400_000],
    ['0s', 0],
  ])('the duration %s is %d milliseconds', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    ['7B', 7],
    ['10kB', 10_000],
    ['50MB', 50_000_000],
    ['1GB', 1_000_000_000],
  ])('the size %s is %d bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each(['10', '10 s', '-1s', '1.5s', 's', '10S', '', 'constructor', '1e3s'])(
    '%j is no duration',
    (text) => {
      expect(parseDuration(text)).toBeNaN();
    },
  );

  it.each(['50', '50 MB', '50MiB', '50mb', 'MB', '-1B'])('%j is no size', (text) => {
    expect(parseSize(text)).toBeNaN();
  });
});
