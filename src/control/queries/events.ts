import type { Clock } from '../../core/ports/clock.ts';
import type { Log } from '../../core/ports/log.ts';
import type { LogLines } from '../../core/ports/logLines.ts';
import type { OverviewResponse } from '../protocol/overview.ts';
import { STREAMS } from '../protocol/streams.ts';
import type { StreamRoute } from '../streams.ts';

export interface EventDeps {
  readonly overview: () => Promise<OverviewResponse>;
  readonly lines: LogLines;
  readonly clock: Clock;
  readonly log: Log;
}

/** Shortest pause between two checks for changes. */
const LOOK_EVERY_MS = 1_000;
/** After a slow check, the pause is at least this many times its duration. */
const LEAST_REST = 10;
/** Cap on queued log lines: a slow reader misses lines, so that memory stays bounded. */
const WAITING_LINES = 1_000;
/** Interval of keep-alives: they reveal disconnected readers and keep proxies from closing a quiet connection. */
const SIGN_OF_LIFE_MS = 15_000;

/** Server-sent events (HTML Living Standard, 9.2): `overview` after a change, `log` for each line, `alive` as keep-alive. */
export function eventStream(deps: EventDeps): StreamRoute {
  const watched = new WatchedOverview(deps);
  return {
    ...STREAMS.events,
    serve: async ({ signal }) => ({
      headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
      body: events(deps, watched, signal),
    }),
  };
}

async function* events(
  { lines, clock }: EventDeps,
  watched: WatchedOverview,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const waiting = lines.recent().map((line) => event('log', line));
  let overview: string | null = null;
  let wake = (): void => {};
  const ends = [
    lines.subscribe((line) => {
      if (waiting.length < WAITING_LINES) waiting.push(event('log', line));
      wake();
    }),
    watched.subscribe((json) => {
      overview = event('overview', json);
      wake();
    }),
  ];
  try {
    while (!signal.aborted) {
      const part = (overview ?? '') + waiting.splice(0).join('');
      overview = null;
      if (part !== '') {
        yield part;
        continue;
      }
      const rest = new AbortController();
      wake = () => rest.abort();
      const isQuiet = await clock.sleep(SIGN_OF_LIFE_MS, AbortSignal.any([signal, rest.signal])).then(
        () => true,
        () => false,
      );
      wake = () => {};
      if (isQuiet) yield event('alive', '{}');
    }
  } finally {
    for (const end of ends) end();
  }
}

function event(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}

/** Polls the overview once for all subscribers, and only while there are any. */
class WatchedOverview {
  readonly #deps: EventDeps;
  readonly #listeners = new Set<(json: string) => void>();
  #isLooking = false;
  #last: string | null = null;

  constructor(deps: EventDeps) {
    this.#deps = deps;
  }

  subscribe(onChange: (json: string) => void): () => void {
    this.#listeners.add(onChange);
    if (this.#last !== null) onChange(this.#last);
    if (!this.#isLooking) void this.#look();
    return () => void this.#listeners.delete(onChange);
  }

  async #look(): Promise<void> {
    const { overview, clock, log } = this.#deps;
    this.#isLooking = true;
    let before = '';
    while (this.#listeners.size > 0) {
      const startedAt = clock.monotonic();
      try {
        const now = await overview();
        const { now: _, ...rest } = now;
        const told = JSON.stringify(rest);
        if (told !== before) {
          before = told;
          this.#last = JSON.stringify(now);
          for (const listener of this.#listeners) listener(this.#last);
        }
      } catch (error) {
        // Problems of the ledger are reported as an incident already.
        log.debug('overviewFailed', { why: String(error) });
      }
      await clock.sleep(Math.max(LOOK_EVERY_MS, LEAST_REST * (clock.monotonic() - startedAt)));
    }
    this.#isLooking = false;
    this.#last = null;
  }
}
