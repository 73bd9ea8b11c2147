import * as fc from 'fast-check';

const [SURROGATES, AFTER] = [0xd800, 0xe000];

/**
 * Any character of Unicode, as `unit` of a string. The same as fast-check's own `binary`, which each process would draw up
 * a table of a million characters for.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10_ff_ff - (AFTER - SURROGATES) }).map(
  (n) => String.fromCodePoint(n < SURROGATES ? n : n + AFTER - SURROGATES),
  (character) => {
    const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== character) throw new Error('no character');
    return point < SURROGATES ? point : point - (AFTER - SURROGATES);
  },
);
