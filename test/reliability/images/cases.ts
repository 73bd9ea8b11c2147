import { Dice } from '../support/dice.ts';
import { BOMBS } from './bombs.ts';
import type { Whole } from './corpus.ts';
import { hostileFiles } from './hostile.ts';
import { mutated, type Origin } from './mutate.ts';
import { placesOf } from './places.ts';

/** `bombs`: large files; `handmade`: hostile files unchanged; `parts`: truncated complete files; `mutations`: damaged files. */
export const PHASES = ['bombs', 'handmade', 'parts', 'mutations'] as const;
export type Phase = (typeof PHASES)[number];

export interface Case {
  /** A description for people. */
  readonly name: string;
  readonly bytes: Buffer;
  /** The only verdicts that the inspector may return; null: any. */
  readonly expected: readonly string[] | null;
  /** The categories under which it is counted. */
  readonly kinds: readonly string[];
}

export interface Cases {
  count(phase: Exclude<Phase, 'mutations'>): number;
  /** The same number gives the same case. */
  make(phase: Phase, number: number): Case;
}

/** A file with fewer bytes may have no type yet. */
const SHORTEST_TYPE = 18;
/** Larger complete files are seldom mutated, since the cost of a case grows with its size. */
const SMALL = 24_000;
const LARGE_CHANCE = 0.004;

export function createCases(wholes: readonly Whole[], bombSize: number, every = 1): Cases {
  // Created on first use: a process that tries one large file needs none of the others.
  const bombs = once(() => Object.entries(BOMBS));
  const handmade = once(hostileFiles);
  const parts = once(() =>
    wholes
      .flatMap((whole) => cuts(whole).map((at) => ({ whole, at })))
      .filter((_, index) => index % every === 0),
  );
  const origin = ({ name, type, bytes }: Whole): Origin => ({
    name,
    type,
    bytes,
    places: placesOf(type, bytes),
  });
  const large = once(() => wholes.filter(({ bytes }) => bytes.length > SMALL).map(origin));
  const bases = once(() => [
    ...wholes.filter(({ bytes }) => bytes.length <= SMALL).map(origin),
    ...handmade()
      .filter(({ bytes }) => bytes.length > 8 && bytes.length <= SMALL)
      .map(({ name, bytes }) => ({ name, type: typeOf(name), bytes, places: [] })),
  ]);

  const makers: Readonly<Record<Phase, (number: number) => Case | undefined>> = {
    bombs(number) {
      const bomb = bombs()[number];
      return bomb && { name: bomb[0], bytes: bomb[1](bombSize), expected: null, kinds: ['bomb'] };
    },
    handmade(number) {
      const file = handmade()[number];
      return file && { ...file, expected: null, kinds: [`handmade ${file.name.split(/[ ,]/)[0]}`] };
    },
    parts(number) {
      const part = parts()[number];
      if (part === undefined) return undefined;
      const { whole, at } = part;
      const expected = [at >= whole.end ? `${whole.type} complete` : `${whole.type} incomplete`];
      if (at < SHORTEST_TYPE) expected.push('no type');
      const name = `${at} of ${whole.bytes.length} bytes of ${whole.name}`;
      return { name, bytes: whole.bytes.subarray(0, at), expected, kinds: [`part of ${whole.type}`] };
    },
    mutations(number) {
      const dice = new Dice(`images/${number}`);
      const from =
        large().length > 0 && dice.chance(LARGE_CHANCE) ? dice.pick(large()) : ofEachType(bases(), dice);
      const [bytes, done] = mutated(from, bases(), dice);
      return {
        name: `${from.name}: ${done.join(', ')}`,
        bytes,
        expected: null,
        kinds: [`mutated ${from.type}`, ...new Set(done.map((mutation) => `mutation ${mutation}`))],
      };
    },
  };
  return {
    count: (phase) => ({ bombs, handmade, parts })[phase]().length,
    make(phase, number) {
      const made = makers[phase](number);
      if (made === undefined) throw new Error(`There is no case ${number} of ${phase}.`);
      return made;
    },
  };
}

/** Every offset of a small file; samples of a large one, and every offset near its end. */
function cuts({ bytes, end }: Whole): number[] {
  const near = bytes.length <= SMALL ? 0 : end - 200;
  const points = new Set<number>();
  const step = near === 0 ? 1 : Math.floor(near / 60);
  for (let at = 0; at < near; at += step) points.add(at);
  for (let at = near; at <= end; at += 1) points.add(at);
  return [...points, bytes.length];
}

/** Picks the type first, so that the many JPEGs do not crowd out other types. */
function ofEachType(bases: readonly Origin[], dice: Dice): Origin {
  const type = dice.pick([...new Set(bases.map(({ type }) => type))]);
  return dice.pick(bases.filter((base) => base.type === type));
}

function typeOf(name: string): Origin['type'] {
  const types = {
    JPEG: 'jpeg',
    TIFF: 'tiff',
    BigTIFF: 'tiff',
    PNG: 'png',
    WebP: 'webp',
    GIF: 'gif',
    HEIC: 'heic',
    BMP: 'bmp',
  } as const;
  const first = name.split(/[ ,]/)[0] ?? '';
  return Object.entries(types).find(([key]) => key === first)?.[1] ?? 'pdf';
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
