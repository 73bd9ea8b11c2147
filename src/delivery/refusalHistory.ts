import type { Requeue } from '../core/ports/ledgerQueue.ts';

/** Documents remembered per endpoint. */
const REMEMBERED = 1_000;

/** What an endpoint accepted and refused since the start: tells a bad document from a bad endpoint. */
export interface RefusalHistory {
  accepted: number;
  refusedInARow: Set<number>;
  /** Document id → value of `accepted` at its latest refusal, or at its latest server error. */
  readonly refusedAt: Map<number, number>;
  readonly troubleAt: Map<number, number>;
  /** The latest documents that were refused in a row and requeued together. */
  together: Requeue | undefined;
}

export function noRefusals(): RefusalHistory {
  return {
    accepted: 0,
    refusedInARow: new Set(),
    refusedAt: new Map(),
    troubleAt: new Map(),
    together: undefined,
  };
}

export function remember(map: Map<number, number>, id: number, accepted: number): void {
  map.delete(id);
  map.set(id, accepted);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest);
}
