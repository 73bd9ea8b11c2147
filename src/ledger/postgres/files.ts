import { readFile } from 'node:fs/promises';
import { decodedText } from '../../core/domain/encoding.ts';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { NotAFile } from '../../system/plainFile.ts';
import { readPrivateFile } from '../../system/privateFile.ts';

/**
 * Reads the first line of the file.
 * @throws ReceiptdError CREDENTIALS_INSECURE if others can read it, FILE_UNREADABLE if this user can't, LEDGER_REFUSED
 * if it is not a file or is empty
 */
export async function readPassword(file: string): Promise<string> {
  const key = 'ledger.passwordFile';
  const bytes = await readPrivateFile(file, { name: `${key}: ${file}` }).catch((error: unknown) => {
    if (error instanceof ReceiptdError) throw error;
    if (error instanceof NotAFile) throw unusable(key, `${file} is not a regular file`);
    throw unreadable(key, file, error);
  });
  const read = decodedText(bytes);
  if ('not' in read) throw unusable(key, `${file} ${read.not}`);
  const [line = ''] = read.text.split(/\r?\n/);
  if (line === '') throw unusable(key, `the first line of ${file} is empty`);
  return line;
}

/** Certificates (PEM). @throws ReceiptdError FILE_UNREADABLE, LEDGER_REFUSED */
export async function readAuthorities(file: string): Promise<string> {
  const key = 'ledger.ca';
  const bytes = await readFile(file).catch((error: unknown) => {
    throw unreadable(key, file, error);
  });
  const read = decodedText(bytes);
  if ('not' in read) throw unusable(key, `${file} ${read.not}`);
  const { text } = read;
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw unusable(key, `${file} contains no certificate in PEM format`);
  return text;
}

function unreadable(key: string, file: string, error: unknown): ReceiptdError {
  const why = systemCode(error) ?? 'unknown reason';
  return new ReceiptdError(
    'FILE_UNREADABLE.ofLedgerSetting',
    { setting: key, file, system: systemCode(error) ?? null },
    { cause: error },
  );
}

function unusable(key: string, why: string): ReceiptdError {
  return new ReceiptdError('LEDGER_REFUSED.unusableFile', { setting: key, why });
}
