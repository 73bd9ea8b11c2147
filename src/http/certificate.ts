import { X509Certificate, createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { decodedText } from '../core/domain/encoding.ts';
import { messageOf, ReceiptdError, systemCode } from '../core/domain/errors.ts';
import type { Listener } from './listen.ts';

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
export async function readPair(files: PairFiles, listener: Listener): Promise<Pair> {
  const unusable: Unusable = (message, cause) =>
    new ReceiptdError(listener.code, message, {
      hint: `Correct ${listener.section}.tls (cert, key) or the files it refers to.`,
      cause,
    });
  const cert = await read('certificate', files.cert, unusable);
  const key = await read('key', files.key, unusable);
  const certificate = parseCertificate(cert, files.cert, unusable);
  if (!certificate.checkPrivateKey(parseKey(key, files.key, unusable)))
    throw unusable(`The key ${files.key} does not match the certificate ${files.cert}.`);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw unusable(`The certificate ${files.cert} can't be used (${reasonOf(error)}).`, error);
  }
  return { cert, key, expiresAt: Date.parse(certificate.validTo) };
}

type Unusable = (message: string, cause?: unknown) => ReceiptdError;

async function read(what: string, file: string, unusable: Unusable): Promise<Buffer> {
  try {
    const found = decodedText(await readFile(file));
    if ('not' in found) throw unusable(`The ${what} ${file} ${found.not}.`);
    return Buffer.from(found.text);
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    const code = systemCode(error);
    const why = code === 'ENOENT' ? 'is not there' : `can't be read (${code ?? 'unknown error'})`;
    throw unusable(`The ${what} ${file} ${why}.`, error);
  }
}

function parseCertificate(pem: Buffer, file: string, unusable: Unusable): X509Certificate {
  try {
    if (!pem.includes('-----BEGIN')) throw new Error('no PEM');
    return new X509Certificate(pem);
  } catch (error) {
    throw unusable(`${file} contains no certificate in PEM format.`, error);
  }
}

function parseKey(pem: Buffer, file: string, unusable: Unusable): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    const locked = systemCode(error) === 'ERR_MISSING_PASSPHRASE' || pem.includes('ENCRYPTED');
    const what = locked ? 'is protected by a passphrase' : 'contains no private key in PEM format';
    throw unusable(`${file} ${what}.`, error);
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
