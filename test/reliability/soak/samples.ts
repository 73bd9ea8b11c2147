import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Inside } from './probe.ts';

/** The agent's figures in one second. In bytes unless the name says otherwise. */
export interface Sample {
  /** Seconds since the start of the soak. */
  readonly at: number;
  readonly life: number;
  readonly weather: string;
  readonly rss: number;
  readonly inside: Inside | null;
  /** Open descriptors by kind: file, socket, pipe, inotify, other. */
  readonly fds: Readonly<Record<string, number>>;
  readonly threads: number;
  readonly watches: number;
  /** Directories that have to be watched. */
  readonly dirs: number;
  readonly cpuSeconds: number;
  /** Time for `status` over the control socket, ms; null if it did not answer. */
  readonly statusMs: number | null;
  readonly ledger: number;
  readonly wal: number;
  readonly journal: number;
  /** Total of all copies, as reported by the agent; null if it did not answer. */
  readonly spool: number | null;
  readonly logs: number;
  readonly state: number;
  /** Images accepted so far, over all lives. */
  readonly accepted: number;
  readonly waiting: number;
}

/** Figures from /proc; null if the process is gone. Linux only. */
export async function processFigures(
  pid: number,
): Promise<Pick<Sample, 'rss' | 'fds' | 'threads' | 'watches' | 'cpuSeconds'> | null> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const rss = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    const threads = Number(/^Threads:\s+(\d+)$/m.exec(status)?.[1]);
    const ticks = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    const cpuSeconds = (Number(ticks[11]) + Number(ticks[12])) / 100;
    return { rss, threads, cpuSeconds, ...(await descriptors(pid)) };
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

async function descriptors(pid: number): Promise<Pick<Sample, 'fds' | 'watches'>> {
  const fds: Record<string, number> = {};
  let watches = 0;
  for (const fd of await readdir(`/proc/${pid}/fd`)) {
    // The descriptor may have been closed meanwhile.
    const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => null);
    if (target === null) continue;
    const kind = kindOf(target);
    fds[kind] = (fds[kind] ?? 0) + 1;
    if (kind !== 'inotify') continue;
    const info = await readFile(`/proc/${pid}/fdinfo/${fd}`, 'utf8').catch(() => '');
    watches += info.match(/^inotify wd:/gm)?.length ?? 0;
  }
  return { fds, watches };
}

function kindOf(target: string): string {
  if (target.startsWith('/')) return 'file';
  if (target === 'anon_inode:inotify') return 'inotify';
  if (target.startsWith('anon_inode:')) return 'other';
  return target.slice(0, target.indexOf(':'));
}

/** Sizes of the agent's files. */
export async function stateFigures(
  stateDir: string,
): Promise<Pick<Sample, 'ledger' | 'wal' | 'journal' | 'logs' | 'state'>> {
  const [ledger, wal, journal] = await Promise.all(
    ['ledger.db', 'ledger.db-wal', 'ledger.journal'].map((file) => sizeOf(join(stateDir, file))),
  );
  const logs = await sizesIn(join(stateDir, 'logs'));
  const top = await sizesIn(stateDir);
  return {
    ledger: ledger ?? 0,
    wal: wal ?? 0,
    journal: journal ?? 0,
    logs: logs.bytes,
    state: top.files,
  };
}

/** Number of directories below this one, including itself. */
export async function countDirs(dir: string): Promise<number> {
  let count = 1;
  for (const entry of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) count += await countDirs(join(dir, entry.name));
  }
  return count;
}

async function sizesIn(dir: string): Promise<{ bytes: number; files: number }> {
  let bytes = 0;
  let files = 0;
  for (const entry of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    files += 1;
    bytes += await sizeOf(join(dir, entry.name));
  }
  return { bytes, files };
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.size ?? 0;
}
