import type { Dice } from '../support/dice.ts';
import { Life } from './agent.ts';
import { Gate } from './gate.ts';
import type { OpenInbox } from './inboxes.ts';
import type { Place } from './place.ts';
import type { Deed, LogRecord } from './record.ts';
import { pause } from './weather.ts';

/** Ends of lives, as shares of the total time: two short lives, a long one, and one that ends once everything is sent. */
const ENDS: readonly { readonly at: number; readonly by: 'SIGTERM' | 'SIGKILL' }[] = [
  { at: 0.06, by: 'SIGKILL' },
  { at: 0.12, by: 'SIGTERM' },
  { at: 0.9, by: 'SIGKILL' },
];

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

  async begin(): Promise<void> {
    const life = await Life.start(
      this.#place,
      (line) => this.#log.line(line),
      (text) => this.#log.other(text),
    );
    this.now = life;
    this.count += 1;
    void life.ended.then(({ status, signal }) => {
      if (this.now === life) this.breaches.push(`the agent ended unexpectedly, with ${status ?? signal}`);
    });
  }

  /** A clean stop, which must exit with status 0. */
  async end(): Promise<void> {
    const life = this.#leave();
    if (life === null) return;
    const { status, signal } = await life.end('SIGTERM');
    if (status !== 0) this.breaches.push(`the agent ended with ${status ?? signal} on SIGTERM`);
  }

  /** Ends and starts lives over `seconds`, until aborted. */
  async run(seconds: number, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    for (const { at, by } of ENDS) {
      await pause(at * seconds * 1_000 - (performance.now() - startedAt), signal);
      if (signal.aborted) return;
      await this.gate.closed(async () => {
        const from = Date.now();
        if (by === 'SIGTERM') await this.end();
        else await this.#leave()?.end(by);
        await this.begin();
        if (by === 'SIGKILL') this.deeds.push({ what: 'killed', from, to: Date.now() });
      });
    }
  }

  /** Occasionally freezes the agent or takes a folder away. */
  async disturb(inboxes: readonly OpenInbox[], dice: Dice, signal: AbortSignal): Promise<void> {
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
      else await dice.pick(inboxes).takeAway(() => pause(dice.int(500, 6_000), signal));
      deed.to = Date.now();
    }
  }

  async #freeze(ms: number, signal: AbortSignal): Promise<void> {
    const from = performance.now();
    await this.gate.inside(async () => {
      this.now?.signal('SIGSTOP');
      await pause(ms, signal);
      this.now?.signal('SIGCONT');
    });
    this.frozen.push({ from, to: performance.now() });
  }

  #leave(): Life | null {
    const life = this.now;
    this.now = null;
    return life;
  }
}
