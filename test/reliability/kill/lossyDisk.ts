import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH (Linux, fs/ext4/ext4.h): stops the file system, so that nothing more reaches its disk.
 */
const SHUTDOWN = 0x8004_587d;
const NO_LOG_FLUSH = 2;
const SIZE = 96 * 1024 * 1024;
/** No periodic commit, and no flush of contents on rename: unsynced data stays in memory. */
const OPTIONS = 'loop,commit=300,noauto_da_alloc';
const FREE_WITHIN_MS = 10_000;

/**
 * A real ext4 in a file. A power failure discards everything that was not synced. Only this process and its children see the mount, since
 * the campaign runs in its own mount namespace.
 */
export class LossyDisk {
  /** The mount point. */
  readonly path: string;
  readonly #image: string;

  constructor(dir: string) {
    this.path = join(dir, 'disk');
    this.#image = join(dir, 'disk.img');
    mkdirSync(this.path);
    const image = openSync(this.#image, 'w');
    ftruncateSync(image, SIZE);
    closeSync(image);
    run('mkfs.ext4', '-q', this.#image);
    this.#mount();
  }

  /** Call it once the agent is dead: discards unsynced data and remounts the disk. */
  async fail(): Promise<void> {
    const ioctl = `open my $d, '<', $ARGV[0] or die $!; my $how = pack 'L', ${NO_LOG_FLUSH}; ioctl $d, ${SHUTDOWN}, $how or die $!`;
    run('perl', '-e', ioctl, this.path);
    await this.#unmount();
    this.#mount();
  }

  async close({ kept }: { readonly kept: boolean }): Promise<void> {
    await this.#unmount();
    if (!kept) await rm(this.#image);
  }

  /** For interrupts: unmounts lazily, since the processes that use it are about to end. */
  abandon(): void {
    spawnSync('umount', ['--lazy', this.path]);
  }

  #mount(): void {
    run('mount', '-o', OPTIONS, this.#image, this.path);
  }

  /** Retries, because killed processes may keep it busy a moment longer. */
  async #unmount(): Promise<void> {
    const deadline = performance.now() + FREE_WITHIN_MS;
    for (;;) {
      try {
        return run('umount', this.path);
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(50);
      }
    }
  }
}

function run(program: string, ...args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error !== undefined || status !== 0)
    throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr.trim()}`);
}
