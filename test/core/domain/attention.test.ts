import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOTE_ENDING, safeName } from '../../../src/core/domain/attention.ts';
import { anyCharacter } from '../../support/anyCharacter.ts';

describe('the name in the attention folder', () => {
  it.each([
    ['SCAN0001.JPG', 'SCAN0001.JPG'],
    ['second floor/beleg ä.jpg', 'beleg ä.jpg'],
    ['a<b>:"c|d?.jpg', 'a_b___c_d_.jpg'],
    ['con.jpg', '_con.jpg'],
    ['LPT1', '_LPT1'],
    ['contract.jpg', 'contract.jpg'],
    ['trailing. . ', 'trailing'],
    ['...', '_'],
    ['.hidden.jpg', '_.hidden.jpg'],
    ['line\nbreak.jpg', 'line_break.jpg'],
    ['\u{1b}[31m\u{85}\u2029\ud800.jpg', '_[31m___.jpg'],
    ['\u202egpj.\u2066\u200f\u200b\u{feff}exe', 'gpj.exe'],
    ['\u200b.hidden', '_.hidden'],
    [`${'ü'.repeat(120)}.jpeg`, `${'ü'.repeat(114)}.jpeg`],
  ])('%j is %j', (path, name) => {
    expect(safeName(path)).toBe(name);
  });

  it('fits the limits of every system, including the suffix of the note and a number', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (path) => {
        const name = safeName(path);
        expect(Buffer.byteLength(`${name} (0a1b2c3d)${NOTE_ENDING}`)).toBeLessThanOrEqual(255);
        expect(name).toMatch(/^[^.<>:"/\\|?*\p{Cc}][^<>:"/\\|?*\p{Cc}\p{Cs}\u2028-\u202e]*$/u);
        expect(name).not.toMatch(/[. ]$/);
      }),
      { numRuns: 200 },
    );
  });
});
