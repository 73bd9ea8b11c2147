import { expect, test } from 'vitest';
import { hidePasswords, withPasswords } from '../../src/config/hidePasswords.ts';

test.each([
  ['http://u:p@h', 'http://u:***@h'],
  ['http://u:p@q@h/a@b', 'http://u:***@h/a@b'],
  ['http://token@h', 'http://***@h'],
  [String.raw`http:\/\/u:p@h`, String.raw`http:\/\/u:***@h`],
  ['http://h/a@b, mail a@b', 'http://h/a@b, mail a@b'],
])('%s is shown as %s, and what is shown cannot be written back', (given, shown) => {
  expect(hidePasswords(given)).toBe(shown);
  if (!shown.includes('***')) return;
  const value = shown.replaceAll('\\', '');
  expect(() => withPasswords([{ kind: 'set', path: ['service', 'proxy'], value }])).toThrow(
    expect.objectContaining({ key: 'CONFIG_INVALID.passwordHidden' }),
  );
});
