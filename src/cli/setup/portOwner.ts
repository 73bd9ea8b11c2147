import { readFile } from 'node:fs/promises';
import { userNameOf } from '../../system/userName.ts';

const LISTENING = '0A';

/** The user who listens on a loopback port, according to the kernel; null if unknown. Linux only. */
export async function portOwner(
  port: number,
): Promise<{ readonly uid: number; readonly name: string } | null> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(file, 'utf8').catch(() => '');
    for (const line of text.split('\n')) {
      const [, local = '', , state, , , , uid] = line.trim().split(/\s+/);
      if (state !== LISTENING || !local.endsWith(`:${hex}`) || uid === undefined) continue;
      return { uid: Number(uid), name: (await userNameOf(Number(uid))) ?? `#${uid}` };
    }
  }
  return null;
}
