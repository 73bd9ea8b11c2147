import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, foldedUnlessAscii, isFound, searchWords } from '../../../src/core/domain/search.ts';
import { anyCharacter } from '../../support/anyCharacter.ts';

const text = string({ unit: anyCharacter, maxLength: 30 });

describe('folding text for search', () => {
  it.each([
    ['Müller', 'muller'],
    ['Mu\u0308ller', 'muller'],
    ['MÜLLER', 'muller'],
    ['Straße', 'strasse'],
    ['STRAẞE', 'strasse'],
    ['İstanbul', 'istanbul'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ﬁ ½', 'fi 1⁄2'],
    ['Rechnung №\u00a05', 'rechnung no 5'],
  ])('turns %j into %j', (given, folded) => {
    expect(fold(given)).toBe(folded);
  });

  it('is idempotent', () => {
    assert(
      property(text, (any) => {
        expect(fold(fold(any))).toBe(fold(any));
      }),
    );
  });

  it('returns null if lowercasing is enough', () => {
    expect(foldedUnlessAscii('SCAN 1')).toBeNull();
    expect(foldedUnlessAscii('Scän')).toBe('scan');
  });
});

const row = {
  name: 'SCAN0001-abc',
  path: '/srv/Büro/Müller & Söhne.jpg',
  sha256: 'c0ffee',
  state: 'failed',
  status: null,
  message: 'Das Bild ist zu groß.',
  posted: [
    { '/total': 1234.5, '/date': '2026-05-14T10:00:00Z', '/merchant/name': 'Hôtel Ärger' },
    { '/paid': true },
  ],
};

it.each([
  '',
  '  ',
  'scan0001',
  'sohne MULLER',
  'buro/mu',
  'COFFEE failed',
  'gross bild',
  'HOTEL arger 2026-05',
  '14.05.2026 1234,50',
  '1234.5 scan0001',
])('finds by %j', (search) => expect(isFound(row, searchWords(search))).toBe(search !== 'COFFEE failed'));

it('finds any substring in any spelling', () => {
  assert(
    property(text, text, text, (a, b, c) => {
      for (const word of searchWords(b))
        expect(isFound({ ...row, path: `${a} ${b} ${c}` }, [word])).toBe(true);
    }),
  );
});
