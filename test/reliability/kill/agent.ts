import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Kill, Place } from './plan.ts';
import { binary, inCheckout } from './repository.ts';
import type { Site } from './site.ts';

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  /** The call before which the preload killed it, if any. */
  readonly killedAt: string | null;
  /** Whether it reached its planned point, rather than being killed for taking too long. */
  readonly asPlanned: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Whether SQLite's own system calls can be intercepted. */
export const hasStrace = spawnSync('strace', ['-V']).status === 0;

/** The agent is ready once it writes its first log line. A planned point not reached within LATE_MS is given up. */
const READY_MS = 10_000;
const LATE_MS = 600;
/** Time limit of a process that ends by itself. */
const ONCE_MS = 3_000;
const ANSWER_MS = 1_500;
const LOOK_EVERY_MS = 50;

const running = new Set<ChildProcess>();

/** Kills all started processes; for interrupts. */
export function killAll(): void {
  for (const child of running) signal(child, 'SIGKILL');
}

/** Starts a command and waits until it dies as planned, or kills it if its point is not reached. */
export async function runAndKill(site: Site, args: readonly string[], kill: Kill): Promise<Ended> {
  const agent = new Agent(site, args, kill);
  const endsByItself = args.includes('--once') || args[0] !== 'run';
  let asPlanned = true;
  switch (kill.kind) {
    case 'moment':
      if (kill.from === 'ready') await agent.ready();
      await agent.sleep(kill.afterMs);
      break;
    case 'answer':
      await agent.ready();
      asPlanned = await site.answer(kill.nth, agent.sleep(endsByItself ? ONCE_MS : ANSWER_MS));
      break;
    case 'stopping':
      await agent.ready();
      await agent.sleep(kill.readyMs);
      agent.stop();
      await agent.sleep(kill.afterMs);
      break;
    case 'write':
    case 'sqlite':
      await agent.ready();
      await agent.sleep(endsByItself ? ONCE_MS : LATE_MS);
      asPlanned = agent.hasEnded;
      break;
  }
  const endedByItself = agent.hasEnded;
  agent.kill();
  const ended = await agent.ended;
  if (endedByItself) asPlanned = ended.signal === 'SIGKILL';
  // It may have reached its point at the last moment.
  return { ...ended, asPlanned: asPlanned || ended.killedAt !== null };
}

/** Starts the agent, waits until `isDone`, and stops it like a service manager; kills it at the deadline. */
export async function runUntil(
  site: Site,
  isDone: () => Promise<boolean>,
  deadlineMs: number,
): Promise<Ended> {
  const agent = new Agent(site, ['run'], null);
  const deadline = performance.now() + deadlineMs;
  await agent.ready();
  while (!agent.hasEnded && !(await isDone())) {
    if (performance.now() > deadline) agent.kill();
    await agent.sleep(LOOK_EVERY_MS);
  }
  agent.stop();
  return agent.ended;
}

/** Runs a command to completion. */
export function runToEnd(site: Site, args: readonly string[]): Promise<Ended> {
  return new Agent(site, args, null).ended;
}

class Agent {
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  readonly #end = new AbortController();
  #output = '';
  #onOutput: () => void = () => {};

  constructor(site: Site, args: readonly string[], kill: Kill | null) {
    const startedAt = performance.now();
    const { before, env } = killingAt(site, kill);
    const node = [process.execPath, ...(env === null ? [] : ['--require', PRELOAD]), binary()];
    const [program, ...rest] = [...before, ...node, ...args, '--config', site.config];
    if (program === undefined) throw new Error('There is nothing to start.');
    this.#child = spawn(program, rest, {
      cwd: site.dir,
      env: { ...site.env, ...(env !== null && { RECEIPTD_KILL_POINT: env }) },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      // A separate process group, so that strace and the traced process end together.
      detached: true,
    });
    running.add(this.#child);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#onOutput();
      });
    }
    let report = '';
    (this.#child.stdio[3] as Readable).setEncoding('utf8').on('data', (text: string) => (report += text));
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('exit', () => this.#end.abort());
      this.#child.once('close', (status, by) => {
        running.delete(this.#child);
        this.#onOutput();
        resolve({
          status,
          signal: by,
          output: this.#output,
          killedAt: report === '' ? null : report.trim(),
          asPlanned: true,
          startedAt,
          endedAt: performance.now(),
        });
      });
    });
  }

  get hasEnded(): boolean {
    return this.#end.signal.aborted;
  }

  /** Resolves at the first output or at the end. */
  async ready(): Promise<void> {
    const said = new Promise<void>((resolve) => {
      this.#onOutput = () => {
        if (this.#output !== '' || this.hasEnded) resolve();
      };
      this.#onOutput();
    });
    await Promise.race([said, this.sleep(READY_MS)]);
  }

  /** Resolves early if the process ends. */
  sleep(ms: number): Promise<void> {
    const { signal: over } = this.#end;
    return new Promise((resolve) => {
      if (over.aborted) return resolve();
      const timer = setTimeout(done, ms);
      over.addEventListener('abort', done, { once: true });
      function done(): void {
        clearTimeout(timer);
        over.removeEventListener('abort', done);
        resolve();
      }
    });
  }

  stop(): void {
    signal(this.#child, 'SIGTERM');
  }

  kill(): void {
    signal(this.#child, 'SIGKILL');
  }
}

const PRELOAD = inCheckout('test/reliability/kill/preload.cjs');

/** The command prefix and environment variable that kill it at the planned call. */
function killingAt(
  site: Site,
  kill: Kill | null,
): { readonly before: readonly string[]; readonly env: string | null } {
  const nothing = { before: [], env: null };
  if (kill?.kind === 'write') {
    const { call, when, place } = kill;
    return { ...nothing, env: JSON.stringify({ call, when, ...placeOf(site, place) }) };
  }
  if (kill?.kind !== 'sqlite' || !hasStrace) return nothing;
  const files = ['ledger.db', 'ledger.db-wal', 'ledger.db.new', 'ledger.db.new-journal', 'ledger.journal'];
  const paths = files.flatMap((file) => ['-P', join(site.stateDir, file)]);
  const inject = `inject=${kill.system}:signal=SIGKILL:when=${kill.nth}`;
  return {
    ...nothing,
    before: ['strace', '-f', '-qq', '-e', `trace=${kill.system}`, '-o', '/dev/null', ...paths, '-e', inject],
  };
}

function placeOf(site: Site, place: Place): { below: readonly string[]; except: readonly string[] } {
  const { stateDir } = site;
  const spool = join(stateDir, 'spool');
  switch (place) {
    case 'state':
      return { below: [stateDir], except: [join(stateDir, 'logs'), spool] };
    case 'spool':
      return { below: [spool], except: [] };
    case 'folder':
      return { below: site.folders.flatMap(({ path, archive }) => [path, archive]), except: [] };
  }
}

/** Signals the process group; does nothing if the process is gone. */
function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
