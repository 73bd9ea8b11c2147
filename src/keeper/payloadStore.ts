import type { Document, EndpointKey } from '../core/domain/document.ts';
import { describeError } from '../core/domain/errors.ts';
import type { Buffers } from '../core/ports/buffers.ts';
import type { Admitted } from '../core/ports/ledgerIntake.ts';
import { sha256 } from '../core/sha256.ts';
import { SpoolCopies, type SpoolCopiesDeps, type Copied } from './spoolCopies.ts';
import { ROOM_WITHIN_MS, type PayloadCache } from './payloadCache.ts';

export interface PayloadStoreDeps extends SpoolCopiesDeps {
  readonly hand: PayloadCache;
  readonly buffers: Pick<Buffers, 'giveBack'>;
  /** Whether documents of this endpoint and folder can be sent now: no hold, no pause. */
  readonly canSend: (waiting: Waiting) => boolean;
}

export type Waiting = Pick<Document, 'endpoint' | 'folder'>;

/** An image in a folder that is to be admitted. */
export interface Arrived {
  readonly endpoint: EndpointKey;
  readonly folder: string;
  readonly bytes: Buffer;
}

/** An image not accepted within this time is copied to the spool. */
const SPOOL_AFTER_MS = 1_000;
/** Copies made at once, so that their syncs run together. */
const COPIED_AT_ONCE = 4;

/**
 * Where the bytes of a document are until it is accepted:
 *
 *   arrived ──can be sent now──▶ in hand ──its turn comes──▶ being sent ──accepted──▶ let go
 *      │                            └──a second has passed──▶ spooled ◀──┘ (also: not accepted)
 *      └──can't be sent now──▶ spooled ──accepted, and nobody else wants them──▶ let go
 *
 * Mode `always`: spooled before anything else. `never`: in memory, or only in the folder. If the spool is full, an image that needs
 * a copy stays in its folder and is not admitted; if the spool can't be written, `auto` goes on without copies.
 */
export class PayloadStore {
  readonly #deps: PayloadStoreDeps;
  readonly copies: SpoolCopies;
  /** Bytes without a copy, in memory or being sent; oldest first. */
  readonly #bare = new Map<number, Bare>();
  readonly #drops = new Set<Promise<void>>();
  /** Bytes of a failed request or copy. A socket or the disk may still read them, so they are never reused. */
  readonly #doubtful = new WeakSet<Buffer>();
  /** Number of copies being made of these bytes. */
  readonly #copying = new WeakMap<Buffer, number>();
  #alarm: AbortController | null = null;
  #tookAt = -Infinity;
  #closed = false;

  constructor(deps: PayloadStoreDeps) {
    this.#deps = deps;
    this.copies = new SpoolCopies(deps);
  }

  /** Whether to read a file of that size; false while it would have to stay in its folder. */
  hasRoom(waiting: Waiting, size: number): boolean {
    const { mode, canSend } = this.#deps;
    if (mode === 'never' || (mode === 'auto' && canSend(waiting))) return true;
    if (this.copies.isLeftAlone) return mode === 'auto';
    return this.copies.fits(size);
  }

  get keepsCopies(): boolean {
    return this.#deps.mode !== 'never';
  }

  /** Whether an image of that size can be copied now, which is required if it can't be admitted. */
  hasRoomForCopy(size: number): boolean {
    return this.keepsCopies && !this.copies.isLeftAlone && this.copies.fits(size);
  }

  /** Copies an image that has no document yet. True once the copy is durable. */
  async copy(hash: string, bytes: Buffer): Promise<boolean> {
    return (await this.#makeCopy(hash, bytes)) === 'there';
  }

  /** Admits an image and stores its bytes. Null if there was no room: then it was not admitted. */
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

  /** The bytes, if in memory. Called for each document about to be sent. */
  take(documentId: number): Buffer | undefined {
    this.#tookAt = this.#deps.clock.monotonic();
    return this.#deps.hand.take(documentId);
  }

  /** Call before sending a document, wherever its bytes came from, and await the result; then call `accepted` or `returned`. */
  sending(document: Document, bytes: Buffer): Promise<void> | undefined {
    if (this.copies.has(document.sha256)) return undefined;
    const watch = (copied?: Copied): void => {
      if (copied !== 'there') this.#watch(document, bytes);
    };
    if (this.#deps.mode === 'always') return this.#makeCopy(document.sha256, bytes).then(watch);
    watch();
    return undefined;
  }

  /** `taken`: the document's bytes if no request reads them any more. */
  accepted(document: Document, taken: Buffer | null): void {
    this.#letGo(document.id);
    if (taken !== null) this.#giveBack(taken);
    if (!this.copies.mayHave(document.sha256)) return;
    const drop = this.copies.dropUnwanted(document.sha256).catch((error: unknown) => {
      // The next sweep removes it.
      const fields = { documentId: document.id, ...describeError(error) };
      this.#deps.log.debug('copyNotDropped', fields);
    });
    this.#drops.add(drop);
    void drop.finally(() => this.#drops.delete(drop));
  }

  /** The document was not accepted: it waits, or has left the queue for a person to decide. */
  async returned(document: Document, bytes: Buffer, leftQueue = false): Promise<void> {
    this.#doubtful.add(bytes);
    if (this.#deps.mode !== 'never') await this.#spool(document, bytes, 0);
    // Nothing would ever take a document that left the queue from memory, so its room would be lost.
    else if (!leftQueue) this.#deps.hand.offer(document.id, bytes);
  }

  /** Whether a waiting document should have a copy but has none. */
  lacksCopy({ id, sha256: hash, endpoint, folder, notBefore, createdAt }: Document): boolean {
    const { mode, canSend, clock } = this.#deps;
    if (mode === 'never' || this.copies.has(hash) || this.#bare.has(id)) return false;
    if (mode === 'always' || !canSend({ endpoint, folder })) return true;
    const now = clock.now();
    return notBefore > now || createdAt < now - SPOOL_AFTER_MS;
  }

  /** Copies everything in memory, since nothing will be sent any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#alarm?.abort(new Error('the payload store is closed'));
    if (this.#deps.mode !== 'never') {
      for (const [id, bare] of this.#bare) await this.#copy(id, bare);
    }
    await Promise.all(this.#drops);
  }

  /** `room`: space is reserved in the spool. `copied`: the copy exists already. Null if there is no room. */
  async #findPlace(image: Arrived): Promise<'hand' | 'room' | 'copied' | 'nowhere' | null> {
    const { mode, canSend, hand } = this.#deps;
    const size = image.bytes.length;
    if (mode !== 'always' && canSend(image) && (await this.#roomInHand(size))) return 'hand';
    if (mode === 'never') return hand.reserve(size) ? 'hand' : 'nowhere';
    if (this.copies.failed) {
      // After a failure, only writing the image shows whether the disk works again.
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

  /** Waits briefly: while deliveries are going on, room comes soon, and the image is read only once. */
  async #roomInHand(size: number): Promise<boolean> {
    const { hand, clock } = this.#deps;
    if (hand.reserve(size)) return true;
    if (clock.monotonic() - this.#tookAt > ROOM_WITHIN_MS) return false;
    return hand.reserveSoon(size);
  }

  async #spool(document: Document, bytes: Buffer, reserved: number): Promise<void> {
    const { hand, mode, canSend } = this.#deps;
    const copied = await this.#makeCopy(document.sha256, bytes, { reserved });
    if (copied === 'there') {
      this.#letGo(document.id);
      // In mode `always` too, an image is read only once if its turn comes soon.
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

  /** Returns bytes that will not be sent any more to the pool. */
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
        if (!alarm.signal.aborted) log.error('imageNotCopied', describeError(error));
        return false;
      })
      .then((allDone) => {
        this.#alarm = null;
        this.#arm(allDone ? 0 : SPOOL_AFTER_MS);
      })
      .catch(() => {});
  }

  /** False if a due copy could not be made. */
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
