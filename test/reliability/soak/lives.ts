import { z } from 'zod';
import { AgentProcess, pause } from '../support/agentProcess.ts';
import type { Dice } from '../support/dice.ts';
import { Gate } from '../support/gate.ts';
import type { Office } from './office.ts';
import type { Place } from './place.ts';
import { INSIDE, probeArgument, type Inside } from './probe.ts';
import type { Deed, LogRecord } from './record.ts';

/** Ends of lives, as shares of the total time: two short lives, a long one, and one that ends once everything is sent. */
const ENDS: readonly { readonly at: number; readonly by: 'SIGTERM' | 'SIGKILL' }[] = [
  { at: 0.06, by: 'SIGKILL' },
  { at: 0.12, by: 'SIGTERM' },
  { at: 0.9, by: 'SIGKILL' },
];

const LINE = z.looseObject({ timestamp: z.string(), level: z.string(), message: z.string() });
export type LogLine = z.infer<typeof LINE>;

/** One life of `receiptd run`, from start to exit. */
export interface Life {
  readonly process: AgentProcess;
  readonly startedAt: number;
  /** The latest report of the probe; null before the first. */
  inside: Inside | null;
}

/** Runs one agent after another and disturbs them. */
export class Lives {
  readonly #place: Place;
  readonly #log: LogRecord;
  /** Closed while one agent replaces another. */
  readonly gate = new Gate();
  readonly deeds: Deed[] = [];
  /** Periods in which the agent was frozen; monotonic milliseconds. */
  readonly frozen: { readonly from: number; readonly to: number }[] = [];
  readonly breaches: string[] = [];
  /** Null between two lives. */
  now: Life | null = null;
  count = 0;

  constructor(place: Place, log: LogRecord) {
    this.#place = place;
    this.#log = log;
  }

  /** Resolves once the agent reports that it has started. */
  async begin(): Promise<void> {
    const other: string[] = [];
    let tellStarted: () => void = () => {};
    const started = new Promise<void>((resolve) => (tellStarted = resolve));
    const process = new AgentProcess(['run', '--config', this.#place.config], {
      cwd: this.#place.dir,
      node: ['--trace-warnings', probeArgument()],
      // The binary sets this before its first module loads; the probe is loaded even earlier.
      env: { UV_THREADPOOL_SIZE: '16' },
      onLine: (text) => {
        const line = LINE.safeParse(parse(text));
        if (line.success) this.#log.line(line.data);
        else {
          other.push(text);
          this.#log.other(text);
        }
        if (line.data?.message === 'receiptd has started') tellStarted();
      },
      onReport: (text) => (life.inside = INSIDE.safeParse(parse(text)).data ?? life.inside),
    });
    const life: Life = { process, startedAt: Date.now(), inside: null };
    await Promise.race([started, process.ended]);
    if (process.exited.aborted) throw new Error(`The agent did not start: ${other.join('\n')}`);
    this.now = life;
    this.count += 1;
    void process.ended.then(({ status, signal }) => {
      if (this.now === life) this.breaches.push(`the agent ended unexpectedly, with ${status ?? signal}`);
    });
  }

  /** A clean stop, which must exit with status 0, or a kill. */
  async end(by: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const life = this.now;
    this.now = null;
    if (life === null) return;
    life.process.signal(by);
    const { status, signal } = await life.process.ended;
    if (by === 'SIGTERM' && status !== 0)
      this.breaches.push(`the agent ended with ${status ?? signal} on SIGTERM`);
  }

  /** Ends and starts lives over `seconds`, until aborted. */
  async run(seconds: number, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    for (const { at, by } of ENDS) {
      await pause(at * seconds * 1_000 - (performance.now() - startedAt), signal);
      if (signal.aborted) return;
      await this.gate.closed(async () => {
        const from = Date.now();
        await this.end(by);
        await this.begin();
        if (by === 'SIGKILL') this.deeds.push({ what: 'killed', from, to: Date.now() });
      });
    }
  }

  /** Occasionally freezes the agent or takes a folder away. */
  async disturb(office: Office, dice: Dice, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(dice.int(10_000, 30_000), signal);
      if (signal.aborted) return;
      const deed: Deed = {
        what: dice.chance(0.5) ? 'frozen' : 'folder away',
        from: Date.now(),
        to: Infinity,
      };
      this.deeds.push(deed);
      if (deed.what === 'frozen') await this.#freeze(dice.int(500, 3_000), signal);
      else await office.takeAway(dice, () => pause(dice.int(500, 6_000), signal));
      deed.to = Date.now();
    }
  }

  async #freeze(ms: number, signal: AbortSignal): Promise<void> {
    const from = performance.now();
    await this.gate.inside(async () => {
      this.now?.process.signal('SIGSTOP');
      await pause(ms, signal);
      this.now?.process.signal('SIGCONT');
    });
    this.frozen.push({ from, to: performance.now() });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
