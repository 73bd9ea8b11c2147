import { afterEach, describe, expect, it } from 'vitest';
import { counted, local, size, span } from '../../../src/core/domain/words.ts';

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

describe('a time for people', () => {
  const before = process.env['TZ'];
  afterEach(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });

  it.each([
    ['UTC', '2026-10-25T00:30:00Z', '2026-10-25 00:30:00 +00:00'],
    // The same local time, twice.
    ['Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25 02:30:00 +02:00'],
    ['Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25 02:30:00 +01:00'],
    ['Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29 03:00:00 +02:00'],
    ['Asia/Kathmandu', '2026-01-01T00:00:00Z', '2026-01-01 05:45:00 +05:45'],
    ['America/St_Johns', '2026-01-01T00:00:00Z', '2025-12-31 20:30:00 -03:30'],
    ['Pacific/Chatham', '2026-01-01T00:00:00Z', '2026-01-01 13:45:00 +13:45'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', '2026-04-05 01:30:00 +10:30'],
    ['Pacific/Kiritimati', '2026-01-01T00:00:00Z', '2026-01-01 14:00:00 +14:00'],
    ['Pacific/Pago_Pago', '2026-01-01T00:00:00Z', '2025-12-31 13:00:00 -11:00'],
  ])('in %s includes its UTC offset: %s', (zone, at, text) => {
    process.env['TZ'] = zone;
    expect(local(at)).toBe(text);
  });
});
