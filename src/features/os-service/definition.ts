import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { writeDurably } from '../../system/durableFile.ts';
import { readPlainFile } from '../../system/plainFile.ts';
import { makeDirectory } from '../../system/makeDirectory.ts';

/** The text of a definition; null if the file does not exist. */
export function readDefinition(file: string): Promise<string | null> {
  return readPlainFile(file).catch((error: unknown) => {
    throw unusable(file, 'read', error);
  });
}

/** Writes atomically, world-readable: a manager reads it, and it holds no secret. */
export async function writeDefinition(file: string, text: string): Promise<void> {
  try {
    await makeDirectory(dirname(file));
    // The temporary name is one that no manager reads as a definition; the mode must not depend on the umask.
    await writeDurably(file, text, { shared: true, prepare: (handle) => handle.chmod(0o644) });
  } catch (error) {
    throw unusable(file, 'write', error);
  }
}

export async function removeDefinition(file: string): Promise<void> {
  await rm(file, { force: true }).catch((error: unknown) => {
    throw unusable(file, 'remove', error);
  });
}

function unusable(file: string, action: 'read' | 'write' | 'remove', cause: unknown): ReceiptdError {
  return new ReceiptdError(
    'MANAGER_FAILED.definition',
    { file, action, detail: systemCode(cause) ?? String(cause) },
    { cause },
  );
}
