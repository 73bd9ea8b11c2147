import { expect, it } from 'vitest';
import { namesOneFile } from '../../../src/intake/folder/hints.ts';

it.each([
  ['linux', 'SCAN0001.JPG', true],
  ['linux', 'Café.jpg', true],
  ['linux', 'SCAN00~1.JPG', true],
  ['linux', 'Caf\uFFFD.jpg', false],
  // In composed and decomposed form.
  ['darwin', 'Caf\u00e9.jpg', false],
  ['darwin', 'Cafe\u0301.jpg', false],
  ['darwin', 'SCAN0001.JPG', true],
  ['win32', 'SCAN0001.JPG', true],
  ['win32', 'Café.jpg', true],
  ['win32', 'SCAN00~1.JPG', false],
  ['win32', 'two~words.jpg', true],
] as const)('on %s an event about %j names one file: %s', (platform, name, isOne) => {
  expect(namesOneFile(name, platform)).toBe(isOne);
});
