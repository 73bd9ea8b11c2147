import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeUnsafe, unescaped } from '../../../src/core/domain/escape.ts';
import { anyCharacter } from '../../support/anyCharacter.ts';

describe('an escaped file name', () => {
  it('has its line breaks and terminal sequences escaped', () => {
    expect(escapeUnsafe('a\nb\u001b[31mc\u009bd\u202e')).toBe('a\\nb\\u001b[31mc\\u009bd\\u202e');
  });

  it('shows characters without width that no script needs, and leaves those that some need', () => {
    expect(escapeUnsafe('a\u200bb\ufeffc')).toBe('a\\u200bb\\ufeffc');
    expect(escapeUnsafe('a\u200db\u200cc')).toBe('a\u200db\u200cc');
  });

  it('can be typed as it is printed', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (name) => {
        fc.pre(!name.includes('\\'));
        expect(unescaped(escapeUnsafe(name))).toBe(name);
      }),
    );
  });

  it('is a single line without terminal sequences for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (name) => {
        expect(escapeUnsafe(name)).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});
