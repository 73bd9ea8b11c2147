import { decodedText } from '../../../core/domain/encoding.ts';
import { ReceiptdError, systemCode } from '../../../core/domain/errors.ts';
import { NotAFile } from '../../../system/plainFile.ts';
import { readPrivateFile, TooLarge } from '../../../system/privateFile.ts';
import { undelivered } from './undelivered.ts';

const MAX_BYTES = 64 * 1024;

/**
 * The first line of a secret file. Read for each use, so that a changed secret needs no restart.
 * @throws ReceiptdError CREDENTIALS_INSECURE if others can read it, ALERT_UNDELIVERED if it has no secret
 */
export async function readSecretFile(file: string, key: string): Promise<string> {
  const bytes = await readPrivateFile(file, { name: `${key}: ${file}`, maxBytes: MAX_BYTES }).catch(
    (error: unknown) => {
      if (error instanceof ReceiptdError) throw error;
      if (error instanceof NotAFile) throw unusable(key, file, 'is not a regular file');
      if (error instanceof TooLarge) throw unusable(key, file, 'is too large to be a secret');
      throw unusable(key, file, `can't be read (${systemCode(error) ?? 'unknown reason'})`, error);
    },
  );
  const read = decodedText(bytes);
  if ('not' in read) throw unusable(key, file, read.not);
  const [line = ''] = read.text.split(/\r?\n/);
  if (line.trim() === '') throw unusable(key, file, 'holds nothing in its first line');
  return line.trim();
}

function unusable(key: string, file: string, why: string, cause?: unknown): ReceiptdError {
  return undelivered(
    `${key}: ${file} ${why}.`,
    'Write the secret to the file as its only line, and make the file readable only by the user that runs receiptd.',
    cause,
  );
}
