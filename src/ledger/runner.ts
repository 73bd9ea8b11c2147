import { isFault } from '../core/messages.ts';
import type { JournalHead } from '../core/ports/journal.ts';
import type { LedgerStorage } from '../core/ports/ledger.ts';
import type { Step } from './ledger.ts';

/** A transaction failed because of the store. */
export class StoreFailed extends Error {
  readonly failure: unknown;
  /** Whether outcomes of requests in progress may be recorded nevertheless: space was freed for them, or nothing else is tried now. */
  readonly mayRecordOutcomes: boolean;

  constructor(failure: unknown, mayRecordOutcomes: boolean) {
    super('the ledger could not be written', { cause: failure });
    this.failure = failure;
    this.mayRecordOutcomes = mayRecordOutcomes;
  }
}

/** An answer for each item of each step. */
export type Answers = readonly (readonly unknown[])[];

/** The answers with other words for the faults among them. */
export function withFaults(answers: Answers, faultOf: (fault: unknown) => unknown): Answers {
  const said = (one: unknown): unknown => (isFault(one) ? { fault: faultOf(one.fault) } : one);
  return answers.map((each) => (each.some(isFault) ? each.map(said) : each));
}

/** Who runs steps: a writer of this thread, or the link to one. */
export interface Runner {
  readonly storage: LedgerStorage;
  /**
   * One transaction. `areOutcomes`: of requests in progress, which are recorded even while nothing else is.
   * @throws StoreFailed
   */
  run(steps: readonly Step[], areOutcomes: boolean): Promise<Answers>;
  backup(target: string | null): Promise<{ readonly file: string; readonly head: JournalHead }>;
  /**
   * Resolves once nothing that was erased is left in any file.
   * @throws ReceiptdError LEDGER_WRITE_FAILED while another program keeps it there
   */
  blanked(): Promise<void>;
  /** A read failed. Resolves once `storage` says what that means. */
  readFailed(failure: unknown): Promise<void>;
  /** A full check that began then found nothing; null: it found damage. */
  looked(soundAt: number | null): void;
  close(): Promise<void>;
}
