import { setMaxListeners } from 'node:events';
import type { Document, EndpointKey } from '../../core/domain/document.ts';
import { describeError } from '../../core/domain/errors.ts';
import type { Buffers } from '../../core/ports/buffers.ts';
import type { Admitted } from '../../core/ports/ledgerIntake.ts';
import { sha256 } from '../../core/sha256.ts';
import { SpoolCopies, type SpoolCopiesDeps, type Copied } from './spoolCopies.ts';
import type { PayloadCache } from './payloadCache.ts';

export interface PayloadStoreDeps extends SpoolCopiesDeps {
  readonly hand: PayloadCache;
  readonly buffers: Pick<Buffers, 'giveBack'>;
  /** Whether documents of this endpoint and folder can be sent now: nothing holds them, and nobody paused them. */
  readonly canSend: (waiting: Waiting) => boolean;
}

export type Waiting = Pick<Document, 'endpoint' | 'folder'>;

/** An image that lies in a folder and is to be admitted. */
export interface Arrived {
  readonly endpoint: EndpointKey;
  readonly folder: string;
  readonly bytes: Buffer;
}

/** Without a copy for longer than this, an image that is not accepted yet gets one. */
const SPOOL_AFTER_MS = 1_000;
/** For so long an image waits for room in hand, where delivery flows. */
const ROOM_WITHIN_MS = 1_000;
const SAME_ALARM_MS = 100;

/**
 * Where the bytes of a document are until it is accepted:
 *
 *   arrived ──can be sent now──▶ in hand ──its turn comes──▶ being sent ──accepted──▶ let go
 *      │                            └──a second has passed──▶ spooled ◀──┘ (also: not accepted)
 *      └──can't be sent now──▶ spooled ──accepted, and nobody else wants them──▶ let go
 *
 * `always`: spooled first, whatever comes then. `never`: in hand or nowhere but in their folder. Where the spool is
 * full, what would need a copy stays in its folder, unadmitted; where it can't be written, `auto` goes on without.
 */
export class PayloadStore {
  readonly #deps: PayloadStoreDeps;
  readonly copies: SpoolCopies;
  /** Bytes without a copy, oldest first: in hand, or being sent. */
  readonly #bare = new Map<number, Bare>();
  readonly #drops = new Set<Promise<void>>();
  /** Bytes that a request or a copy failed with: a connection or a disk may look at them still, for good. */
  readonly #doubtful = new WeakSet<Buffer>();
  /** How many copies are being made of these bytes. */
  readonly #copying = new WeakMap<Buffer, number>();
  #alarm: AbortController | null = null;
  #tookAt = -Infinity;
  #roomWait: RoomWait | null = null;
  #closed = false;

  constructor(deps: PayloadStoreDeps) {
    this.#deps = deps;
    this.copies = new SpoolCopies(deps);
  }

  /** Whether a file of that size may be read at all; false while it would have to stay in its folder. */
  hasRoom(waiting: Waiting, size: number): boolean {
    const { mode, canSend } = this.#deps;
    if (mode === 'never' || (mode === 'auto' && canSend(waiting))) return true;
    if (this.copies.isLeftAlone) return mode === 'auto';
    return this.copies.fits(size);
  }

  get keepsCopies(): boolean {
    return this.#deps.mode !== 'never';
  }

  /** Whether an image of that size can be copied now, as it must be where it can't be admitted. */
  hasRoomForCopy(size: number): boolean {
    return this.keepsCopies && !this.copies.isLeftAlone && this.copies.fits(size);
  }

  /** Copies an image that no document stands for yet; true once that is durable. */
  async copy(hash: string, bytes: Buffer): Promise<boolean> {
    return (await this.#makeCopy(hash, bytes)) === 'there';
  }

  /** Admits an image and keeps its bytes. Null: there is no room for them, and it was not admitted. */
  async keep(image: Arrived, admit: () => Promise<Admitted>): Promise<Admitted | null> {
    const { hand } = this.#deps;
    const { bytes } = image;
    const place = await this.#findPlace(image);
    if (place === null) return null;
    let admitted: Admitted | null = null;
    try {
      admitted = await admit();
    } finally {
      if (admitted?.kind !== 'queued' && admitted?.kind !== 'requeued') this.#leave(place, bytes);
    }
    const { kind, document } = admitted;
    if (kind !== 'queued' && kind !== 'requeued') {
      this.#giveBack(bytes);
      return admitted;
    }
    if (place === 'hand') {
      hand.put(document.id, bytes);
      this.#watch(document, bytes);
    } else if (place !== 'nowhere') {
      await this.#spool(document, bytes, place === 'room' ? bytes.length : 0);
    }
    return admitted;
  }

  /** The bytes in hand, if they are; called for each document that is about to be sent. */
  take(documentId: number): Buffer | undefined {
    this.#tookAt = this.#deps.clock.monotonic();
    return this.#deps.hand.take(documentId);
  }

  /** Before a document is sent, wherever its bytes came from; what has to be waited for. It is to be `accepted` or `returned`. */
  sending(document: Document, bytes: Buffer): Promise<void> | undefined {
    if (this.copies.has(document.sha256)) return undefined;
    const watch = (copied?: Copied): void => {
      if (copied !== 'there') this.#watch(document, bytes);
    };
    if (this.#deps.mode === 'always') return this.#makeCopy(document.sha256, bytes).then(watch);
    watch();
    return undefined;
  }

  /** `taken`: its bytes, where nobody who sent them looks at them any more. */
  accepted(document: Document, taken: Buffer | null): void {
    this.#letGo(document.id);
    if (taken !== null) this.#giveBack(taken);
    if (!this.copies.mayHave(document.sha256)) return;
    const drop = this.copies.dropUnwanted(document.sha256).catch((error: unknown) => {
      // It goes with the next sweep.
      const fields = { documentId: document.id, ...describeError(error) };
      this.#deps.log.debug('A copy could not be dropped', fields);
    });
    this.#drops.add(drop);
    void drop.finally(() => this.#drops.delete(drop));
  }

  /** It was not accepted: it waits or, where it left the queue, a person has to decide. */
  async returned(document: Document, bytes: Buffer, leftQueue = false): Promise<void> {
    this.#doubtful.add(bytes);
    if (this.#deps.mode !== 'never') await this.#spool(document, bytes, 0);
    // What left the queue nobody comes to take from the hand: its room would be gone for good.
    else if (!leftQueue) this.#deps.hand.offer(document.id, bytes);
  }

  /** Whether a document that waits should have a copy and has none. */
  lacksCopy({ id, sha256: hash, endpoint, folder, notBefore, createdAt }: Document): boolean {
    const { mode, canSend, clock } = this.#deps;
    if (mode === 'never' || this.copies.has(hash) || this.#bare.has(id)) return false;
    if (mode === 'always' || !canSend({ endpoint, folder })) return true;
    const now = clock.now();
    return notBefore > now || createdAt < now - SPOOL_AFTER_MS;
  }

  /** What is in hand is copied, since nobody will be there to send it. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#alarm?.abort(new Error('the payload store is closed'));
    if (this.#deps.mode !== 'never') {
      for (const [id, bare] of this.#bare) await this.#copy(id, bare);
    }
    await Promise.all(this.#drops);
  }

  /** `room`: reserved in the spool. `copied`: it has its copy already. */
  async #findPlace(image: Arrived): Promise<'hand' | 'room' | 'copied' | 'nowhere' | null> {
    const { mode, canSend, hand } = this.#deps;
    const size = image.bytes.length;
    if (mode !== 'always' && canSend(image) && (await this.#roomInHand(size))) return 'hand';
    if (mode === 'never') return hand.reserve(size) ? 'hand' : 'nowhere';
    if (this.copies.failed) {
      // Whether a disk that failed takes this image is only known once it has.
      const copied = await this.#makeCopy(sha256(image.bytes), image.bytes);
      if (copied === 'there') return 'copied';
      if (mode === 'always' || copied === 'full') return null;
      return hand.reserve(size) ? 'hand' : 'nowhere';
    }
    return this.copies.reserve(size) ? 'room' : null;
  }

  #leave(place: 'hand' | 'room' | 'copied' | 'nowhere', bytes: Buffer): void {
    if (place === 'hand') this.#deps.hand.release(bytes.length);
    if (place === 'room') this.copies.release(bytes.length);
    if (place === 'copied') void this.copies.dropUnwanted(sha256(bytes)).catch(() => {});
  }

  /** While delivery flows there will be room in a moment, and the image is read once. */
  async #roomInHand(size: number): Promise<boolean> {
    const { hand, clock } = this.#deps;
    if (hand.reserve(size)) return true;
    if (clock.monotonic() - this.#tookAt > ROOM_WITHIN_MS) return false;
    const wait = this.#waitForRoom();
    wait.waiting += 1;
    const granted = await hand.reserveUntil(size, wait.enough.signal);
    wait.waiting -= 1;
    if (wait.waiting === 0) this.#endWait(wait);
    return granted;
  }

  /** Those that begin to wait at nearly the same time share an alarm. */
  #waitForRoom(): RoomWait {
    const { clock } = this.#deps;
    const now = clock.monotonic();
    if (this.#roomWait && now - this.#roomWait.since < SAME_ALARM_MS) return this.#roomWait;
    const wait = { since: now, waiting: 0, enough: new AbortController(), alarm: new AbortController() };
    // As many listen as images are read at once; each goes when its wait is over.
    setMaxListeners(0, wait.enough.signal);
    this.#roomWait = wait;
    clock.sleep(ROOM_WITHIN_MS, wait.alarm.signal).then(
      () => wait.enough.abort(TOO_LATE),
      () => {},
    );
    return wait;
  }

  #endWait(wait: RoomWait): void {
    wait.alarm.abort(SOONER);
    if (this.#roomWait === wait) this.#roomWait = null;
  }

  async #spool(document: Document, bytes: Buffer, reserved: number): Promise<void> {
    const { hand, mode, canSend } = this.#deps;
    const copied = await this.#makeCopy(document.sha256, bytes, { reserved });
    if (copied === 'there') {
      this.#letGo(document.id);
      // `always` reads an image once as well, if its turn comes soon.
      if (mode === 'always' && reserved > 0 && canSend(document) && hand.offer(document.id, bytes))
        this.#watch(document, bytes);
      else this.#giveBack(bytes);
      return;
    }
    if (hand.offer(document.id, bytes)) this.#watch(document, bytes);
    else this.#bare.delete(document.id);
  }

  #watch(document: Document, bytes: Buffer): void {
    if (this.#deps.mode === 'never') return;
    if (!this.#bare.has(document.id)) {
      this.#bare.set(document.id, { hash: document.sha256, bytes, since: this.#deps.clock.monotonic() });
    }
    this.#arm();
  }

  #letGo(documentId: number): void {
    this.#bare.delete(documentId);
    const inHand = this.#deps.hand.take(documentId);
    if (inHand !== undefined) this.#giveBack(inHand);
  }

  /** Nobody sends these bytes any more, nor will. */
  #giveBack(bytes: Buffer): void {
    if (!this.#doubtful.has(bytes) && !this.#copying.has(bytes)) this.#deps.buffers.giveBack(bytes);
  }

  #arm(againInMs = 0): void {
    const { clock, log } = this.#deps;
    const [oldest] = this.#bare.values();
    if (this.#alarm || this.#closed || !oldest) return;
    const alarm = new AbortController();
    this.#alarm = alarm;
    const ms = Math.max(againInMs, oldest.since + SPOOL_AFTER_MS - clock.monotonic());
    clock
      .sleep(ms, alarm.signal)
      .then(() => this.#copyDue())
      .catch((error: unknown) => {
        if (!alarm.signal.aborted)
          log.error('An image in memory could not be copied to the spool', describeError(error));
        return false;
      })
      .then((allDone) => {
        this.#alarm = null;
        this.#arm(allDone ? 0 : SPOOL_AFTER_MS);
      })
      .catch(() => {});
  }

  /** False where something that is due could not be copied. */
  async #copyDue(): Promise<boolean> {
    const now = this.#deps.clock.monotonic();
    const due = [...this.#bare].filter(([, bare]) => bare.since + SPOOL_AFTER_MS <= now);
    let allDone = true;
    for (let start = 0; start < due.length && !this.#closed; start += COPIED_AT_ONCE) {
      const chunk = due.slice(start, start + COPIED_AT_ONCE);
      const ends = await Promise.all(chunk.map(([id, bare]) => this.#copy(id, bare)));
      if (ends.some((end) => end !== 'there')) allDone = false;
      if (ends.includes('unwritable')) break;
    }
    return allDone;
  }

  async #makeCopy(hash: string, bytes: Buffer, how?: Parameters<SpoolCopies['make']>[2]): Promise<Copied> {
    this.#copying.set(bytes, (this.#copying.get(bytes) ?? 0) + 1);
    const copied = await this.copies.make(hash, bytes, how);
    const others = (this.#copying.get(bytes) ?? 1) - 1;
    if (others > 0) this.#copying.set(bytes, others);
    else this.#copying.delete(bytes);
    if (copied === 'unwritable') this.#doubtful.add(bytes);
    return copied;
  }

  async #copy(id: number, bare: Bare): Promise<Copied> {
    const isWanted = () => this.#bare.get(id) === bare;
    const copied = await this.#makeCopy(bare.hash, bare.bytes, { isWanted });
    if (copied === 'there' && isWanted()) this.#letGo(id);
    return copied;
  }
}

interface Bare {
  readonly hash: string;
  readonly bytes: Buffer;
  /** Monotonic. */
  readonly since: number;
}

interface RoomWait {
  /** Monotonic. */
  readonly since: number;
  readonly enough: AbortController;
  readonly alarm: AbortController;
  waiting: number;
}

/** Syncs that wait for the disk together. */
const COPIED_AT_ONCE = 4;

/** Reasons of our own: the default one is recreated, with a stack, each time. */
const SOONER = new Error('there is room sooner');
const TOO_LATE = new Error('there was no room in time');
