import type { Dice } from '../../reliability/support/dice.ts';

/** File names given by scanners and people. `#` becomes the number, which keeps names unique within a folder. */
const USUAL: readonly string[] = ['SCAN#', 'scan_#', 'IMG_2026#', 'Beleg Müller #', 'receipt (#)', '#'];

/** Non-Latin names, and names that look alike but are not: composed and decomposed. */
const OTHER_SCRIPTS: readonly string[] = [
  'Quittung A\u0308rger #',
  'Quittung Ärger #',
  'чек-#',
  '領収書 #',
  'إيصال #',
  'קבלה #',
  'ใบเสร็จ #',
  '영수증 #',
  '\u{1f9fe}\u{1f4b6} café #',
];

/** Names that break tables, terminals, pages, shells and spreadsheets which do not escape them. */
export const HOSTILE: readonly string[] = [
  'line\nbreak #',
  'tab\tand\rreturn #',
  '\u001b[31mred\u001b[0m\u001b]0;title\u0007 #',
  '\u0001\u001f control #',
  '\u202egpj.exe\u200b #',
  `"double" 'single' \`back\` #`,
  '-rf #',
  '--help #',
  '<script>alert(#)<\u2215script>',
  '<img src=x onerror=alert(#)>',
  '=cmd(calc) #',
  '+1+1 #',
  '@SUM(A1) #',
  '$(reboot) ; rm * | cat #',
  '100%s %d %n %2F #',
  'back\\slash #',
  'a;b,c #',
  '#hash&query=1?x',
  '...#',
  '\ufffd replacement #',
  ' leading and trailing # ',
];

const DIRECTORIES: readonly string[] = ['', '', '', '2026/11', 'von Müller', 'a/b/c/d/e', '<b>'];

const MOST_BYTES = 255;

export function drawPath(dice: Dice, number: number, ending: string): string {
  const dir = dice.pick(DIRECTORIES);
  return `${dir}${dir === '' ? '' : '/'}${drawName(dice, number, ending)}`;
}

function drawName(dice: Dice, number: number, ending: string): string {
  const digits = String(number).padStart(5, '0');
  const kind = dice.weighted({ usual: 70, other: 15, hostile: 13, long: 2 });
  if (kind === 'long') {
    const rest = MOST_BYTES - digits.length - ending.length - 1;
    return `${digits} ${'シ'.repeat(Math.floor(rest / 3))}${ending}`;
  }
  const of = { usual: USUAL, other: OTHER_SCRIPTS, hostile: HOSTILE };
  return `${dice.pick(of[kind]).replace('#', digits)}${ending}`;
}
