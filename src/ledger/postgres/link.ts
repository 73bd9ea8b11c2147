import { isOfLedger, isTakenOver, ReceiptdError } from '../../core/domain/errors.ts';
import type { Clock, Random } from '../../core/ports/clock.ts';
import type { FleetSignal } from '../../core/ports/fleet.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Connection, Connector } from './connection.ts';
import { ledgerFailure } from './failure.ts';
import type { Beat, Member } from './member.ts';
import { refuseTransactionPooling } from './pooling.ts';
import { prepareTables } from './tables.ts';
import type { FleetTrouble } from './trouble.ts';

export interface LinkOptions {
  readonly connector: Connector;
  readonly member: Member;
  readonly trouble: FleetTrouble;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** Heartbeats per lease: one may be late without harm. An idle agent commits little else. */
const BEATS = 2.5;
const SIGNALS: readonly FleetSignal[] = ['queue', 'holds', 'agents'];

/** `paused`: this agent was paused or resumed. */
export type LinkSignal = FleetSignal | 'paused';
const LINK_SIGNALS: readonly LinkSignal[] = [...SIGNALS, 'paused'];

/**
 * Keeps an agent connected, with one connection for writes and one for heartbeats and notifications of other agents.
 *
 *   away ──connected──▶ coming back ──all that is done then is done──▶ back ──a connection is lost, or the server fails──▶ away
 *
 * It holds its lease as soon as it is connected, since coming back may take long. Both connections are reopened after a pause that grows with each
 * failure and is randomized between agents.
 */
export class Link {
  readonly #options: LinkOptions;
  readonly #listeners = new Set<(signal: LinkSignal) => void>();
  readonly #closed = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** Since it was back. */
  #failures = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  onSignal(listener: (signal: LinkSignal) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Connects, and stays connected. If the database is unreachable now, it resolves anyway and keeps trying.
   * @throws ReceiptdError for what waiting does not solve: LEDGER_REFUSED, LEDGER_NEWER, LEDGER_OLDER,
   * AGENT_NAME_TAKEN, AGENT_RENAMED
   */
  async start(): Promise<void> {
    const { trouble, connector } = this.#options;
    let first: Connected | null = null;
    try {
      first = await this.#connect();
    } catch (error) {
      const failure = ledgerFailure(error, connector.where);
      if (failure.code !== 'LEDGER_UNREACHABLE') throw failure;
      trouble.met(failure);
    }
    this.#running = this.#keep(first);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  async #keep(first: Connected | null): Promise<void> {
    const { clock, random, trouble, log, connector } = this.#options;
    const { signal } = this.#closed;
    if (first === null) this.#failures = 1;
    for (let connected = first; !signal.aborted;) {
      try {
        connected ??= await this.#connect();
        const why = await this.#whileConnected(connected, connected !== first);
        if (signal.aborted) return connected.heart.close();
        throw new ReceiptdError('LEDGER_UNREACHABLE.connection', { where: connector.where, detail: why });
      } catch (error) {
        connected?.writer.destroy();
        connected?.heart.destroy();
        connected = null;
        if (signal.aborted) return;
        const failure = ledgerFailure(error, connector.where);
        if (this.#failures === 0) log.error('ledgerUnreachable', { detail: failure.sentence() });
        trouble.met(failure);
        this.#failures += 1;
        const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 10));
        await clock.sleep(pause * (0.5 + random() / 2), signal).catch(() => {});
      }
    }
  }

  async #connect(): Promise<Connected> {
    const { connector, member } = this.#options;
    const { name, leaseMs } = member.self;
    const writer = await connector.connect(`receiptd ${name}`);
    let heart: Connection | null = null;
    // Closing must not wait for a server that does not answer.
    const giveUp = (): void => {
      writer.destroy();
      heart?.destroy();
    };
    const { signal } = this.#closed;
    signal.addEventListener('abort', giveUp);
    try {
      // Without an answer for that long, the lease has expired: the connection is half-open.
      heart = await connector.connect(`receiptd ${name} heartbeat`, leaseMs);
      await refuseTransactionPooling(writer, heart, connector.where);
      await prepareTables(writer, connector.where);
      heart.onNotify((payload) => this.#tell(payload));
      await heart.exec('LISTEN receiptd');
      await member.begin(writer);
      return { writer, heart };
    } catch (error) {
      giveUp();
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Resolves why the connection ended. */
  async #whileConnected({ writer, heart }: Connected, isAnew: boolean): Promise<string> {
    const { member, connector, clock, trouble, log } = this.#options;
    const over = new AbortController();
    const ended = AbortSignal.any([this.#closed.signal, over.signal]);
    let why = 'closed';
    const end = (reason: string): void => {
      why = reason;
      over.abort();
    };
    void writer.lost.then(end);
    void heart.lost.then(end);
    const endWatching = trouble.onChange(() => {
      const met = trouble.trouble();
      if (met) end(met.message);
    });
    const comeBack = async (): Promise<void> => {
      if (isAnew) await member.back();
      if (ended.aborted) return;
      if (this.#failures > 0) log.info('ledgerReachable', { ledger: connector.where });
      this.#failures = 0;
      trouble.over();
      this.#tellAll();
    };
    void comeBack().catch((error: unknown) => end(ledgerFailure(error, connector.where).message));
    let isBusy = false;
    const run = async (beat: Beat): Promise<void> => {
      if (isBusy) return;
      isBusy = true;
      try {
        await member.beaten(beat);
      } catch (error) {
        if (isTakenOver(error)) return;
        const failure = ledgerFailure(error, connector.where);
        if (isOfLedger(error)) end(failure.message);
        else log.error('ledgerBeatFailed', { detail: failure.sentence() });
      } finally {
        isBusy = false;
      }
    };
    try {
      while (!ended.aborted) {
        const beat = await member.renew(heart);
        if (beat === null) return 'leaseOver';
        // Not awaited: a write queued behind others must not cost the lease.
        void run(beat);
        await clock.sleep(member.self.leaseMs / BEATS, ended).catch(() => {});
      }
      return why;
    } finally {
      endWatching();
    }
  }

  /** Signals everything that others may have changed meanwhile. */
  #tellAll(): void {
    for (const signal of SIGNALS) this.#tell(signal);
  }

  /** A signal, optionally with the place concerned, so that agents that don't reach the place need not query the database. */
  #tell(payload: string): void {
    const [word, place] = /^(\w+)(?: (.*))?$/s.exec(payload)?.slice(1) ?? [];
    const signal = LINK_SIGNALS.find((each) => each === word);
    if (!signal || (place !== undefined && !this.#options.member.isConcerned(place))) return;
    for (const listener of this.#listeners) listener(signal);
  }
}

interface Connected {
  readonly writer: Connection;
  readonly heart: Connection;
}
