import * as fc from 'fast-check';
import { assert, property, string } from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { counted, local, size } from '../../../src/core/domain/words.ts';
import { byBytes } from '../../../src/core/domain/byteOrder.ts';
import { escapeUnsafe, unescaped } from '../../../src/core/domain/escape.ts';
import { anyCharacter } from '../../support/anyCharacter.ts';
import { nearest } from '../../../src/core/domain/nearest.ts';
import { fold, foldedUnlessAscii, isFound, searchWords } from '../../../src/core/domain/search.ts';

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

it('sorts texts by their UTF-8 bytes', () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 6 });
  fc.assert(
    fc.property(name, name, (a, b) => {
      expect(Math.sign(byBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

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

const KEYS = ['baseUrl', 'recursive', 'rate', 'path', 'concurrency', 'endpoint'];

describe('a suggestion', () => {
  it.each([
    ['base_url', 'baseUrl'],
    ['baseURL', 'baseUrl'],
    ['recursiv', 'recursive'],
    ['rtae', 'rate'],
    ['concurency', 'concurrency'],
    ['endpiont', 'endpoint'],
    ['paths', 'path'],
  ])('for %s is %s', (written, meant) => {
    expect(nearest(written, KEYS)).toBe(meant);
  });

  it.each(['x', 'settle', 'colour', ''])('is not made for %j', (written) => {
    expect(nearest(written, KEYS)).toBeUndefined();
  });

  it('is the nearest candidate, not the first near one', () => {
    expect(nearest('offices', ['officer2', 'office', 'offices1'])).toBe('office');
    expect(nearest('perMont', ['perMonday', 'perMonth'])).toBe('perMonth');
  });
});

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
