import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { foreignEncoding } from '../../../core/domain/encoding.ts';
import { ReceiptdError, systemCode } from '../../../core/domain/errors.ts';
import { undelivered } from './undelivered.ts';

const GROUP_AND_OTHERS = 0o077;
const MOST_BYTES = 64 * 1024;

/**
 * The first line of a secret file. Read for each use, so that a changed secret needs no restart.
 * @throws ReceiptdError CREDENTIALS_INSECURE if others can read it, ALERT_UNDELIVERED if it has no secret
 */
export async function readSecretFile(file: string, key: string): Promise<string> {
  // Without O_NONBLOCK, opening a FIFO would wait forever.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
    (error: unknown) => {
      throw unusable(key, file, `can't be read (${systemCode(error) ?? 'unknown reason'})`, error);
    },
  );
  try {
    // Stat of the open file, so that it can't be swapped between check and read.
    const stat = await handle.stat();
    if (!stat.isFile()) throw unusable(key, file, 'is not a regular file');
    if (process.platform !== 'win32' && (stat.mode & GROUP_AND_OTHERS) !== 0) {
      throw new ReceiptdError(
        'CREDENTIALS_INSECURE',
        `${key}: ${file} can be read by users other than its owner.`,
        {
          hint: `Make it private: chmod 600 '${file}'`,
        },
      );
    }
    if (stat.size > MOST_BYTES) throw unusable(key, file, 'is too large to be a secret');
    const bytes = await handle.readFile();
    if (foreignEncoding(bytes) === 'UTF-16') throw unusable(key, file, 'is UTF-16 text, not UTF-8');
    const [line = ''] = bytes
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/);
    if (line.trim() === '') throw unusable(key, file, 'holds nothing in its first line');
    return line.trim();
  } finally {
    await handle.close();
  }
}

function unusable(key: string, file: string, why: string, cause?: unknown): ReceiptdError {
  return undelivered(
    `${key}: ${file} ${why}.`,
    'Write the secret to the file as its only line, and make the file readable only by the user that runs receiptd.',
    cause,
  );
}
