/**
 * A Windows PC, as far as Wine is one: a drive C:, a user, and the program on the Windows build of Node.js. Sharing and locking of
 * files, named pipes and the Credential Manager act as on Windows; access rights do not.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { forwardingDll } from './forwardingDll.ts';
import { installForWindows, nodeForWindows, type WindowsInstall } from './windowsNode.ts';

const WINE = '/usr/lib/wine/wine64';
export const isWineHere = existsSync(WINE);

/**
 * Wine 8 knows no TCP_KEEPALIVE, and libuv then refuses to connect. As the time of a directory's birth it gives that of its last change, so that
 * each scan would make another folder of it; 0 is what is given where none is kept.
 */
const PRELOADED = `
  require('node:net').Socket.prototype.setKeepAlive = function () { return this; };
  const files = require('node:fs/promises');
  for (const name of ['stat', 'lstat']) {
    const look = files[name];
    files[name] = async (...of) => {
      const stats = await look(...of);
      if (typeof stats.birthtimeNs === 'bigint') stats.birthtimeNs = 0n;
      return stats;
    };
  }
  require('node:module').syncBuiltinESMExports();
`;

/** What sharp draws its random numbers from; Wine 8 has that function under its older name only. */
const LACKING = forwardingDll('bcryptprimitives.dll', { ProcessPrng: 'advapi32.SystemFunction036' });

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs. Its output goes to files: what Wine makes of a pipe Node.js can't write to. */
export class WindowsProcess {
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  readonly #err: string;

  constructor(child: ChildProcess, out: string, err: string) {
    this.#child = child;
    this.#err = err;
    this.ended = once(child, 'exit').then(async ([status]) => ({
      status: status as number | null,
      stdout: await readFile(out, 'utf8'),
      stderr: await readFile(err, 'utf8'),
    }));
  }

  /** What it has written on standard error so far. */
  stderr(): Promise<string> {
    return readFile(this.#err, 'utf8');
  }

  /** As Ctrl-C in its window: Wine makes that of the signal. */
  ctrlC(): Promise<Ended> {
    this.#child.kill('SIGINT');
    return this.ended;
  }

  /** As the Task Manager ends it, or a power failure. */
  kill(): Promise<Ended> {
    this.#child.kill('SIGKILL');
    return this.ended;
  }
}

type Install = WindowsInstall | { readonly node: string; readonly program: null };

export class Pc {
  readonly #dir: string;
  readonly #install: Install;
  readonly #env: NodeJS.ProcessEnv;
  #started = 0;

  private constructor(dir: string, install: Install) {
    this.#dir = dir;
    this.#install = install;
    const { PATH } = process.env;
    this.#env = {
      PATH,
      HOME: dir,
      // Names of files are UTF-8.
      LC_ALL: 'C.UTF-8',
      WINEPREFIX: join(dir, 'prefix'),
      WINEDEBUG: '-all',
      // Neither .NET nor a browser is asked for.
      WINEDLLOVERRIDES: 'mscoree=;mshtml=',
      NODE_OPTIONS: `--require ${onDriveZ(join(dir, 'preloaded.cjs'))}`,
    };
  }

  /** `nodeAlone`: the program is not installed. */
  static async create({ nodeAlone = false } = {}): Promise<Pc> {
    const dir = await mkdtemp(join(tmpdir(), 'receiptd-windows-'));
    const install = nodeAlone
      ? { node: await nodeForWindows(dir), program: null }
      : await installForWindows(dir);
    const pc = new Pc(dir, install);
    await writeFile(join(dir, 'preloaded.cjs'), PRELOADED);
    // Two commands at once would each make the drive.
    await pc.#wine(['wineboot', '-i']).ended;
    await pc.#wine(['winecfg', '-v', 'win10']).ended;
    await writeFile(pc.file('C:\\windows\\system32\\bcryptprimitives.dll'), LACKING);
    return pc;
  }

  /** Nothing of it runs any more, and nothing stays. */
  async remove(): Promise<void> {
    await once(spawn('/usr/lib/wine/wineserver', ['-k'], { env: this.#env, stdio: 'ignore' }), 'exit');
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 10 });
  }

  /** Where a path of drive C: lies for this machine. */
  file(windowsPath: string): string {
    return join(this.#dir, 'prefix/drive_c', ...windowsPath.split('\\').slice(1));
  }

  /** The directory of the user's own that programs write to. */
  get localAppData(): string {
    return `C:\\users\\${userInfo().username}\\AppData\\Local`;
  }

  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): WindowsProcess {
    const { node, program } = this.#install;
    if (program === null) throw new Error('The program is not installed on this PC.');
    return this.#wine([node, onDriveZ(program), ...args], env);
  }

  receiptd(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return this.start(args, env).ended;
  }

  /** Another program of this PC. */
  script(source: string): WindowsProcess {
    return this.#wine([this.#install.node, '-e', source]);
  }

  /** A script of cmd. */
  command(file: string, ...args: readonly string[]): Promise<Ended> {
    return this.#wine(['cmd', '/c', file, ...args]).ended;
  }

  /** A program of this machine, by the Node.js of this PC. */
  node(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): WindowsProcess {
    return this.#wine([this.#install.node, onDriveZ(program), ...args], env);
  }

  #wine(args: readonly string[], env: NodeJS.ProcessEnv = {}): WindowsProcess {
    this.#started += 1;
    const out = join(this.#dir, `${this.#started}.out`);
    const err = join(this.#dir, `${this.#started}.err`);
    const files = [openSync(out, 'w'), openSync(err, 'w')] as const;
    const child = spawn(WINE, args, { env: { ...this.#env, ...env }, stdio: ['ignore', ...files] });
    for (const file of files) closeSync(file);
    return new WindowsProcess(child, out, err);
  }
}

/** Wine shows the whole machine as drive Z:. */
export function onDriveZ(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`;
}

/** Until it is so. @throws Error after a minute, with `what` */
export async function until(isSo: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const latest = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > latest) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Bytes in the middle of a file become others. */
export async function damage(path: string, from: number, bytes: number): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(bytes, 0xa5), 0, bytes, from);
  await file.close();
}
