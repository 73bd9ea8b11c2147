import { describeError, ReceiptdError } from '../core/domain/errors.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Log } from '../core/ports/log.ts';

/** Everything built from one configuration, from the folders to the client of the service. */
export interface Generation {
  /** Works until `stop` aborts; resolves when drained. */
  run(stop: AbortSignal): Promise<void>;
  /** After `run`. Idempotent. */
  close(): Promise<void>;
}

export interface GenerationsDeps<C, G extends Generation> {
  readonly compose: (config: C) => Promise<G>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Delay before a failed rebuild is retried: a full disk may have room soon. */
const AGAIN_MS = 5_000;

interface PendingReplacement<C> {
  readonly config: C;
  readonly taken: () => void;
  readonly refused: (error: unknown) => void;
}

/**
 * Runs generations one after the other, never two at once, on one ledger:
 *
 *   running ──replace──▶ closing ──acts have ended──▶ draining ──drained, closed──▶ composing ──composed──▶ running
 *      │                                                                             │  ▲
 *      └──stop──▶ over ◀──stop── any                        the former one, forever └──┘ where that fails
 *
 * Acts wait from `closing` until `running`, so that none is applied to a generation that is shutting down.
 */
export class Generations<C, G extends Generation> {
  readonly #deps: GenerationsDeps<C, G>;
  readonly #acts = new Set<Promise<unknown>>();
  #current: { readonly config: C; readonly generation: G };
  #wanted: PendingReplacement<C> | null = null;
  #drain = new AbortController();
  /** Resolves when acts may go on; null while they may. */
  #gate: { readonly opened: Promise<void>; readonly open: () => void } | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #isOver = false;

  private constructor(deps: GenerationsDeps<C, G>, config: C, generation: G) {
    this.#deps = deps;
    this.#current = { config, generation };
  }

  static async start<C, G extends Generation>(
    config: C,
    deps: GenerationsDeps<C, G>,
  ): Promise<Generations<C, G>> {
    return new Generations(deps, config, await deps.compose(config));
  }

  /** The running generation, or the last one. Read only: changes go through `act`. */
  get current(): G {
    return this.#current.generation;
  }

  /** Runs `work` on the running generation and holds back its replacement meanwhile. @throws NOT_RUNNING after shutdown */
  async act<T>(work: (generation: G) => Promise<T>): Promise<T> {
    while (this.#gate !== null) await this.#gate.opened;
    if (this.#isOver) throw stopping();
    const act = work(this.current);
    const ended = act.then(noop, noop);
    this.#acts.add(ended);
    try {
      return await act;
    } finally {
      this.#acts.delete(ended);
    }
  }

  /**
   * Shuts the current generation down and starts one with `config`. Resolves when that one runs. If it can't be
   * composed, the former configuration is restarted, and this rejects with the reason.
   */
  replace(config: C): Promise<void> {
    const turn = this.#turn.then(() => this.#replace(config));
    this.#turn = turn.catch(noop);
    return turn;
  }

  /** Resolves once `stop` has aborted and all work has drained. Rejects if a generation fails. */
  async run(stop: AbortSignal): Promise<void> {
    try {
      while (!stop.aborted) {
        await this.current.run(AbortSignal.any([stop, this.#drain.signal]));
        if (stop.aborted || this.#wanted === null) break;
        await this.current.close();
        await this.#composeNext(this.#wanted, stop);
      }
    } finally {
      this.#isOver = true;
      this.#wanted?.refused(stopping());
      this.#wanted = null;
      this.#openGate();
    }
  }

  /** After `run`. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.current.close();
  }

  async #replace(config: C): Promise<void> {
    if (this.#isOver) throw stopping();
    this.#closeGate();
    await Promise.all(this.#acts);
    if (this.#isOver) throw stopping();
    await new Promise<void>((resolve, reject) => {
      this.#wanted = { config, taken: resolve, refused: reject };
      this.#drain.abort(new Error('another configuration takes effect'));
    });
  }

  async #composeNext({ config, taken, refused }: PendingReplacement<C>, stop: AbortSignal): Promise<void> {
    const former = this.#current.config;
    this.#drain = new AbortController();
    try {
      this.#current = { config, generation: await this.#deps.compose(config) };
      this.#wanted = null;
      taken();
    } catch (error) {
      this.#deps.log.error('newConfigNotApplied', {
        ...describeError(error),
      });
      await this.#composeFormer(former, stop);
      this.#wanted = null;
      refused(error);
    }
    this.#openGate();
  }

  /** Retries until it works: this configuration ran before, so the failure is the disk's and temporary. */
  async #composeFormer(config: C, stop: AbortSignal): Promise<void> {
    const { compose, clock, log } = this.#deps;
    while (!stop.aborted) {
      try {
        this.#current = { config, generation: await compose(config) };
        return;
      } catch (error) {
        log.error('oldConfigNotRestored', {
          ...describeError(error),
        });
        await clock.sleep(AGAIN_MS, stop).catch(noop);
      }
    }
  }

  #closeGate(): void {
    let open = noop;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#gate ??= { opened, open };
  }

  #openGate(): void {
    const gate = this.#gate;
    this.#gate = null;
    gate?.open();
  }
}

function noop(): void {}

function stopping(): ReceiptdError {
  return new ReceiptdError('NOT_RUNNING.stopping');
}
