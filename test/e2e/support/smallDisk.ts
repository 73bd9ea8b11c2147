import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from '../../../src/core/domain/errors.ts';
import { cleanUp } from '../../support/cleanUp.ts';
import { inMountsOf, seenBy, withSmallDisk } from '../../support/ownMount.ts';
import { type Ended, MAIN, Running, Site } from './agent.ts';
import { quickly } from './commandLine.ts';

const run = promisify(execFile);

/** A site whose state directory is a separate small disk, which only its commands see. */
export class SmallDiskSite extends Site {
  payloads = 0;

  async mount(size: string): Promise<void> {
    mkdirSync(this.stateDir, { mode: 0o700 });
    const payloads = spawn(
      ...withSmallDisk(this.stateDir, size, ['sh', '-c', 'echo mounted; exec sleep 1000000']),
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const ended = once(payloads, 'close');
    cleanUp(async () => {
      payloads.kill('SIGKILL');
      await ended;
    });
    if (payloads.pid === undefined) throw new Error('nothing was mounted');
    await Promise.race([
      once(payloads.stdout, 'data'),
      ended.then(() => {
        throw new Error('nothing was mounted');
      }),
    ]);
    this.payloads = payloads.pid;
  }

  /** Another empty disk, over what is there. */
  async mountOver(dir: string): Promise<void> {
    await run(...inMountsOf(this.payloads, ['mount', '-t', 'tmpfs', 'receiptd-test', dir]));
  }

  /** Whether its commands can write in `path`, a directory or a file. */
  async allowWriting(path: string, isAllowed: boolean): Promise<void> {
    const script = isAllowed
      ? 'mount -o remount,bind,rw "$1"'
      : 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"';
    await run(...inMountsOf(this.payloads, ['sh', '-c', script, 'sh', path]));
  }

  async unmount(dir: string): Promise<void> {
    await run(...inMountsOf(this.payloads, ['umount', '--lazy', dir]));
  }

  override spawn(...args: string[]): Running {
    const { PATH = '', HOME = '' } = process.env;
    const options = { env: { PATH, HOME, ...this.env }, stdio: ['ignore', 'pipe', 'pipe'] as const };
    const child = spawn(...inMountsOf(this.payloads, [process.execPath, MAIN, ...args]), {
      ...options,
      stdio: [...options.stdio],
    });
    return new Running(child);
  }

  /** The path at which this process sees the disk. */
  override async look(...args: string[]): Promise<Ended> {
    const text = await readFile(this.config, 'utf8');
    const config = this.file('look.yaml');
    await writeFile(config, text.replace(this.stateDir, this.disk()));
    return quickly(this, [...args, '--config', config]);
  }

  disk(...parts: string[]): string {
    return this.seen(join(this.stateDir, ...parts));
  }

  /** The path at which this process sees what the commands see at `path`. */
  seen(path: string): string {
    return seenBy(this.payloads, path);
  }

  /** Fills the disk until this many bytes are free. */
  leave(bytes: number): void {
    const { bavail, bsize } = statfsSync(this.disk());
    truncateSync(this.disk('junk'), statSync(this.disk('junk')).size + bavail * bsize - bytes);
  }

  /** Fills the disk completely. */
  fill(): void {
    const handle = openSync(this.disk('junk'), 'a');
    try {
      for (let size = 65_536; size >= 1;) {
        if (!wrote(handle, size)) size = Math.floor(size / 16);
      }
    } finally {
      closeSync(handle);
    }
  }
}

function wrote(handle: number, size: number): boolean {
  try {
    return writeSync(handle, Buffer.alloc(size, 1)) === size;
  } catch (error) {
    if (systemCode(error) !== 'ENOSPC') throw error;
    return false;
  }
}
