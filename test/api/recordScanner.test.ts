/** Checks that reading a record in pieces finds the same as `JSON.parse` on the whole. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordScanner } from '../../src/api/recordScanner.ts';
import { anyCharacter } from '../support/anyCharacter.ts';

function scan(text: string | Uint8Array, pieceBytes = 7): Readonly<Record<string, unknown>> | null {
  const scanner = new RecordScanner();
  const bytes = Buffer.from(text as string);
  for (let at = 0; at < bytes.length; at += pieceBytes) scanner.push(bytes.subarray(at, at + pieceBytes));
  return scanner.end();
}

const FIELDS = ['name', 'endpointUid', 'status'];

/** The documented fields according to `JSON.parse`: strings, or undefined for anything else. */
function parsedFields(text: string): Readonly<Record<string, unknown>> | null {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const fields = Object.entries(value).filter(([key]) => FIELDS.includes(key));
  return Object.fromEntries(fields.map(([key, each]) => [key, typeof each === 'string' ? each : undefined]));
}

describe('the scanner of records', () => {
  it('finds in any JSON what JSON.parse finds', () => {
    const key = fc.oneof(fc.constantFrom(...FIELDS), fc.string({ unit: anyCharacter }));
    const value = fc.oneof(fc.string({ unit: anyCharacter }), fc.jsonValue());
    const record = fc.dictionary(key, value);
    fc.assert(
      fc.property(
        fc.oneof(record, fc.jsonValue()),
        fc.nat(4),
        fc.integer({ min: 1, max: 9 }),
        (json, indent, piece) => {
          // Half a surrogate pair has no UTF-8 form.
          const text = Buffer.from(JSON.stringify(json, null, indent)).toString();
          expect(scan(text, piece)).toEqual(parsedFields(text));
        },
      ),
    );
  });

  it('rejects text that JSON.parse refuses', () => {
    const whole = '{ "name": "a", "endpointUid": "b", "more": 12, "status": "PROCESSING" }';
    const damage = fc.record({
      at: fc.nat(whole.length - 1),
      byte: fc.constantFrom(...Array.from('{}[]",:\\ax1\n')),
    });
    fc.assert(
      fc.property(damage, ({ at, byte }) => {
        const text = whole.slice(0, at) + byte + whole.slice(at + 1);
        let expected: unknown = null;
        try {
          expected = parsedFields(text);
        } catch {
          // No JSON.
        }
        expect(scan(text)).toEqual(expected);
      }),
    );
  });

  it.each([
    ['{"name":"a"', null],
    ['{"name":"a"} x', null],
    ['[{"name":"a"}]', null],
    ['', null],
    ['{"name":"a","more":[{"name":"b"}', null],
    ['{}', {}],
    ['\uFEFF{"name":"a"}', { name: 'a' }],
    ['{"name":"a","more":{"name":"b","]":"}"},"name":"c"}', { name: 'c' }],
    ['{"name":"a","name":7}', { name: undefined }],
    [String.raw`{"n\u0061me":"\u0061\"\\"}`, { name: 'a"\\' }],
  ])('reads %j', (text, expected) => {
    expect(scan(text)).toEqual(expected);
  });

  it('keeps the beginning of a status of megabytes', () => {
    const status = 'é'.repeat(1_000_000);
    const found = scan(JSON.stringify({ name: 'a', status, endpointUid: 'b' }), 65_536);
    expect(found).toMatchObject({ name: 'a', endpointUid: 'b' });
    expect(status.startsWith(String(found?.['status']))).toBe(true);
    expect(String(found?.['status']).length).toBeGreaterThan(8_000);
    expect(String(found?.['status']).length).toBeLessThan(16_385);
    const escaped = scan(`{"status":"${String.raw`\u00e9`.repeat(1_000_000)}"}`, 65_536);
    expect(escaped?.['status']).toMatch(/^é+$/);
  });
});
