import type { EndpointKey } from '../domain/document.ts';
import type { LedgerFleet } from './fleet.ts';
import type { Hold, HoldScope } from './hold.ts';
import type { JournalHead } from './journal.ts';
import type { LedgerDisposals } from './ledgerDisposals.ts';
import type { Admitted, LedgerIntake } from './ledgerIntake.ts';
import type { LedgerPages } from './ledgerPages.ts';
import type { LedgerQueue } from './ledgerQueue.ts';
import type { LedgerReports } from './ledgerReports.ts';
import type { LedgerResults } from './results.ts';

/**
 * The ledger: what was seen, named, sent, and what happened to it. Every method that writes resolves when
 * its change is durable, and not before; callers act only then. One process writes at a time, unless the agents of a fleet
 * share it (`fleet`). Every method rejects with ReceiptdError LEDGER_WRITE_FAILED, LEDGER_DAMAGED or LEDGER_UNREACHABLE when
 * the store fails, and with AGENT_FENCED when this agent's lease has run out and its work was taken over.
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
  /** What its agents need of each other; null for a ledger that one agent has to itself. */
  readonly fleet: LedgerFleet | null;
  close(): Promise<void>;
}

/** Whether the ledger can be written. While it can't, only the outcomes of requests under way are tried. */
export interface LedgerStorage {
  /** Null while all is well. */
  trouble(): StorageTrouble | null;
  /** Calls back at each change; resolves the function that ends it. */
  onChange(listener: () => void): () => void;
  /**
   * For how long nothing that is asked of it has been answered, in milliseconds: 0 where it answers, or nothing is asked. Left out by
   * a ledger that can't hang by itself.
   */
  silentMs?(): number;
}

export interface StorageTrouble {
  readonly code: 'DISK_FULL' | 'LEDGER_WRITE_FAILED' | 'LEDGER_DAMAGED' | 'LEDGER_UNREACHABLE';
  readonly message: string;
  readonly hint: string;
  /** Not in the life of this process; the next one may. */
  readonly isForGood?: boolean;
}

/* ---- Holds -------------------------------------------------------------------------------------- */

export interface LedgerHolds {
  /**
   * Replaces the hold of the same scope, key and kind (paused or not). `sharedMs`: for how long it holds the other agents of the
   * fleet as well; they hear of it by the signal `holds`, and none of them begins a request from its commit on.
   */
  putHold(hold: Hold, sharedMs?: number): Promise<void>;
  /**
   * Idempotent. Without `reason`: any but PAUSED; then nobody else is held any more by what other agents met with and is over, since
   * this agent has found it to be so.
   */
  clearHold(scope: HoldScope, key: string, reason?: string): Promise<void>;
}

/* ---- What people do ------------------------------------------------------------------------------ */

/** A deliberate act, kept for the record. */
export interface Act {
  readonly at: number;
  readonly kind: 'retry' | 'resend' | 'pause' | 'resume' | 'retire' | 'endpointCreate' | 'erase' | 'config';
  /** Operating-system user. */
  readonly by: string;
  readonly detail: string;
}

/** Numbers of documents, and of sightings of files that are none. */
export interface Cases {
  readonly documents: readonly number[];
  readonly sightings: readonly number[];
}

export interface LedgerAdmin {
  recordAct(act: Act): Promise<void>;
  /**
   * Queues those of these documents that failed, are unconfirmed or lost, or wait for a later time, at once, under their names. Resolves how
   * many.
   */
  retry(documentIds: readonly number[], at: number): Promise<number>;
  /**
   * From now on these need no person, or (`undismiss`) need one again: documents that failed, are unconfirmed or lost, and files that
   * can't be sent. They stay what they are; once the document moves or the file changes, it is another case. What does not need a
   * person, or was not dismissed, is passed over. Resolves how many were not.
   */
  dismiss(cases: Cases, by: string, at: number): Promise<number>;
  undismiss(cases: Cases, by: string, at: number): Promise<number>;
  /** Queues an accepted document again in its own endpoint, under its name. */
  resend(documentId: number, at: number): Promise<void>;
  /**
   * Erases the personal data of documents for good: paths, messages, the service's answers; also of their attempts,
   * sightings, and entries in the journal. Name, hash, times and states stay, and so does the chain. Only settled
   * documents (accepted, failed, unconfirmed, lost); others are left as they are. Resolves how many were erased.
   */
  erase(documentIds: readonly number[], at: number): Promise<number>;
  /** Admits known bytes into another endpoint. */
  admitElsewhere(documentId: number, endpoint: EndpointKey, at: number): Promise<Admitted>;
  recordEndpoint(endpoint: EndpointKey, name: string, verbatim: string, at: number): Promise<void>;
}

/* ---- Upkeep --------------------------------------------------------------------------------------- */

export interface LedgerUpkeep {
  /** False once what it is kept in was removed or replaced under it: what is written then is for nobody. */
  isInPlace(): Promise<boolean>;
  /**
   * A copy of the whole ledger in a new file (absolute; null: one of its own among the automatic backups), with the
   * journal's head of that moment in it. Writes go on meanwhile. @throws ReceiptdError BACKUP_FAILED
   */
  backup(target: string | null): Promise<{ readonly file: string; readonly head: JournalHead }>;
  /** When the newest automatic backup was made; null without one. */
  lastBackup(): Promise<number | null>;
  /** Removes all but the newest `keep` of the automatic backups. */
  pruneBackups(keep: number): Promise<void>;
  /**
   * Looks through all of it, in another process. Resolves null if it is sound, or what is wrong; then the next
   * start sets it aside and rebuilds it.
   */
  check(signal?: AbortSignal): Promise<string | null>;
}
