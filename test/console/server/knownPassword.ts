import { writeFile } from 'node:fs/promises';
import { passwordFile } from '../../../src/console/server/password.ts';

export const PASSWORD = 'correct horse battery';
/** A stored hash, because hashing takes some tenths of a second by design. */
const STORED = 'scrypt$15$8$3$MDEyMzQ1Njc4OWFiY2RlZg$knf6za9nGyU4480vWVZDWOL2uNgzmjQy-y3cqvfnUqA\n';

export function setKnownPassword(stateDir: string): Promise<void> {
  return writeFile(passwordFile(stateDir), STORED, { mode: 0o600 });
}
