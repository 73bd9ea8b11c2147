import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { readOrCreate } from '../system/durableFile.ts';

const FILE = 'agent-instance';
const SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Distinguishes this state directory's agent from another agent of the same name on the same shared ledger. Created on first
 * use and permanent. @throws ReceiptdError STATE_UNWRITABLE
 */
export async function agentInstance(stateDir: string): Promise<string> {
  const file = join(stateDir, FILE);
  try {
    return checked(await readOrCreate(file, () => `${randomUUID()}\n`), file);
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    throw new ReceiptdError(
      'STATE_UNWRITABLE.instanceUnusable',
      { file, detail: systemCode(error) ?? String(error) },
      { cause: error },
    );
  }
}

function checked(text: string, file: string): string {
  const instance = text.trim();
  if (SHAPE.test(instance)) return instance;
  throw new ReceiptdError('STATE_UNWRITABLE.noInstance', { file });
}
