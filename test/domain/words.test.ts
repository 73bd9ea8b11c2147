import { describe, expect, it } from 'vitest';
import { counted, size, span } from '../../src/domain/words.ts';

describe('numbers for people', () => {
  it.each([
    [0, '0 files'],
    [1, '1 file'],
    [1204, '1,204 files'],
  ])('%d as a count', (value, text) => {
    expect(counted(value, 'file')).toBe(text);
  });

  it.each([
    [1, '1 byte'],
    [999, '999 bytes'],
    [1_500, '1.5 kB'],
    [12_400_000, '12 MB'],
    [2_000_000_000, '2.0 GB'],
  ])('%d bytes', (value, text) => {
    expect(size(value)).toBe(text);
  });

  it.each([
    [-5, '0 seconds'],
    [1_000, '1 second'],
    [119_000, '119 seconds'],
    [120_000, '2 minutes'],
    [7_200_000, '2 hours'],
    [30 * 86_400_000, '30 days'],
  ])('%d ms', (value, text) => {
    expect(span(value)).toBe(text);
  });
});
