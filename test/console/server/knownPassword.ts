import { readFile, writeFile } from 'node:fs/promises';
import { passwordFile, writePassword } from '../../../src/console/server/password.ts';

export const PASSWORD = 'correct horse battery';
let hashed: string | null = null;

/** Sets `PASSWORD`, hashed once for all tests of a process: a hash takes some tenths of a second, and should. */
export async function setKnownPassword(stateDir: string): Promise<void> {
  if (hashed !== null) return writeFile(passwordFile(stateDir), hashed, { mode: 0o600 });
  await writePassword(stateDir, PASSWORD);
  hashed = await readFile(passwordFile(stateDir), 'utf8');
}
