import { decodedText, type NotUtf8 } from '../../../core/domain/encoding.ts';
import { ReceiptdError, systemCode } from '../../../core/domain/errors.ts';
import { NotAFile } from '../../../system/plainFile.ts';
import { readPrivateFile, TooLarge } from '../../../system/privateFile.ts';

type SecretFileFlaw = NotUtf8 | 'notFile' | 'tooLarge' | 'unreadable' | 'empty';

const MAX_BYTES = 64 * 1024;

/**
 * The first line of a secret file. Read for each use, so that a changed secret needs no restart.
 * @throws ReceiptdError CREDENTIALS_INSECURE if others can read it, `code` if it has no secret
 */
export async function readSecretFile(
  file: string,
  key: string,
  code: 'ALERT_UNDELIVERED' | 'FILE_UNREADABLE' = 'ALERT_UNDELIVERED',
): Promise<string> {
  const unusable = (flaw: SecretFileFlaw, cause?: unknown) => {
    const system = systemCode(cause) ?? null;
    return new ReceiptdError(`${code}.secretFile`, { setting: key, file, flaw, system }, { cause });
  };
  const bytes = await readPrivateFile(file, { name: `${key}: ${file}`, maxBytes: MAX_BYTES }).catch(
    (error: unknown) => {
      if (error instanceof ReceiptdError) throw error;
      if (error instanceof NotAFile) throw unusable('notFile');
      if (error instanceof TooLarge) throw unusable('tooLarge');
      throw unusable('unreadable', error);
    },
  );
  const read = decodedText(bytes);
  if ('encoding' in read) throw unusable(read.encoding);
  const [line = ''] = read.text.split(/\r?\n/);
  if (line.trim() === '') throw unusable('empty');
  return line.trim();
}
