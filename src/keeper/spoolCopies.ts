import { describeError, ReceiptdError } from '../core/domain/errors.ts';
import { KeyedTurns } from '../core/domain/keyedTurns.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { LedgerQueue } from '../core/ports/ledgerQueue.ts';
import type { Log } from '../core/ports/log.ts';
import type { Spool } from '../core/ports/spool.ts';
import { sha256 } from '../core/sha256.ts';

export type SpoolMode = 'auto' | 'always' | 'never';

export interface SpoolCopiesDeps {
  readonly mode: SpoolMode;
  readonly spool: Spool;
  readonly ledger: Pick<LedgerQueue, 'wanted'>;
  readonly incidents: Incidents;
  readonly clock: Clock;
  readonly log: Log;
  /** How long the copy of a failed or unconfirmed document is kept. */
  readonly keepFailedMs: number;
}

export type NotCopied = 'full' | 'unwritable';

/** Pause after a failure of the disk. */
const TRY_AGAIN_MS = 5_000;
/**
 * Share of the limit that must be free before a full spool counts as resolved; otherwise each sent image would open and close the
 * incident.
 */
const ROOM_AGAIN = 0.05;
const HASHES_AT_ONCE = 500;

/**
 * Makes and drops copies in the spool. A copy is not dropped if a document came to need it meanwhile. The spool is
 *
 *   well ──an image does not fit──▶ full (SPOOL_FULL) ──copies go──▶ well
 *     └──the disk fails──▶ unwritable (SPOOL_UNWRITABLE), left alone for seconds, tried again ──▶ well
 */
export class SpoolCopies {
  readonly #deps: SpoolCopiesDeps;
  readonly #turns = new KeyedTurns();
  /** Number of `whileKept` calls in progress, by hash. */
  readonly #kept = new Map<string, number>();
  readonly #needs: ((hash: string) => boolean)[] = [(hash) => this.#kept.has(hash)];
  #lacked: number | null = null;
  #failed = false;
  #tryAgainAt = -Infinity;

  constructor(deps: SpoolCopiesDeps) {
    this.#deps = deps;
  }

  has(hash: string): boolean {
    return this.#deps.spool.has(hash);
  }

  /** True also while the copy is being made. */
  mayHave(hash: string): boolean {
    return this.has(hash) || this.#turns.has(hash);
  }

  /** Registers a check: copies for which it returns true are never dropped, because something not in the ledger needs them. */
  alsoNeededBy(needs: (hash: string) => boolean): void {
    this.#needs.push(needs);
  }

  /** Whether the last write failed. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Whether an image did not fit, and there is still too little room. */
  get isFull(): boolean {
    return this.#lacked !== null;
  }

  /** Whether a write failed a moment ago, so that none is tried now. */
  get isLeftAlone(): boolean {
    return this.#deps.clock.monotonic() < this.#tryAgainAt;
  }

  /** Whether an image of that size fits; if not, opens an incident. */
  fits(size: number): boolean {
    if (this.#deps.spool.fits(size)) return true;
    this.#full(size);
    return false;
  }

  /** The copy is durable if `there`. Never rejects because of the disk. `isWanted` is evaluated right before writing. */
  async make(hash: string, bytes: Buffer, isWanted = () => true): Promise<'there' | NotCopied> {
    return this.#turns.run(hash, async () => {
      if (!isWanted() || this.has(hash)) return 'there';
      if (this.isLeftAlone) return 'unwritable';
      try {
        if (!(await this.#deps.spool.put(hash, bytes))) {
          this.#full(bytes.length);
          return 'full';
        }
      } catch (error) {
        this.#unwritable(error);
        return 'unwritable';
      }
      this.#well();
      return 'there';
    });
  }

  /**
   * Runs `work`, which admits the image, with these bytes in the spool; the copy stays if the ledger needs it then, which is not asked
   * if `isWanted` can tell from the result. Without a copy, `work` does not run.
   */
  async whileKept<T>(
    hash: string,
    bytes: Buffer,
    work: () => Promise<T>,
    isWanted: (result: T) => boolean = () => false,
  ): Promise<T | NotCopied> {
    this.#kept.set(hash, (this.#kept.get(hash) ?? 0) + 1);
    let stays = false;
    try {
      const copied = await this.make(hash, bytes);
      if (copied !== 'there') return copied;
      const result = await work();
      stays = isWanted(result);
      return result;
    } finally {
      const others = (this.#kept.get(hash) ?? 1) - 1;
      if (others > 0) this.#kept.set(hash, others);
      else this.#kept.delete(hash);
      if (!stays) await this.tryDropping(hash);
    }
  }

  /** Removes the copy unless a document still needs it. An image that is admitted meanwhile is copied again. */
  async dropUnwanted(hash: string): Promise<void> {
    if (!this.mayHave(hash)) return;
    await this.#turns.run(hash, async () => {
      if (!this.has(hash) || this.#isNeeded(hash)) return;
      const { spool, log } = this.#deps;
      const wanted = await this.#wanted([hash]);
      if (wanted.has(hash)) return;
      // Checked again: the need may have arisen during the query.
      if (this.#isNeeded(hash)) return;
      try {
        await spool.remove(hash);
      } catch (error) {
        if (!(error instanceof ReceiptdError)) throw error;
        log.warn('unneededCopyNotRemoved', { sha256: hash, detail: error.message });
        return;
      }
      this.#closeFull();
    });
  }

  /** The same; if that fails, the next sweep removes it. */
  async tryDropping(hash: string): Promise<void> {
    await this.dropUnwanted(hash).catch((error: unknown) => {
      this.#deps.log.debug('copyNotDropped', { sha256: hash, ...describeError(error) });
    });
  }

  /** Removes all copies that nothing needs. @returns how many */
  async sweep(signal: AbortSignal): Promise<number> {
    const hashes = this.#deps.spool.hashes();
    let removed = 0;
    for (let start = 0; start < hashes.length; start += HASHES_AT_ONCE) {
      const batch = hashes.slice(start, start + HASHES_AT_ONCE);
      const wanted = await this.#wanted(batch);
      for (const hash of batch) {
        if (signal.aborted) return removed;
        if (wanted.has(hash)) continue;
        await this.dropUnwanted(hash);
        if (!this.has(hash)) removed += 1;
      }
    }
    return removed;
  }

  /** After a failure, tests whether the disk is writable again. */
  async probe(): Promise<void> {
    if (!this.#failed) return;
    const bytes = Buffer.from('probe');
    const hash = sha256(bytes);
    if ((await this.make(hash, bytes)) === 'there') await this.dropUnwanted(hash);
  }

  #wanted(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    const { ledger, clock, keepFailedMs } = this.#deps;
    return ledger.wanted(hashes, clock.now() - keepFailedMs);
  }

  #full(size: number): void {
    const { spool, incidents } = this.#deps;
    this.#lacked = size;
    const { usedBytes: used, limitBytes: limit } = spool;
    incidents.open({ key: 'SPOOL_FULL', code: 'SPOOL_FULL', params: { used, limit, size } });
  }

  #closeFull(): void {
    const { spool, incidents } = this.#deps;
    if (this.#lacked === null) return;
    const enough = Math.max(this.#lacked, spool.limitBytes * ROOM_AGAIN);
    if (!spool.fits(Math.min(spool.limitBytes, enough))) return;
    this.#lacked = null;
    incidents.close('SPOOL_FULL');
  }

  #unwritable(error: unknown): void {
    if (!(error instanceof ReceiptdError)) throw error;
    const { incidents, clock, mode } = this.#deps;
    this.#failed = true;
    this.#tryAgainAt = clock.monotonic() + TRY_AGAIN_MS;
    incidents.open({
      key: 'SPOOL_UNWRITABLE',
      code: 'SPOOL_UNWRITABLE',
      params: { ...error.within(), keepsScans: mode === 'always' },
    });
  }

  #well(): void {
    if (!this.#failed) return;
    this.#failed = false;
    this.#tryAgainAt = -Infinity;
    this.#deps.incidents.close('SPOOL_UNWRITABLE');
  }

  #isNeeded(hash: string): boolean {
    return this.#needs.some((needs) => needs(hash));
  }
}
