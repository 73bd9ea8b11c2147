import { describe, expect, it } from 'vitest';
import { isLookedAt, keptBack, remarkOn, type Appearance } from '../../../src/core/domain/look.ts';

const GOOD: Appearance = {
  width: 600,
  height: 1_200,
  paper: 250,
  light: 255,
  ink: 200,
  detail: 300,
  sharpness: 2,
  print: null,
};

describe('the appearance check of an image', () => {
  it.each<[string, Partial<Appearance>, string | null]>([
    ['good', {}, null],
    ['blank', { detail: 19, ink: 31 }, 'BLANK'],
    ['so blurred that it has no edges', { detail: 19, ink: 32, sharpness: 0.3 }, 'BLURRED'],
    ['a little on it', { detail: 20, ink: 8 }, null],
    ['dark with nothing to be seen: it may hide something', { detail: 5, paper: 90, light: 149 }, 'TOO_DARK'],
    ['just dark enough', { paper: 99, light: 149 }, 'TOO_DARK'],
    ['white on black', { paper: 20, light: 250 }, null],
    ['dim', { paper: 100 }, null],
    ['narrow', { width: 249 }, 'TOO_SMALL'],
    ['low', { height: 249 }, 'TOO_SMALL'],
    ['as small as can be', { width: 250, height: 250 }, null],
    ['blurred', { sharpness: 0.94, print: null }, 'BLURRED'],
    ['soft', { sharpness: 0.95, print: null }, null],
  ])('%s', (_what, differs, reason) => {
    expect(remarkOn({ ...GOOD, ...differs })?.reason ?? null).toBe(reason);
  });

  it('reports every problem and what to do', () => {
    const remark = remarkOn({ ...GOOD, width: 100, paper: 50, light: 80, sharpness: 0.1, print: null });
    expect(remark).toEqual({
      reason: 'TOO_SMALL',
      flaws: ['TOO_SMALL', 'TOO_DARK', 'BLURRED'],
      before: null,
    });
    expect(remark && keptBack(remark)).toEqual({
      is: 'keptBack',
      flaws: ['TOO_SMALL', 'TOO_DARK', 'BLURRED'],
      before: null,
    });
  });

  it('is skipped unless the folder asks for it', () => {
    expect(
      [{}, { qualityCheck: 'off' }, { qualityCheck: 'warn' }, { qualityCheck: 'hold' }].map((each) =>
        isLookedAt(each as {}),
      ),
    ).toEqual([false, false, true, true]);
  });
});
