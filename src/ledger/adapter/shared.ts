import type { LedgerFleet } from '../../core/ports/fleet.ts';

/** What a fleet decides with the requests of its agents. */
export interface Shared extends LedgerFleet {
  /** For a document whose bytes this agent does not find: when another one may have them. */
  elsewhere(
    document: number,
    at: number,
  ): Promise<{ readonly due: number; readonly message: string } | undefined>;
  /** Whether what this agent sees in the folder is what is there now: no other agent watches it. */
  watches(folder: string): boolean;
}
