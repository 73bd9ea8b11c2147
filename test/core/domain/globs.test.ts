import * as fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { matcherOf, PatternTooComplex } from '../../../src/core/domain/globs.ts';
import { isEveryCase } from '../../support/everyCase.ts';

describe('a pattern', () => {
  const TOKENS = [
    'a',
    'b',
    'A',
    '.',
    '-',
    '*',
    '?',
    '[ab]',
    '[^a]',
    '[^b-c]',
    '{a,b}',
    '{ab,*}',
    '@(a|b)',
    '?(a)',
    '\\*',
  ];
  const segment = fc
    .array(fc.constantFrom(...TOKENS), { minLength: 1, maxLength: 5 })
    .map((some) => some.join(''));
  const pattern = fc.array(fc.oneof({ weight: 4, arbitrary: segment }, fc.constant('**')), {
    minLength: 1,
    maxLength: 3,
  });
  const name = fc
    .array(fc.constantFrom(...'aabB.-*'.split('')), { minLength: 1, maxLength: 5 })
    .map((some) => some.join(''));
  const isName = (text: string) => text !== '.' && text !== '..';
  const path = fc.array(name.filter(isName), { minLength: 1, maxLength: 3 });

  it('matches what picomatch matches', () => {
    fc.assert(
      fc.property(pattern, path, (parts, names) => {
        const [glob, text] = [
          parts.join('/').replace(/\*{2,}(?=[^/*])|(?<=[^/*])\*{2,}/g, '*'),
          names.join('/'),
        ];
        const expected = picomatch(glob, { dot: true, flags: 'is' })(text);
        expect([glob, text, matcherOf([glob])(text)]).toEqual([glob, text, expected]);
      }),
      { numRuns: isEveryCase ? 3_000 : 800 },
    );
  });

  it.each([
    ['!(a|b).jpg', ['c.jpg', 'ab.jpg'], ['a.jpg', 'b.jpg', 'c.png']],
    ['!*.tmp', ['a.jpg'], ['a.tmp']],
    ['+(ab|c).x', ['ab.x', 'cabc.x'], ['.x', 'a.x']],
    ['*(a)b', ['b', 'aab'], ['ac']],
    ['scan{1..12}.jpg', ['scan1.jpg', 'scan12.jpg'], ['scan0.jpg', 'scan13.jpg']],
    ['{a}', ['{a}'], ['a']],
    ['((a', ['((a'], ['a']],
    ['out/**', ['out', 'out/a/b'], ['outer', 'in/out/a']],
    ['in/**/a', ['in/a', 'in/x/y/a'], ['in/xa']],
    ['(a|b)*', ['a', 'bx'], ['c']],
    ['[]a]', [']', 'a'], ['b']],
    ['[z', ['[z'], ['z']],
    ['ä*', ['Ä1'], ['a1']],
  ])('%s matches %j and not %j', (glob, matching, others) => {
    const matches = matcherOf([glob]);
    for (const text of matching) expect([text, matches(text)]).toEqual([text, true]);
    for (const text of others) expect([text, matches(text)]).toEqual([text, false]);
  });

  it('costs little, however hostile it is and whatever files are called', () => {
    const heavy = [
      '*a',
      '**',
      '*',
      '?',
      '**/',
      '+(a|aa)',
      '*(*a)',
      '+(+(+(a)))',
      '{a,aa}',
      '{*,**}',
      '@(a|*)',
      '(',
      '{',
      '[',
      '!(',
      ')',
      '[!b]',
      'b',
      '/',
      '\\',
      '{1..999}',
    ];
    const hostile = fc
      .array(fc.tuple(fc.constantFrom(...heavy), fc.integer({ min: 1, max: 60 })), {
        minLength: 1,
        maxLength: 8,
      })
      .map((some) => some.map(([token, times]) => token.repeat(times)).join(''));
    const text = fc.string({
      unit: fc.constantFrom('a', 'a', 'a', '/', 'b'),
      minLength: 200,
      maxLength: 255,
    });
    fc.assert(
      fc.property(
        fc.array(hostile, { minLength: 1, maxLength: 5 }),
        fc.array(text, { minLength: 5, maxLength: 5 }),
        (globs, texts) => {
          const before = process.cpuUsage();
          try {
            const matches = matcherOf(globs);
            for (const each of texts) matches(each);
          } catch (error) {
            if (!(error instanceof PatternTooComplex)) throw error;
          }
          const { user, system } = process.cpuUsage(before);
          expect((user + system) / 1_000_000).toBeLessThan(2);
        },
      ),
      { numRuns: isEveryCase ? 15 : 5 },
    );
  });
});
