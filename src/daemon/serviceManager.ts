import { execFile } from 'node:child_process';
import type { Clock } from '../core/ports/clock.ts';
import type { Log } from '../core/ports/log.ts';
import { messageOf } from '../core/domain/errors.ts';

export interface ServiceManagerDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly clock: Clock;
  readonly log: Log;
  /** For how long what the agent needs has been silent; milliseconds. */
  readonly silentMs?: () => number;
  /** Sends these assignments; `systemd-notify` if left out. */
  readonly send?: (assignments: readonly string[]) => Promise<void>;
}

const PROGRAM = 'systemd-notify';
const PROGRAM_LIMIT_MS = 5_000;
/** How often it is looked whether there is something new to say. */
const SAY_EVERY_MS = 10_000;
const LEAST_WATCHDOG_MS = 500;

/**
 * What systemd is told of the agent (sd_notify(3)): ready, reloading, stopping, a line of status, and signs of life for its
 * watchdog. Nothing where no service manager asks for it. Never rejects: what can't be said is said in the log, once.
 *
 * Through systemd's own program, since Node has no datagram sockets of the local kind: the unit needs NotifyAccess=all.
 */
export class ServiceManager {
  readonly #deps: ServiceManagerDeps;
  readonly #isAsked: boolean;
  #turn: Promise<void> = Promise.resolve();
  #hasFailed = false;
  #status = '';

  constructor(deps: ServiceManagerDeps) {
    this.#deps = deps;
    this.#isAsked = Boolean(deps.env['NOTIFY_SOCKET']);
  }

  ready(): Promise<void> {
    return this.#tell(['READY=1']);
  }

  /** Until the next `ready`. `monotonicNs`: of CLOCK_MONOTONIC, as Type=notify-reload wants it. */
  reloading(monotonicNs: bigint): Promise<void> {
    return this.#tell(['RELOADING=1', `MONOTONIC_USEC=${monotonicNs / 1_000n}`]);
  }

  stopping(): Promise<void> {
    return this.#tell(['STOPPING=1', 'STATUS=Stopping']);
  }

  /**
   * Says how the agent is when that has changed, and gives the watchdog its signs of life, until aborted. No such sign is given while
   * it waits for what does not answer: a start again is all that may help.
   */
  async keepTelling(status: () => Promise<string>, signal: AbortSignal): Promise<void> {
    if (!this.#isAsked) return;
    const { clock, log, silentMs = () => 0 } = this.#deps;
    const watchdogMs = this.#watchdogMs();
    let saidAt = -Infinity;
    while (!signal.aborted) {
      const isAlive = watchdogMs !== null && silentMs() < watchdogMs;
      const assignments = isAlive ? ['WATCHDOG=1'] : [];
      if (clock.monotonic() - saidAt >= SAY_EVERY_MS) {
        saidAt = clock.monotonic();
        const text = await status().catch((error: unknown) => {
          log.debug('The status for the service manager could not be made', { why: String(error) });
          return this.#status;
        });
        if (text !== this.#status) assignments.push(`STATUS=${text.replace(/[\r\n]+/g, ' ')}`);
        this.#status = text;
      }
      if (assignments.length > 0) await this.#tell(assignments);
      await clock.sleep(Math.min(watchdogMs ?? Infinity, SAY_EVERY_MS), signal).catch(() => {});
    }
  }

  /** Half of the time after which systemd takes the agent for dead; null where it does not look (sd_watchdog_enabled(3)). */
  #watchdogMs(): number | null {
    const { WATCHDOG_USEC, WATCHDOG_PID } = this.#deps.env;
    const ms = Number(WATCHDOG_USEC) / 1_000;
    if (!(ms > 0)) return null;
    if (WATCHDOG_PID !== undefined && WATCHDOG_PID !== String(this.#deps.pid)) return null;
    return Math.max(LEAST_WATCHDOG_MS, ms / 2);
  }

  /** One after another, so that they arrive in order. */
  #tell(assignments: readonly string[]): Promise<void> {
    if (!this.#isAsked) return Promise.resolve();
    const { env, log, send = (texts) => run(texts, env) } = this.#deps;
    this.#turn = this.#turn.then(async () => {
      try {
        await send(assignments);
        this.#hasFailed = false;
      } catch (error) {
        const why = messageOf(error);
        if (!this.#hasFailed) log.warn('The service manager could not be told how the agent is', { why });
        this.#hasFailed = true;
      }
    });
    return this.#turn;
  }
}

function run(assignments: readonly string[], env: ServiceManagerDeps['env']): Promise<void> {
  return new Promise((resolve, reject) => {
    const { NOTIFY_SOCKET, PATH } = env;
    const options = { timeout: PROGRAM_LIMIT_MS, env: { NOTIFY_SOCKET, PATH } };
    execFile(PROGRAM, [...assignments], options, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}
