import { seeded } from './seeded.ts';

/** Characters per line of the receipt paper. */
export const LINE_LENGTH = 30;

export interface Receipt {
  readonly shop: string;
  readonly at: Date;
  /** Amounts in cents. */
  readonly items: readonly { readonly name: string; readonly amount: number }[];
  readonly total: number;
}

const SHOPS = [
  ['CORNER BAKERY', ['RYE BREAD', 'CINNAMON ROLL', 'COFFEE', 'BUTTER PRETZEL', 'APPLE CAKE']],
  ['CITY TAXI 4711', ['FARE', 'LUGGAGE', 'NIGHT RATE']],
  ['OFFICE & PAPER', ['PRINTER PAPER A4', 'BALL PENS X10', 'STAPLES', 'FOLDERS', 'TONER BLACK']],
  ['HOTEL AT THE BRIDGE', ['ROOM 1 NIGHT', 'BREAKFAST', 'CITY TAX', 'MINIBAR']],
  ['FUEL STOP 24', ['DIESEL', 'SCREEN WASH', 'SANDWICH', 'WATER 0.5L']],
  ['GREEN GROCER', ['TOMATOES', 'POTATOES 2KG', 'BANANAS', 'LEMONS', 'HONEY']],
  ['RAILWAY TICKETS', ['SINGLE 2ND CLASS', 'SEAT', 'BICYCLE']],
  ['HARDWARE HOUSE', ['SCREWS 4X40', 'LED LAMP', 'CABLE 5M', 'PAINT WHITE', 'TAPE']],
] as const;

const FIRST_DAY = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const VAT_PERCENT = 19;

/** Invents a plausible purchase. Deterministic. */
export function inventReceipt(seed: number): Receipt {
  const random = seeded(seed);
  const upTo = (limit: number): number => Math.floor(random() * limit);
  const [shop, goods] = SHOPS[seed % SHOPS.length] ?? SHOPS[0];
  const items = Array.from({ length: 3 + upTo(5) }, () => ({
    name: goods[upTo(goods.length)] ?? goods[0],
    amount: 95 + upTo(4900),
  }));
  const openingHours = (8 + upTo(11)) * 3_600_000 + upTo(60) * 60_000;
  return {
    shop,
    at: new Date(FIRST_DAY + upTo(330) * DAY_MS + openingHours),
    items,
    total: items.reduce((sum, item) => sum + item.amount, 0),
  };
}

/** The printed receipt, one string per line. */
export function printedLines(receipt: Receipt, number: number): readonly string[] {
  const day = receipt.at.toISOString();
  const vat = Math.round((receipt.total * VAT_PERCENT) / (100 + VAT_PERCENT));
  return [
    centred(receipt.shop),
    centred('RECEIPT'),
    '',
    spread(day.slice(0, 10), day.slice(11, 16)),
    `NO. ${String(number).padStart(6, '0')}`,
    '-'.repeat(LINE_LENGTH),
    ...receipt.items.map((item) => spread(item.name, money(item.amount))),
    '-'.repeat(LINE_LENGTH),
    spread('TOTAL EUR', money(receipt.total)),
    spread(`VAT ${VAT_PERCENT}% INCLUDED`, money(vat)),
    '',
    centred('THANK YOU!'),
  ];
}

function money(cents: number): string {
  return (cents / 100).toFixed(2);
}

export function centred(text: string): string {
  return ' '.repeat(Math.max(0, Math.floor((LINE_LENGTH - text.length) / 2))) + text;
}

function spread(left: string, right: string): string {
  return left.padEnd(LINE_LENGTH - right.length) + right;
}
