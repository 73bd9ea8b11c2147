import type { Document, EndpointKey } from '../core/domain/document.ts';
import { nextOpening, type Hours } from '../core/domain/hours.ts';
import type { Note } from '../core/domain/note.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { LedgerStorage } from '../core/ports/ledger.ts';
import type { LedgerFleet } from '../core/ports/fleet.ts';
import type { Holds } from './holds.ts';
import type { Pacer } from './limits/pacer.ts';

export interface SendGateDeps {
  readonly storage: LedgerStorage;
  readonly holds: Holds;
  readonly pacer: Pacer;
  readonly fleet: Pick<LedgerFleet, 'isPaused' | 'isLeased'> | null;
  readonly clock: Clock;
  /** When uploads may start; null: always. */
  readonly hours: Hours | null;
}

/** Longest wait that still counts as sending soon. */
const AT_ONCE_MS = 1_000;

/**
 * Whether anything other than its turn keeps a document from being sent: the ledger, the sending hours, a hold, a pause or a lost
 * lease.
 */
export class SendGate {
  readonly #deps: SendGateDeps;

  constructor(deps: SendGateDeps) {
    this.#deps = deps;
  }

  /** Closed for all endpoints. */
  get isShut(): boolean {
    return this.#deps.storage.trouble() !== null || this.opensInMs > 0 || this.isPaused || !this.isLeased();
  }

  /** A person has paused this agent. */
  get isPaused(): boolean {
    return this.#deps.fleet?.isPaused() === true;
  }

  /** Whether this agent certainly holds its lease; with an attempt, whether the attempt began under the same lease. */
  isLeased(attempt?: number): boolean {
    return this.#deps.fleet?.isLeased(attempt) !== false;
  }

  /** Milliseconds until the sending hours begin; 0 within them. */
  get opensInMs(): number {
    return nextOpening(this.#deps.hours ?? [], this.#deps.clock.now());
  }

  isOpen({ endpoint, folder }: Pick<Document, 'endpoint' | 'folder'>): boolean {
    const { holds } = this.#deps;
    return holds.gate(endpoint).kind === 'open' && !holds.isPaused('folder', folder) && !this.isShut;
  }

  /** Whether the next document of this folder would be sent within a second. */
  sendsSoon(waiting: { readonly endpoint: EndpointKey; readonly folder: string }): boolean {
    return this.isOpen(waiting) && this.#deps.pacer.delay(waiting.endpoint, 'fresh').ms <= AT_ONCE_MS;
  }

  /** Notes on what slows sending down without being a problem. */
  notes(): Note[] {
    const { clock, pacer } = this.#deps;
    const { opensInMs } = this;
    if (opensInMs === 0) return pacer.notes();
    return [{ kind: 'hours', until: clock.now() + opensInMs }, ...pacer.notes()];
  }
}
