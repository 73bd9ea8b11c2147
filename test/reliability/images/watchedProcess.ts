import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Batch, Result, Start } from './worker.ts';

export type Ended =
  | { readonly broken: null; readonly result: Result; readonly rssMb: number }
  /** The case with this number ended the process, or the process had to be ended during it. */
  | { readonly broken: string; readonly number: number; readonly rssMb: number };

export interface WatchedProcess {
  work(batch: Batch): Promise<Ended>;
  end(): Promise<void>;
}

/** A case without progress for this long hangs; far beyond any allowed time. */
const HANGS_AFTER_MS = 30_000;
const LOOK_EVERY_MS = 50;
/** Limits of the heap, and of all memory besides that of the large file. */
const HEAP_LIMIT_MB = 128;
const RSS_LIMIT_MB = 300;

/** Running processes, with the directory of each. */
const children = new Map<ChildProcess, string>();
process.on('exit', () => {
  for (const [child, dir] of children) {
    child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  }
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** A process that judges cases. It is ended if a case hangs, takes too much memory, or writes to the console. */
export async function watchedProcess({
  wholes,
  bombSize,
  every,
}: Omit<Start, 'progress'>): Promise<WatchedProcess> {
  const dir = mkdtempSync(join(tmpdir(), 'receiptd-images-'));
  const progress = join(dir, 'case');
  const child = fork(fileURLToPath(new URL('./worker.js', import.meta.url)), {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${HEAP_LIMIT_MB}`],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.set(child, dir);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => (said += text.toString()));
  const gone = once(child, 'close').then(() => {
    children.delete(child);
    rmSync(dir, { recursive: true, force: true });
  });
  const start: Start = { wholes, bombSize, every, progress };
  child.send(start);
  await Promise.race([once(child, 'message'), gone]);
  const rssLimitMb = RSS_LIMIT_MB + (2 * bombSize) / 1e6;

  return {
    work: (batch) =>
      new Promise((resolve) => {
        let number = -1;
        let since = performance.now();
        let rssMb = 0;
        const look = () => {
          rssMb = Math.max(rssMb, residentMb(child.pid));
          const now = performance.now();
          const current = readNumber(progress) ?? number;
          if (current !== number) {
            number = current;
            since = now;
          }
          if (rssMb > rssLimitMb)
            broken(`It takes ${rssMb.toFixed(0)} MB; ${rssLimitMb.toFixed(0)} are allowed.`);
          else if (said !== '') broken(`It wrote to the console: ${said.slice(0, 300)}`);
          else if (now - since > HANGS_AFTER_MS)
            broken(`It hangs: no end after ${HANGS_AFTER_MS / 1000} seconds.`);
        };
        const watch = setInterval(look, LOOK_EVERY_MS);
        const finish = (ended: Ended) => {
          clearInterval(watch);
          child.off('message', onResult).off('exit', onExit);
          resolve(ended);
        };
        const broken = (sentence: string) => {
          child.kill('SIGKILL');
          finish({ broken: sentence, number, rssMb });
        };
        const onResult = (result: Result) => {
          look();
          finish({ broken: null, result, rssMb });
        };
        const onExit = (status: number | null, signal: string | null) => {
          number = readNumber(progress) ?? number;
          broken(`It ended the process (${status ?? signal}): ${said.slice(0, 2000)}`);
        };
        child.on('message', onResult).on('exit', onExit);
        child.send(batch);
      }),
    async end() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function readNumber(file: string): number | null {
  try {
    return readFileSync(file).readInt32LE(0);
  } catch {
    // No case has begun yet.
    return null;
  }
}

/** Peak resident memory. */
function residentMb(pid: number | undefined): number {
  try {
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return (Number(kib ?? 0) * 1024) / 1e6;
  } catch {
    // The process is gone.
    return 0;
  }
}
