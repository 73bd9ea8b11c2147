/** Ways to mark the end of a body: correctly, incorrectly, or not at all. */
import type { Framing } from './plan.ts';

export interface Framed {
  readonly lines: readonly string[];
  readonly bytes: Buffer;
  readonly kind: 'fine' | 'unsure' | 'malformed';
  /** Whether the sent bytes end the message, and how it ends if not. */
  readonly ends: 'itself' | 'byClose' | 'never';
  /** Whether the framing omits or adds a part of the body. */
  readonly garbled?: boolean;
}

function chunk(bytes: Buffer, extension = ''): Buffer {
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}${extension}\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const CHUNKED = 'Transfer-Encoding: chunked';

export function frame(framing: Framing, body: Buffer): Framed {
  const { length } = body;
  const half = Math.ceil(length / 2);
  const raw = (line: string, more: Partial<Framed> = {}): Framed => ({
    lines: line === '' ? [] : [line],
    bytes: body,
    kind: 'fine',
    ends: 'itself',
    ...more,
  });
  const chunked = (parts: readonly (Buffer | string)[], more: Partial<Framed> = {}): Framed => ({
    lines: [CHUNKED],
    bytes: Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
    kind: 'fine',
    ends: 'itself',
    ...more,
  });
  const broken = { kind: 'malformed', ends: 'never' } as const;
  // An empty chunk would end the body.
  const some = length === 0 ? Buffer.from(' ') : body;
  const garbled = length === 0 ? {} : { garbled: true };
  switch (framing) {
    case 'length':
      return raw(`Content-Length: ${length}`);
    case 'chunked':
      return chunked([length === 0 ? '' : chunk(body), LAST_CHUNK]);
    case 'chunkedPieces': {
      const step = Math.max(1, Math.ceil(length / 9));
      const pieces = Array.from({ length: Math.ceil(length / step) }, (_none, at) =>
        chunk(body.subarray(at * step, (at + 1) * step)),
      );
      return chunked([...pieces, LAST_CHUNK]);
    }
    case 'chunkedExtensions':
      return chunked([chunk(some, ';name=value;q="a;b"'), '0;last\r\n\r\n']);
    case 'chunkedTrailers':
      return chunked([chunk(some), '0\r\nX-Trailer: 1\r\nContent-Length: 3\r\n\r\n'], { kind: 'unsure' });
    case 'untilEnd':
      return raw('', { ends: 'byClose' });
    case 'lengthTwice':
      return raw(`Content-Length: ${length}\r\nContent-Length: ${length}`, { kind: 'unsure' });
    case 'lengthZeroPadded':
      return raw(`Content-Length: 000${length}`, { kind: 'unsure' });
    case 'lengthAndChunked':
      return chunked([chunk(some), LAST_CHUNK], {
        lines: [`Content-Length: ${length}`, CHUNKED],
        kind: 'unsure',
      });
    case 'lengthTooSmall':
      return raw(`Content-Length: ${Math.max(0, half - 1)}`, garbled);
    case 'lengthTooLarge':
      return raw(`Content-Length: ${length + 7}`, { ends: 'never' });
    case 'lengthNegative':
      return raw(`Content-Length: -${length}`, broken);
    case 'lengthNotANumber':
      return raw(`Content-Length: ${length}x`, broken);
    case 'lengthHuge':
      return raw('Content-Length: 99999999999999999999999999', broken);
    case 'lengthsConflict':
      return raw(`Content-Length: ${length}\r\nContent-Length: ${length + 1}`, broken);
    case 'lengthsInOneConflict':
      return raw(`Content-Length: ${length}, ${length + 1}`, broken);
    case 'chunkedSizeNotHex':
      return chunked(['zz\r\n', some, '\r\n', LAST_CHUNK], { ends: 'never', garbled: true });
    case 'chunkedSizeTooSmall':
      return chunked([`${half.toString(16)}\r\n`, some, ' \r\n', LAST_CHUNK], {
        ends: 'never',
        garbled: true,
      });
    case 'chunkedSizeTooLarge':
      return chunked([`${(some.length + 99).toString(16)}\r\n`, some, '\r\n', LAST_CHUNK], { ends: 'never' });
    case 'chunkedSizeNegative':
      return chunked(['-5\r\n', some, '\r\n', LAST_CHUNK], { ends: 'never', garbled: true });
    case 'chunkedSizeHuge':
      return chunked(['fffffffffffffffffffff\r\n', some, '\r\n', LAST_CHUNK], {
        ends: 'never',
        garbled: true,
      });
    case 'chunkedNoLineEnd':
      return chunked([`${some.length.toString(16)}\r\n`, some, LAST_CHUNK], { ends: 'never' });
    case 'chunkedNoEnd':
      return chunked([chunk(some)], { ends: 'never' });
    case 'unknownCoding':
      return raw('Transfer-Encoding: receipts', { kind: 'unsure', ends: 'byClose' });
    case 'gzipCoding':
      return {
        ...chunked([chunk(some), LAST_CHUNK]),
        lines: ['Transfer-Encoding: gzip, chunked'],
        kind: 'unsure',
      };
    case 'chunkedThenUnknown':
      return { ...raw('Transfer-Encoding: chunked, receipts', { ends: 'byClose' }), kind: 'unsure' };
  }
}
