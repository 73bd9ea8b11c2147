import type { Lane } from '../../core/domain/document.ts';
import type { EndpointQueue } from './endpointQueue.ts';

/** Of the requests at once, with those that are accepted and not recorded yet: a kill leaves as many to be sent again. */
export const LEFT_FACTOR = 2;

interface Waiting {
  readonly queue: EndpointQueue;
  readonly lane: Lane;
  readonly granted: (place: boolean) => void;
}

/**
 * The places of requests under way. Each request is
 *
 *   recorded ──a place is free──▶ under way ──accepted──▶ not recorded yet ──▶ over
 *      └──sent away──▶ over          └──anything else, recorded──▶ over
 *
 * Who waits for a place has its bytes, its token and its record, so that it leaves the moment that another is answered.
 */
export class UploadSlots {
  readonly #concurrency: number;
  readonly #mostOf: (queue: EndpointQueue) => number;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #unrecorded = 0;

  /** `mostOf`: how many requests of an endpoint may be under way at present. */
  constructor(concurrency: number, mostOf: (queue: EndpointQueue) => number) {
    this.#concurrency = concurrency;
    this.#mostOf = mostOf;
  }

  /** Whether one may leave at once. */
  hasRoom(queue: EndpointQueue): boolean {
    return (
      queue.underWay < this.#mostOf(queue) &&
      this.#underWay < this.#concurrency &&
      this.#underWay + this.#unrecorded < this.#concurrency * LEFT_FACTOR
    );
  }

  /** Null where there is a place at once; false where it was sent away. Of an endpoint the fresh ones first, else in order. */
  take(queue: EndpointQueue, lane: Lane): Promise<boolean> | null {
    if (this.#waiting.length === 0 && this.hasRoom(queue)) {
      this.#enter(queue);
      return null;
    }
    return new Promise((granted) => {
      const waiting = { queue, lane, granted };
      const isBehind = (other: Waiting): boolean => other.queue === queue && other.lane === 'backlog';
      const at = lane === 'fresh' ? this.#waiting.findIndex(isBehind) : -1;
      this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, waiting);
      this.grant();
    });
  }

  /** Accepted, and not recorded yet. */
  accepted(queue: EndpointQueue): void {
    this.#leave(queue);
    this.#unrecorded += 1;
    this.grant();
  }

  recorded(): void {
    this.#unrecorded -= 1;
    this.grant();
  }

  /** Over in any other way. */
  free(queue: EndpointQueue): void {
    this.#leave(queue);
    this.grant();
  }

  /** Nobody who waits gets a place any more. */
  sendAway(): void {
    for (const { granted } of this.#waiting.splice(0)) granted(false);
  }

  /** Gives out what is free; an endpoint that has no room is passed over. */
  grant(): void {
    for (let at = 0; at < this.#waiting.length;) {
      const { queue, granted } = this.#waiting[at] as Waiting;
      if (!this.hasRoom(queue)) {
        at += 1;
        continue;
      }
      this.#waiting.splice(at, 1);
      this.#enter(queue);
      granted(true);
    }
  }

  #enter(queue: EndpointQueue): void {
    queue.underWay += 1;
    this.#underWay += 1;
  }

  #leave(queue: EndpointQueue): void {
    queue.underWay -= 1;
    this.#underWay -= 1;
  }
}
