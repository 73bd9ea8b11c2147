import { X509Certificate, createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ReceiptdError, systemCode } from '../../domain/errors.ts';
import type { ConsoleSettings } from './settings.ts';

export interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Wall-clock milliseconds. */
  readonly expiresAt: number;
}

/** @throws ReceiptdError CONSOLE_UNAVAILABLE: which file, and what is wrong with it */
export async function readPair(files: NonNullable<ConsoleSettings['tls']>): Promise<Pair> {
  const cert = await read('certificate', files.cert);
  const key = await read('key', files.key);
  const certificate = parseCertificate(cert, files.cert);
  if (!certificate.checkPrivateKey(parseKey(key, files.key)))
    throw unusable(`The key ${files.key} does not belong to the certificate ${files.cert}.`);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw unusable(`The certificate ${files.cert} can't be used (${reasonOf(error)}).`, error);
  }
  return { cert, key, expiresAt: Date.parse(certificate.validTo) };
}

async function read(what: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const code = systemCode(error);
    const why = code === 'ENOENT' ? 'is not there' : `can't be read (${code ?? 'unknown error'})`;
    throw unusable(`The ${what} ${file} ${why}.`, error);
  }
}

function parseCertificate(pem: Buffer, file: string): X509Certificate {
  try {
    if (!pem.includes('-----BEGIN')) throw new Error('no PEM');
    return new X509Certificate(pem);
  } catch (error) {
    throw unusable(`${file} holds no certificate in PEM.`, error);
  }
}

function parseKey(pem: Buffer, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    const locked = systemCode(error) === 'ERR_MISSING_PASSPHRASE' || pem.includes('ENCRYPTED');
    const what = locked ? 'is locked with a passphrase' : 'holds no private key in PEM';
    throw unusable(`${file} ${what}.`, error);
  }
}

function unusable(message: string, cause?: unknown): ReceiptdError {
  return new ReceiptdError('CONSOLE_UNAVAILABLE', message, {
    hint: 'Correct console.tls (cert, key), or the files that it names.',
    cause,
  });
}

function reasonOf(error: unknown): string {
  return systemCode(error) ?? (error instanceof Error ? error.message : String(error));
}
