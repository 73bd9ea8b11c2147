import { paintLines } from './paint.ts';
import { encodePng } from './png.ts';
import { centred, LINE_LENGTH } from './receipt.ts';

/**
 * Draws an obvious test receipt as a PNG file. Each `number` gives a different image, so that it is never a duplicate. `at`: local
 * time, as printed.
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
