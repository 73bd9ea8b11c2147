import type { Document, Lane } from '../../core/domain/document.ts';
import type { EndpointSettings } from '../../core/domain/settings.ts';

export const LANES: readonly Lane[] = ['fresh', 'backlog'];

/** One endpoint's part of the queue in memory. */
export class EndpointQueue {
  readonly settings: EndpointSettings;
  readonly claimed: Record<Lane, Document[]> = { fresh: [], backlog: [] };
  /** Lanes found empty, and until when (monotonic) that need not be checked again without a notification. */
  readonly looked = new Map<Lane, number>();
  /** Begun, and neither accepted nor over. */
  inFlight = 0;
  /** The wall clock was set back by so much since the last look; Infinity: it was not. */
  setBackMs = Infinity;

  constructor(settings: EndpointSettings) {
    this.settings = settings;
  }

  /** Milliseconds until a document falls due; null when none waits for a time. */
  lookAgainIn(now: number): number | null {
    const at = Math.min(...LANES.map((lane) => this.looked.get(lane) ?? Infinity));
    return at === Infinity ? null : Math.max(0, at - now);
  }
}
