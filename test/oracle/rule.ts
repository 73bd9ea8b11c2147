import type { Event, EventOf } from './evidence.ts';
import type { Seen } from './seen.ts';

export const PROMISES = ['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7'] as const;
export type PromiseName = (typeof PROMISES)[number];

export interface Breach {
  readonly promise: PromiseName;
  readonly rule: string;
  readonly what: string;
}

type Words = Iterable<string>;

/** Judges by what is seen, with the event itself. Each word that it yields is a breach. */
export interface Rule {
  readonly promise: PromiseName;
  /** Its name in promises.md. */
  readonly rule: string;
  readonly on?: { readonly [K in Event['kind']]?: (event: EventOf<K>, seen: Seen) => Words };
  /** What is still owed; nothing may be, once all trouble is over. */
  readonly owed?: (seen: Seen) => Words;
  /** What has to hold when everything has ended. */
  readonly end?: (seen: Seen) => Words;
}
