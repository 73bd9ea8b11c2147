import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Resource usage of a process and its children, as the system accounts for it. */
export interface Usage {
  readonly wallSeconds: number;
  /** User and system time of all its processes. */
  readonly cpuSeconds: number;
  /** Peak resident memory of the process itself. */
  readonly peakBytes: number;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

const LOOK_EVERY_MS = 20;
/** bash reports the CPU time of its children, without its own start. */
const TIMED = 'TIMEFORMAT="%R %U %S"; { time "${@:2}" >/dev/null 2>"$1.err"; } 2>"$1.time"';

/** Runs a command to its end. @throws Error with the end of its output if it fails */
export async function measure({ file, args, cwd, env = process.env }: Command): Promise<Usage> {
  const dir = await mkdtemp(join(tmpdir(), 'receiptd-bench-run-'));
  const out = join(dir, 'run');
  try {
    const child = spawn('bash', ['-c', TIMED, 'bash', out, file, ...args], { cwd, env, stdio: 'ignore' });
    let peakBytes = 0;
    const look = setInterval(() => {
      void peakOfChild(child.pid).then((bytes) => (peakBytes = Math.max(peakBytes, bytes)));
    }, LOOK_EVERY_MS);
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    clearInterval(look);
    if (status !== 0) {
      const said = await readFile(`${out}.err`, 'utf8').catch(() => '');
      throw new Error(`${file} ended with ${String(status)}: ${said.slice(-2000)}`);
    }
    const [wall = 0, user = 0, system = 0] = (await readFile(`${out}.time`, 'utf8'))
      .trim()
      .split(' ')
      .map(Number);
    return { wallSeconds: wall, cpuSeconds: user + system, peakBytes };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function peakOfChild(shell: number | undefined): Promise<number> {
  const children = await readFile(`/proc/${shell}/task/${shell}/children`, 'utf8').catch(() => '');
  const [pid] = children.trim().split(' ');
  return pid === undefined || pid === '' ? 0 : memory(Number(pid), 'VmHWM');
}

/** Bytes; 0 if the process is gone. */
export async function memory(pid: number, field: 'VmHWM' | 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
}

/** Milliseconds of each run of `work`. */
export async function times(work: () => Promise<unknown>, runs: number): Promise<number[]> {
  const took: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const startedAt = performance.now();
    await work();
    took.push(performance.now() - startedAt);
  }
  return took;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** A quantile, with linear interpolation. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low = NaN, high = low] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}
