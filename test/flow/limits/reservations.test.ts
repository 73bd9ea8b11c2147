import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EndpointKey } from '../../../src/core/domain/document.ts';
import { BUDGET_LIMITS, BUDGET_PERIODS, type BudgetPeriod } from '../../../src/core/domain/limits.ts';
import type { Limits } from '../../../src/core/domain/settings.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import { Pacer } from '../../../src/flow/limits/pacer.ts';
import { OFFICE, SHOP, UNLIMITED } from '../sending.ts';

/*
 * What a request takes from the limits is given back or kept, in whatever order requests are cancelled, leave and end. The model
 * knows each request alone, and counts.
 */

const ENDPOINTS = [OFFICE, SHOP];
const HOUR = 3_600_000;
/** A window may be this much longer than its interval. */
const MARGIN = 1.05;
const open = fc.nat({ max: 20 });

/** A request that took a place and did not give it back. */
interface Request {
  readonly endpoint: EndpointKey;
  /** Wall-clock milliseconds; null until it leaves. */
  sentAt: number | null;
  onWire: boolean;
  onStart: () => void;
  /** Ends it; null until it runs. */
  end: ((isWell: boolean) => Promise<void>) | null;
  hasEnded: boolean;
}

type Step =
  | { readonly kind: 'reserve'; readonly endpoint: number }
  | { readonly kind: 'cancel' | 'run' | 'leave' | 'end' | 'fail'; readonly which: number }
  | { readonly kind: 'wait'; readonly ms: number };

const some = (max: number) => fc.option(fc.integer({ min: 1, max }), { nil: null });
const limits = fc.record({
  perDay: some(3),
  perMonth: some(6),
  rate: fc.option(
    fc.record({ count: fc.integer({ min: 1, max: 3 }), intervalMs: fc.constantFrom(1_000, 30_000) }),
    {
      nil: null,
    },
  ),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('reserve' as const), endpoint: fc.nat({ max: 1 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('cancel', 'cancel', 'run', 'leave', 'end', 'fail'),
      which: open,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 2_000, 31_000, 9 * HOUR, 9 * HOUR, 25 * HOUR, 20 * 24 * HOUR),
    }),
  },
);

/** Local midnight at which the next day or month begins. */
function nextPeriod(period: BudgetPeriod, at: number): number {
  const date = new Date(at);
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  return (period === 'day' ? new Date(year, month, day + 1) : new Date(year, month + 1, 1)).getTime();
}

it('counts what was sent in a period and what may still be sent, however requests are cancelled, leave and end', async () => {
  const seen = { spent: 0, cancelledOverMidnight: 0, rateFull: 0 };
  await fc.assert(
    fc.asyncProperty(
      limits,
      limits,
      fc.array(step, { maxLength: 40, size: 'max' }),
      async (overall, own, steps) => {
        const start = new Date(2026, 1, 27, 20).getTime();
        let now = start;
        const clock: Clock = { now: () => now, monotonic: () => now - start, sleep: () => Promise.resolve() };
        const of = (each: Partial<Limits>): Limits => ({ ...UNLIMITED, ...each });
        const endpoints = ENDPOINTS.map((key) => ({ key, alias: key.uid, limits: of(own) }));
        const pacer = await Pacer.create({ clock, ledger: null, overall: of(overall), endpoints });
        let requests: Request[] = [];
        const midnights = new WeakMap<Request, number>();

        const judge = (): void => {
          for (const endpoint of ENDPOINTS) {
            const scopes: [Partial<Limits>, Request[]][] = [
              [overall, requests],
              [own, requests.filter((each) => each.endpoint === endpoint)],
            ];
            const until: number[] = [];
            // Full for certain, and perhaps, because a window is a little longer than its interval.
            let [isFull, mayBeFull] = [false, false];
            for (const [{ rate = null, ...budgets }, all] of scopes) {
              for (const period of BUDGET_PERIODS) {
                const limit = budgets[BUDGET_LIMITS[period]] ?? Infinity;
                const ends = nextPeriod(period, now);
                const used = all.filter(
                  ({ sentAt }) => sentAt === null || nextPeriod(period, sentAt) === ends,
                );
                if (used.length >= limit) until.push(ends);
              }
              if (rate === null) continue;
              const within = (ms: number) =>
                all.filter(({ sentAt }) => sentAt === null || sentAt + ms > now).length;
              isFull ||= within(rate.intervalMs) >= rate.count;
              mayBeFull ||= within(rate.intervalMs * MARGIN) >= rate.count;
            }
            const { ms, budget } = pacer.delay(endpoint, 'fresh');
            const spentMs = Math.max(0, ...until.map((at) => at - now));
            const isRight = isFull ? ms > 0 && ms >= spentMs : mayBeFull ? ms >= spentMs : ms === spentMs;
            if (!isRight || budget !== spentMs > 0)
              throw new Error(`${ms} ms, budget: ${budget}; budgets are spent for ${spentMs} ms`);
            if (spentMs > 0) seen.spent += 1;
            if (isFull) seen.rateFull += 1;
          }
          expect(pacer.onTheWire).toBe(requests.filter(({ onWire }) => onWire).length);
        };

        const act = async (each: Step): Promise<void> => {
          if (each.kind === 'wait') return void (now += each.ms);
          if (each.kind === 'reserve') {
            const endpoint = ENDPOINTS[each.endpoint]!;
            if (pacer.delay(endpoint, 'fresh').ms > 0) return;
            pacer.take(endpoint, 'fresh');
            const request: Request = {
              endpoint,
              sentAt: null,
              onWire: false,
              onStart: () => {},
              end: null,
              hasEnded: false,
            };
            midnights.set(request, nextPeriod('day', now));
            requests.push(request);
            return;
          }
          const running = each.kind !== 'cancel' && each.kind !== 'run';
          const candidates = requests.filter(({ end, hasEnded }) => !hasEnded && (end !== null) === running);
          const request = candidates[each.which % candidates.length];
          if (request === undefined) return;
          switch (each.kind) {
            case 'cancel':
              if (now >= midnights.get(request)!) seen.cancelledOverMidnight += 1;
              pacer.giveBack(request.endpoint, 'fresh');
              requests = requests.filter((other) => other !== request);
              return;
            case 'run': {
              let answer: (isWell: boolean) => void = () => {};
              const answered = new Promise<boolean>((resolve) => (answer = resolve));
              const run = pacer.run(request.endpoint, async (onStart) => {
                request.onStart = onStart;
                if (!(await answered)) throw new Error('reset');
              });
              request.end = async (isWell) => {
                answer(isWell);
                await run.catch(() => undefined);
              };
              return;
            }
            case 'leave':
              request.onStart();
              request.sentAt ??= now;
              request.onWire = true;
              return;
            case 'end':
            case 'fail':
              await request.end?.(each.kind === 'end');
              // One of which nothing is known may have left.
              request.sentAt ??= now;
              request.onWire = false;
              request.hasEnded = true;
          }
        };

        judge();
        for (const each of steps) {
          await act(each);
          // Not after a wait: nothing else may notice that a new period has begun.
          if (each.kind !== 'wait') judge();
        }
        judge();
      },
    ),
    { numRuns: 200 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10);
});
