import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { AgentProcess, type Ended as EndedProcess } from '../support/agentProcess.ts';
import { inCheckout } from '../support/checkout.ts';
import type { Kill, Place } from './plan.ts';
import type { Site } from './site.ts';

export interface Ended extends EndedProcess {
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
  const { agent, ended } = start(site, args, kill);
  const endsByItself = args.includes('--once') || args[0] !== 'run';
  const ready = () => Promise.race([agent.said, agent.sleep(READY_MS)]);
  let asPlanned = true;
  if (kill.kind !== 'moment' || kill.from === 'ready') await ready();
  switch (kill.kind) {
    case 'moment':
      await agent.sleep(kill.afterMs);
      break;
    case 'answer': {
      const answered = site.service.answer(kill.nth).then(() => true);
      const givenUp = agent.sleep(endsByItself ? ONCE_MS : ANSWER_MS).then(() => false);
      asPlanned = await Promise.race([answered, givenUp]);
      break;
    }
    case 'stopping':
      await agent.sleep(kill.readyMs);
      agent.signal('SIGTERM', true);
      await agent.sleep(kill.afterMs);
      break;
    case 'write':
    case 'sqlite':
      await agent.sleep(endsByItself ? ONCE_MS : LATE_MS);
      asPlanned = agent.exited.aborted;
      break;
  }
  const endedByItself = agent.exited.aborted;
  agent.signal('SIGKILL', true);
  const its = await ended;
  if (endedByItself) asPlanned = its.signal === 'SIGKILL';
  // It may have reached its point at the last moment.
  return { ...its, asPlanned: asPlanned || its.killedAt !== null };
}

/** Starts the agent, waits until `isDone`, and stops it like a service manager; kills it at the deadline. */
export async function runUntil(
  site: Site,
  isDone: () => Promise<boolean>,
  deadlineMs: number,
): Promise<Ended> {
  const { agent, ended } = start(site, ['run'], null);
  const deadline = performance.now() + deadlineMs;
  await agent.said;
  while (!agent.exited.aborted && !(await isDone())) {
    if (performance.now() > deadline) agent.signal('SIGKILL', true);
    await agent.sleep(LOOK_EVERY_MS);
  }
  agent.signal('SIGTERM', true);
  return ended;
}

/** Runs a command to completion. */
export function runToEnd(site: Site, args: readonly string[]): Promise<Ended> {
  return start(site, args, null).ended;
}

function start(site: Site, args: readonly string[], kill: Kill | null) {
  const startedAt = performance.now();
  const { under, point } = killingAt(site, kill);
  let killedAt: string | null = null;
  const agent = new AgentProcess([...args, '--config', site.config], {
    cwd: site.dir,
    under,
    onReport: (line) => (killedAt = line),
    ...(point !== null && { node: ['--require', PRELOAD], env: { RECEIPTD_KILL_POINT: point } }),
  });
  const ended = agent.ended.then((its): Ended => ({
    ...its,
    killedAt,
    asPlanned: true,
    startedAt,
    endedAt: performance.now(),
  }));
  return { agent, ended };
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
