import { execFile } from 'node:child_process';
import type { Clock } from '../core/ports/clock.ts';
import type { Log } from '../core/ports/log.ts';
import { messageOf } from '../core/domain/errors.ts';

export interface ServiceManagerDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds for which a part that the agent depends on has not answered. */
  readonly silentMs?: () => number;
  /** Sends these assignments; defaults to `systemd-notify`. */
  readonly send?: (assignments: readonly string[]) => Promise<void>;
}

const PROGRAM = 'systemd-notify';
const PROGRAM_LIMIT_MS = 5_000;
/** Interval at which the status is checked for changes. */
const SAY_EVERY_MS = 10_000;
const LEAST_WATCHDOG_MS = 500;

/**
 * Notifies systemd (sd_notify(3)): ready, reloading, stopping, a status line, and watchdog keep-alives. Does nothing
 * unless NOTIFY_SOCKET is set. Never rejects: a failure is logged once.
 *
 * Uses the program systemd-notify because Node has no Unix datagram sockets; the unit therefore needs NotifyAccess=all.
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

  /** Holds until the next `ready`. `monotonicNs`: CLOCK_MONOTONIC, as Type=notify-reload requires. */
  reloading(monotonicNs: bigint): Promise<void> {
    return this.#tell(['RELOADING=1', `MONOTONIC_USEC=${monotonicNs / 1_000n}`]);
  }

  stopping(): Promise<void> {
    return this.#tell(['STOPPING=1', 'STATUS=Stopping']);
  }

  /**
   * Sends status changes and watchdog keep-alives until aborted. Keep-alives stop while a dependency does not answer:
   * only a restart can help then.
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
          log.debug('managerStatusFailed', { why: String(error) });
          return this.#status;
        });
        if (text !== this.#status) assignments.push(`STATUS=${text.replace(/[\r\n]+/g, ' ')}`);
        this.#status = text;
      }
      if (assignments.length > 0) await this.#tell(assignments);
      await clock.sleep(Math.min(watchdogMs ?? Infinity, SAY_EVERY_MS), signal).catch(() => {});
    }
  }

  /** Half of the watchdog timeout; null if the watchdog is off (sd_watchdog_enabled(3)). */
  #watchdogMs(): number | null {
    const { WATCHDOG_USEC, WATCHDOG_PID } = this.#deps.env;
    const ms = Number(WATCHDOG_USEC) / 1_000;
    if (!(ms > 0)) return null;
    if (WATCHDOG_PID !== undefined && WATCHDOG_PID !== String(this.#deps.pid)) return null;
    return Math.max(LEAST_WATCHDOG_MS, ms / 2);
  }

  /** Sends one at a time, so that notifications arrive in order. */
  #tell(assignments: readonly string[]): Promise<void> {
    if (!this.#isAsked) return Promise.resolve();
    const { env, log, send = (texts) => run(texts, env) } = this.#deps;
    this.#turn = this.#turn.then(async () => {
      try {
        await send(assignments);
        this.#hasFailed = false;
      } catch (error) {
        const why = messageOf(error);
        if (!this.#hasFailed) log.warn('managerNotTold', { why });
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
