import { join } from 'node:path';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { readOrCreate } from '../../system/durableFile.ts';

/** 256 bits can't be guessed. */
const BYTES = 32;
const SHAPE = /^[\w-]{43}$/;

/**
 * The secret part of the address that results are posted to: the interface has no other way to authenticate the service. Created on
 * first use and never changed, because it is part of the endpoints' addresses.
 * @throws ReceiptdError RESULTS_UNAVAILABLE
 */
export async function resultsSecret(stateDir: string, random: (bytes: number) => Buffer): Promise<string> {
  const file = join(stateDir, 'results-secret');
  try {
    return checked(await readOrCreate(file, () => `${random(BYTES).toString('base64url')}\n`), file);
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    const why = systemCode(error) ?? String(error);
    throw new ReceiptdError('RESULTS_UNAVAILABLE.secretUnreadable', { file, detail: why }, { cause: error });
  }
}

function checked(text: string, file: string): string {
  const secret = text.trim();
  if (SHAPE.test(secret)) return secret;
  throw new ReceiptdError('RESULTS_UNAVAILABLE.noSecret', { file });
}
