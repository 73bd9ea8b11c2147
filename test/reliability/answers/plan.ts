/** One hostile exchange as data, so that fast-check can draw and shrink it. */
import * as fc from 'fast-check';

export const ROUTES = ['token', 'whoami', 'create', 'upload'] as const;
export type Route = (typeof ROUTES)[number];

/** When the server starts to answer: on connection, after the head of the request, after half of its body, or after all of it. */
export const STARTS = ['connect', 'head', 'half', 'all'] as const;

export const FRAMINGS = [
  'length',
  'chunked',
  'chunkedPieces',
  'chunkedExtensions',
  'chunkedTrailers',
  'untilEnd',
  'lengthTwice',
  'lengthZeroPadded',
  'lengthAndChunked',
  'lengthTooSmall',
  'lengthTooLarge',
  'lengthNegative',
  'lengthNotANumber',
  'lengthHuge',
  'lengthsConflict',
  'lengthsInOneConflict',
  'chunkedSizeNotHex',
  'chunkedSizeTooSmall',
  'chunkedSizeTooLarge',
  'chunkedSizeNegative',
  'chunkedSizeHuge',
  'chunkedNoLineEnd',
  'chunkedNoEnd',
  'unknownCoding',
  'gzipCoding',
  'chunkedThenUnknown',
] as const;
export type Framing = (typeof FRAMINGS)[number];

export const SHAPES = [
  'right',
  'extra',
  'pretty',
  'escaped',
  'padded',
  'deepExtra',
  'numbersExtra',
  'protoExtra',
  'bigExtra',
  'echo',
  'bom',
  'duplicateLast',
  'invalidUtf8Extra',
  'value',
  'missing',
  'lookalike',
  'duplicateFirst',
  'proto',
  'array',
  'wrapped',
  'asString',
  'trailing',
  'twice',
  'commented',
  'singleQuotes',
  'cutShort',
  'latin1',
  'utf16',
  'html',
  'empty',
  'spaces',
  'binary',
  'scalar',
  'deep',
] as const;
/** These bodies take megabytes each. */
export const HEAVY_SHAPES = ['tooBig', 'endless', 'endlessSpaces'] as const;
export type Shape = (typeof SHAPES)[number] | (typeof HEAVY_SHAPES)[number];

export interface Plan {
  readonly start: (typeof STARTS)[number];
  readonly interim: readonly number[];
  readonly version: string;
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly number[];
  readonly framing: Framing;
  readonly coding: 'none' | 'gzip' | 'deflate' | 'br' | 'gzipUnsaid' | 'gzipSaidOnly';
  readonly shape: Shape;
  /** The changed field and its new value, for shapes that use them. */
  readonly field: number;
  readonly value: number;
  readonly pace: 'whole' | 'pieces' | 'bytes';
  /** The position in the answer at which something else happens, as a share of its length. */
  readonly cut: { readonly at: number; readonly how: 'end' | 'reset' | 'stall' } | null;
  /** What follows a complete answer. */
  readonly after: 'keep' | 'end' | 'reset' | 'second' | 'secondLater' | 'garbage';
}

export const USUAL: Plan = {
  start: 'all',
  interim: [],
  version: 'HTTP/1.1',
  status: 200,
  reason: 'OK',
  headers: [],
  framing: 'length',
  coding: 'none',
  shape: 'right',
  field: 0,
  value: 0,
  pace: 'whole',
  cut: null,
  after: 'keep',
};

const KNOWN_STATUSES = [
  200, 200, 200, 200, 200, 201, 202, 204, 205, 206, 226, 300, 301, 302, 303, 304, 307, 308, 400, 401, 402,
  403, 404, 405, 407, 408, 409, 410, 411, 413, 415, 417, 418, 421, 422, 425, 426, 428, 429, 431, 451, 499,
  500, 501, 502, 503, 504, 505, 507, 511, 520, 599, 600, 999, 100, 101, 0, 99,
] as const;

/** The usual value, or one of the others in `rarely` of ten cases. */
function seldom<T>(usual: T, other: fc.Arbitrary<T>, rarely: number): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 10 - rarely, arbitrary: fc.constant(usual) },
    { weight: rarely, arbitrary: other },
  );
}

export const plans: fc.Arbitrary<Plan> = fc.record({
  start: seldom(USUAL.start, fc.constantFrom(...STARTS), 2),
  interim: seldom(
    USUAL.interim,
    fc.oneof(
      fc.array(fc.constantFrom(102, 103, 110, 199, 102, 103, 100, 101), { minLength: 1, maxLength: 4 }),
      fc.constant(Array<number>(200).fill(103)),
    ),
    1,
  ),
  version: seldom(
    USUAL.version,
    fc.constantFrom(
      'HTTP/1.0',
      'HTTP/2.0',
      'HTTP/0.9',
      'HTTP/1.2',
      'HTTP/11.1',
      'http/1.1',
      'ICY',
      'RTSP/1.0',
    ),
    1,
  ),
  status: fc.oneof(
    { weight: 5, arbitrary: fc.constant(200) },
    { weight: 4, arbitrary: fc.constantFrom(...KNOWN_STATUSES) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 999 }) },
  ),
  reason: seldom(
    USUAL.reason,
    fc.constantFrom(
      '',
      'Not OK \u00e9\u00ff',
      'x'.repeat(5000),
      '200 OK',
      '\t',
      'a\u0000b',
      'HTTP/1.1 200 OK',
      '\u0007',
    ),
    1,
  ),
  headers: seldom(
    USUAL.headers,
    fc.array(fc.integer({ min: 0, max: 63 }), { minLength: 1, maxLength: 4 }),
    4,
  ),
  framing: seldom(USUAL.framing, fc.constantFrom(...FRAMINGS), 4),
  coding: seldom(
    USUAL.coding,
    fc.constantFrom('gzip', 'deflate', 'br', 'gzipUnsaid', 'gzipSaidOnly') as fc.Arbitrary<Plan['coding']>,
    1,
  ),
  shape: fc.oneof(
    { weight: 120, arbitrary: fc.constant<Shape>(USUAL.shape) },
    { weight: 180, arbitrary: fc.constantFrom<Shape[]>(...SHAPES) },
    { weight: 1, arbitrary: fc.constantFrom<Shape[]>(...HEAVY_SHAPES) },
  ),
  field: fc.integer({ min: 0, max: 7 }),
  value: fc.integer({ min: 0, max: 31 }),
  pace: seldom(USUAL.pace, fc.constantFrom('pieces', 'bytes') as fc.Arbitrary<Plan['pace']>, 2),
  cut: seldom(
    USUAL.cut,
    fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      how: fc.constantFrom('end', 'reset', 'stall'),
    }),
    2,
  ),
  after: seldom(
    USUAL.after,
    fc.constantFrom('end', 'reset', 'second', 'secondLater', 'garbage') as fc.Arbitrary<Plan['after']>,
    3,
  ),
});
