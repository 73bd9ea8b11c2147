import { endpointId, type EndpointKey, type Lane } from '../../core/domain/document.ts';
import type { Reservation } from '../../core/domain/limits.ts';
import type { Note } from '../../core/domain/note.ts';
import type { Answer, Outcome } from '../../core/domain/outcome.ts';
import { Limiter, type LimitedBy, type SentBefore } from './limiter.ts';
import { Pace } from './pace.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { ClockWatch } from '../../core/domain/clockWatch.ts';
import type { EndpointSettings, Limits } from '../../core/domain/settings.ts';

export interface PacerDeps {
  readonly clock: Clock;
  readonly ledger: SentBefore | null;
  readonly overall: Limits;
  readonly endpoints: readonly EndpointSettings[];
}

/** The configured limits of an endpoint, and the pace that the service seems to allow. */
interface PacedEndpoint {
  readonly limiter: Limiter;
  readonly pace: Pace;
}

/** A request that waits for an upload slot or has one. */
interface Turn {
  giveBack: () => void;
  readonly refuse: (reason: unknown) => void;
}

const NOTHING_SENT: SentBefore = {
  attemptTimes: () => Promise.resolve([]),
  countAttempts: () => Promise.resolve(0),
};

/**
 * Enforces the limits of each endpoint and the overall ones on every upload request (promise P6). Two layers, see docs/decisions:
 * windows and budgets seeded from the ledger decide *when* an upload may begin, so that a restart opens no fresh window and a
 * throttled endpoint takes no slot from another; p-queue, with its own strict window, runs every request, so that nothing exceeds
 * concurrency or rate. Below these limits, each endpoint has a pace that adapts to unannounced limits of the service
 * (limits/pace.ts).
 */
export class Pacer {
  readonly #clock: Clock;
  #overall: Limiter;
  #endpoints: ReadonlyMap<string, PacedEndpoint>;
  readonly #watch: ClockWatch;
  /** When (monotonic) the fleet's windows of an endpoint have room again. */
  readonly #deferred = new Map<string, number>();
  /** Number of requests on the wire; see `onTheWire`. */
  #onTheWire = 0;
  readonly #turns = new WeakMap<AbortSignal, Set<Turn>>();
  readonly #timings = new WeakMap<object, { readonly startedAt: number; readonly endedAt: number }>();

  private constructor(clock: Clock, overall: Limiter, endpoints: ReadonlyMap<string, PacedEndpoint>) {
    this.#clock = clock;
    this.#overall = overall;
    this.#endpoints = endpoints;
    this.#watch = new ClockWatch(clock);
  }

  /** `ledger` knows what was sent before. Null if it can't be read yet: then nothing may be sent before `seed`. */
  static async create(deps: PacerDeps): Promise<Pacer> {
    const { clock } = deps;
    const ledger = deps.ledger ?? NOTHING_SENT;
    const overall = await Limiter.create(clock, ledger, null, deps.overall, '');
    const endpoints = new Map<string, PacedEndpoint>();
    for (const { key, limits, alias } of deps.endpoints) {
      const atOnce = Math.min(limits.concurrency, deps.overall.concurrency);
      const own = { ...limits, concurrency: atOnce };
      const endpoint = {
        limiter: await Limiter.create(clock, ledger, key, own, alias),
        pace: new Pace(atOnce),
      };
      endpoint.limiter.limitTo(endpoint.pace.atOnce);
      endpoints.set(endpointId(key), endpoint);
    }
    return new Pacer(clock, overall, endpoints);
  }

  /** Rebuilds the limits once the ledger can be read. */
  async seed(deps: PacerDeps): Promise<void> {
    const seeded = await Pacer.create(deps);
    this.#overall = seeded.#overall;
    this.#endpoints = seeded.#endpoints;
  }

  /** Milliseconds until this endpoint may send; `budget` if a spent budget is the cause. */
  delay(endpoint: EndpointKey, lane: Lane): { ms: number; budget: boolean } {
    const { limiter, pace } = this.#of(endpoint);
    const overall = this.#overall.delay(this.#clock, lane);
    const own = limiter.delay(this.#clock, lane);
    const now = this.#clock.monotonic();
    const deferred = (this.#deferred.get(endpointId(endpoint)) ?? 0) - now;
    return {
      ms: Math.max(0, pace.delay(now), deferred, overall.ms, own.ms),
      budget: (overall.ms > 0 && overall.budget) || (own.ms > 0 && own.budget),
    };
  }

  /** Blocks the endpoint for `ms`, because the fleet has used up its shared limits. */
  defer(endpoint: EndpointKey, ms: number): void {
    const id = endpointId(endpoint);
    this.#deferred.set(id, Math.max(this.#deferred.get(id) ?? 0, this.#clock.monotonic() + ms));
  }

  /** Notes that a document of this endpoint waits for nothing but the rate. */
  heldBack(endpoint: EndpointKey, lane: Lane): void {
    for (const limiter of [this.#overall, this.#of(endpoint).limiter]) limiter.heldBack(this.#clock, lane);
  }

  /** The rates that documents are waiting for. */
  limitedBy(): LimitedBy[] {
    const now = this.#clock.monotonic();
    return this.#limiters.flatMap((limiter) => limiter.limitedBy(now) ?? []);
  }

  /** Number of requests whose head was sent and whose answer is not complete. */
  get onTheWire(): number {
    return this.#onTheWire;
  }

  /** Reserves a place in every window and budget. Call only if `delay` is 0. */
  reserve(endpoint: EndpointKey, lane: Lane = 'fresh'): Reservation {
    const { limiter, pace } = this.#of(endpoint);
    const slots = [...this.#overall.reserve(this.#clock, lane), ...limiter.reserve(this.#clock, lane)];
    pace.started(this.#clock.monotonic());
    return {
      sent: (now) => slots.forEach((slot) => slot.sent(now)),
      cancel: () => slots.forEach((slot) => slot.cancel()),
    };
  }

  /** How many uploads to this endpoint may be in flight at its present pace. */
  atOnce(endpoint: EndpointKey): number {
    return this.#of(endpoint).pace.atOnce;
  }

  /** Typical answer time of this endpoint in milliseconds; 0 before the first answer. */
  typicalMs(endpoint: EndpointKey): number {
    return this.#of(endpoint).pace.typicalMs;
  }

  /** Adapts the pace to an answer; call once for each answer that `run` resolved. */
  judged(endpoint: EndpointKey, answer: Answer, outcome: Outcome['kind'], bytes: number): void {
    const timing = this.#timings.get(answer);
    if (!timing) return;
    const paced = this.#of(endpoint);
    const { pace } = paced;
    switch (outcome) {
      case 'accepted':
      case 'failed':
      case 'unconfirmed':
        pace.succeeded({ startedAt: timing.startedAt, endedAt: timing.endedAt, bytes });
        break;
      case 'slowDown':
        pace.refused(timing.startedAt, timing.endedAt);
        break;
      case 'unauthorized':
      case 'endpointHold':
      case 'serviceTrouble':
        // These close a gate; the pace after it starts over (`beginAnew`).
        break;
    }
    paced.limiter.limitTo(paced.pace.atOnce);
  }

  /** Restarts the endpoint's pace at one upload at a time, after a hold or an outage. Idempotent. */
  beginAnew(endpoint: EndpointKey): void {
    const paced = this.#of(endpoint);
    paced.pace.outage();
    paced.limiter.limitTo(paced.pace.atOnce);
  }

  /**
   * A note for each spent budget and each endpoint whose pace is reduced. None for the restart after an outage, which takes only a
   * few requests.
   */
  notes(): Note[] {
    const now = this.#clock.now();
    const slowedDown = [...this.#endpoints.values()].flatMap(
      ({ limiter: { alias: endpoint }, pace: { reduced } }): Note[] => {
        if (reduced === null || reduced.cause === 'outage') return [];
        const { cause, atOnce, configured, spacingMs } = reduced;
        return [{ kind: 'slowed', endpoint, cause, atOnce, configured, spacingMs }];
      },
    );
    return [...this.#limiters.flatMap((limiter) => limiter.notes(now)), ...slowedDown];
  }

  /** Waits for the turn of an unplanned request (a replay). Null if that would take longer than `withinMs`. */
  async waitForTurn(
    endpoint: EndpointKey,
    withinMs: number,
    signal: AbortSignal,
  ): Promise<Reservation | null> {
    const latest = this.#clock.monotonic() + withinMs;
    for (;;) {
      const { ms } = this.delay(endpoint, 'fresh');
      if (ms === 0) return this.reserve(endpoint);
      if (this.#clock.monotonic() + ms > latest) return null;
      await this.#clock.sleep(ms, signal);
    }
  }

  /** Renews the windows if the wall clock, which they run on, was set back. Call when the clock may have changed: every slot may be waiting for a window. */
  heedClockJump(): void {
    if (this.#watch.takeJump() >= 0) return;
    for (const limiter of this.#limiters) limiter.renewWindow();
  }

  /**
   * Waits for an upload slot; p-queue alone counts the requests in flight. Fresh documents of an endpoint go first. Resolves the
   * function that gives the slot back. Rejects on abort, which also frees slots already given.
   */
  slot(endpoint: EndpointKey, lane: Lane, signal: AbortSignal): Promise<() => void> {
    this.heedClockJump();
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const turns = this.#turnsUntil(signal);
    return new Promise((grant, refuse) => {
      const turn: Turn = { giveBack: () => {}, refuse };
      turns.add(turn);
      const taken = (): Promise<void> =>
        new Promise((free) => {
          // p-queue comes to those that were refused, too.
          if (signal.aborted) return free();
          turn.giveBack = () => {
            turns.delete(turn);
            free();
          };
          grant(turn.giveBack);
        });
      const inOverall = () => this.#overall.withSlot(taken, lane);
      this.#of(endpoint).limiter.withSlot(inOverall, lane).catch(refuse);
    });
  }

  /** The turns that end when `signal` aborts. p-queue could end them, but a signal per request costs as much as all else that it does. */
  #turnsUntil(signal: AbortSignal): Set<Turn> {
    const known = this.#turns.get(signal);
    if (known) return known;
    const turns = new Set<Turn>();
    this.#turns.set(signal, turns);
    const end = (): void => {
      for (const turn of turns) {
        turn.refuse(signal.reason);
        turn.giveBack();
      }
    };
    signal.addEventListener('abort', end, { once: true });
    return turns;
  }

  /**
   * Runs one request, for which the caller holds a slot, with its place in the windows. The place counts from `onStart`: otherwise
   * a request that waits for its connection would reach the service together with those of the next window.
   */
  async run<T>(reservation: Reservation, request: (onStart: () => void) => Promise<T>): Promise<T> {
    const askedAt = this.#clock.monotonic();
    let hasStarted = false;
    const onStart = (): void => {
      if (!hasStarted) reservation.sent(this.#clock.monotonic());
      hasStarted = true;
    };
    let isOnTheWire = false;
    const onHead = (): void => {
      if (!isOnTheWire) this.#onTheWire += 1;
      isOnTheWire = true;
      onStart();
    };
    try {
      const answer = await request(onHead);
      if (typeof answer === 'object' && answer !== null) {
        this.#timings.set(answer, { startedAt: askedAt, endedAt: this.#clock.monotonic() });
      }
      return answer;
    } finally {
      if (isOnTheWire) this.#onTheWire -= 1;
      onStart();
    }
  }

  #of(endpoint: EndpointKey): PacedEndpoint {
    const paced = this.#endpoints.get(endpointId(endpoint));
    if (!paced) throw new Error(`no limits for endpoint ${endpointId(endpoint)}`);
    return paced;
  }

  get #limiters(): Limiter[] {
    return [this.#overall, ...[...this.#endpoints.values()].map(({ limiter }) => limiter)];
  }
}
