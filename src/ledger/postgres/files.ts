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
    if (error instanceof NotAFile) throw new ReceiptdError('LEDGER_REFUSED.notFile', { setting: key, file });
    throw unreadable(key, file, error);
  });
  const read = decodedText(bytes);
  if ('encoding' in read)
    throw new ReceiptdError('LEDGER_REFUSED.notText', { setting: key, file, encoding: read.encoding });
  const [line = ''] = read.text.split(/\r?\n/);
  if (line === '') throw new ReceiptdError('LEDGER_REFUSED.emptyFile', { setting: key, file });
  return line;
}

/** Certificates (PEM). @throws ReceiptdError FILE_UNREADABLE, LEDGER_REFUSED */
export async function readAuthorities(file: string): Promise<string> {
  const key = 'ledger.ca';
  const bytes = await readFile(file).catch((error: unknown) => {
    throw unreadable(key, file, error);
  });
  const read = decodedText(bytes);
  if ('encoding' in read)
    throw new ReceiptdError('LEDGER_REFUSED.notText', { setting: key, file, encoding: read.encoding });
  const { text } = read;
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new ReceiptdError('LEDGER_REFUSED.noCertificate', { setting: key, file });
  return text;
}

function unreadable(key: string, file: string, error: unknown): ReceiptdError {
  return new ReceiptdError(
    'FILE_UNREADABLE.ofLedgerSetting',
    { setting: key, file, system: systemCode(error) ?? null },
    { cause: error },
  );
}
