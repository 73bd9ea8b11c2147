import { backoff, SLOW_DOWN_BACKOFF } from '../../../src/core/domain/backoff.ts';
import { Pace } from '../../../src/flow/limits/pace.ts';

/** Numbers in [0, 1) that look random and are the same at every run. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** A service with limits that it tells nobody. */
export interface Hidden {
  readonly window?: { readonly count: number; readonly ms: number };
  readonly atOnce?: number;
  /** Whether it refuses whatever the pace is. */
  readonly refuses?: (at: number, random: () => number) => boolean;
  readonly latencyMs: (atOnce: number, random: () => number, at: number) => number;
}

interface Told {
  readonly served: readonly number[];
  readonly refused: readonly number[];
  readonly mostAtOnce: number;
  readonly pace: Pace;
}

/** An endless backlog, sent as the flow does: spaced, and held for a back-off after a refusal, then one probe. */
export function simulate(hidden: Hidden, configured: number, forMs: number, seed = 1): Told {
  const random = seeded(seed);
  const pace = new Pace(configured);
  const flying: { startedAt: number; endsAt: number; ok: boolean }[] = [];
  const served: number[] = [];
  const refused: number[] = [];
  let mostAtOnce = 0;
  let heldUntil = 0;
  let failures = 0;
  let now = 0;
  while (now < forMs) {
    const most = failures > 0 ? 1 : pace.atOnce;
    const mayStart = (): boolean => flying.length < most && now >= heldUntil && pace.delay(now) === 0;
    while (mayStart()) {
      const { count = Infinity, ms = 0 } = hidden.window ?? {};
      const isFull = (served.at(-count) ?? -Infinity) > now - ms;
      const going = flying.filter(({ ok }) => ok).length;
      const isBad = hidden.refuses?.(now, random) ?? false;
      const ok = !isFull && !isBad && going < (hidden.atOnce ?? Infinity);
      pace.started(now);
      if (ok) served.push(now);
      else refused.push(now);
      const takes = ok ? hidden.latencyMs(going + 1, random, now) : 20;
      flying.push({ startedAt: now, endsAt: now + takes, ok });
      mostAtOnce = Math.max(mostAtOnce, flying.length);
    }
    const events = flying.map(({ endsAt }) => endsAt);
    if (flying.length < most) events.push(now + pace.delay(now), heldUntil);
    now = Math.min(...events.filter((at) => at > now));
    for (const done of flying.filter(({ endsAt }) => endsAt <= now)) {
      flying.splice(flying.indexOf(done), 1);
      if (done.ok) {
        pace.succeeded({ startedAt: done.startedAt, endedAt: now, bytes: 200_000 });
        if (heldUntil <= now) failures = 0;
      } else {
        pace.refused(done.startedAt, now);
        if (heldUntil > now) continue;
        failures += 1;
        heldUntil = now + backoff(failures, SLOW_DOWN_BACKOFF, random);
        pace.outage();
      }
    }
  }
  return { served, refused, mostAtOnce, pace };
}

export function near(ms: number) {
  return (_: number, random: () => number): number => ms * (0.7 + 0.6 * random());
}
