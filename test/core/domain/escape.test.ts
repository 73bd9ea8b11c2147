import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeUnsafe } from '../../../src/core/domain/escape.ts';
import { anyCharacter } from '../../support/anyCharacter.ts';

describe('an escaped file name', () => {
  it('has its line breaks and terminal sequences escaped', () => {
    expect(escapeUnsafe('a\nb\u001b[31mc\u009bd\u202e')).toBe('a\\nb\\u001b[31mc\\u009bd\\u202e');
  });

  it('is a single line without terminal sequences for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (name) => {
        expect(escapeUnsafe(name)).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});
