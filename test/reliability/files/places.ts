import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';

/** File systems of the watched folders. */
export const PLACES = ['local', 'tmpfs', 'polled'] as const;
export type Place = (typeof PLACES)[number];

const isRoot = process.geteuid?.() === 0;
/** A private mount namespace, whose mounts end with the command. */
const UNSHARE = [...(isRoot ? ['-m'] : ['-Urm']), '-p', '-f', '--kill-child', '--mount-proc'];

const PREPARE: Readonly<Record<Place, string>> = {
  local: ':',
  tmpfs: 'mount -t tmpfs -o size=300m,mode=0777 receiptd-test "$DIR/disk"',
  // The share is changed on its server, like by a scanner that writes to it.
  polled: 'bindfs -o allow_other "$DIR/disk" "$DIR/share"',
};

/** Root passes every permission check, so closed files need an ordinary user. */
const AS_NOBODY = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];

/** A command line that runs a Node program with the place's file systems under $DIR, as an ordinary user if one can read `program`. */
export function inPlace(place: Place, program: string, ...args: readonly string[]): [string, string[]] {
  const command = [...(canDropRights(program) ? AS_NOBODY : []), process.execPath, program, ...args];
  if (place === 'local') return [command[0] ?? '', command.slice(1)];
  return ['unshare', [...UNSHARE, 'sh', '-c', `set -e; ${PREPARE[place]}; exec "$@"`, 'sh', ...command]];
}

function canDropRights(program: string): boolean {
  const look = 'for (const path of process.argv.slice(1)) require("fs").accessSync(path)';
  return (
    isRoot && works('setpriv', [...AS_NOBODY.slice(1), process.execPath, '-e', look, program, process.cwd()])
  );
}

/** Why this machine lacks the place; null if it does not. */
export function whyNot(place: Place): string | null {
  if (process.platform !== 'linux') return 'the campaign needs Linux';
  if (place === 'local') return null;
  if (!works('unshare', [...UNSHARE, 'true'])) return 'no mount namespace (`unshare`, util-linux)';
  if (place === 'polled' && !(existsSync('/dev/fuse') && works('bindfs', ['--version'])))
    return 'no bindfs on /dev/fuse (Debian packages bindfs and fuse3)';
  return null;
}

/** Creates the directories of a place. */
export function makeGround(dir: string): void {
  chmodSync(dir, 0o755);
  for (const name of ['disk', 'share', 'elsewhere']) {
    mkdirSync(`${dir}/${name}`);
    chmodSync(`${dir}/${name}`, 0o777);
  }
}

function works(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}
