import { paintLines } from './paint.ts';
import { encodePng } from './png.ts';
import { LINE_LENGTH } from './receipt.ts';

/**
 * A receipt that nobody can take for a real one, as a PNG file. Another `number` makes another image, so that it is never
 * the duplicate of an earlier one. `at`: local time, as it is to be printed.
 */
export function drawTestReceipt({ number, at }: { number: number; at: string }): Buffer {
  const lines = [
    'RECEIPTD',
    'TEST RECEIPT',
    '',
    at,
    `NO. ${String(number).padStart(6, '0')}`,
    '-'.repeat(LINE_LENGTH),
    '*** NOT A PURCHASE ***',
    'IT SHOWS THAT SET-UP WORKS.',
    'PLEASE DISREGARD IT.',
    '-'.repeat(LINE_LENGTH),
    'TOTAL EUR 0.00',
  ];
  return encodePng(paintLines(lines.map(centred), number));
}

function centred(text: string): string {
  return ' '.repeat(Math.max(0, Math.floor((LINE_LENGTH - text.length) / 2))) + text;
}
