import { setMaxListeners } from 'node:events';
import { backoff, HOLD_BACKOFF } from '../core/domain/backoff.ts';
import { ClockWatch } from '../core/domain/clockWatch.ts';
import type { Document, EndpointKey, Lane } from '../core/domain/document.ts';
import { describeError, isOfLedger, isTakenOver, ReceiptdError } from '../core/domain/errors.ts';
import type { ImageType } from '../core/domain/imageType.ts';
import { classify, type Answer } from '../core/domain/outcome.ts';
import { ofError, toMessage, whyText, type WhyFact } from '../core/domain/why.ts';
import type { EndpointSettings } from '../core/domain/settings.ts';
import {
  isFault,
  type BeginAnswer,
  type BeginItem,
  type EndItem,
  type RecordedUploads,
  type Uploads,
} from '../core/messages.ts';
import { Notifier } from '../core/notifier.ts';
import type { Clock, Random } from '../core/ports/clock.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';
import type { ReceiptService, TokenSource } from '../core/ports/service.ts';
import type { Gate, Holds, Why } from './holds.ts';
import type { Served } from './limits/pace.ts';
import { sharedLimits, type Pacer } from './limits/pacer.ts';
import type { ByteBudget } from '../keeper/byteBudget.ts';
import type { Payload, PayloadStore } from '../keeper/payloadStore.ts';
import { NOT_SENT, type Outcomes, type RecordEnd } from './outcomes.ts';
import { Queue } from './queue.ts';
import type { SendGate } from './sendGate.ts';

export interface FlowDeps {
  readonly ledger: Ledger;
  readonly endpoints: readonly EndpointSettings[];
  readonly concurrency: number;
  readonly pacer: Pacer;
  readonly holds: Holds;
  readonly gate: SendGate;
  readonly outcomes: Outcomes;
  readonly service: ReceiptService;
  /** Tokens of the account that the endpoint uses. */
  readonly tokens: (endpoint: EndpointKey) => TokenSource;
  readonly payloads: PayloadStore;
  /** Room for images that are sent. */
  readonly memory: ByteBudget;
  readonly contentType: (type: ImageType) => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Target wait of a recorded upload for a slot. */
const AHEAD_MS = 50;
/** Cap on uploads recorded ahead, as a multiple of the concurrency. */
const AHEAD_FACTOR = 4;
/** Cap on all uploads under way, accepted ones that are not recorded yet included, as a multiple of the concurrency: a crash resends that many. */
const UNDER_WAY_FACTOR = 8;
/** A document that is read for longer gives back its slot: its share may hang. */
const LONG_READ_MS = 1_000;
/** Longest wait of a replay after a 401. Beyond it, the document is queued again. */
const REPLAY_WAIT_MS = 2_000;
const RECORD_RETRY_MS = 2_000;
const LEDGER_RETRY_MS = 5_000;
const GIVE_UP_RETRY_MS = 5_000;
const LEASE_MS = 1_000;
/** Agents that wait for the same limit ask one after the other. */
const MOST_SPREAD_MS = 1_000;
/** Latest notice of a clock jump: the loop's longest sleep (notifier.ts), plus a margin. */
const NOTICED_WITHIN_MS = 61_000;

const HELD_AGAIN = { reason: 'HELD_BACK', why: { is: 'heldBack' } } as const;

/**
 * Why nothing is being sent. `done`: the queue is empty. `pace`: the rate. `outage`, `notDue`: resolves itself soon. `hold`: a
 * hold, a pause, a spent budget, the sending hours, or an unwritable ledger.
 */
export type Idle = {
  readonly why: 'done' | 'pace' | 'outage' | 'notDue' | 'hold';
  readonly waitMs: number | null;
};

/** A document under way. */
interface Upload {
  readonly document: Document;
  readonly queue: Queue;
  isProbe: boolean;
  payload: Payload | null;
  /** Monotonic. */
  readingSince: number;
  token: string;
  attempt: number;
  /** The ledger showed its document as queued again before it was over. */
  isQueuedAgain: boolean;
  /** The lane of its place in the windows and budgets, until that is used or given back. */
  place: Lane | null;
  freeSlot: (() => void) | null;
  /** Its size counts in the memory for uploads. */
  hasRoom: boolean;
  /** `sending`: it counts as one of those that may be sent at once. `accepted`: no more, until that is recorded. `reading`: nor while it is set aside. */
  counts: 'sending' | 'accepted' | 'acceptedInSlot' | 'reading';
}

interface End {
  readonly item: () => EndItem;
  readonly recorded: (error?: unknown) => void;
}

/**
 * From the queue to the record of the answer. An upload is
 *
 *   queued ──▶ preparing ──bytes, token──▶ beginning ──durable──▶ begun ──slot──▶ sending ──answer──▶ ending ──durable──▶ over
 *                  ├──held, paused, no bytes──▶ over
 *                  └──read for long──▶ set aside, with its folder ──read──▶ over: its turn comes again
 *
 * What begins and what ends is written together, in one transaction at a time: while one is written, the next one gathers.
 */
export class Flow {
  readonly #deps: FlowDeps;
  readonly #notifier: Notifier;
  readonly #watch: ClockWatch;
  readonly #queues: readonly Queue[];
  readonly #uploads = new Map<number, Upload>();
  /** Those whose bytes are read; longest first. */
  readonly #reading = new Set<Upload>();
  /** Those that are read for long. */
  readonly #setAside = new Set<Upload>();
  /** Those that wait for an upload slot. */
  readonly #slotless = new Set<Upload>();
  /** Documents that were answered with 401: their next request is the replay, whatever it waits for. */
  readonly #replays = new Set<number>();
  readonly #idleListeners = new Set<(idle: Idle) => void>();
  #begins: Upload[] = [];
  #ends: End[] = [];
  #isWriting = false;
  #isSaid = false;
  #turn = 0;
  #sending = 0;
  #unrecorded = 0;
  #over: (() => void) | null = null;
  /** Aborts when no more requests may be sent, and when those on the wire end. */
  #until: AbortSignal = AbortSignal.abort();
  #abort: AbortSignal = AbortSignal.abort();

  constructor(deps: FlowDeps) {
    this.#deps = deps;
    const { clock, ledger, holds } = deps;
    this.#notifier = new Notifier(clock);
    this.#watch = new ClockWatch(clock);
    const parts = {
      ledger,
      fleet: ledger.fleet,
      clock,
      pausedFolders: () => [...holds.pausedFolders(), ...this.#foldersAside()],
      isUnderWay: (id: number) => this.#isUnderWay(id),
      underWay: () => this.#uploads.size,
    };
    this.#queues = deps.endpoints.map((settings) => new Queue(settings, parts));
  }

  get inFlight(): number {
    return this.#uploads.size;
  }

  /** Call when there may be something new to send. */
  wake(): void {
    for (const queue of this.#queues) queue.lookAgain();
    this.#notifier.notify();
  }

  /** A document was queued. */
  queued(document: Document): void {
    const { baseUrl, uid } = document.endpoint;
    for (const queue of this.#queues)
      if (queue.settings.key.uid === uid && queue.settings.key.baseUrl === baseUrl) queue.offer(document);
    this.#notifier.notify();
  }

  /** Reads the queue again, because a pause or another agent changed what is next. */
  forget(): void {
    for (const queue of this.#queues) queue.forget();
    this.#notifier.notify();
  }

  /** Calls back whenever nothing is under way and nothing can be sent for now. */
  onIdle(listener: (idle: Idle) => void): () => void {
    this.#idleListeners.add(listener);
    this.wake();
    return () => this.#idleListeners.delete(listener);
  }

  /** Sends until `stopping` aborts, then resolves once nothing is under way. `abort` cancels the requests in flight. */
  async run(stopping: AbortSignal, abort: AbortSignal): Promise<void> {
    this.#until = AbortSignal.any([stopping, abort]);
    this.#abort = abort;
    // Every request in flight listens to them, so Node would warn of a leak.
    setMaxListeners(0, abort, this.#until);
    this.#until.addEventListener('abort', () => this.#refuseSlots(), { once: true });
    const endListening = this.#deps.ledger.storage.onChange(() => this.wake());
    while (!stopping.aborted) {
      const idle = await this.#round();
      // If notified meanwhile, `idle` is out of date.
      if (this.inFlight === 0 && !this.#notifier.isNotified)
        for (const listener of this.#idleListeners) listener(idle);
      const [longest] = this.#reading;
      const pauseMs = this.#deps.holds.pauseEndsInMs ?? Infinity;
      const readMs = longest ? longest.readingSince + LONG_READ_MS - this.#deps.clock.monotonic() : Infinity;
      const waitMs = Math.min(idle.waitMs ?? Infinity, pauseMs, Math.max(0, readMs));
      await this.#notifier.wait(waitMs === Infinity ? null : waitMs, stopping);
    }
    endListening();
    while (this.inFlight > 0) await new Promise<void>((resolve) => (this.#over = resolve));
  }

  /* ---- Who is next ---- */

  async #round(): Promise<Idle> {
    const { ledger, gate } = this.#deps;
    this.#heedClockJump();
    this.#heedLongReads();
    // The failure has been logged already, and `storage.onChange` wakes the loop when the ledger is usable again.
    if (ledger.storage.trouble() !== null) return { why: 'hold', waitMs: null };
    // Either a new lease follows shortly, or the ledger is in trouble.
    if (!gate.isLeased()) return { why: 'hold', waitMs: LEASE_MS };
    try {
      if (await this.#deps.holds.endPauses()) for (const queue of this.#queues) queue.forget();
      const closedMs = gate.opensInMs;
      const idle =
        gate.isPaused || closedMs > 0
          ? // A fleet signal wakes the loop when a person resumes this agent.
            await this.#waitingForAll(gate.isPaused ? null : closedMs)
          : await this.#startAll();
      this.#isSaid = false;
      return idle;
    } catch (error) {
      this.#sayOnce(error);
      for (const queue of this.#queues) queue.lookAgain();
      return { why: 'hold', waitMs: LEDGER_RETRY_MS };
    }
  }

  #sayOnce(error: unknown): void {
    const isSaid = this.#isSaid || this.#deps.ledger.storage.trouble() !== null;
    this.#deps.log[isSaid ? 'debug' : 'error']('ledgerInaccessible', describeError(error));
    this.#isSaid = true;
  }

  /**
   * Due times are computed on the wall clock, but waited for on the monotonic one. If the clock was set back, all earlier due times
   * lie too far ahead: those documents become due at once rather than late.
   */
  #heedClockJump(): void {
    const jump = this.#watch.takeJump();
    if (jump === 0) return;
    for (const queue of this.#queues) {
      queue.lookAgain();
      if (jump < 0) queue.clockSetBack(Math.max(0, -jump - NOTICED_WITHIN_MS));
    }
  }

  /** What is read for long gives back what others could use meanwhile, and nothing more of its folder is read. */
  #heedLongReads(): void {
    const { clock, memory, holds } = this.#deps;
    for (const upload of this.#reading) {
      if (clock.monotonic() - upload.readingSince < LONG_READ_MS) return;
      const { document, queue } = upload;
      this.#reading.delete(upload);
      this.#setAside.add(upload);
      upload.counts = 'reading';
      queue.inFlight -= 1;
      this.#sending -= 1;
      this.#leavePlace(upload);
      memory.giveBack(document.size);
      upload.hasRoom = false;
      if (upload.isProbe) holds.endProbe(document);
      upload.isProbe = false;
    }
  }

  *#foldersAside(): Iterable<string> {
    for (const { document } of this.#setAside) yield document.folder;
  }

  /** Whether it would have to be read from a folder where that takes long. */
  #isSetAside(document: Document): boolean {
    if (this.#setAside.size === 0 || this.#deps.payloads.isNear(document)) return false;
    return [...this.#foldersAside()].includes(document.folder);
  }

  async #waitingForAll(closedMs: number | null): Promise<Idle> {
    const idles: Idle[] = [];
    for (const queue of this.#queues)
      idles.push(await this.#waiting(queue, { why: 'hold', waitMs: closedMs }));
    return leastIdle(idles);
  }

  async #startAll(): Promise<Idle> {
    const { gate } = this.#deps;
    const idles: Idle[] = [];
    let blocked = 0;
    // Uploads prepared for one endpoint must not take the turns of the others.
    const busy = this.#queues.filter(({ inFlight }) => inFlight > 0);
    const aheadOfAny = Math.max(0, ...busy.map((queue) => this.#aheadOf(queue)));
    while (blocked < this.#queues.length && !this.#until.aborted) {
      if (gate.isShut) return { why: 'hold', waitMs: 0 };
      const queue = this.#queues[this.#turn % this.#queues.length] as Queue;
      this.#turn += 1;
      let kept = this.#keptBack(queue, aheadOfAny);
      if (kept === null && queue.needsLook()) {
        await queue.look();
        // A hold may have come or gone while the ledger was asked.
        if (gate.isShut) return { why: 'hold', waitMs: 0 };
        kept = this.#keptBack(queue, aheadOfAny);
      }
      const started = kept ?? this.#startNext(queue);
      const idle = started instanceof Promise ? await started : started;
      if (idle === null) {
        blocked = 0;
        idles.length = 0;
      } else {
        blocked += 1;
        idles.push(idle);
      }
    }
    return leastIdle(idles);
  }

  /** Why this endpoint may not start any document now, whichever is next; null if it may. */
  #keptBack(queue: Queue, aheadOfAny: number): Idle | null | Promise<Idle> {
    const { holds, pacer, concurrency } = this.#deps;
    const { key } = queue.settings;
    const gate = holds.gate(key);
    // Only at the probe, not when the gate closes: a request in flight may reopen it.
    if (gate.kind === 'probe') pacer.beginAnew(key);
    const ahead = gate.kind === 'open' ? this.#aheadOf(queue) : 0;
    if (
      this.inFlight - this.#setAside.size >= concurrency * UNDER_WAY_FACTOR + aheadOfAny ||
      this.#sending >= concurrency + aheadOfAny ||
      queue.inFlight >= this.#mostOf(queue) + ahead
    ) {
      queue.isFilling = false;
      return { why: 'pace', waitMs: null };
    }
    // Refill in batches, so that each is one commit.
    if (!queue.isFilling && queue.inFlight > this.#mostOf(queue) + ahead / 2)
      return { why: 'pace', waitMs: null };
    queue.isFilling = true;
    if (gate.kind === 'paused') return this.#waiting(queue, { why: 'hold', waitMs: null });
    if (gate.kind === 'closed')
      return this.#waiting(queue, { why: gate.outage ? 'outage' : 'hold', waitMs: this.#waitFor(gate) });
    return gate.kind === 'probe' && queue.inFlight > 0 ? { why: 'pace', waitMs: null } : null;
  }

  /** Starts the endpoint's next document. Otherwise returns why not; null if one was started. */
  #startNext(queue: Queue): Idle | null {
    const { holds, pacer, clock } = this.#deps;
    const { key } = queue.settings;
    const isProbe = holds.gate(key).kind === 'probe';
    const document = queue.next;
    if (!document) {
      const waitMs = queue.lookAgainIn(clock.monotonic());
      if (waitMs === null) return { why: 'done', waitMs };
      // After an outage, the only document that could be the probe backs off: that still counts as the outage.
      return { why: isProbe ? 'outage' : 'notDue', waitMs: Math.max(10, waitMs) };
    }
    // A person may have paused the folder meanwhile.
    const isHeld = holds.isPaused('folder', document.folder) || this.#isSetAside(document);
    if (isHeld || this.#isUnderWay(document.id)) {
      queue.take();
      return null;
    }
    // The fresh lane never waits longer than the backlog.
    const { ms, budget } = pacer.delay(key, document.lane);
    if (ms > 0) {
      if (!budget) pacer.heldBack(key, document.lane);
      return { why: budget ? 'hold' : 'pace', waitMs: ms };
    }
    queue.take();
    this.#start(queue, document, isProbe);
    return null;
  }

  /** Milliseconds until the gate may open, or until the credentials are rechecked if that is sooner. */
  #waitFor({ waitMs, recheckMs }: Extract<Gate, { kind: 'closed' }>): number {
    if (recheckMs === null) return waitMs;
    if (recheckMs > 0) return Math.min(waitMs, recheckMs);
    void this.#deps.holds.recheckCredentials().then(() => this.#notifier.notify());
    return waitMs;
  }

  /** Reports `done` instead of `idle` if the queue is empty. */
  async #waiting(queue: Queue, idle: Idle): Promise<Idle> {
    const { ledger, clock } = this.#deps;
    if (ledger.fleet !== null) {
      const isEmpty = (await ledger.waiting(0, 1)).length === 0;
      return isEmpty ? { why: 'done', waitMs: idle.waitMs } : idle;
    }
    await queue.look();
    if (queue.next) return idle;
    const isEmpty = queue.lookAgainIn(clock.monotonic()) === null;
    return isEmpty ? { why: 'done', waitMs: idle.waitMs } : idle;
  }

  /** How many uploads of this endpoint may be in flight now. */
  #mostOf({ settings: { key, limits } }: Queue): number {
    return Math.min(limits.concurrency, this.#deps.pacer.atOnce(key));
  }

  /**
   * How many uploads to record before they have a slot: as many as get one within AHEAD_MS, and only at full pace. None if the
   * fleet shares the limits, because they would keep their places in its windows from other agents.
   */
  #aheadOf(queue: Queue): number {
    const { pacer, ledger } = this.#deps;
    const { key, limits } = queue.settings;
    const { concurrency, rate, perDay, perMonth } = limits;
    const isShared = ledger.fleet !== null && (rate ?? perDay ?? perMonth) !== null;
    const typicalMs = pacer.typicalMs(key);
    if (isShared || typicalMs === 0 || this.#mostOf(queue) < concurrency) return 0;
    return Math.min(concurrency * AHEAD_FACTOR, Math.floor((AHEAD_MS / typicalMs) * concurrency));
  }

  /* ---- 1. Prepare: bytes and a token ---- */

  #start(queue: Queue, document: Document, isProbe: boolean): void {
    const { pacer, holds } = this.#deps;
    const upload: Upload = {
      document,
      queue,
      isProbe,
      payload: null,
      readingSince: 0,
      token: '',
      attempt: 0,
      isQueuedAgain: false,
      place: document.lane,
      freeSlot: null,
      hasRoom: false,
      counts: 'sending',
    };
    pacer.take(document.endpoint, document.lane);
    this.#uploads.set(document.id, upload);
    queue.inFlight += 1;
    this.#sending += 1;
    if (isProbe) holds.startProbe(document);
    this.#prepare(upload).catch((error: unknown) => this.#giveUp(upload, error));
  }

  async #prepare(upload: Upload): Promise<void> {
    const { memory, payloads } = this.#deps;
    const { document } = upload;
    const room = memory.take(document.size);
    if (room !== undefined) {
      await room;
      // The loop must know how long it may sleep.
      this.#notifier.notify();
    }
    upload.hasRoom = true;
    upload.payload = payloads.take(document.id) ?? (await this.#read(upload));
    // Without a payload, it is postponed or lost. One that was read for long is near when its turn comes again.
    if (upload.payload === null || this.#setAside.has(upload)) return this.#end(upload, NOT_SENT);
    if (!(await this.#fetchToken(upload))) return this.#end(upload, NOT_SENT);
    this.#begin(upload);
  }

  async #read(upload: Upload): Promise<Payload | null> {
    const { clock, payloads } = this.#deps;
    upload.readingSince = clock.monotonic();
    this.#reading.add(upload);
    try {
      return await payloads.read(upload.document);
    } finally {
      this.#reading.delete(upload);
    }
  }

  /** False without a token; the service or credentials are on hold then. */
  async #fetchToken(upload: Upload): Promise<boolean> {
    const { tokens, holds } = this.#deps;
    const { document } = upload;
    try {
      upload.token = await tokens(document.endpoint).token(this.#abort);
      return true;
    } catch (error) {
      if (!(error instanceof ReceiptdError)) throw error;
      const why = { reason: error.code, why: ofError(error) };
      if (error.kind === 'credentials') await holds.holdCredentials(document, why);
      else await holds.serviceTrouble(document, why, error.retryAfterMs);
      return false;
    }
  }

  /* ---- 2. Begin: recorded before it is sent ---- */

  #begin(upload: Upload): void {
    this.#begins.push(upload);
    this.#write();
  }

  /** May it be sent? The one place where that is decided, but for what may change until it has a slot (`#send`). */
  #isOpen({ document, isProbe }: Upload): boolean {
    const { holds, gate } = this.#deps;
    return isProbe ? holds.isProbedBy(document) : !this.#until.aborted && gate.isOpen(document);
  }

  #write(): void {
    if (this.#isWriting) return;
    this.#isWriting = true;
    void this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    const { ledger, clock, log } = this.#deps;
    for (let failures = 0; this.#begins.length + this.#ends.length > 0;) {
      let begins: Upload[] = [];
      let ends: End[] = [];
      const take = (): Uploads => {
        const ready = this.#begins.splice(0);
        begins = ready.filter((upload) => this.#isOpen(upload));
        for (const upload of ready) if (!begins.includes(upload)) this.#held(upload);
        ends = this.#ends.splice(0);
        return {
          ends: ends.map(({ item }) => item()),
          begins: begins.map((upload) => this.#beginItem(upload)),
        };
      };
      const recorded = await ledger.record(take).catch((failure: unknown): RecordedUploads => {
        // It may have failed before it took them.
        if (begins.length + ends.length === 0) take();
        const failed = { answers: null, failure };
        return { ended: failed, begun: failed };
      });
      this.#recorded(begins, recorded.begun);
      const unrecorded = this.#ended(ends, recorded.ended);
      if (unrecorded.length === 0) {
        failures = 0;
        continue;
      }
      this.#ends.unshift(...unrecorded.map(({ end }) => end));
      // The store logs its own trouble once.
      if (failures === 0 && ledger.storage.trouble() === null)
        log.error('answerNotRecorded', describeError(unrecorded[0]?.error));
      failures += 1;
      await clock.sleep(RECORD_RETRY_MS, this.#abort).catch(() => {});
    }
    this.#isWriting = false;
  }

  #beginItem({ document, queue, payload, attempt }: Upload): BeginItem {
    const { ledger, clock } = this.#deps;
    return {
      document: document.id,
      updatedAt: attempt === 0 ? document.updatedAt : undefined,
      bytes: payload?.bytes.length ?? 0,
      at: clock.now(),
      ...(ledger.fleet && sharedLimits(queue.settings.limits, document.lane)),
    };
  }

  /**
   * Returns those that the store failed to record: an answer that is forgotten would send the image again. An error that is not the store's is a defect:
   * trying again would never succeed.
   */
  #ended(ends: readonly End[], { answers, failure }: RecordedUploads['ended']) {
    const isOver = this.#abort.aborted || this.#deps.ledger.storage.trouble()?.isForGood === true;
    return ends.flatMap((end, n) => {
      const answer = answers === null ? { fault: failure } : answers[n];
      const error = isFault(answer)
        ? answer.fault
        : answer?.isDone === true
          ? undefined
          : new ReceiptdError('DOCUMENT_TAKEN', { name: '' });
      if (!isOver && isOfLedger(error)) return [{ end, error }];
      end.recorded(error);
      return [];
    });
  }

  #recorded(uploads: readonly Upload[], { answers, failure }: RecordedUploads['begun']): void {
    for (const [n, upload] of uploads.entries()) {
      const answer = answers?.[n];
      if (answer === undefined) this.#giveUp(upload, failure);
      else if (isFault(answer)) this.#giveUp(upload, answer.fault);
      else this.#begun(upload, answer);
    }
  }

  #begun(upload: Upload, answer: BeginAnswer): void {
    const { holds, pacer, log, random } = this.#deps;
    const { document, queue } = upload;
    const { id, name, endpoint } = document;
    switch (answer.kind) {
      case 'begun':
        upload.attempt = answer.attempt;
        return this.#toSlot(upload);
      case 'limited': {
        const windowMs = queue.settings.limits.rate?.intervalMs ?? Infinity;
        pacer.defer(endpoint, answer.waitMs + random() * Math.min(MOST_SPREAD_MS, windowMs / 10));
        return this.#held(upload);
      }
      case 'held':
        // The hold must be known before the document can be next again. On failure, a later poll reads it.
        void holds
          .takeShared()
          .catch(() => {})
          .then(() => this.#held(upload));
        return;
      case 'changed':
        return this.#held(upload);
      case 'taken':
        log.info('documentTakenOver', { documentId: id, name });
        return this.#end(upload, NOT_SENT);
      case 'state':
        // A result accepted it meanwhile, or a person moved it.
        return this.#end(upload, { isSettled: true, isAccepted: answer.state === 'accepted' });
      case 'unknown':
        return this.#end(upload, { isSettled: true, isAccepted: false });
    }
  }

  /** It is not begun after all. A replay's document is still being sent, as the ledger sees it. */
  #held(upload: Upload): void {
    if (upload.attempt === 0) return this.#end(upload, NOT_SENT);
    this.#giveBack(upload, HELD_AGAIN).catch((error: unknown) => this.#giveUp(upload, error));
  }

  /** Queues a document again whose replay can't be sent now. */
  async #giveBack(upload: Upload, { reason, why }: Why): Promise<void> {
    const { ledger, clock, log } = this.#deps;
    const { id, name } = upload.document;
    await ledger.postpone(id, 0, reason, toMessage(why), clock.now());
    log.debug('documentRequeued', { documentId: id, name, reason, detail: whyText(why) });
    this.#end(upload, NOT_SENT);
  }

  /* ---- 3. Send: p-queue alone counts the requests in flight ---- */

  #toSlot(upload: Upload): void {
    const { endpoint, lane } = upload.document;
    this.#freeSlot(upload);
    this.#slotless.add(upload);
    if (this.#until.aborted) return this.#refuseSlots();
    const work = (): Promise<void> => {
      // p-queue comes to those that were refused, too.
      if (!this.#slotless.delete(upload)) return Promise.resolve();
      return new Promise((free) => {
        upload.freeSlot = free;
        this.#send(upload).catch((error: unknown) => this.#giveUp(upload, error));
      });
    };
    void this.#deps.pacer.inSlot(endpoint, lane, work);
  }

  /** No more requests may be sent. */
  #refuseSlots(): void {
    for (const upload of this.#slotless) {
      this.#slotless.delete(upload);
      if (this.#abort.aborted) this.#giveUp(upload, this.#abort.reason);
      else this.#notSent(upload, 'HELD_BACK').catch((error: unknown) => this.#giveUp(upload, error));
    }
  }

  async #send(upload: Upload): Promise<void> {
    const { pacer, gate, payloads, service, contentType, clock } = this.#deps;
    const { document, payload, place, token, attempt } = upload;
    const { endpoint, name, type } = document;
    // Another agent may have taken the document over, or a hold may have come, since it was recorded.
    if (!gate.isLeased(attempt)) return this.#notSent(upload, 'LEASE_LOST');
    if (!this.#isOpen(upload) || place === null || payload === null)
      return this.#notSent(upload, 'HELD_BACK');
    const request = { endpoint, name, bytes: payload.bytes, mediaType: contentType(type), token };
    const onTaken = (): void => payloads.takeBack(payload);
    upload.place = null;
    payloads.lend(payload);
    const startedAt = clock.monotonic();
    const answer = await pacer.run(endpoint, (onStart) =>
      service.upload(request, this.#abort, { onStart, onTaken }),
    );
    await this.#answered(upload, answer, { startedAt, endedAt: clock.monotonic(), bytes: document.size });
  }

  async #notSent(upload: Upload, reason: 'HELD_BACK' | 'LEASE_LOST'): Promise<void> {
    await this.#deps.outcomes.notSent(upload.document, upload.attempt, reason, (item) => this.#record(item));
    this.#end(upload, NOT_SENT);
  }

  /* ---- 4. End: what the answer means, recorded ---- */

  async #answered(upload: Upload, answer: Answer, served: Served): Promise<void> {
    const { outcomes } = this.#deps;
    const { document, attempt } = upload;
    const { endpoint, name } = document;
    const outcome = classify(answer, {
      endpoint,
      name,
      // A resent document was accepted before, so the service has it too.
      answerLost: document.answerLost || document.serviceStatus !== null,
    });
    const isReplay = this.#replays.delete(document.id);
    if (outcome.kind === 'unauthorized' && !isReplay) return this.#replay(upload, outcome.why);
    const isAccepted = outcome.kind === 'accepted';
    if (isAccepted) this.#accepted(upload);
    const record: RecordEnd = (item) => this.#record(item);
    const isSettled = await outcomes.judge({ document, attempt, answer, served, record }, outcome);
    this.#end(upload, { isSettled, isAccepted });
  }

  /** Another upload may take its place and, up to a cap, its slot, although this one is not recorded yet. A probe keeps its slot until its result is known. */
  #accepted(upload: Upload): void {
    if (upload.isProbe) return;
    upload.counts = 'acceptedInSlot';
    upload.queue.inFlight -= 1;
    this.#sending -= 1;
    if (this.#unrecorded < this.#deps.concurrency * (UNDER_WAY_FACTOR - 1)) {
      upload.counts = 'accepted';
      this.#unrecorded += 1;
      this.#freeSlot(upload);
    }
    this.#notifier.notify();
  }

  /** The token has expired or was withdrawn: one new token for everybody, one replay (interface section 5). */
  async #replay(upload: Upload, why: WhyFact): Promise<void> {
    const { tokens, outcomes, pacer } = this.#deps;
    const { document, attempt } = upload;
    tokens(document.endpoint).refused(upload.token);
    await this.#record(() => outcomes.replayed(document, attempt, why));
    if (await this.#fetchToken(upload)) {
      this.#replays.add(document.id);
      if (await pacer.takeSoon(document.endpoint, REPLAY_WAIT_MS, this.#abort)) {
        upload.place = 'fresh';
        return this.#begin(upload);
      }
    }
    await this.#giveBack(upload, { reason: 'HTTP_401', why });
  }

  /** Resolves once it is durable, whatever the ledger's trouble. */
  #record(item: () => EndItem): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#ends.push({
        item,
        recorded: (error) => (error === undefined ? resolve() : reject(error)),
      });
      this.#write();
    });
  }

  #end(upload: Upload, end: { readonly isSettled: boolean; readonly isAccepted: boolean }): void {
    const { payloads } = this.#deps;
    const { document, payload } = upload;
    this.#leavePlace(upload);
    if (end.isSettled) this.#replays.delete(document.id);
    if (end.isAccepted) payloads.accepted(document);
    else if (payload !== null) {
      payloads
        .returned(document, end.isSettled)
        .catch((error: unknown) => this.#deps.log.error('deliveryBrokenOff', describeError(error)))
        .finally(() => this.#isOver(upload, end.isSettled));
      return;
    }
    this.#isOver(upload, end.isSettled);
  }

  /** Whether a queued document can't be started, because its upload is not over yet. Then it is looked for again. */
  #isUnderWay(id: number): boolean {
    const upload = this.#uploads.get(id);
    // The ledger shows one that is still beginning as queued, too.
    if (upload !== undefined && upload.attempt !== 0) upload.isQueuedAgain = true;
    return upload !== undefined;
  }

  #isOver(upload: Upload, isSettled: boolean): void {
    const { memory, holds } = this.#deps;
    const { document, queue, counts } = upload;
    if (!this.#uploads.delete(document.id)) return;
    if (upload.hasRoom) memory.giveBack(document.size);
    this.#freeSlot(upload);
    if (counts === 'accepted') this.#unrecorded -= 1;
    if (counts === 'sending') {
      queue.inFlight -= 1;
      this.#sending -= 1;
    }
    if (upload.isProbe) holds.endProbe(document);
    if (this.#setAside.delete(upload) || upload.isQueuedAgain)
      for (const each of this.#queues) each.lookAgain();
    else if (!isSettled) queue.lookAgain();
    this.#notifier.notify();
    this.#over?.();
  }

  #leavePlace(upload: Upload): void {
    if (upload.place !== null) this.#deps.pacer.giveBack(upload.document.endpoint, upload.place);
    upload.place = null;
  }

  #freeSlot(upload: Upload): void {
    upload.freeSlot?.();
    upload.freeSlot = null;
  }

  /* ---- When it can't go on: the ledger can't be written, or a defect ---- */

  #giveUp(upload: Upload, error: unknown): void {
    void this.#requeue(upload, error).then(() => this.#end(upload, NOT_SENT));
  }

  /**
   * The document keeps its name, because the service may have stored it, and backs off further each time, because a defect is likely to recur. Without
   * this, it would stay in state `uploading`.
   */
  async #requeue({ document, attempt }: Upload, error: unknown): Promise<void> {
    const { ledger, clock, log, random } = this.#deps;
    const { id, name } = document;
    // It was accepted, or a person moved it, since it was read.
    if (this.#abort.aborted || isMoved(error)) return;
    if (error instanceof ReceiptdError && error.code === 'AGENT_FENCED') {
      // This agent can't record the outcome any more; the attempt counts as unknown.
      log.info('documentTakenOver', { documentId: id, name });
      return;
    }
    // Taken over, unless its end was recorded and the answer was lost: the ledger tells.
    const isSaid = isTakenOver(error) || (isOfLedger(error) && ledger.storage.trouble() !== null);
    const fields = { documentId: id, ...describeError(error) };
    log[isSaid ? 'debug' : 'error']('deliveryBrokenOff', fields);
    while (!this.#abort.aborted && !ledger.storage.trouble()?.isForGood) {
      await clock.sleep(GIVE_UP_RETRY_MS, this.#abort).catch(() => {});
      try {
        const detail = await ledger.detail(id);
        // Its beginning may have been recorded, although the answer was lost.
        if (detail?.document.state !== 'uploading') return;
        const open = detail.attempts.find(({ finishedAt }) => finishedAt === null);
        const due = clock.now() + backoff(detail.document.attempts, HOLD_BACKOFF, random);
        const within = error instanceof ReceiptdError ? error.within() : describeError(error);
        const message = toMessage({ is: 'couldNotGoOn', ...within });
        const reason = 'INTERRUPTED';
        if (open === undefined) return await ledger.postpone(id, due, reason, message, clock.now());
        const next = { state: 'queued', due, answerLost: true, reason, message } as const;
        await this.#record(() => ({
          attempt: open.id,
          document: id,
          outcome: 'unknown',
          http: null,
          message,
          next,
          at: clock.now(),
        }));
        return;
      } catch (cause) {
        if (isTakenOver(cause)) log.info('documentTakenOver', { documentId: id, name });
        if (isTakenOver(cause) || isMoved(cause)) return;
        // Retry while the ledger is unavailable, even for a day.
        if (this.#abort.aborted || isOfLedger(cause)) continue;
        log.error('documentStuckUploading', { ...fields, attempt, ...describeError(cause) });
        return;
      }
    }
  }
}

const PATIENCE: readonly Idle['why'][] = ['pace', 'notDue', 'outage', 'hold', 'done'];

/** The shortest wait of all endpoints, and the reason that resolves first. */
function leastIdle(idles: readonly Idle[]): Idle {
  const waits = idles.flatMap(({ waitMs }) => waitMs ?? []);
  const [first] = [...idles].sort((a, b) => PATIENCE.indexOf(a.why) - PATIENCE.indexOf(b.why));
  return { why: first?.why ?? 'done', waitMs: waits.length > 0 ? Math.min(...waits) : null };
}

/** The ledger has the document in another state than what was to become of it needs. */
function isMoved(error: unknown): boolean {
  return error instanceof ReceiptdError && error.code === 'DOCUMENT_STATE';
}
