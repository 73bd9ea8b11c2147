import type { Document } from '../../core/domain/document.ts';
import { deliver, type DeliverDeps } from '../deliver.ts';
import type { Holds } from '../holds/holds.ts';
import type { Pacer } from '../limits/pacer.ts';
import { SendPermit } from '../sendPermit.ts';
import type { SharedTurns } from '../sharedTurns.ts';
import type { EndpointQueue } from './endpointQueue.ts';
import { giveUp, type GiveUpDeps } from './giveUp.ts';
import type { SendGate } from './sendGate.ts';

export interface DeliveriesDeps extends GiveUpDeps {
  readonly concurrency: number;
  readonly pacer: Pacer;
  readonly holds: Holds;
  readonly gate: SendGate;
  readonly turns: SharedTurns;
  readonly deliver: Omit<DeliverDeps, 'holds' | 'replays'>;
}

/** Cap on all requests in flight, including accepted ones not recorded yet, as a multiple of the concurrency: a crash resends that many. */
export const LEFT_FACTOR = 8;

/**
 * The deliveries under way. A claimed document is
 *
 *   started ──▶ sending ──accepted──▶ unrecorded: another may take its place and, up to a cap, its slot ──recorded──▶ over
 *                  └──any other end─────────────────────────────────────────────────────────────────────────────────▶ over
 */
export class Deliveries {
  readonly #deps: DeliveriesDeps;
  readonly #deliver: DeliverDeps;
  readonly #onChange: () => void;
  readonly #inFlight = new Set<Promise<void>>();
  #sending = 0;
  /** Accepted requests that gave back their slot but are not recorded yet. */
  #unrecorded = 0;

  /** `onChange`: called when another delivery may start. */
  constructor(deps: DeliveriesDeps, onChange: () => void) {
    this.#deps = deps;
    this.#deliver = { ...deps.deliver, holds: deps.holds, replays: new Set() };
    this.#onChange = onChange;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Requests in flight that are not accepted yet. */
  get sending(): number {
    return this.#sending;
  }

  async ended(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  start(
    queue: EndpointQueue,
    document: Document,
    isProbe: boolean,
    until: AbortSignal,
    abort: AbortSignal,
  ): void {
    const { pacer, holds, gate, turns, clock } = this.#deps;
    if (isProbe) holds.startProbe(document);
    queue.inFlight += 1;
    this.#sending += 1;
    /** Accepted: another request may start although this one is not recorded yet. */
    let isOver = false;
    let isUnrecorded = false;
    const isOpen = (): boolean =>
      isProbe ? holds.isProbedBy(document) : !until.aborted && gate.isOpen(document);
    const { limits } = queue.settings;
    const permit = new SendPermit({ pacer, turns, clock, document, limits, isOpen, until });
    const onAccepted = (): void => {
      // A probe keeps its slot until its result is known.
      if (isOver || isProbe) return;
      isOver = true;
      queue.inFlight -= 1;
      this.#sending -= 1;
      if (this.#unrecorded < this.#deps.concurrency * (LEFT_FACTOR - 1)) {
        isUnrecorded = true;
        this.#unrecorded += 1;
        permit.giveBackSlot();
      }
      this.#onChange();
    };
    const run = async (): Promise<void> => {
      try {
        if (!(await deliver(document, permit, onAccepted, this.#deliver, abort))) queue.lookAgain();
      } catch (error) {
        if (abort.aborted) return;
        await giveUp(document, error, this.#deps, abort);
        queue.lookAgain();
      } finally {
        permit.giveBackSlot();
        if (isUnrecorded) this.#unrecorded -= 1;
        if (!isOver) {
          queue.inFlight -= 1;
          this.#sending -= 1;
        }
        this.#inFlight.delete(task);
        if (isProbe) holds.endProbe(document);
        this.#onChange();
      }
    };
    const task = run();
    this.#inFlight.add(task);
  }
}
