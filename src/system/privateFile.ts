import { ReceiptdError } from '../core/domain/errors.ts';
import { openPlainFile } from './plainFile.ts';

const GROUP_AND_OTHERS = 0o077;

/** Thrown if a file has more bytes than its purpose allows. */
export class TooLarge extends Error {}

export interface PrivateFileOptions {
  /** The file as an error message names it. */
  readonly name?: string;
  readonly maxBytes?: number;
  readonly platform?: NodeJS.Platform;
}

/**
 * Reads a regular file with a secret, which only its owner may read. Windows has no such modes; there, any file will do.
 * @throws ReceiptdError CREDENTIALS_INSECURE if others have any access, NotAFile, TooLarge, system errors
 */
export async function readPrivateFile(
  file: string,
  { name = file, maxBytes = Infinity, platform = process.platform }: PrivateFileOptions = {},
): Promise<Buffer> {
  const handle = await openPlainFile(file);
  try {
    // Stat of the open file, so that it can't be swapped between check and read.
    const { mode, size } = await handle.stat();
    if (platform !== 'win32' && (mode & GROUP_AND_OTHERS) !== 0) {
      throw new ReceiptdError('CREDENTIALS_INSECURE', { name, file });
    }
    if (size > maxBytes) throw new TooLarge(file);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
