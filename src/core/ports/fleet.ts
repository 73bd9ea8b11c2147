import type { Document } from '../domain/document.ts';
import type { Hold } from '../domain/hold.ts';

/** What another agent changed: documents that may be sent, holds and pauses, or the agents themselves. */
export type FleetSignal = 'queue' | 'holds' | 'agents';

/** An agent of the fleet, as the shared ledger knows it. Times are wall-clock milliseconds of the database. */
export interface FleetAgent {
  readonly name: string;
  readonly host: string;
  readonly version: string;
  /** `silent`: its lease has expired, but it did not report stopping. */
  readonly state: 'running' | 'stopped' | 'silent';
  readonly startedAt: number | null;
  readonly lastSeenAt: number | null;
  /** Who paused it, and since when; null while it is not paused. */
  readonly paused: { readonly by: string; readonly since: number } | null;
  /** Queued documents that it admitted. */
  readonly queued: number;
  /** Its upload requests in progress. */
  readonly uploading: number;
  /** Shared folders whose intake it leads, by the name of their share. */
  readonly leads: readonly string[];
  readonly holds: readonly Hold[];
}

/** An agent whose lease expired, but that did not report stopping. */
export interface SilentAgent {
  readonly name: string;
  readonly host: string;
  /** Wall-clock milliseconds of the database. */
  readonly lastSeenAt: number;
  readonly silentMs: number;
}

/** Where the work of a retired agent went. */
export interface Retired {
  /** Documents of its own folders whose bytes no other agent has: now lost. */
  readonly lost: number;
  /** Documents of shared folders, now handled by other agents. */
  readonly passedOn: number;
  /** Results that it received but had not handed on; this agent does so instead. */
  readonly results: number;
}

/** Read-only; works without being an agent of the fleet. */
export interface FleetReports {
  /** By name. */
  agents(): Promise<readonly FleetAgent[]>;
}

/**
 * Coordination between agents that share a ledger. Each has a lease, renewed by a heartbeat. An agent whose lease expires is
 * fenced: its work is requeued, and its writes under the old lease are refused with AGENT_FENCED.
 */
export interface LedgerFleet extends FleetReports {
  /** This agent's name. */
  readonly agent: string;
  /** Calls back when another agent changes something. @returns the function that unsubscribes */
  onSignal(listener: (signal: FleetSignal) => void): () => void;
  /**
   * Whether this agent certainly holds its lease, by its own clocks. Checked right before a request is sent, with its attempt: an
   * attempt that began under an earlier lease may have been taken over since.
   */
  isLeased(attemptId?: number): boolean;
  /**
   * Takes or keeps the lead of a shared folder (its absolute path on this machine). False while another agent leads; always true
   * for a folder that is not shared. Idempotent.
   */
  lead(folder: string): Promise<boolean>;
  /** Idempotent. */
  endLead(folder: string): Promise<void>;
  /** Of the documents of a shared folder, those that this agent takes first, so that agents don't compete: one in `running`. */
  isTurn(document: Pick<Document, 'id' | 'folder'>): boolean;
  /** Number of agents that are running. */
  readonly running: number;
  /**
   * Other agents that have been silent for between `atLeastMs` and `atMostMs`, by name; and whether this agent is the first by name
   * of those running. As of its last heartbeat: if that found nobody silent, the database is not queried.
   */
  silence(
    atLeastMs: number,
    atMostMs: number,
  ): Promise<{ readonly isFirst: boolean; readonly agents: readonly SilentAgent[] }>;
  /** Number of queued documents that only this agent can send: from its own folders, or with bytes that no other agent has. */
  waitingFor(agent: string): Promise<number>;
  /** Clears the holds that any agent ran into, for all agents; only a person asks for this. */
  endHolds(): Promise<void>;
  /** Whether a person has paused this agent; the signal `agents` announces changes. */
  isPaused(): boolean;
  /** Records the last result that this agent handed on, by its `turn`. */
  handed(turn: number): Promise<void>;
  /** Names of agents that are not running and are the only ones able to send one of these documents. */
  missingFor(documentIds: readonly number[]): Promise<readonly string[]>;
  /**
   * Removes an agent that will not come back: its work passes to the others or is closed. An agent that later starts under the same
   * name is a new one. In short transactions; idempotent. @throws ReceiptdError AGENT_UNKNOWN; USAGE if it is running
   */
  retire(agent: string, at: number): Promise<Retired>;
  /** Pauses (`by` is who did) or resumes (null) this agent or another. @throws ReceiptdError AGENT_UNKNOWN */
  setPaused(agent: string, by: string | null): Promise<void>;
}
