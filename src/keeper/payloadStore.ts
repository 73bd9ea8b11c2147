import type { Document, EndpointKey } from '../core/domain/document.ts';
import { describeError } from '../core/domain/errors.ts';
import type { Buffers } from '../core/ports/buffers.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Admitted } from '../core/ports/ledgerIntake.ts';
import type { ByteBudget } from './byteBudget.ts';
import { locateOriginal, type BytesSearch, type OpenFolder } from './locateBytes.ts';
import { SpoolCopies, type NotCopied, type SpoolCopiesDeps } from './spoolCopies.ts';

export interface PayloadStoreDeps extends SpoolCopiesDeps {
  readonly ledger: Ledger;
  readonly open: OpenFolder;
  readonly search: BytesSearch;
  /** Room for images that are being read or wait in memory. */
  readonly memory: ByteBudget;
  readonly buffers: Pick<Buffers, 'giveBack'>;
  readonly hash: (bytes: Buffer) => Promise<string>;
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

/** Bytes of an image in memory. */
export interface Payload {
  readonly bytes: Buffer;
  readonly hash: string;
  state: 'arriving' | 'waiting' | 'sending' | 'over';
  /** Since when it waits or is sent; monotonic. */
  since: number;
  /** Requests and copies that may still read the bytes. One that failed may do so for ever. */
  readers: number;
}

/** An image not accepted within this time is copied to the spool. */
const SPOOL_AFTER_MS = 1_000;
/** Copies made at once, so that their syncs run together. */
const COPIED_AT_ONCE = 4;
const SWEEP_MS = 10 * 60_000;
/** Interval while the spool's disk fails or the spool is full: other agents may have sent what it holds. */
const PROBE_MS = 30_000;
const DOCUMENTS_AT_ONCE = 100;
/** Share of the spool that copies of old originals leave to new scans, which can't be admitted without room. */
const LEFT_TO_NEW = 0.1;

/**
 * Where the bytes of an image are until its document is accepted: in the folder; in the spool, by their hash; and while it has a
 * `Payload`, in memory:
 *
 *   arriving ──admitted, can be sent now──▶ waiting ──its turn comes──▶ sending ──accepted──▶ over
 *      │                                     │   ▲                         ▲  └──not accepted──▶ copied, over
 *      └──can't be sent now──▶ copied,       │   └──can't be copied────────┼──────┘
 *                      admitted, over        └──for a second──▶ copied, over ──its turn comes──▶ read
 *
 * An upload that takes a second gets a copy, too. Mode `always`: copied before anything else. `never`: in memory, or only in the
 * folder. If the spool is full, an image that needs a copy stays in its folder and is not admitted; if the spool can't be written,
 * `auto` goes on without copies. What can't be copied stays in memory until others wait for room; after that, it is only in the folder.
 *
 * The memory of a payload that is over is used again once nothing reads it.
 */
export class PayloadStore {
  readonly #deps: PayloadStoreDeps;
  readonly copies: SpoolCopies;
  /** By document; oldest first. */
  readonly #payloads = new Map<number, Payload>();
  readonly #drops = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #isWatching = false;

  constructor(deps: PayloadStoreDeps) {
    this.#deps = deps;
    this.copies = new SpoolCopies(deps);
  }

  /* ---- Arriving ---- */

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
    return (await this.copies.make(hash, bytes)) === 'there';
  }

  /** Admits an image and stores its bytes. Null if there was no room: then it was not admitted. */
  async keep({ endpoint, folder, bytes }: Arrived, admit: () => Promise<Admitted>): Promise<Admitted | null> {
    const { mode, canSend } = this.#deps;
    const sendsSoon = canSend({ endpoint, folder });
    const needsCopy = mode === 'always' || (mode === 'auto' && !(sendsSoon && this.#leavesSoon));
    let readers = 0;
    let admitted: Admitted | NotCopied;
    if (needsCopy) {
      const hash = await this.#deps.hash(bytes);
      admitted = await this.copies.whileKept(hash, bytes, admit, isQueued);
      // The disk may still read what it failed to write.
      if (admitted === 'unwritable') readers = 1;
      if (admitted === 'unwritable' && mode === 'auto') admitted = await admit();
    } else admitted = await admit();
    const hash = typeof admitted === 'string' ? '' : admitted.document.sha256;
    const payload: Payload = { bytes, hash, state: 'arriving', since: 0, readers };
    if (typeof admitted === 'string' || !isQueued(admitted)) this.#end(payload);
    else if (this.#staysInMemory(admitted.document, sendsSoon)) this.#wait(admitted.document.id, payload);
    else this.#end(payload);
    return typeof admitted === 'string' ? null : admitted;
  }

  #staysInMemory({ id, sha256 }: Document, sendsSoon: boolean): boolean {
    if (this.#payloads.has(id)) return false;
    // In mode `always` too, an image is read only once if its turn comes soon.
    if (this.copies.has(sha256) && this.#deps.mode === 'auto') return false;
    return sendsSoon || !this.#deps.memory.isWaitedFor;
  }

  /** Whether what waits in memory is sent or copied within a second or so, so that there is room again. */
  get #leavesSoon(): boolean {
    return !this.#deps.memory.isWaitedFor || !(this.copies.failed || this.copies.isFull);
  }

  /* ---- Sending ---- */

  /** Whether the agent has the document's bytes itself, in memory or in the spool. */
  isNear({ id, sha256 }: Document): boolean {
    return this.#payloads.has(id) || this.copies.has(sha256);
  }

  /** The payload of a document about to be sent, if it is in memory. Then call `accepted` or `returned`. */
  take(documentId: number): Payload | undefined {
    const payload = this.#payloads.get(documentId);
    if (payload?.state !== 'waiting') return undefined;
    this.#deps.memory.giveBack(payload.bytes.length);
    payload.state = 'sending';
    this.#deps.search.end(documentId);
    return payload;
  }

  /** Reads the payload from wherever it is. Null if it is unavailable: the document is postponed or lost then. */
  async read(document: Document): Promise<Payload | null> {
    const { search, mode } = this.#deps;
    const bytes = await search.fetch(document);
    if (bytes === null) return null;
    const payload: Payload = { bytes, hash: document.sha256, state: 'sending', since: 0, readers: 0 };
    if (mode === 'always') await this.#copy(payload);
    this.#hold(document.id, payload);
    return payload;
  }

  /** A request reads the bytes from now on. */
  lend(payload: Payload): void {
    payload.readers += 1;
  }

  /** It does not any more. */
  takeBack(payload: Payload): void {
    payload.readers -= 1;
    if (payload.readers === 0 && payload.state === 'over') this.#deps.buffers.giveBack(payload.bytes);
  }

  accepted({ id, sha256 }: Document): void {
    const payload = this.#payloads.get(id);
    if (payload) this.#end(payload, id);
    if (!this.copies.mayHave(sha256)) return;
    const drop = this.copies.tryDropping(sha256);
    this.#drops.add(drop);
    void drop.finally(() => this.#drops.delete(drop));
  }

  /** The document was not accepted: it waits, or has left the queue for a person to decide. */
  async returned({ id }: Document, leftQueue = false): Promise<void> {
    const payload = this.#payloads.get(id);
    if (!payload) return;
    const isCopied = this.keepsCopies && (await this.#copy(payload)) === 'there';
    // Nothing would ever take a document that left the queue from memory, so its room would be lost.
    const isOver = isCopied || this.#deps.memory.isWaitedFor || (leftQueue && !this.keepsCopies);
    if (isOver) this.#end(payload, id);
    else this.#wait(id, payload);
  }

  /* ---- In memory ---- */

  #wait(id: number, payload: Payload): void {
    payload.state = 'waiting';
    this.#deps.memory.add(payload.bytes.length);
    this.#hold(id, payload);
  }

  #hold(id: number, payload: Payload): void {
    payload.since = this.#deps.clock.monotonic();
    this.#payloads.set(id, payload);
    if (!this.#isWatching) void this.#watch();
  }

  #end(payload: Payload, id?: number): void {
    if (payload.state === 'waiting') this.#deps.memory.giveBack(payload.bytes.length);
    payload.state = 'over';
    if (id !== undefined) this.#payloads.delete(id);
    if (payload.readers === 0) this.#deps.buffers.giveBack(payload.bytes);
  }

  async #copy(payload: Payload): Promise<'there' | NotCopied> {
    this.lend(payload);
    const isWanted = () => payload.state !== 'over';
    const copied = await this.copies.make(payload.hash, payload.bytes, isWanted);
    // The disk may still read what it failed to write.
    if (copied !== 'unwritable') this.takeBack(payload);
    return copied;
  }

  /** Copies what has been in memory for a second, for as long as something is. */
  async #watch(): Promise<void> {
    const { clock, log } = this.#deps;
    const { signal } = this.#closing;
    this.#isWatching = true;
    let againInMs = 0;
    for (let [first] = this.#uncopied(); first && !signal.aborted; [first] = this.#uncopied()) {
      const ms = first[1].since + SPOOL_AFTER_MS - clock.monotonic();
      await clock.sleep(Math.max(againInMs, ms), signal).catch(() => {});
      const areCopied = await this.#copyDue().catch((error: unknown) => {
        log.error('imageNotCopied', describeError(error));
        return false;
      });
      againInMs = areCopied ? 0 : SPOOL_AFTER_MS;
    }
    this.#isWatching = false;
  }

  *#uncopied(): Iterable<[number, Payload]> {
    for (const entry of this.#payloads) {
      const [, { state, hash }] = entry;
      if (state === 'waiting' || (this.keepsCopies && !this.copies.has(hash))) yield entry;
    }
  }

  /** False if something that is due stays in memory without a copy. */
  async #copyDue(): Promise<boolean> {
    const now = this.#deps.clock.monotonic();
    const due = [...this.#uncopied()].filter(([, { since }]) => since + SPOOL_AFTER_MS <= now);
    let areCopied = true;
    for (let start = 0; start < due.length && !this.#closing.signal.aborted; start += COPIED_AT_ONCE) {
      const chunk = due.slice(start, start + COPIED_AT_ONCE);
      const ends = await Promise.all(chunk.map(([id, payload]) => this.#letGo(id, payload)));
      if (ends.includes(false)) areCopied = false;
    }
    return areCopied;
  }

  /** False if it has no copy. */
  async #letGo(id: number, payload: Payload): Promise<boolean> {
    const isCopied = this.keepsCopies && (await this.#copy(payload)) === 'there';
    if (payload.state === 'waiting' && (isCopied || this.#deps.memory.isWaitedFor)) this.#end(payload, id);
    return isCopied;
  }

  /** Copies everything in memory, since nothing will be sent any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const [id, payload] of this.#uncopied()) await this.#letGo(id, payload);
    await Promise.all(this.#drops);
  }

  /* ---- Sweeping ---- */

  /** Sweeps now and every ten minutes, until aborted. */
  async runSweeps(signal: AbortSignal): Promise<void> {
    const { clock, log, ledger } = this.#deps;
    let sweptAt = -Infinity;
    while (!signal.aborted) {
      try {
        await this.copies.probe();
        if (clock.monotonic() - sweptAt >= SWEEP_MS) {
          sweptAt = clock.monotonic();
          await this.sweep(signal);
        } else if (this.copies.isFull) await this.copies.sweep(signal);
      } catch (error) {
        if (signal.aborted) return;
        const isSaid = ledger.storage.trouble() !== null;
        log[isSaid ? 'debug' : 'warn']('spoolSweepDelayed', describeError(error));
      }
      for (let slept = 0; slept < SWEEP_MS && !signal.aborted; slept += PROBE_MS) {
        await clock.sleep(PROBE_MS, signal).catch(() => {});
        if (this.copies.failed || this.copies.isFull) break;
      }
    }
  }

  /** Sweeps once, for a run that ends when the queue is empty. A failure is left to the next sweep. */
  async trySweeping(signal: AbortSignal): Promise<void> {
    await this.sweep(signal).catch((error: unknown) => {
      if (!signal.aborted) this.#deps.log.warn('spoolSweepFailed', describeError(error));
    });
  }

  /** Removes copies that nothing needs, and copies waiting documents that have none and can't be sent now. */
  async sweep(signal: AbortSignal): Promise<void> {
    const removed = await this.copies.sweep(signal);
    const copied = await this.#copyWaiting(signal);
    if (removed + copied > 0) this.#deps.log.debug('spoolSwept', { removed, copied });
  }

  async #copyWaiting(signal: AbortSignal): Promise<number> {
    const { ledger, spool } = this.#deps;
    let copied = 0;
    for (let after = 0; ;) {
      const batch = await ledger.waiting(after, DOCUMENTS_AT_ONCE);
      for (const document of batch) {
        if (signal.aborted) return copied;
        after = document.id;
        if (!this.#lacksCopy(document)) continue;
        if (spool.usedBytes + document.size > spool.limitBytes * (1 - LEFT_TO_NEW)) return copied;
        const end = await this.#copyOriginal(document);
        if (end === 'there') copied += 1;
        else if (end !== null) return copied;
      }
      if (batch.length < DOCUMENTS_AT_ONCE) return copied;
    }
  }

  /** Whether a waiting document should have a copy but has none. */
  #lacksCopy({ id, sha256, endpoint, folder, notBefore, createdAt }: Document): boolean {
    const { mode, canSend, clock } = this.#deps;
    if (mode === 'never' || this.copies.has(sha256) || this.#payloads.has(id)) return false;
    if (mode === 'always' || !canSend({ endpoint, folder })) return true;
    return notBefore > clock.now() || createdAt < clock.now() - SPOOL_AFTER_MS;
  }

  /** Null if the original is missing, which is left to delivery, because it may turn up elsewhere until then. */
  async #copyOriginal(document: Document): Promise<'there' | NotCopied | null> {
    const { memory, ledger, open, hash, buffers } = this.#deps;
    return memory.with(document.size, async () => {
      const found = await locateOriginal(document, ledger, open, hash);
      if (found.kind !== 'bytes') return null;
      const isWanted = () => this.#lacksCopy(document);
      const copied = await this.copies.make(document.sha256, found.bytes, isWanted);
      // The disk may still read what it failed to write.
      if (copied !== 'unwritable') buffers.giveBack(found.bytes);
      // The document may have been accepted during the read, when there was no copy to drop.
      await this.copies.dropUnwanted(document.sha256);
      return copied;
    });
  }
}

export function isQueued({ kind }: Admitted): boolean {
  return kind === 'queued' || kind === 'requeued';
}
