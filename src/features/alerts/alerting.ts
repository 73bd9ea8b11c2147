import { describeError, type ReceiptdError } from '../../core/domain/errors.ts';
import { keyOf, problemsOf, type Facts } from '../../core/domain/problem.ts';
import type { AlertChannel, AlertChannelName } from '../../core/ports/alert.ts';
import type { Hold } from '../../core/domain/hold.ts';
import type { LedgerReports, StateCount } from '../../core/ports/ledgerReports.ts';
import type { AllTexts } from '../../texts/texts.ts';
import { Book, causesOf, type Untold } from './book.ts';
import { Delivery, sendWithin, type DeliveryDeps } from './delivery.ts';
import { digestOf } from './digest.ts';
import { recordOf, testRecord, worded } from './message.ts';
import type { AlertState, AlertEntry } from './state.ts';
import type { AlertStore } from './store.ts';
import { digestAt, isQuiet, type AlertTimes } from './times.ts';

/** State in memory, which costs nothing to read. */
export interface Around extends Pick<Facts, 'incidents' | 'folders' | 'endpoints'> {
  /** Whether an incident must be found again after a change of the configuration; others last as long as the process. */
  readonly isOfGeneration: (key: string) => boolean;
  /** Some folders were not checked yet: a cause that is absent may still be there. */
  readonly isLooking: boolean;
}

export interface AlertingDeps extends DeliveryDeps {
  readonly store: AlertStore;
  readonly ledger: Pick<LedgerReports, 'holds' | 'counts' | 'seenCounts' | 'countAccepted'>;
  readonly around: () => Around;
  readonly host: string;
  readonly newId: () => string;
}

export interface OpenAlert {
  readonly entry: AlertEntry;
  readonly untold: Untold | null;
  /** Channels that have not delivered it yet. */
  readonly waitingFor: readonly AlertChannelName[];
}

export interface AlertRow {
  readonly now: number;
  readonly times: AlertTimes;
  readonly channels: readonly AlertChannelName[];
  readonly open: readonly OpenAlert[];
}

/** The result of a test, for each channel: null if it was delivered. */
export type Tested = readonly {
  readonly channel: AlertChannelName;
  readonly trouble: ReceiptdError | null;
}[];

const LOOK_MS = 2_000;
/** For a configuration without recipients; a new one wakes the loop. */
const IDLE_MS = 60 * 60_000;
/** If a look is late by this much, the machine was asleep. */
const ASLEEP_MS = 60_000;
/** Less often than other looks, because this asks the ledger. */
const LOOK_INTO_LEDGER_MS = 30_000;
/** How long alerts wait for an answer of the ledger. */
const ANSWER_MS = 5_000;
const SAVE_MS = 15_000;

/**
 * Alerts people, for as long as the process lives. It looks every two seconds, lets the book decide what to send, and hands that to the
 * delivery. An alert is durable before it is sent, so that no restart sends it again.
 */
export class Alerting {
  readonly #deps: AlertingDeps;
  readonly #state: AlertState;
  readonly #book: Book;
  readonly #delivery: Delivery;
  #times: AlertTimes;
  #texts: Promise<AllTexts> | null = null;
  #holds: readonly Hold[] = [];
  #counts: readonly StateCount[] = [];
  #lookAgainAt = -Infinity;
  /** While one that is due can't be made. */
  #digestAgainAt = -Infinity;
  #saved: string;
  #savedAt = -Infinity;
  #isUnsaved = false;
  #wake = new AbortController();

  private constructor(deps: AlertingDeps, state: AlertState, times: AlertTimes) {
    this.#deps = deps;
    this.#state = state;
    this.#times = times;
    this.#saved = JSON.stringify(state);
    this.#book = new Book(state, deps.newId);
    this.#delivery = new Delivery(deps, state.outbox, {
      taken: (alert, channel) => this.#book.taken(alert, channel, deps.clock.now()),
      changed: () => {
        this.#book.isChanged = true;
        this.#wake.abort();
      },
    });
  }

  static async open(deps: AlertingDeps, times: AlertTimes): Promise<Alerting> {
    const { state, unusable } = await deps.store.load();
    if (unusable !== null) deps.log.warn('earlierAlertsUnknown', { ...unusable });
    return new Alerting(deps, state, times);
  }

  /** Applies a configuration: the first, and each changed one. */
  take(times: AlertTimes, channels: readonly AlertChannel[], texts: Promise<AllTexts>): void {
    this.#times = times;
    this.#texts = texts;
    this.#book.doubt(this.#deps.clock.now());
    this.#delivery.take(channels, texts);
    this.#book.isChanged = true;
    this.#wake.abort();
  }

  /** Until `stop` aborts; never rejects. */
  async run(stop: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    let said = '';
    stop.addEventListener('abort', () => this.#wake.abort(), { once: true });
    while (!stop.aborted) {
      this.#wake = new AbortController();
      const hasChannels = this.#delivery.channels.length > 0;
      try {
        if (hasChannels) await this.#turn(stop);
        said = '';
      } catch (error) {
        // A defect here must not stop uploads; it is logged once.
        const { detail } = describeError(error);
        if (detail !== said) log.error('alertsUnsendable', { detail });
        said = detail;
      }
      const waitMs = hasChannels ? LOOK_MS : IDLE_MS;
      const from = clock.now();
      if (!stop.aborted) await clock.sleep(waitMs, this.#wake.signal).catch(() => {});
      if (clock.now() > from + waitMs + ASLEEP_MS) this.#book.woke(clock.now());
    }
    await this.#delivery.settled();
    await this.#save();
  }

  async #turn(stop: AbortSignal): Promise<void> {
    const now = await this.#look();
    for (const telling of this.#book.tell(now, this.#times, this.#names())) {
      this.#delivery.post(recordOf(telling, { host: this.#deps.host, now }), telling.about);
    }
    await this.#deliver(now, stop);
    // Last, because it needs the ledger, and an alert may be about that.
    if (await this.#digest(now)) await this.#deliver(now, stop);
  }

  async #deliver(now: number, stop: AbortSignal): Promise<void> {
    const isOld = this.#deps.clock.monotonic() >= this.#savedAt + SAVE_MS;
    if (this.#book.isChanged || isOld) await this.#save();
    // Alerts from before the quiet hours that were not delivered yet wait too.
    if (!stop.aborted && !isQuiet(this.#times.quietHours, now)) this.#delivery.step(stop);
  }

  /** An answer of the ledger. @throws if it does not answer in time: on a disk that hangs it never would */
  async #within<T>(answer: Promise<T>): Promise<T> {
    const ended = new AbortController();
    const late = this.#deps.clock.sleep(ANSWER_MS, ended.signal).then(
      () => {
        throw new Error('the ledger does not answer');
      },
      () => answer,
    );
    try {
      return await Promise.race([answer, late]);
    } finally {
      ended.abort();
    }
  }

  /** @returns the time of the look */
  async #look({ isFresh = false } = {}): Promise<number> {
    const { clock, ledger, around } = this.#deps;
    if (isFresh || clock.monotonic() >= this.#lookAgainAt) {
      this.#lookAgainAt = clock.monotonic() + LOOK_INTO_LEDGER_MS;
      try {
        const answers = Promise.all([ledger.holds(), ledger.counts()]);
        [this.#holds, this.#counts] = await this.#within(answers);
      } catch {
        // A failing ledger has its own incident; its last known numbers still count.
      }
    }
    const now = clock.now();
    const { isLooking, isOfGeneration, ...seen } = around();
    const problems = problemsOf({ now, ...seen, holds: this.#holds, counts: this.#counts });
    const ofProcess = seen.incidents.filter(({ key }) => !isOfGeneration(key));
    const keys = new Set(ofProcess.map((incident) => keyOf(incident.key, incident)));
    const causes = causesOf(problems, keys, now);
    this.#book.look(now, causes, isLooking, this.#times);
    return now;
  }

  /** Returns whether it posted one. One that is due waits for a ledger that can't be read, alone. */
  async #digest(now: number): Promise<boolean> {
    const { digest, quietHours } = this.#times;
    if (digest === null || isQuiet(quietHours, now)) return false;
    const next = digestAt(digest, now, this.#state.digestFor);
    if (next === null) return false;
    const { ledger, host, newId, around, clock, log } = this.#deps;
    if (next.isDue) {
      if (clock.monotonic() < this.#digestAgainAt) return false;
      const open = this.#open(now).map(({ entry }) => entry);
      const folders = around().folders.map(({ path }) => path);
      const period = { from: next.from, to: next.for };
      try {
        const sources = { ledger, folders, open };
        this.#delivery.post(await this.#within(digestOf(newId(), period, { host, now }, sources)), null);
      } catch (error) {
        if (this.#digestAgainAt === -Infinity) log.warn('digestWaits', { ...describeError(error) });
        this.#digestAgainAt = clock.monotonic() + LOOK_INTO_LEDGER_MS;
        return false;
      }
    }
    this.#digestAgainAt = -Infinity;
    this.#state.digestFor = next.for;
    this.#book.isChanged = true;
    return next.isDue;
  }

  async #save(): Promise<void> {
    const { store, clock, log } = this.#deps;
    this.#book.isChanged = false;
    this.#savedAt = clock.monotonic();
    const text = JSON.stringify(this.#state);
    if (text === this.#saved) return;
    try {
      await store.save(this.#state);
      this.#saved = text;
      this.#isUnsaved = false;
    } catch (error) {
      // A full disk is exactly what people must hear about.
      if (!this.#isUnsaved)
        log.warn('sentAlertsNotRecorded', {
          ...describeError(error),
        });
      this.#isUnsaved = true;
    }
  }

  /** Open alerts, and why they were not sent yet. */
  async list(): Promise<AlertRow> {
    const now = await this.#look({ isFresh: true });
    return { now, times: this.#times, channels: this.#names(), open: this.#open(now) };
  }

  #open(now: number): OpenAlert[] {
    return this.#book.open(now, this.#times, this.#names()).map(({ entry, untold }) => {
      const waitingFor = entry.told === null ? [] : this.#delivery.waitingFor(entry.told.alert);
      return { entry, untold, waitingFor };
    });
  }

  #names(): AlertChannelName[] {
    return this.#delivery.channels.map(({ name }) => name);
  }

  /** Sends a test through every channel, or one, at once, even in quiet hours. */
  async test(signal: AbortSignal, only?: AlertChannelName): Promise<Tested> {
    const { clock, host, newId } = this.#deps;
    const texts = await this.#texts;
    if (texts === null) return [];
    const alert = worded(testRecord(newId(), { host, now: clock.now() }), texts);
    return Promise.all(
      this.#delivery.channels
        .filter(({ name }) => only === undefined || name === only)
        .map(async (channel) => {
          const trouble = await sendWithin(channel, alert, clock, signal);
          if (trouble === null) this.#delivery.works(channel.name);
          return { channel: channel.name, trouble };
        }),
    );
  }
}
