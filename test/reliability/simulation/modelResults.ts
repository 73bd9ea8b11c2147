import type { Clock } from '../../../src/core/ports/clock.ts';
import type { LedgerResults, RecordedResult } from '../../../src/core/ports/results.ts';
import type { Dice } from '../support/dice.ts';
import type { Arrival } from './modelService.ts';
import { BASE_URL } from './plan.ts';
import type { Story } from './story.ts';
import { WORLD, type Timeline } from './timeline.ts';

/** The agent's receiver of results. */
export interface Receiving {
  readonly ledger: LedgerResults;
  readonly clock: Clock;
  readonly onRecorded: (recorded: RecordedResult) => void;
}

/** Interval of retries without an answer, in milliseconds. */
const AGAIN_MS = 8_000;
/** Delay between storing an image and its result, which may come before the answer or long after it. */
const SOON_MS = 100;
const LATE_MS = 40_000;
export const DONE = 'DONE';

/** Posts results for some of the stored images until each is accepted. */
export class ModelResults {
  /** Null while no agent runs. */
  receiving: Receiving | null = null;
  /** Whether any result proved an acceptance or arrived during its upload: a hold may then last without another request to the service. */
  hasProved = false;
  readonly #timeline: Timeline;
  readonly #dice: Dice;
  readonly #story: Story;
  readonly #share: number;
  readonly #onTaken: (arrival: Arrival) => void;

  constructor(timeline: Timeline, dice: Dice, story: Story, onTaken: (arrival: Arrival) => void) {
    this.#timeline = timeline;
    this.#dice = dice;
    this.#story = story;
    this.#share = dice.pick([0, 0.3, 1]);
    this.#onTaken = onTaken;
  }

  /** An image was stored. */
  stored(arrival: Arrival): void {
    if (!this.#dice.chance(this.#share)) return;
    const delayMs = this.#dice.next() * (this.#dice.chance(0.5) ? SOON_MS : LATE_MS);
    this.#timeline.after(delayMs, WORLD, () => this.#post(arrival));
  }

  #post(arrival: Arrival): void {
    const { uid, name } = arrival;
    let isTaken = false;
    this.#timeline.after(AGAIN_MS, WORLD, () => {
      if (!isTaken || this.#dice.chance(0.1)) this.#post(arrival);
    });
    if (this.receiving === null) return;
    const { ledger, clock, onRecorded } = this.receiving;
    this.#story.tell('service', `posts a result of ${name}`);
    const payload = Buffer.from(JSON.stringify({ name, endpointUid: uid, status: DONE }));
    const result = { at: clock.now(), baseUrl: BASE_URL, uid, name, status: DONE, payload };
    ledger.recordResult(result).then(
      (recorded) => {
        isTaken = true;
        this.hasProved ||= recorded.isProof || recorded.document?.state === 'uploading';
        this.#onTaken(arrival);
        onRecorded(recorded);
      },
      // For example, the disk is full; the service has to post again.
      () => {},
    );
  }
}
