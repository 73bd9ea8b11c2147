import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { writeDurably } from '../../system/durableFile.ts';

/** The text of a definition; null where there is none. */
export async function readDefinition(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw unusable(file, 'read', error);
  }
}

/** Whole or not at all, readable by all: a manager reads it, and it holds no secret. */
export async function writeDefinition(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    // A name beside it that no manager takes for a definition; rights whatever the umask of the one who installs it.
    await writeDurably(file, text, { shared: true, prepare: (handle) => handle.chmod(0o644) });
  } catch (error) {
    throw unusable(file, 'written', error);
  }
}

export async function removeDefinition(file: string): Promise<void> {
  await rm(file, { force: true }).catch((error: unknown) => {
    throw unusable(file, 'removed', error);
  });
}

function unusable(file: string, what: string, cause: unknown): ReceiptdError {
  return new ReceiptdError(
    'MANAGER_FAILED',
    `${file} can't be ${what} (${systemCode(cause) ?? String(cause)}).`,
    {
      hint: 'Check that its directory exists and that you may write to it.',
      cause,
    },
  );
}
