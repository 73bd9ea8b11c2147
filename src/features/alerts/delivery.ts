import { backoff } from '../../core/domain/backoff.ts';
import { describeError, saidBy, ReceiptdError } from '../../core/domain/errors.ts';
import type { Alert, AlertChannel, AlertChannelName } from '../../core/ports/alert.ts';
import type { Clock, Random } from '../../core/ports/clock.ts';
import type { Incidents } from '../../core/ports/incident.ts';
import type { Log } from '../../core/ports/log.ts';
import type { AllTexts } from '../../texts/texts.ts';
import { DAY_MS, undeliveredKey } from './book.ts';
import { worded } from './message.ts';
import type { AlertRecord, Parcel } from './state.ts';

export interface DeliveryDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly incidents: Incidents;
}

type Addressee = Parcel['to'][number];

/** Called when something happens to a delivery. */
export interface Heard {
  /** Before `changed`. */
  readonly taken: (alert: string, channel: AlertChannelName) => void;
  /** The outbox has changed: after each delivery and each failure. */
  readonly changed: () => void;
}

/** Limit for one delivery. */
const SEND_MS = 10_000;
const AGAIN = { baseMs: 10_000, maxMs: 30 * 60_000 };
/** An alert may be old before its first attempt, after quiet hours or while the agent was off. */
const ATTEMPTS = 20;

/**
 * Delivers alerts from the outbox to the channels, to each in order and one at a time. A failing channel delays no other.
 *
 *   waiting ──its turn──▶ under way ──delivered──▶ gone from the outbox
 *      ▲                      │
 *      └──back-off──failed────┘      after a day and twenty attempts: given up, which is logged
 *
 * An alert may arrive twice, with the same id: if the answer is lost, or the process ends between the delivery and its record.
 */
export class Delivery {
  readonly #deps: DeliveryDeps;
  readonly #outbox: Parcel[];
  readonly #heard: Heard;
  #channels: readonly AlertChannel[] = [];
  #texts: Promise<AllTexts> | null = null;
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(deps: DeliveryDeps, outbox: Parcel[], heard: Heard) {
    this.#deps = deps;
    this.#outbox = outbox;
    this.#heard = heard;
  }

  /** Drops what waits for a removed channel, and tries everything else at once. */
  take(channels: readonly AlertChannel[], texts: Promise<AllTexts>): void {
    this.#texts = texts;
    for (const { name } of this.#channels) this.#deps.incidents.close(undeliveredKey(name));
    this.#channels = channels;
    for (const parcel of this.#outbox) {
      parcel.to = parcel.to
        .filter(({ channel }) => channels.some(({ name }) => name === channel))
        .map((to) => ({ ...to, notBefore: 0 }));
    }
    this.#sweep();
  }

  get channels(): readonly AlertChannel[] {
    return this.#channels;
  }

  post(alert: AlertRecord, about: string | null): void {
    const to = this.#channels
      .filter(({ name }) => name !== about)
      .map(({ name }) => ({ channel: name, attempts: 0, notBefore: 0 }));
    if (alert.kind === 'closed') this.#forget(alert);
    if (to.length > 0) this.#outbox.push({ alert, to });
  }

  /** A channel that has not delivered the alert yet gets only the recovery, since the alert is no longer true. */
  #forget({ causes }: AlertRecord): void {
    const over = new Set(causes.map(({ key }) => key));
    for (const parcel of this.#outbox) {
      const { kind, causes: told } = parcel.alert;
      if (kind !== 'opened' && kind !== 'stillOpen') continue;
      if (!told.every(({ key }) => over.has(key))) continue;
      parcel.to = parcel.to.filter(({ channel }) => this.#underWay.has(channel));
    }
    this.#sweep();
  }

  /** The channels that still have to deliver this alert. */
  waitingFor(alert: string): AlertChannelName[] {
    const parcel = this.#outbox.find(({ alert: { id } }) => id === alert);
    return parcel?.to.map(({ channel }) => channel) ?? [];
  }

  /** Begins what is due. Returns at once. */
  step(stop: AbortSignal): void {
    const now = this.#deps.clock.now();
    for (const channel of this.#channels) {
      if (this.#underWay.has(channel.name)) continue;
      this.#giveUp(channel.name, now);
      const parcel = this.#outbox.find(({ to }) => to.some((each) => each.channel === channel.name));
      const to = parcel?.to.find((each) => each.channel === channel.name);
      if (parcel === undefined || to === undefined) continue;
      // A time too far in the future was written while the clock was wrong.
      if (to.notBefore > now && to.notBefore <= now + AGAIN.maxMs) continue;
      this.#underWay.set(channel.name, this.#deliver(channel, parcel, to, stop));
    }
  }

  /** Never rejects: a defect here must not end the agent. */
  async #deliver(channel: AlertChannel, parcel: Parcel, to: Addressee, stop: AbortSignal): Promise<void> {
    try {
      await this.#send(channel, parcel, to, stop);
    } catch (error) {
      this.#deps.log.error('alertDeliveryFailed', describeError(error));
    } finally {
      this.#underWay.delete(channel.name);
      if (!stop.aborted) this.#heard.changed();
    }
  }

  /** Resolves once no delivery is in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  /** Retries at once what waits for this channel, because it works now. */
  works(channel: string): void {
    this.#deps.incidents.close(undeliveredKey(channel));
    for (const { to } of this.#outbox) {
      for (const each of to) if (each.channel === channel) each.notBefore = 0;
    }
  }

  async #send(channel: AlertChannel, parcel: Parcel, to: Addressee, stop: AbortSignal) {
    const { clock, log, incidents, random } = this.#deps;
    const { name } = channel;
    const { id, kind } = parcel.alert;
    const texts = await this.#texts;
    if (texts === null) return;
    const alert = worded(parcel.alert, texts);
    const trouble = await sendWithin(channel, alert, clock, stop);
    if (stop.aborted && trouble !== null) return;
    if (trouble === null) {
      parcel.to = parcel.to.filter((each) => each.channel !== name);
      this.#sweep();
      this.#heard.taken(id, name);
      incidents.close(undeliveredKey(name));
      log.info('alertDelivered', { channel: name, alert: id, kind, subject: alert.subject });
      return;
    }
    to.attempts += 1;
    const waitMs = backoff(to.attempts, AGAIN, random);
    to.notBefore = clock.now() + waitMs;
    log.debug('alertNotDeliveredYet', { channel: name, alert: id, retryInMs: waitMs });
    incidents.open({
      key: undeliveredKey(name),
      code: 'ALERT_UNDELIVERED',
      params: { channel: name, ...trouble.within() },
    });
  }

  #giveUp(name: string, now: number): void {
    for (const parcel of this.#outbox) {
      const to = parcel.to.find(({ channel }) => channel === name);
      // A time in the future was written while the clock was wrong.
      const isYoung = parcel.alert.at > now - DAY_MS && parcel.alert.at <= now;
      if (to === undefined || to.attempts < ATTEMPTS || isYoung) continue;
      parcel.to = parcel.to.filter(({ channel }) => channel !== name);
      const { id, kind } = parcel.alert;
      const fields = { channel: name, alert: id, kind, code: 'ALERT_UNDELIVERED' as const };
      this.#deps.log.error('alertDiscarded', fields);
    }
    this.#sweep();
  }

  #sweep(): void {
    const left = this.#outbox.filter(({ to }) => to.length > 0);
    this.#outbox.splice(0, Infinity, ...left);
  }
}

/** Resolves null if delivered, otherwise the reason. Never rejects, and keeps to the limit whatever the channel does. */
export async function sendWithin(
  channel: AlertChannel,
  alert: Alert,
  clock: Clock,
  stop: AbortSignal,
): Promise<ReceiptdError | null> {
  const over = new AbortController();
  const ended = new AbortController();
  const limit = clock.sleep(SEND_MS, ended.signal).then(
    () => over.abort(tooLate(channel)),
    () => {},
  );
  const signal = AbortSignal.any([stop, over.signal]);
  try {
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    signal.throwIfAborted();
    await Promise.race([channel.send(alert, signal), aborted]);
    return null;
  } catch (error) {
    if (over.signal.aborted) return tooLate(channel);
    return error instanceof ReceiptdError ? error : unexpected(channel.name, error);
  } finally {
    ended.abort();
    await limit;
  }
}

function tooLate({ name: channel, receiver }: AlertChannel): ReceiptdError {
  return new ReceiptdError('ALERT_UNDELIVERED.tooSlow', { channel, ...receiver, limitMs: SEND_MS });
}

function unexpected(name: string, cause: unknown): ReceiptdError {
  const why = saidBy(cause);
  return new ReceiptdError('ALERT_UNDELIVERED.unexpected', { channel: name, ...why }, { cause });
}
