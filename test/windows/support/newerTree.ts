/** A root tree of Debian 13 with Wine 10, which runs Node.js 24 and the installer. It lies in a directory of its own, and goes with it. */
import { spawn, execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Ended } from './pc.ts';

const MIRROR = 'http://deb.debian.org/debian';
const run = promisify(execFile);
/** Mounts and processes are those of this tree alone, and end with the command. */
const INSIDE = ['--mount', '--pid', '--fork', '--kill-child'];
const ENTER = 'mount -t proc proc "$1/proc"; mount --bind /dev "$1/dev"; exec chroot "$@"';
/** What Wine knows is written down before its processes are killed. */
const AND_SAVE = '"$@" >/root/out 2>/root/err; status=$?; /usr/lib/wine/wineserver -k; exit $status';

export class NewerTree {
  readonly #dir: string;
  readonly #root: string;

  private constructor(dir: string) {
    this.#dir = dir;
    this.#root = join(dir, 'tree');
  }

  static async create(): Promise<NewerTree> {
    const dir = await mkdtemp(join(tmpdir(), 'receiptd-wine10-'));
    const tree = new NewerTree(dir);
    await run('debootstrap', ['--variant=minbase', 'trixie', tree.#root, MIRROR], { maxBuffer: 16e6 });
    await copyFile('/etc/resolv.conf', join(tree.#root, 'etc/resolv.conf'));
    await mkdir(join(tree.#root, 'root/xdg'), { mode: 0o700 });
    const install = 'apt-get update -q && apt-get install -y -q --no-install-recommends wine wine64';
    const installed = await tree.#inside(['sh', '-c', `${install} >/root/out 2>&1`]);
    if (installed !== 0) throw new Error(`Wine was not installed: ${await tree.#said('out')}`);
    await tree.wine('wineboot', '-i');
    return tree;
  }

  /** Ends when the program does. */
  async wine(...args: readonly string[]): Promise<Ended> {
    const status = await this.#inside(['sh', '-c', AND_SAVE, 'sh', '/usr/lib/wine/wine64', ...args]);
    const [stdout, stderr] = await Promise.all([this.#said('out'), this.#said('err')]);
    return { status, stdout, stderr };
  }

  /** Where a path of drive C: lies for this machine. */
  file(windowsPath: string): string {
    return join(this.#root, 'root/prefix/drive_c', ...windowsPath.split('\\').slice(1));
  }

  /** The file of this machine, as Wine has it. */
  async lend(path: string, name: string): Promise<string> {
    await copyFile(path, join(this.#root, 'root', name));
    return `Z:\\root\\${name}`;
  }

  /** As a script of one line: what cmd makes of quotes is not what Wine's command line makes of them. */
  async script(text: string): Promise<Ended> {
    await writeFile(this.file('C:\\script.cmd'), `@${text}\r\n`);
    return this.wine('cmd', '/c', 'C:\\script.cmd');
  }

  async remove(): Promise<void> {
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 10 });
  }

  async #inside(command: readonly string[]): Promise<number | null> {
    const child = spawn('unshare', [...INSIDE, 'sh', '-c', ENTER, 'sh', this.#root, ...command], {
      stdio: 'ignore',
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        HOME: '/root',
        DEBIAN_FRONTEND: 'noninteractive',
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        LC_ALL: 'C.UTF-8',
        XDG_RUNTIME_DIR: '/root/xdg',
        WINEPREFIX: '/root/prefix',
        WINEDEBUG: '-all',
        WINEDLLOVERRIDES: 'mscoree=;mshtml=',
      },
    });
    const [status] = (await once(child, 'exit')) as [number | null];
    return status;
  }

  async #said(name: string): Promise<string> {
    return readFile(join(this.#root, 'root', name), 'utf8').catch(() => '');
  }
}
