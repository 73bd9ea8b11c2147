import { isIP } from 'node:net';
import { z } from 'zod';
import { readPostgresUrl } from '../core/domain/postgresUrl.ts';
import type { Expected } from '../texts/en/settingFlaws.ts';
import { expects, text } from './values.ts';

/* Types of addresses, ports and host names in the config file; values.ts has the other types. */

const BASE_URL = expects({ is: 'baseUrl' });
export const baseUrl = z
  .string({ error: BASE_URL })
  .refine(isBaseUrl, { error: BASE_URL, abort: true })
  .refine((value) => !/\/v2\/*$/.test(value), {
    error: expects({ is: 'baseUrlAlone' }),
  })
  .transform((value) => {
    const url = new URL(value);
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  })
  .meta({ title: 'URL', example: 'https://other.example.com' });

function isBaseUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  const web = url.protocol === 'https:' || url.protocol === 'http:';
  return web && url.username === '' && url.password === '' && !value.includes('?') && !value.includes('#');
}

const PROXY = expects({ is: 'proxy' });
export const proxy = z
  .string({ error: PROXY })
  .refine((value) => value === 'auto' || value === 'direct' || isProxy(value), { error: PROXY })
  .meta({ title: 'auto, direct or URL', example: 'direct' });

function isProxy(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, pathname } = new URL(value);
  return (protocol === 'http:' || protocol === 'https:') && hostname !== '' && pathname === '/';
}

/** `none` stands for null. */
function urlOrNone(expected: Expected, example: string, isValid: (url: URL) => boolean) {
  const error = expects(expected);
  return z
    .string({ error })
    .refine((value) => value === 'none' || (URL.canParse(value) && isValid(new URL(value))), { error })
    .transform((value) => (value === 'none' ? null : value))
    .meta({ title: 'none or URL', example });
}

export const webUrl = urlOrNone(
  { is: 'hook' },
  'https://hooks.example.com',
  ({ protocol, username, password }) =>
    (protocol === 'https:' || protocol === 'http:') && username === '' && password === '',
);

/** smtps: TLS from the start; smtp: STARTTLS, required unless the host is this machine. */
export const mailServer = urlOrNone(
  { is: 'mailServer' },
  'smtps://mail.example.com',
  ({ protocol, hostname, username, password, pathname, search, hash }) => {
    const isBare = username === '' && password === '' && search === '' && hash === '';
    const isMail = protocol === 'smtp:' || protocol === 'smtps:';
    return isMail && hostname !== '' && isBare && /^\/?$/.test(pathname);
  },
);

const POSTGRES_URL = expects({ is: 'database' });
export const postgresUrl = z
  .string({ error: POSTGRES_URL })
  .refine((value) => value === 'none' || readPostgresUrl(value) !== null, { error: POSTGRES_URL })
  .meta({ title: 'none or URL', example: 'postgres://receiptd@db.example.com/receiptd?sslmode=require' });

export const mailAddress = text(/^[^\s@<>,;"\0]{1,64}@[^\s@<>,;"\0]{1,255}$/, { is: 'mailAddress' }).meta({
  title: 'mail address',
  example: 'other@example.com',
});

/** `host` is an address without brackets. */
export type Listen = 'onDemand' | 'off' | { readonly host: string; readonly port: number };

const LISTEN_OR_OFF = expects({ is: 'listenOrOff' });
const LISTEN = expects({ is: 'listen' });
export const listen = z
  .string({ error: LISTEN })
  .refine((value) => readListen(value) !== null, { error: LISTEN })
  .transform((value): Listen => readListen(value) ?? 'off')
  .meta({ title: 'onDemand, off or address:port', example: '127.0.0.1:8471' });

/** `null`: off. */
export const listenOrOff = z
  .string({ error: LISTEN_OR_OFF })
  .refine((value) => value !== 'onDemand' && readListen(value) !== null, { error: LISTEN_OR_OFF })
  .transform((value) => {
    const read = readListen(value);
    return typeof read === 'object' ? read : null;
  })
  .meta({ title: 'off or address:port', example: '127.0.0.1:9464' });

function readListen(value: string): Listen | null {
  if (value === 'onDemand' || value === 'off') return value;
  const [, six, four, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([\d.]+)):([1-9]\d{0,4})$/.exec(value) ?? [];
  const host = six ?? four ?? '';
  const port = Number(digits);
  return isIP(host) === (six === undefined ? 4 : 6) && port <= 65_535 ? { host, port } : null;
}

const LABEL = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
export const hostName = text(
  new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*|\\[[0-9a-fA-F:.]+\\])(?::[1-9]\\d{0,4})?$`),
  { is: 'hostName' },
)
  .meta({ title: 'host name', example: 'other.example.com' })
  .transform((value) => value.toLowerCase());
