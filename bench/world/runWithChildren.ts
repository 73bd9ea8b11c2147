import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { memory, type Command } from './measure.ts';

export interface Run {
  readonly wallSeconds: number;
  /** Peak resident memory of the process itself. */
  readonly peakBytes: number;
  /** Peak resident memory of its largest child. */
  readonly childrenPeakBytes: number;
}

const LOOK_EVERY_MS = 20;

/** Runs a command to its end. @throws Error with the end of its output if it fails */
export async function runWithChildren({ file, args, cwd, env = process.env }: Command): Promise<Run> {
  const began = performance.now();
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let [said, peakBytes, childrenPeakBytes] = ['', 0, 0];
  child.stderr.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2000)));
  const { pid = 0 } = child;
  const look = setInterval(() => {
    void memory(pid, 'VmHWM').then((bytes) => (peakBytes = Math.max(peakBytes, bytes)));
    void childrenOf(pid).then(async (children) => {
      for (const each of children)
        childrenPeakBytes = Math.max(childrenPeakBytes, await memory(each, 'VmHWM'));
    });
  }, LOOK_EVERY_MS);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  clearInterval(look);
  if (status !== 0) throw new Error(`${file} ended with ${String(status)}: ${said}`);
  return { wallSeconds: (performance.now() - began) / 1e3, peakBytes, childrenPeakBytes };
}

/** Children of all threads of a process. */
export async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = threads.map((thread) =>
    readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => ''),
  );
  return (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}
