import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Resident memory of a process in bytes; null if unknown or the process has ended. */
export async function residentMemory(pid: number): Promise<number | null> {
  switch (process.platform) {
    case 'linux': {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return kilobytes(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
    }
    case 'win32':
      return null;
    default:
      return kilobytes(await ps(pid));
  }
}

function ps(pid: number): Promise<string | undefined> {
  return new Promise((done) => {
    execFile('/bin/ps', ['-o', 'rss=', '-p', String(pid)], (error, stdout) =>
      done(error ? undefined : stdout.trim()),
    );
  });
}

function kilobytes(text: string | undefined): number | null {
  const number = Number(text);
  return text === undefined || Number.isNaN(number) ? null : number * 1024;
}
