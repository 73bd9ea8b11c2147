import { lstat, readFile } from 'node:fs/promises';
import { run } from './programs.ts';

const ANSWER_MS = 5_000;

/** What a user of the operating system is called; null where nobody knows. */
export async function userNameOf(uid: number): Promise<string | null> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const line = text.split('\n').find((each) => each.split(':')[2] === String(uid));
  if (line !== undefined) return line.split(':')[0] || null;
  const command = ['id', '-un', '--', String(uid)];
  const { status, stdout } = await run(command, { env: process.env, limitMs: ANSWER_MS });
  return (status === 0 && stdout.trim()) || null;
}

/** The command line that runs receiptd as another user. */
export function asUser(name: string, isRoot: boolean, platform: NodeJS.Platform): string {
  if (name === 'root') return 'sudo receiptd …';
  return isRoot && platform === 'linux' && !name.startsWith('#')
    ? `runuser -u ${name} -- receiptd …`
    : `sudo -u ${name.startsWith('#') ? `'${name}'` : name} receiptd …`;
}

/** Whose a place is, if it is there and belongs to another user than the one who asks; null otherwise. */
export async function otherOwnerOf(place: string): Promise<{ uid: number; name: string | null } | null> {
  const own = process.geteuid?.();
  const uid = (await lstat(place).catch(() => null))?.uid;
  if (own === undefined || uid === undefined || uid === own) return null;
  return { uid, name: await userNameOf(uid) };
}

/** The command that starts the agent of a state directory: another user's is a service's. */
export async function startCommand(stateDir: string): Promise<string> {
  return (await otherOwnerOf(stateDir)) === null ? 'receiptd run' : 'receiptd service start';
}
