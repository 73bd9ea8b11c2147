import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';

/** Where the folders lie. */
export const PLACES = ['local', 'tmpfs', 'polled'] as const;
export type Place = (typeof PLACES)[number];

const isRoot = process.geteuid?.() === 0;
/** A mount namespace of its own: whatever is mounted is seen by nobody else, and ends with the command. */
const UNSHARE = [...(isRoot ? ['-m'] : ['-Urm']), '-p', '-f', '--kill-child', '--mount-proc'];

const PREPARE: Readonly<Record<Place, string>> = {
  local: ':',
  tmpfs: 'mount -t tmpfs -o size=300m,mode=0777 receiptd-test "$DIR/disk"',
  // What is on the share is changed on its server, as by a scanner that writes to it.
  polled: 'bindfs -o allow_other "$DIR/disk" "$DIR/share"',
};

/** Root passes every permission check: without its rights a file can be closed. */
const AS_NOBODY = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];

/**
 * A command line that runs a program of Node where $DIR has the place's file systems; as an ordinary user, if `program` may be
 * read by one.
 */
export function inPlace(place: Place, program: string, argument: string): [string, string[]] {
  const command = [...(canDropRights(program) ? AS_NOBODY : []), process.execPath, program, argument];
  if (place === 'local') return [command[0] ?? '', command.slice(1)];
  return ['unshare', [...UNSHARE, 'sh', '-c', `set -e; ${PREPARE[place]}; exec "$@"`, 'sh', ...command]];
}

function canDropRights(program: string): boolean {
  const look = 'for (const path of process.argv.slice(1)) require("fs").accessSync(path)';
  return (
    isRoot && works('setpriv', [...AS_NOBODY.slice(1), process.execPath, '-e', look, program, process.cwd()])
  );
}

/** Why this machine does not have that place; null if it has. */
export function whyNot(place: Place): string | null {
  if (process.platform !== 'linux') return 'the campaign needs Linux';
  if (place === 'local') return null;
  if (!works('unshare', [...UNSHARE, 'true'])) return 'no mount namespace (`unshare`, util-linux)';
  if (place === 'polled' && !(existsSync('/dev/fuse') && works('bindfs', ['--version'])))
    return 'no bindfs on /dev/fuse (Debian packages bindfs and fuse3)';
  return null;
}

/** The directories of a place, in one of its own. */
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
