import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** Whether the system provides these details about processes. Only Linux does. */
export function tellsOfProcesses(): boolean {
  return existsSync('/proc/self/io') && existsSync('/proc/self/fdinfo');
}

let ticksPerSecond: number | null = null;

/** User and system time of a running process, in seconds, without its children. */
export async function processorSeconds(pid: number): Promise<number> {
  return seconds(pid, [11, 12]);
}

/** The same, including children that have ended. */
export async function processorSecondsWithChildren(pid: number): Promise<number> {
  return seconds(pid, [11, 12, 13, 14]);
}

async function seconds(pid: number, which: readonly number[]): Promise<number> {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name before it may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return which.reduce((sum, field) => sum + Number(fields[field]), 0) / ticksPerSecond;
}

/** `rchar`: bytes read, including from the page cache. `write_bytes`: bytes that it caused to be written to disk. */
export async function ioBytes(pid: number, field: 'rchar' | 'write_bytes'): Promise<number> {
  const text = await readFile(`/proc/${pid}/io`, 'utf8');
  return Number(new RegExp(`^${field}: (\\d+)$`, 'm').exec(text)?.[1]);
}

/** Whether the process has an inotify watch on the directory. */
export async function hasInotifyWatch(pid: number, inode: bigint): Promise<boolean> {
  const info = `/proc/${pid}/fdinfo`;
  const wanted = new RegExp(`^inotify wd:\\S+ ino:${inode.toString(16)} `, 'm');
  for (const fd of await readdir(info).catch(() => [])) {
    const text = await readFile(`${info}/${fd}`, 'utf8').catch(() => '');
    if (wanted.test(text)) return true;
  }
  return false;
}
