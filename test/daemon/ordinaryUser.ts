import { chown } from 'node:fs/promises';

const NOBODY = 65_534;

/**
 * Runs `act` without root's privileges: root passes every permission check. `dir` is handed to that user.
 * Needs a process of its own (vitest's forks), for the user is changed for the whole process.
 */
export async function asOrdinaryUser<T>(dir: string, act: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return act();
  await chown(dir, NOBODY, NOBODY);
  process.setegid?.(NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
