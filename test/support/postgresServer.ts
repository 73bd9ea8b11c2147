/** The server's process and PostgreSQL's tools, run as an ordinary user. */
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ordinaryOwner } from './ordinaryUser.ts';
import { postgresBinaries, runDirectory } from './postgresRun.ts';

export const LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 20;

/** The server's process. It outlives the process that started it; the run's keeper ends it at the latest. */
export class Server {
  readonly #dir: string;
  readonly #port: number;

  constructor(dir: string, port: number) {
    this.#dir = dir;
    this.#port = port;
  }

  async start(): Promise<void> {
    const until = Date.now() + LIMIT_MS;
    // Processes of a killed server take a moment to free what they hold.
    while (!(await this.#attempt(until))) {
      if (Date.now() > until) throw new Error(`PostgreSQL does not start:\n${await this.#lastLines()}`);
      await sleep(10 * LOOK_EVERY_MS);
    }
  }

  async stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    const pid = await this.#pid();
    if (pid === null) return;
    const all = signal === 'SIGKILL' ? [pid, ...(await childrenOf(pid))] : [pid];
    for (const each of all) send(each, signal);
    const until = Date.now() + LIMIT_MS;
    while (all.some(isAlive)) {
      if (Date.now() > until) throw new Error(`PostgreSQL does not stop:\n${await this.#lastLines()}`);
      await sleep(LOOK_EVERY_MS);
    }
  }

  async #attempt(until: number): Promise<boolean> {
    const log = await open(join(this.#dir, 'log'), 'a');
    const child = spawn(binary('postgres'), ['-D', join(this.#dir, 'data')], {
      ...asOwner(this.#dir),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.unref();
    await log.close();
    let failed: Error | null = null;
    child.on('error', (error) => (failed = error));
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    while (Date.now() < until) {
      if (failed !== null) throw failed;
      if (await this.#isReady(child.pid)) return true;
      if (hasEnded()) return false;
      await sleep(LOOK_EVERY_MS);
    }
    return false;
  }

  async #isReady(pid: number | undefined): Promise<boolean> {
    const lines = await this.#pidFile();
    return lines[0] === String(pid) && (lines[7] ?? '').trim() === 'ready';
  }

  async #pid(): Promise<number | null> {
    const [first] = await this.#pidFile();
    const pid = Number(first);
    return Number.isInteger(pid) && pid > 0 && isAlive(pid) ? pid : null;
  }

  async #pidFile(): Promise<string[]> {
    const text = await readFile(join(this.#dir, 'data', 'postmaster.pid'), 'utf8').catch(() => '');
    return text.split('\n');
  }

  async #lastLines(): Promise<string> {
    const text = await readFile(join(this.#dir, 'log'), 'utf8').catch(() => '');
    return `port ${this.#port}\n${text.split('\n').slice(-12).join('\n')}`;
  }
}

/** @returns whether the process exists */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Whether a process runs; zombies count as gone. */
function isAlive(pid: number): boolean {
  if (!send(pid, 0)) return false;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').map(Number).filter(Boolean);
}

/** Runs a tool of PostgreSQL, or another program, to its end. */
export async function run(program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(program, [...args], {
    ...asOwner(runDirectory()),
    timeout: LIMIT_MS,
  });
}

export function binary(name: string): string {
  const dir = postgresBinaries();
  if (dir === null) throw new Error('PostgreSQL is missing: apt-get install postgresql.');
  return join(dir, name);
}

/** Spawn options: the ordinary user, a directory accessible to it, and a fixed locale. */
function asOwner(cwd: string) {
  const { uid, gid } = ordinaryOwner();
  const isRoot = process.geteuid?.() === 0;
  return { ...(isRoot ? { uid, gid } : {}), cwd, env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' } };
}
