import type { ReceiptdError } from '../../core/domain/errors.ts';
import type { LedgerStorage, StorageTrouble } from '../../core/ports/ledger.ts';

/**
 * Whether the database can be written:
 *
 *   well ──a connection is lost, or the server fails──▶ troubled ──connected again──▶ well
 */
export class FleetTrouble implements LedgerStorage {
  readonly #listeners = new Set<() => void>();
  #error: ReceiptdError | null = null;

  trouble(): StorageTrouble | null {
    if (!this.#error) return null;
    const { code, hint = '' } = this.#error;
    return {
      ...this.#error.facts(),
      code: code === 'LEDGER_WRITE_FAILED' ? code : 'LEDGER_UNREACHABLE',
      hint,
    };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The error that reads and writes are rejected with. */
  error(): ReceiptdError | null {
    return this.#error;
  }

  met(error: ReceiptdError): void {
    const isNew = this.#error?.message !== error.message;
    this.#error = error;
    if (isNew) this.#tell();
  }

  over(): void {
    if (!this.#error) return;
    this.#error = null;
    this.#tell();
  }

  close(): void {
    this.#listeners.clear();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
