import { isUtf8 } from 'node:buffer';
import type { Dice } from '../support/dice.ts';

/** Encodes a text as in `Step`: one character is one byte. */
export function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The path as people and the ledger see it. */
export function shown(path: string): string {
  let text = '';
  for (let at = 0; at < path.length;) {
    // A byte that is not part of a character is shown by its number.
    const length =
      [1, 2, 3, 4].find((count) => isUtf8(Buffer.from(path.slice(at, at + count), 'latin1'))) ?? 0;
    const bytes = Buffer.from(path.slice(at, at + Math.max(1, length)), 'latin1');
    text += length > 0 ? bytes.toString('utf8') : `%${bytes.toString('hex').toUpperCase()}`;
    at += bytes.length;
  }
  return text;
}

const ENDINGS = ['.jpg', '.jpg', '.JPG', '.jpeg', '.png', '.tif', '.webp', '.pdf', '.bin', ''] as const;

/** Names (without ending) that are harmless to programs that treat names as bytes. */
const ODD: readonly string[] = [
  'with spaces  in it ',
  'new\nline',
  'tab\tand\rreturn',
  `"double" 'single' \`back\``,
  '-rf',
  '--help',
  'Quittung Ärger \u00fc',
  // Looks the same, but decomposed.
  'Quittung A\u0308rger u\u0308',
  '\u{1f9fe}\u{1f4b6} caf\u00e9',
  '\u0001\u0007\u001f control',
  '\u001b[31mred\u001b[0m\u001b]0;title\u0007',
  '100%s %d %n %2F',
  '$(reboot) ; rm * | cat',
  'back\\slash',
  '[a-z]{1,2}(x|y)!*?',
  '#hash&query=1',
  'receiptd-aside-0123abcd',
  'SCAN (2)',
  '\u202egpj.exe\u200b',
  '\ufffd replacement',
  'CON',
  '...',
];

/** Ignored by the built-in patterns. */
const HIDDEN: readonly string[] = [
  '.hidden.jpg',
  '.receiptd-aside-0123abcd',
  '.receiptd-incoming-0123abcd',
  '._SCAN0001.jpg',
  '~lock.jpg',
  'backup.jpg~',
  'writing.jpg.tmp',
  'fetching.jpg.part',
  'Thumbs.db',
  'desktop.ini',
];

const DIRECTORIES: readonly string[] = [
  'sub',
  '2026',
  'month-11',
  'drafts',
  'skip-these',
  'album.jpg',
  'new\nline dir',
  '.hidden-dir',
  '@eaDir',
  '-dir',
  '\u{1f4c1} folder',
];

/** Half of the names come from a small counter, so that they recur. */
export function drawName(dice: Dice): string {
  const ending = dice.pick(ENDINGS);
  switch (dice.weighted({ counter: 50, odd: 28, hidden: 8, long: 5, bytes: 5, pattern: 4 })) {
    case 'counter':
      return `SCAN${String(dice.int(1, 9)).padStart(4, '0')}${ending}`;
    case 'odd':
      return bytesOf(dice.pick(ODD)) + ending;
    case 'hidden':
      return dice.pick(HIDDEN);
    case 'long':
      return longest(dice.pick(['x', '\u00e9', '\u{1f9fe}']), ending);
    case 'bytes':
      return dice.pick(['\xff\xfe', 'latin1 \xe9', 'cut \xe2\x82', '\xc0\xaf']) + ending;
    case 'pattern':
      return dice.pick([`skip-${dice.int(1, 3)}${ending}`, 'page.copy.jpg']);
  }
}

export function drawDirectoryName(dice: Dice): string {
  return dice.chance(0.04) ? 'dir \xff' : bytesOf(dice.pick(DIRECTORIES));
}

/** 255 bytes, the maximum length of a name. */
function longest(letter: string, ending: string): string {
  const unit = bytesOf(letter);
  const room = 255 - ending.length;
  return unit.repeat(Math.floor(room / unit.length)).padEnd(room, '_') + ending;
}
