import { isIP } from 'node:net';
import { z } from 'zod';
import { HOURS_PATTERN, parseHours } from '../domain/hours.ts';
import { RATE_PATTERN, parseRate } from '../domain/rate.ts';
import { DURATION_PATTERN, SIZE_PATTERN, parseDay, parseDuration, parseSize } from './units.ts';

/*
 * The types of values in the config file. Every `error` completes the sentence "expected ..."; `title` names
 * the type in the reference and in editors.
 */

export const yesOrNo = z.boolean();

export function text(title: string, pattern: RegExp, expected: string) {
  return z.string({ error: expected }).regex(pattern, { error: expected, abort: true }).meta({ title });
}

/** Timers of Node overflow after 24.8 days and would then fire at once. */
const LONGEST_MS = parseDuration('24d');

export function duration(atLeast: string) {
  const expected = `a duration from ${atLeast} to 24d, with a unit: 200ms, 10s, 5m, 1h, 1d`;
  return text('duration', DURATION_PATTERN, expected)
    .refine((value) => parseDuration(value) >= parseDuration(atLeast) && parseDuration(value) <= LONGEST_MS, {
      error: expected,
    })
    .transform(parseDuration)
    .meta({ title: 'duration' });
}

export function size(atLeast: string, atMost: string) {
  const expected = `a size from ${atLeast} to ${atMost}, with a unit: 500kB, 50MB, 1GB`;
  return text('size', SIZE_PATTERN, expected)
    .refine((value) => parseSize(value) >= parseSize(atLeast) && parseSize(value) <= parseSize(atMost), {
      error: expected,
    })
    .transform(parseSize)
    .meta({ title: 'size' });
}

export function whole(min: number, max: number) {
  const expected = `a whole number from ${min} to ${max}`;
  return z
    .int({ error: expected })
    .min(min, { error: expected })
    .max(max, { error: expected })
    .meta({ title: `whole number, ${min} to ${max}` });
}

export const rate = text('rate', RATE_PATTERN, 'N/s, N/min or N/h, such as 120/min, or unlimited')
  .transform(parseRate)
  .meta({ title: 'rate' });

const BUDGET = 'a whole number of uploads, 1 or more, or unlimited';
export const budget = z
  .union([z.literal('unlimited'), z.int().min(1, { error: BUDGET }).max(1_000_000_000, { error: BUDGET })], {
    error: BUDGET,
  })
  .transform((value) => (value === 'unlimited' ? null : value))
  .meta({ title: 'whole number, or unlimited' });

export const path = text('path', /^(?!~[^/\\])[^\0]+$/, 'a path (~ stands for your own home only)');

export const patterns = z
  .array(
    text(
      'pattern',
      /^(?!\/|!(?!\())[^\0]+$/,
      'a pattern relative to the folder, which starts with neither / nor !',
    ),
  )
  .meta({ title: 'list of patterns' });

const EXISTING = 'send, skip, or since and a day: since 2026-01-31';
export const existing = text(
  'send, skip or since YYYY-MM-DD',
  /^(?:send|skip|since \d{4}-\d{2}-\d{2})$/,
  EXISTING,
)
  .refine((value) => !value.startsWith('since ') || !Number.isNaN(parseDay(value.slice(6))), {
    error: EXISTING,
  })
  .transform(readExisting)
  .meta({ title: 'send, skip or since YYYY-MM-DD' });

/** `at`: local midnight of that day in wall-clock milliseconds. */
type Existing = { kind: 'send' } | { kind: 'skip' } | { kind: 'since'; at: number; text: string };

function readExisting(value: string): Existing {
  if (value === 'send' || value === 'skip') return { kind: value };
  const day = value.slice('since '.length);
  return { kind: 'since', at: parseDay(day), text: day };
}

const BASE_URL = 'an address such as https://api.example.com, without user, query or fragment';
export const baseUrl = z
  .string({ error: BASE_URL })
  .refine(isBaseUrl, { error: BASE_URL })
  .transform((value) => {
    const url = new URL(value);
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  })
  .meta({ title: 'URL' });

function isBaseUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  const web = url.protocol === 'https:' || url.protocol === 'http:';
  return web && url.username === '' && url.password === '' && !value.includes('?') && !value.includes('#');
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
export const contentType = text(
  'auto or a media type',
  new RegExp(`^(?:auto|${TOKEN}/${TOKEN})$`),
  'auto or a media type such as application/octet-stream',
);

/** Bytes per second; null for unlimited. */
export const bandwidth = text(
  'size per second',
  /^(?:unlimited|[1-9]\d{0,9}(?:kB|MB|GB)\/s)$/,
  'a size per second such as 500kB/s or 2MB/s, or unlimited',
)
  .transform((value) => (value === 'unlimited' ? null : parseSize(value.slice(0, -2))))
  .meta({ title: 'size per second, or unlimited' });

const HOURS = 'always, or a list of days and times such as [ Mon-Fri 07:00-19:00 ]';
export const hours = z
  .union([z.literal('always'), z.array(z.string().regex(HOURS_PATTERN, { error: HOURS })).min(1)], {
    error: HOURS,
  })
  .transform((value) => (value === 'always' ? null : parseHours(value)))
  .meta({ title: 'always, or list of days and times' });

const PROXY = 'auto, direct, or the address of a proxy such as http://proxy.example:3128';
export const proxy = z
  .string({ error: PROXY })
  .refine((value) => value === 'auto' || value === 'direct' || isProxy(value), { error: PROXY })
  .meta({ title: 'auto, direct or URL' });

function isProxy(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, pathname } = new URL(value);
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '' && pathname === '/';
}

/** `host` is an address without brackets. */
export type Listen = 'onDemand' | 'off' | { readonly host: string; readonly port: number };

const LISTEN = 'onDemand, off, or an address and a port such as 127.0.0.1:8471 or [::1]:8471';
export const listen = z
  .string({ error: LISTEN })
  .refine((value) => readListen(value) !== null, { error: LISTEN })
  .transform((value): Listen => readListen(value) ?? 'off')
  .meta({ title: 'onDemand, off or address:port' });

function readListen(value: string): Listen | null {
  if (value === 'onDemand' || value === 'off') return value;
  const [, six, four, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([\d.]+)):([1-9]\d{0,4})$/.exec(value) ?? [];
  const host = six ?? four ?? '';
  const port = Number(digits);
  return isIP(host) === (six === undefined ? 4 : 6) && port <= 65_535 ? { host, port } : null;
}

const LABEL = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
export const hostName = text(
  'host name',
  new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*|\\[[0-9a-fA-F:.]+\\])(?::[1-9]\\d{0,4})?$`),
  'a host name such as receipts.example.com or receipts.example.com:8443',
).transform((value) => value.toLowerCase());
