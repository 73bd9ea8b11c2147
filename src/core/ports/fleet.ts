import type { EndpointKey, Lane } from '../domain/document.ts';
import type { Rate } from '../domain/rate.ts';
import type { Hold } from './hold.ts';

/** What another agent has changed: documents that may be sent, holds and pauses, or the agents themselves. */
export type FleetSignal = 'queue' | 'holds' | 'agents';

/** An agent of the fleet, as the shared ledger knows it. Times are wall-clock milliseconds of the database. */
export interface FleetAgent {
  readonly name: string;
  readonly host: string;
  readonly version: string;
  /** `silent`: its lease has run out without it having stopped. */
  readonly state: 'running' | 'stopped' | 'silent';
  readonly startedAt: number | null;
  readonly lastSeenAt: number | null;
  /** Who paused it, and since when; null while it is not paused. */
  readonly paused: { readonly by: string; readonly since: number } | null;
  /** Documents that it admitted, and that wait. */
  readonly queued: number;
  /** Upload requests that it has under way. */
  readonly uploading: number;
  /** Shared folders whose intake it leads, by the name of their share. */
  readonly leads: readonly string[];
  readonly holds: readonly Hold[];
}

/** An agent whose lease ran out without it having stopped. */
export interface SilentAgent {
  readonly name: string;
  readonly host: string;
  /** Wall-clock milliseconds of the database. */
  readonly lastSeenAt: number;
  readonly silentMs: number;
}

/** What became of the work of an agent that will not come back. */
export interface Retired {
  /** Documents of its own folders, whose bytes nobody else has: they count as lost. */
  readonly lost: number;
  /** Documents of shared folders that another agent looks after now. */
  readonly passedOn: number;
  /** Results that it received and had not handed on; this agent does. */
  readonly results: number;
}

/** Reading; works without being an agent of the fleet. */
export interface FleetReports {
  /** By name. */
  agents(): Promise<readonly FleetAgent[]>;
}

/** Limits that the agents of a fleet keep together. */
export interface FleetLimits {
  readonly rate: Rate | null;
  readonly perDay: number | null;
  readonly perMonth: number | null;
}

/**
 * What agents that share a ledger need of each other. Each has a lease, renewed by a heartbeat. Whose lease runs out is
 * fenced: its work is put back, and what it writes under the old lease is refused with AGENT_FENCED.
 */
export interface LedgerFleet extends FleetReports {
  /** This agent's name. */
  readonly agent: string;
  /** Calls back when another agent changed something; resolves the function that ends it. */
  onSignal(listener: (signal: FleetSignal) => void): () => void;
  /**
   * Whether this agent's lease is certain, by its own clocks; asked right before a request leaves, with its attempt: that has to have
   * begun under the same lease, or it may have been taken over in between.
   */
  isLeased(attemptId?: number): boolean;
  /**
   * Takes the lead of a shared folder (its absolute path here), or keeps it. False while another agent leads; of a folder that
   * is not shared, always true. Idempotent.
   */
  lead(folder: string): Promise<boolean>;
  /** Idempotent. */
  endLead(folder: string): Promise<void>;
  /**
   * Enters one upload request into the endpoint's windows and budgets, which the fleet keeps together. Resolves 0 when it is
   * entered and may leave now (within ENTERED_FOR_MS); else for how many milliseconds to wait before asking again, and nothing is entered.
   */
  enter(endpoint: EndpointKey, limits: FleetLimits, lane: Lane): Promise<number>;
  /**
   * Other agents that fell silent so long ago, by name; and whether this agent is the first by name of those that run. As its last
   * heartbeat found it: where nobody is silent, nothing is asked.
   */
  silence(
    atLeastMs: number,
    atMostMs: number,
  ): Promise<{ readonly isFirst: boolean; readonly agents: readonly SilentAgent[] }>;
  /** How many documents wait that no other agent can send: of its own folders, or with bytes that nobody else has. */
  waitingFor(agent: string): Promise<number>;
  /** A person says: nothing that any agent met with holds the others any more, nor itself. */
  endHolds(): Promise<void>;
  /** Whether a person has paused this agent; others tell it by the signal `agents`. */
  isPaused(): boolean;
  /** How far this agent has come with handing on what it received. */
  handed(turn: number): Promise<void>;
  /** Names of those agents that don't run and alone can send one of these documents. */
  missingFor(documentIds: readonly number[]): Promise<readonly string[]>;
  /**
   * An agent that does not run will not come back: its work becomes anybody's, or is settled, and it is shown no more. One that starts
   * under its name later is a new one. In short transactions; idempotent. @throws ReceiptdError AGENT_UNKNOWN; USAGE where it runs
   */
  retire(agent: string, at: number): Promise<Retired>;
  /** Pauses or lets go on an agent, this one or another. @throws ReceiptdError AGENT_UNKNOWN */
  setPaused(agent: string, by: string | null): Promise<void>;
}
