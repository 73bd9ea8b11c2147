import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentProcess, type Exit } from '../support/agentProcess.ts';
import { inCheckout } from '../support/checkout.ts';
import type { Kill, Place } from './plan.ts';
import type { Site } from './site.ts';

export interface Ended extends Exit {
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
  readonly #process: AgentProcess;
  #output = '';
  #onOutput: () => void = () => {};

  constructor(site: Site, args: readonly string[], kill: Kill | null) {
    const startedAt = performance.now();
    const { under, point } = killingAt(site, kill);
    this.#process = new AgentProcess([...args, '--config', site.config], {
      cwd: site.dir,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      under,
      ...(point !== null && { node: ['--require', PRELOAD], env: { RECEIPTD_KILL_POINT: point } }),
    });
    for (const fd of [1, 2] as const) {
      this.#process
        .output(fd)
        .setEncoding('utf8')
        .on('data', (text: string) => {
          this.#output += text;
          this.#onOutput();
        });
    }
    let report = '';
    this.#process
      .output(3)
      .setEncoding('utf8')
      .on('data', (text: string) => (report += text));
    this.ended = this.#process.ended.then((exit) => {
      this.#onOutput();
      return {
        ...exit,
        output: this.#output,
        killedAt: report === '' ? null : report.trim(),
        asPlanned: true,
        startedAt,
        endedAt: performance.now(),
      };
    });
  }

  get hasEnded(): boolean {
    return this.#process.exited.aborted;
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
  async sleep(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#process.exited }).catch(() => {});
  }

  stop(): void {
    this.#process.signal('SIGTERM', true);
  }

  kill(): void {
    this.#process.signal('SIGKILL', true);
  }
}

const PRELOAD = inCheckout('test/reliability/kill/preload.cjs');

/** What kills it at the planned call: strace, or the preload with its point. */
function killingAt(
  site: Site,
  kill: Kill | null,
): { readonly under: readonly string[]; readonly point: string | null } {
  if (kill?.kind === 'write') {
    const { call, when, place } = kill;
    return { under: [], point: JSON.stringify({ call, when, ...placeOf(site, place) }) };
  }
  if (kill?.kind !== 'sqlite' || !hasStrace) return { under: [], point: null };
  const files = ['ledger.db', 'ledger.db-wal', 'ledger.db.new', 'ledger.db.new-journal', 'ledger.journal'];
  const paths = files.flatMap((file) => ['-P', join(site.stateDir, file)]);
  const inject = `inject=${kill.system}:signal=SIGKILL:when=${kill.nth}`;
  return {
    under: ['strace', '-f', '-qq', '-e', `trace=${kill.system}`, '-o', '/dev/null', ...paths, '-e', inject],
    point: null,
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
