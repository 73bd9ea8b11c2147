import { paramsOf, ReceiptdError } from '../../core/domain/errors.ts';
import { size } from '../../core/domain/words.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerStorage, StorageTrouble } from '../../core/ports/ledger.ts';
import { isBusy } from './failure.ts';
import type { Reserve } from './reserve.ts';

/** Disk space for the outcomes of requests in progress. */
export type ReservedSpace = Pick<Reserve, 'prepare' | 'release' | 'restore' | 'wantedBytes'>;

export interface TroubleOptions {
  readonly onDamaged?: (message: string) => void;
  readonly isMendedNext?: boolean;
}

const TRY_EVERY_MS = 5_000;

/**
 * Whether the store can be written:
 *
 *   well ──a write fails because of the store──▶ troubled ──a write works again (tried every 5 s)──▶ well
 *
 *   well ──SQLite finds damage──▶ damaged, until the next start repairs it: the process ends for that, unless it began with a
 *                                 repair (a disk that keeps damaging the ledger needs a person, not a series of rebuilds)
 *
 * When the disk is full, the reserve is released at once for requests in progress; the store is well again only when
 * there is space for a new reserve. While troubled, nothing new is begun.
 */
export class Trouble implements LedgerStorage {
  readonly #clock: Clock;
  readonly #reserve: ReservedSpace | null;
  readonly #listeners = new Set<() => void>();
  readonly #closed = new AbortController();
  #tryWriting: () => void = () => {};
  readonly #onDamaged: (message: string) => void;
  readonly #isMendedNext: boolean;
  #error: ReceiptdError | null = null;
  #isDamaged = false;
  #isHeld: boolean;

  /** `isMendedNext`: whether the next start will repair damage without being asked. */
  constructor(
    clock: Clock,
    reserve: ReservedSpace | null,
    { onDamaged = () => {}, isMendedNext = false }: TroubleOptions = {},
  ) {
    this.#clock = clock;
    this.#reserve = reserve;
    this.#onDamaged = onDamaged;
    this.#isMendedNext = isMendedNext;
    this.#isHeld = reserve?.prepare() ?? false;
  }

  trouble(): StorageTrouble | null {
    if (!this.#error) return null;
    const isMendedNext = this.#isMendedNext;
    const damage = paramsOf(this.#error, 'LEDGER_DAMAGED.file');
    const said = damage
      ? new ReceiptdError('LEDGER_DAMAGED.inUse', { ...damage, isMendedNext })
      : this.#error;
    const { code, hint = '' } = said;
    if (code === 'LEDGER_DAMAGED')
      return { ...said.facts(), code, hint, ...(isMendedNext && { isForGood: true }) };
    return { ...said.facts(), code: code === 'DISK_FULL' ? code : 'LEDGER_WRITE_FAILED', hint };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The error that new writes are rejected with. */
  error(): ReceiptdError | null {
    return this.#error;
  }

  /** `tryWriting` throws while the store can't be written. */
  watch(tryWriting: () => void): void {
    this.#tryWriting = tryWriting;
  }

  /** Reports a failed write. True if space was freed by it, so that a retry may succeed. */
  met(failure: unknown): boolean {
    if (!(failure instanceof ReceiptdError) || isBusy(failure)) return false;
    if (failure.code === 'LEDGER_DAMAGED') return this.#damaged(failure);
    if (this.#isDamaged || (failure.code !== 'DISK_FULL' && failure.code !== 'LEDGER_WRITE_FAILED'))
      return false;
    const isFirst = this.#error === null;
    const isFull = failure.code === 'DISK_FULL';
    this.#error = isFull ? this.#saysHowMuch(failure) : failure;
    const released = isFull && this.#isHeld;
    if (released) this.#release();
    if (isFirst) {
      this.#tell();
      void this.#untilWell();
    }
    return released;
  }

  /** Damage does not heal while the process runs. */
  #damaged(failure: ReceiptdError): false {
    if (this.#isDamaged) return false;
    this.#isDamaged = true;
    this.#error = failure;
    this.#onDamaged(failure.message);
    this.#tell();
    return false;
  }

  close(): void {
    this.#closed.abort();
  }

  async #untilWell(): Promise<void> {
    while (this.#error !== null && !this.#isDamaged) {
      try {
        await this.#clock.sleep(TRY_EVERY_MS, this.#closed.signal);
      } catch {
        return;
      }
      if (!this.#isDamaged && this.#isWell()) this.#error = null;
    }
    if (!this.#isDamaged) this.#tell();
  }

  #isWell(): boolean {
    if (this.#reserve && !this.#isHeld && !(this.#isHeld = this.#reserve.restore())) return false;
    try {
      this.#tryWriting();
      return true;
    } catch (error) {
      const isFull = error instanceof ReceiptdError && error.code === 'DISK_FULL';
      if (error instanceof ReceiptdError) this.#error = isFull ? this.#saysHowMuch(error) : error;
      if (isFull) this.#release();
      return false;
    }
  }

  #saysHowMuch(full: ReceiptdError): ReceiptdError {
    const wanted = this.#reserve?.wantedBytes ?? 0;
    const of = paramsOf(full, 'DISK_FULL.ofLedger');
    if (wanted === 0 || of === null) return full;
    return new ReceiptdError('DISK_FULL.reserve', { ...of, wanted: size(wanted) }, { cause: full.cause });
  }

  #release(): void {
    this.#isHeld = false;
    this.#reserve?.release();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
