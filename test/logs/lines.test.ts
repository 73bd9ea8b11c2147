import { stripVTControlCharacters } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LEVELS, jsonLine, terminalLine } from '../../src/logs/lines.ts';
import type { LogEntry } from '../../src/logs/lines.ts';
import { anyCharacter } from '../support/anyCharacter.ts';

const entry: LogEntry = {
  at: new Date(2026, 10, 21, 9, 5, 7, 30),
  level: 'info',
  event: 'documentAccepted',
  message: 'Document accepted',
  fields: { httpStatus: 200, documentId: 12, name: 'lunch 1.jpg', path: '/in/b.jpg' },
};

describe('a line for a terminal', () => {
  test('has local time, level and message, then the name and id, then the rest', () => {
    expect(terminalLine(entry, false)).toBe(
      '09:05:07 info  Document accepted  name="lunch 1.jpg" documentId=12 httpStatus=200 path=/in/b.jpg',
    );
  });

  test.each(LEVELS)('keeps its text in colour (%s)', (level) => {
    const coloured = terminalLine({ ...entry, level }, true);
    expect(coloured).not.toBe(stripVTControlCharacters(coloured));
    expect(stripVTControlCharacters(coloured)).toBe(terminalLine({ ...entry, level }, false));
  });

  test('has no trailing space without fields, and leaves out undefined ones', () => {
    expect(terminalLine({ ...entry, fields: { why: undefined } }, false)).toBe(
      '09:05:07 info  Document accepted',
    );
  });

  test('makes control characters of a hostile file name visible', () => {
    const name = 'a\u001b[2J\u009b31m\nerror forged\u202egpj.exe\ud800';
    const line = terminalLine({ ...entry, message: 'One\r\nTwo', fields: { name } }, false);
    expect(line).toBe(
      String.raw`09:05:07 info  One\r\nTwo  name="a\u001b[2J\u009b31m\nerror forged\u202egpj.exe\ud800"`,
    );
  });

  test('keeps letters of every script and emoji', () => {
    const name = 'Büro-قهوة-☕️-👩‍👧-e\u0301.jpg';
    expect(terminalLine({ ...entry, fields: { name } }, false)).toContain(`name=${name}`);
  });

  test('is one printable line for any input', () => {
    const text = fc.string({ unit: anyCharacter });
    fc.assert(
      fc.property(text, text, (message, value) => {
        const line = terminalLine({ ...entry, message, fields: { [value]: value } }, false);
        expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

describe('a JSON line', () => {
  test('has an ISO timestamp, level, message and the fields beside them', () => {
    expect(JSON.parse(jsonLine(entry))).toEqual({
      timestamp: entry.at.toISOString(),
      level: 'info',
      event: 'documentAccepted',
      message: 'Document accepted',
      ...entry.fields,
    });
  });

  test('is never hidden by a field of a fixed name', () => {
    const line = jsonLine({ ...entry, fields: { level: 'none', message: 'x', timestamp: 0 } });
    expect(JSON.parse(line)).toEqual({
      timestamp: entry.at.toISOString(),
      level: 'info',
      event: 'documentAccepted',
      message: 'Document accepted',
      levelField: 'none',
      messageField: 'x',
      timestampField: 0,
    });
  });

  test('is one line that parses back to its input, for any input', () => {
    const text = fc.string({ unit: anyCharacter });
    fc.assert(
      fc.property(text, text, (message, value) => {
        const line = jsonLine({ ...entry, message, fields: { value } });
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
        expect(JSON.parse(line)).toMatchObject({ message, value });
      }),
    );
  });
});
