import { X509Certificate, createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { decodedText } from '../core/domain/encoding.ts';
import { messageOf, ReceiptdError, systemCode, type Params } from '../core/domain/errors.ts';
import type { TlsListener } from './listen.ts';

export interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Wall-clock milliseconds. */
  readonly expiresAt: number;
}

/** Absolute paths of PEM files. */
export interface PairFiles {
  readonly cert: string;
  readonly key: string;
}

/** @throws ReceiptdError with the listener's code: which file, and what is wrong with it */
export async function readPair(files: PairFiles, { code }: TlsListener): Promise<Pair> {
  const unfit: Unfit = (why, cause) => new ReceiptdError(`${code}.unfitPair`, why, { cause });
  const cert = await read('cert', files.cert, unfit);
  const key = await read('key', files.key, unfit);
  const certificate = parseCertificate(cert, files.cert, unfit);
  if (!certificate.checkPrivateKey(parseKey(key, files.key, unfit)))
    throw unfit({ kind: 'mismatch', ...files });
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw unfit({ kind: 'unusable', cert: files.cert, detail: reasonOf(error) }, error);
  }
  return { cert, key, expiresAt: Date.parse(certificate.validTo) };
}

type Unfit = (why: Params<'CONSOLE_UNAVAILABLE.unfitPair'>[0], cause?: unknown) => ReceiptdError;

async function read(of: 'cert' | 'key', file: string, unfit: Unfit): Promise<Buffer> {
  try {
    const found = decodedText(await readFile(file));
    if ('encoding' in found) throw unfit({ kind: 'notUtf8', of, file, encoding: found.encoding });
    return Buffer.from(found.text);
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    throw unfit({ kind: 'unreadable', of, file, system: systemCode(error) ?? null }, error);
  }
}

function parseCertificate(pem: Buffer, file: string, unfit: Unfit): X509Certificate {
  try {
    if (!pem.includes('-----BEGIN')) throw new Error('no PEM');
    return new X509Certificate(pem);
  } catch (error) {
    throw unfit({ kind: 'noCertificate', file }, error);
  }
}

function parseKey(pem: Buffer, file: string, unfit: Unfit): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    const locked = systemCode(error) === 'ERR_MISSING_PASSPHRASE' || pem.includes('ENCRYPTED');
    throw unfit({ kind: locked ? 'locked' : 'noKey', file }, error);
  }
}

const SOON_MS = 14 * 24 * 60 * 60_000;

/** Whether the certificate expires soon or has expired. */
export function expiresSoon({ expiresAt }: Pair, now: number): boolean {
  return expiresAt - now < SOON_MS;
}

/** A fingerprint that changes whenever the certificate files change. */
export async function markOf(tls: PairFiles | null): Promise<string> {
  if (tls === null) return '';
  const marks = [tls.cert, tls.key].map(async (file) => {
    const { mtimeMs, ino, size } = await stat(file);
    return [mtimeMs, ino, size].join(' ');
  });
  return Promise.all(marks).then(
    (each) => each.join(),
    () => 'gone',
  );
}

function reasonOf(error: unknown): string {
  return systemCode(error) ?? messageOf(error);
}
