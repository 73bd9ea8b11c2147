import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Minimum size to compress, in bytes: smaller answers fit into one packet anyway. */
export const WORTH_BYTES = 1_400;

/** The best encoding that the client accepts; null: no compression. */
export function encodingFor(headers: IncomingHttpHeaders): Encoding | null {
  const accepted = [headers['accept-encoding'] ?? ''].flat().join(',').toLowerCase().split(',');
  const isAccepted = (wanted: Encoding) =>
    accepted.some((each) => {
      const [name = '', ...parameters] = each.split(';').map((part) => part.trim());
      return name === wanted && !parameters.some((part) => /^q=0(?:\.0*)?$/.test(part));
    });
  return ENCODINGS.find(isAccepted) ?? null;
}

/** Takes about a millisecond for a page of documents. Runs in Node's thread pool. */
export function compress(bytes: Buffer | string, encoding: Encoding): Promise<Buffer> {
  return encoding === 'gzip'
    ? promisify<Buffer | string, Buffer>(gzip)(bytes)
    : promisify<Buffer | string, { params: Record<number, number> }, Buffer>(brotliCompress)(bytes, {
        params: { [constants.BROTLI_PARAM_QUALITY]: 4 },
      });
}
