import type { Document, EndpointKey, Lane } from '../../core/domain/document.ts';
import type { BeginItem } from '../../core/messages.ts';
import type { LedgerFleet } from '../../core/ports/fleet.ts';

/** What a fleet decides with the requests of its agents. */
export interface Shared extends LedgerFleet {
  limitsOf(endpoint: EndpointKey, lane: Lane): Pick<BeginItem, 'limit' | 'budgets'>;
  /** For a document whose bytes this agent does not find: when another one may have them. */
  elsewhere(
    document: number,
    at: number,
  ): Promise<{ readonly due: number; readonly message: string } | undefined>;
  /** Whether what this agent sees in the folder is what is there now: no other agent watches it. */
  watches(folder: string): boolean;
  /** Of the documents of a shared folder, those that this agent takes first, so that agents don't compete: one in `running`. */
  isTurn(document: Pick<Document, 'id' | 'folder'>): boolean;
  readonly running: number;
}
