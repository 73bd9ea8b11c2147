import type { ImageType } from '../../../src/core/domain/imageType.ts';
import type { Dice } from '../support/dice.ts';
import { word } from './bytes.ts';
import type { Place } from './places.ts';

/** A file to mutate. */
export interface Origin {
  readonly name: string;
  readonly type: ImageType;
  readonly bytes: Buffer;
  readonly places: readonly Place[];
}

export type Mutation = keyof typeof MUTATIONS;

/** How often each is chosen. */
const WEIGHTS: Readonly<Record<Mutation, number>> = {
  number: 30,
  pointer: 12,
  bits: 8,
  byte: 8,
  digits: 4,
  cut: 6,
  extend: 4,
  remove: 6,
  double: 6,
  insert: 6,
  swap: 4,
  wipe: 5,
  splice: 6,
  graft: 3,
  prefix: 2,
  token: 6,
};

type Mutate = (file: Buffer, dice: Dice, origin: Origin, others: readonly Origin[]) => Buffer;

/** Most cases have little damage, since heavy damage often ends the reading early. */
export function mutated(origin: Origin, others: readonly Origin[], dice: Dice): [Buffer, Mutation[]] {
  let file = origin.bytes;
  const done: Mutation[] = [];
  const times = dice.chance(0.5) ? 1 : dice.int(2, 8);
  for (let time = 0; time < times; time += 1) {
    const mutation = dice.weighted(WEIGHTS);
    file = MUTATIONS[mutation](file, dice, origin, others);
    done.push(mutation);
  }
  return [file, done];
}

const NUMBERS = [0, 1, 2, 3, 4, 7, 8, 12, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x1_0000];
const LARGE = [0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff, 0x1_0000_0000, 2 ** 53, -1, -2, -8, -12];
const TOKENS = [
  '\xff\xd8\xff',
  '\xff\xd9',
  '\xff\xda\0\x02',
  '\xff\xe1\xff\xffExif\0\0II*\0',
  '\xff\xff\xff\xff',
  '\0\0\0\0IEND\xaeB`\x82',
  '\0\0\0\0eXIf',
  'II*\0\x08\0\0\0',
  'MM\0+\0\x08\0\0',
  'EXIF\xff\xff\xff\xff',
  'VP8 \x01\0\0\0',
  '\0;',
  '!\xff\x0b',
  '\0\0\0\x08meta',
  '\0\0\0\0mdat',
  '\0\0\0\x01mdat\xff\xff\xff\xff\xff\xff\xff\xff',
  '%%EOF',
  'startxref\n0\n%%EOF',
  '/Linearized 1 /L 9',
  '2026:11:21 04:53:00\0',
  '9999:12:31 23:59:59\0',
  '%PDF-1.7\n',
  'BM',
  '\xef\xbb\xbf',
];
const PREFIXES = [
  '\xef\xbb\xbf',
  'ID3\x04\0\0\0\0\0\0',
  '<!doctype html><html>',
  'PK\x03\x04',
  '\x1f\x8b\x08\0\0\0\0\0\0\x03',
  '\0',
  '\r\n',
  '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0',
];

const MUTATIONS = {
  /** Changes a length, a count or an offset, mostly to a value at which programs break. */
  number(file, dice, { places }) {
    const place = dice.chance(0.85) && places.length > 0 ? dice.pick(places) : somewhere(file, dice);
    return put(file, place.at, word(odd(file, place, dice), place.width, dice.chance(0.5) ? 'II' : 'MM'));
  },
  /** Points a number to another place, or to itself. */
  pointer(file, dice, { places }) {
    if (places.length === 0) return file;
    const from = dice.pick(places);
    const to = dice.chance(0.25) ? from.at : dice.pick(places).at;
    return put(
      file,
      from.at,
      word(to - dice.pick([0, 0, 2, 4, 8, 12]), from.width, dice.chance(0.5) ? 'II' : 'MM'),
    );
  },
  bits(file, dice) {
    const changed = Buffer.from(file);
    for (let left = dice.int(1, 8); left > 0; left -= 1) {
      const at = position(file, dice);
      changed[at] = (changed[at] ?? 0) ^ (1 << dice.int(0, 7));
    }
    return changed;
  },
  byte: (file, dice) => put(file, position(file, dice), Buffer.from([dice.int(0, 255)])),
  /** Changes numbers in text: those of a PDF, and dates. */
  digits(file, dice) {
    const found = [...file.toString('latin1', 0, 4096).matchAll(/\d+/g)];
    if (found.length === 0) return file;
    const { index, 0: text } = dice.pick(found);
    const other = dice.pick([
      '',
      '0',
      '-1',
      '00000000000000000000',
      '9'.repeat(15),
      '9'.repeat(400),
      '1e9',
      ':',
      '\x1b[2J',
    ]);
    return Buffer.concat([file.subarray(0, index), Buffer.from(other), file.subarray(index + text.length)]);
  },
  cut: (file, dice) =>
    file.subarray(
      0,
      dice.chance(0.3) ? Math.max(0, file.length - dice.int(1, 16)) : dice.int(0, file.length),
    ),
  extend(file, dice, _, others) {
    const more = dice.chance(0.4) ? dice.pick(others).bytes.subarray(-dice.int(1, 64)) : noise(dice);
    return Buffer.concat([file, more]);
  },
  remove(file, dice) {
    const [from, to] = range(file, dice);
    return Buffer.concat([file.subarray(0, from), file.subarray(to)]);
  },
  double(file, dice) {
    const [from, to] = range(file, dice);
    return Buffer.concat([file.subarray(0, to), file.subarray(from)]);
  },
  insert(file, dice) {
    const at = position(file, dice);
    return Buffer.concat([file.subarray(0, at), noise(dice), file.subarray(at)]);
  },
  swap(file, dice) {
    const [a, b, c, d] = [0, 0, 0, 0].map(() => dice.int(0, file.length)).toSorted((x, y) => x - y) as Four;
    const part = (from: number, to?: number) => file.subarray(from, to);
    return Buffer.concat([part(0, a), part(c, d), part(b, c), part(a, b), part(d)]);
  },
  wipe(file, dice) {
    const [from, to] = range(file, dice);
    return Buffer.from(file).fill(dice.pick([0, 0, 0xff, 0x20]), from, to);
  },
  /** Joins the beginning of this file and the rest of another. */
  splice(file, dice, _, others) {
    const other = dice.pick(others).bytes;
    return Buffer.concat([
      file.subarray(0, dice.int(0, file.length)),
      other.subarray(dice.int(0, other.length)),
    ]);
  },
  /** Inserts another file into this one. */
  graft(file, dice, _, others) {
    const at = dice.int(0, file.length);
    return Buffer.concat([
      file.subarray(0, at),
      dice.pick(others).bytes.subarray(0, 4096),
      file.subarray(at),
    ]);
  },
  prefix: (file, dice) => Buffer.concat([Buffer.from(dice.pick(PREFIXES), 'latin1'), file]),
  token(file, dice) {
    const at = position(file, dice);
    const token = Buffer.from(dice.pick(TOKENS), 'latin1');
    if (dice.chance(0.5)) return put(file, at, token);
    return Buffer.concat([file.subarray(0, at), token, file.subarray(at)]);
  },
} satisfies Readonly<Record<string, Mutate>>;

type Four = [number, number, number, number];

function odd(file: Buffer, { at, width }: Place, dice: Dice): number {
  if (dice.chance(0.3)) return dice.pick(LARGE);
  if (dice.chance(0.4)) return dice.pick(NUMBERS);
  if (dice.chance(0.4)) return file.length - at - dice.int(-16, 16);
  if (dice.chance(0.3)) return file.length + dice.int(-2, 2);
  const before = at + width <= file.length ? file.readUIntBE(at, Math.min(width, 4)) : 0;
  return before + dice.int(-4, 4);
}

function somewhere(file: Buffer, dice: Dice): Place {
  return { at: position(file, dice), width: dice.pick([1, 2, 4, 8]) };
}

/** Headers matter most, so half of the damage goes to the first bytes. */
function position(file: Buffer, dice: Dice): number {
  if (file.length === 0) return 0;
  const last = dice.chance(0.5) ? Math.min(file.length, 200) - 1 : file.length - 1;
  return dice.chance(0.1) ? Math.max(0, file.length - dice.int(1, 32)) : dice.int(0, last);
}

function range(file: Buffer, dice: Dice): [number, number] {
  const from = position(file, dice);
  const length = dice.chance(0.7) ? dice.int(1, 64) : dice.int(1, Math.max(1, file.length >> 1));
  return [from, Math.min(file.length, from + length)];
}

function put(file: Buffer, at: number, bytes: Buffer): Buffer {
  const changed = Buffer.from(file);
  bytes.copy(changed, at, 0, Math.max(0, file.length - at));
  return changed;
}

function noise(dice: Dice): Buffer {
  const length = dice.int(1, dice.chance(0.9) ? 40 : 2000);
  return dice.chance(0.4) ? dice.bytes(length) : Buffer.alloc(length, dice.pick([0, 0xff, 0x20, 0x41]));
}
