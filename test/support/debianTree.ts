import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requirement } from './requires.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The lower tree: this machine's, or a plain Debian made with debootstrap, which finds more missing dependencies. */
const LOWER = process.env['RECEIPTD_DEBIAN_TREE'] ?? '/';

/** Init process of the tree: reaps orphans. perl-base is on every Debian. */
const FIRST = ['perl', '-e', '$SIG{CHLD} = "IGNORE"; $| = 1; print "ready\\n"; sleep 1000 while 1'];

/**
 * $1: an empty directory; $2 and on: the init command. Changes stay in memory and vanish with the process. The project and
 * its Node.js are hidden, so that the package can only use what it contains.
 */
const PREPARE = `
  set -e
  mount --make-rprivate /
  mount -t tmpfs tree "$1"
  mkdir "$1/upper" "$1/work" "$1/root" "$1/in"
  mount -t overlay overlay -o "lowerdir=$LOWER,upperdir=$1/upper,workdir=$1/work" "$1/root"
  cd "$1/root"
  mount -t proc proc proc
  mount --rbind /dev dev
  for hidden in tmp run home root; do mount -t tmpfs -o mode=755 "$hidden" "$hidden"; done
  chmod 1777 tmp
  mkdir run/lock
  if [ -d ".$HIDE" ]; then mount -t tmpfs hidden ".$HIDE"; fi
  rm -f usr/bin/node usr/local/bin/node usr/sbin/policy-rc.d
  rm -rf etc/receiptd var/lib/receiptd
  mkdir in
  mount --bind "$IN" in
  shift
  exec chroot . "$@"`;

const OPTIONS = ['--mount', '--pid', '--fork', '--kill-child', '--'];

export const hasDebianTree = requirement(
  'A root tree of Debian',
  process.geteuid?.() === 0 && existsSync('/usr/bin/dpkg-deb') && works(),
  'root on Debian, with mount and pid namespaces and overlayfs',
);

/** A private Debian in which packages are really installed: an overlay of the machine's tree, with changes in memory. */
export interface DebianTree {
  /** Runs a shell script as root of the tree. Rejects with its output if it fails. */
  sh(script: string, limitMs?: number): Promise<string>;
  /** A file of the tree, as text. */
  read(path: string): Promise<string>;
  close(): Promise<void>;
}

/** @param given the directory mounted at /in of the tree */
export async function openDebianTree(given: string): Promise<DebianTree> {
  const dir = await mkdtemp(join(tmpdir(), 'receiptd-tree-'));
  const child = spawn('unshare', [...OPTIONS, 'sh', '-c', PREPARE, 'sh', dir, ...FIRST], {
    env: { ...process.env, LOWER, HIDE: hidden(), IN: given },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = once(child, 'close');
  let trouble = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (trouble += text));
  await Promise.race([once(child.stdout, 'data'), gone]);
  if (child.exitCode !== null) throw new Error(`the tree could not be made: ${trouble}`);
  const first = await firstOf(child);
  return {
    sh: (script, limitMs = 60_000) =>
      new Promise((resolve, reject) => {
        const inTree = ['-t', first, '--mount', '--pid', '--root', '--wd', '--', 'sh', '-ec', script];
        const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LC_ALL: 'C.UTF-8' };
        const how = { env, timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: 32e6 } as const;
        execFile('nsenter', inTree, how, (error, stdout, stderr) => {
          if (error) reject(new Error(`${script}\n${error.message}\n${stdout}${stderr}`));
          else resolve(stdout + stderr);
        });
      }),
    read: (path) => readFile(join('/proc', first, 'root', path), 'utf8'),
    close: async () => {
      child.kill('SIGKILL');
      await gone;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The directory to hide: only the project itself, where its top-level directory is not hidden already. */
function hidden(): string {
  const [, top = ''] = ROOT.split('/');
  return ['tmp', 'home', 'root', 'run'].includes(top) ? dirname(ROOT) : ROOT.replace(/\/$/, '');
}

async function firstOf({ pid }: ChildProcess): Promise<string> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim();
}

function works(): boolean {
  const script =
    'mount -t tmpfs t /mnt && mkdir /mnt/u /mnt/w /mnt/r && mount -t overlay o -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/r && test -d /mnt/r/usr';
  try {
    execFileSync('unshare', [...OPTIONS, 'sh', '-c', script], { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}
