import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';

const GROUP_AND_OTHERS = 0o077;

/**
 * Reads the first line of the file.
 * @throws ReceiptdError CREDENTIALS_INSECURE if others can read it, FILE_UNREADABLE if this user can't, LEDGER_REFUSED
 * if it is not a file or is empty
 */
export async function readPassword(
  file: string,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  const key = 'ledger.passwordFile';
  // Without O_NONBLOCK, opening a FIFO would wait forever.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
    (error: unknown) => {
      throw unreadable(key, file, error);
    },
  );
  try {
    const about = await handle.stat();
    if (!about.isFile()) throw unusable(key, `${file} is not a regular file`);
    if (platform !== 'win32' && (about.mode & GROUP_AND_OTHERS) !== 0)
      throw new ReceiptdError(
        'CREDENTIALS_INSECURE',
        `${key}: ${file} can be read by users other than its owner.`,
        {
          hint: `Make it private: chmod 600 '${file}'`,
        },
      );
    const [line = ''] = (await handle.readFile('utf8')).replace(/^\uFEFF/, '').split(/\r?\n/);
    if (line === '') throw unusable(key, `the first line of ${file} is empty`);
    return line;
  } finally {
    await handle.close();
  }
}

/** Certificates (PEM). @throws ReceiptdError FILE_UNREADABLE, LEDGER_REFUSED */
export async function readAuthorities(file: string): Promise<string> {
  const key = 'ledger.ca';
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadable(key, file, error);
  });
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw unusable(key, `${file} contains no certificate in PEM format`);
  return text;
}

function unreadable(key: string, file: string, error: unknown): ReceiptdError {
  const why = systemCode(error) ?? 'unknown reason';
  return new ReceiptdError('FILE_UNREADABLE', `${key}: ${file} can't be read (${why}).`, {
    hint: 'It must be a file that the user running receiptd can read.',
    cause: error,
  });
}

function unusable(key: string, why: string): ReceiptdError {
  return new ReceiptdError('LEDGER_REFUSED', `${key}: ${why}.`, { hint: 'Correct the file, or the key.' });
}
