import type { EndpointKey } from '../domain/document.ts';
import type { SaidElsewhere } from '../domain/errors.ts';
import type { LedgerFleet } from './fleet.ts';
import type { Hold, HoldScope } from '../domain/hold.ts';
import type { JournalHead } from './journal.ts';
import type { LedgerDisposals } from './ledgerDisposals.ts';
import type { Admitted, LedgerIntake } from './ledgerIntake.ts';
import type { LedgerPages } from './ledgerPages.ts';
import type { LedgerQueue } from './ledgerQueue.ts';
import type { LedgerReports } from './ledgerReports.ts';
import type { LedgerResults } from './results.ts';

/**
 * The ledger: what was seen, named and sent, and what happened to it. A write resolves only once
 * its change is durable; callers act only then. One process writes at a time, unless the agents of a fleet
 * share it (`fleet`). Every method rejects with ReceiptdError LEDGER_WRITE_FAILED, LEDGER_DAMAGED or LEDGER_UNREACHABLE when
 * the store fails, and with AGENT_FENCED when this agent's lease has expired and its work was taken over.
 * All times are wall-clock milliseconds.
 */
export interface Ledger
  extends
    LedgerIntake,
    LedgerPages,
    LedgerQueue,
    LedgerDisposals,
    LedgerResults,
    LedgerHolds,
    LedgerAdmin,
    LedgerReports,
    LedgerUpkeep {
  readonly storage: LedgerStorage;
  /** Coordination with the other agents; null for a ledger with one agent. */
  readonly fleet: LedgerFleet | null;
  close(): Promise<void>;
}

/** Whether the ledger can be written. While it can't, only outcomes of requests in progress are still written. */
export interface LedgerStorage {
  /** Null while it works. */
  trouble(): StorageTrouble | null;
  /** Calls back at each change. @returns the function that unsubscribes */
  onChange(listener: () => void): () => void;
  /**
   * How long requests to the store have gone unanswered, in milliseconds: 0 if it answers or nothing was asked. Left out by
   * a ledger that can't hang.
   */
  silentMs?(): number;
}

export interface StorageTrouble extends SaidElsewhere {
  readonly code: 'DISK_FULL' | 'LEDGER_WRITE_FAILED' | 'LEDGER_DAMAGED' | 'LEDGER_UNREACHABLE';
  readonly hint: string;
  /** Will not recover in this process; a restart may help. */
  readonly isForGood?: boolean;
}

/* ---- Holds -------------------------------------------------------------------------------------- */

export interface LedgerHolds {
  /**
   * Replaces the hold of the same scope, key and kind (paused or not). `sharedMs`: how long it holds the other agents of the
   * fleet too; the signal `holds` announces it, and none of them begins a request once it is committed.
   */
  putHold(hold: Hold, sharedMs?: number): Promise<void>;
  /**
   * Idempotent. Without `reason`: clears any hold but PAUSED, including those that other agents ran into, since this agent has found
   * the problem to be over.
   */
  clearHold(scope: HoldScope, key: string, reason?: string): Promise<void>;
}

/* ---- What people do ------------------------------------------------------------------------------ */

/** A deliberate action by a person, kept for the record. */
export interface Act {
  readonly at: number;
  readonly kind:
    'retry' | 'resend' | 'move' | 'pause' | 'resume' | 'retire' | 'endpointCreate' | 'erase' | 'config';
  /** Operating-system user. */
  readonly by: string;
  readonly detail: string;
}

/** Ids of documents, and of files that did not become documents. */
export interface Cases {
  readonly documents: readonly number[];
  readonly files: readonly number[];
}

export interface LedgerAdmin {
  recordAct(act: Act): Promise<void>;
  /**
   * Queues those of these documents that failed, are unconfirmed or lost, or wait for a later time; due at once, names unchanged.
   * Resolves how many.
   */
  retry(documentIds: readonly number[], at: number): Promise<number>;
  /**
   * Marks documents that failed, are unconfirmed or lost, and files that can't be sent, as needing no person any more; `undismiss`
   * takes that back. Their state stays, and the mark ends when the document's state or the file changes. Skips cases that need no
   * person (or were not dismissed). Resolves how many changed.
   */
  dismiss(cases: Cases, by: string, at: number): Promise<number>;
  undismiss(cases: Cases, by: string, at: number): Promise<number>;
  /** Queues an accepted document again in its own endpoint, under its name. */
  resend(documentId: number, at: number): Promise<void>;
  /**
   * Permanently erases the personal data of documents: paths, messages and the service's answers, also in their attempts,
   * files and journal entries. Names, hashes, times, states and the hash chain stay. Only settled
   * documents (accepted, failed, unconfirmed, lost); skips others. Resolves how many were erased.
   */
  erase(documentIds: readonly number[], at: number): Promise<number>;
  /**
   * Moves those of these documents that wait, failed, are unconfirmed or lost to another endpoint, which gets a document with their
   * bytes unless it has one. They end as `failed` (MOVED) and dismissed. Resolves how many.
   */
  moveTo(documentIds: readonly number[], endpoint: EndpointKey, by: string, at: number): Promise<number>;
  /** Admits known bytes into another endpoint. */
  admitElsewhere(documentId: number, endpoint: EndpointKey, at: number): Promise<Admitted>;
  recordEndpoint(endpoint: EndpointKey, name: string, verbatim: string, at: number): Promise<void>;
}

/* ---- Upkeep --------------------------------------------------------------------------------------- */

export interface LedgerUpkeep {
  /** False once its files were removed or replaced while open: further writes would be lost. */
  isInPlace(): Promise<boolean>;
  /**
   * Copies the whole ledger to a new file (absolute; null: a new automatic backup), with the
   * journal's head at that moment. Writes continue meanwhile. @throws ReceiptdError BACKUP_FAILED
   */
  backup(target: string | null): Promise<{ readonly file: string; readonly head: JournalHead }>;
  /** Time of the newest automatic backup; null without one. */
  lastBackup(): Promise<number | null>;
  /** Removes all but the newest `keep` of the automatic backups. */
  pruneBackups(keep: number): Promise<void>;
  /**
   * Checks all of it, in another process. Resolves null if it is intact, or what is wrong; the next start then
   * sets it aside and rebuilds it.
   */
  check(signal?: AbortSignal): Promise<string | null>;
}
