import { isFault, type Step } from '../ledger.ts';
import type { Answer, Item, StepName } from '../steps.ts';
import { StoreFailed, type Runner } from '../runner.ts';

interface Call {
  readonly name: StepName;
  readonly item: unknown;
  /** The outcome of a request in progress: tried even if the disk is full. */
  readonly isOutcome: boolean;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Bounds how long one transaction blocks other work. */
const MOST_CALLS = 500;

/**
 * Temporary: makes arrays of calls that come one by one. Those of one turn of the event loop, and those that come while a transaction is running, share
 * the next transaction and its sync.
 *
 *   idle ──call──▶ gathering ──next turn──▶ committing ──▶ idle, or gathering if more came meanwhile
 */
export class Gathering {
  readonly #runner: Pick<Runner, 'run'>;
  readonly #closed: () => Error;
  readonly #nextTurn: (work: () => void) => void;
  #calls: Call[] = [];
  #committing: Promise<void> | null = null;
  #isClosed = false;

  /** `nextTurn`: when what was gathered is committed. */
  constructor(
    runner: Pick<Runner, 'run'>,
    closed: () => Error,
    nextTurn: (work: () => void) => void = setImmediate,
  ) {
    this.#runner = runner;
    this.#closed = closed;
    this.#nextTurn = nextTurn;
  }

  /** Resolves the answer to the item once it is durable. */
  async call<Name extends StepName>(name: Name, item: Item<Name>, isOutcome = false): Promise<Answer<Name>> {
    if (this.#isClosed) throw this.#closed();
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#calls.push({ name, item, isOutcome, resolve, reject });
      this.#committing ??= this.#commitAll();
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the step's own
    return (await answer) as Answer<Name>;
  }

  /** Commits what is gathered; later calls are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#committing;
  }

  async #commitAll(): Promise<void> {
    while (this.#calls.length > 0) {
      await new Promise<void>((resolve) => this.#nextTurn(resolve));
      await this.#commit(this.#calls.splice(0, MOST_CALLS));
    }
    this.#committing = null;
  }

  async #commit(calls: readonly Call[]): Promise<void> {
    try {
      await this.#run(calls);
    } catch (error) {
      const { failure, mayRecordOutcomes } =
        error instanceof StoreFailed ? error : new StoreFailed(error, false);
      const outcomes = mayRecordOutcomes ? calls.filter(({ isOutcome }) => isOutcome) : [];
      for (const call of calls) if (!outcomes.includes(call)) call.reject(failure);
      if (outcomes.length > 0)
        await this.#run(outcomes).catch((again: unknown) => {
          for (const call of outcomes) call.reject(again instanceof StoreFailed ? again.failure : again);
        });
    }
  }

  async #run(calls: readonly Call[]): Promise<void> {
    const steps: [name: StepName, items: unknown[]][] = [];
    const places = calls.map(({ name, item }) => {
      let last = steps.at(-1);
      if (last?.[0] !== name) steps.push((last = [name, []]));
      return [steps.length - 1, last[1].push(item) - 1] as const;
    });
    const areOutcomes = calls.every(({ isOutcome }) => isOutcome);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of steps
    const answers = await this.#runner.run(steps as unknown as readonly Step[], areOutcomes);
    for (const [i, call] of calls.entries()) {
      const [step, at] = places[i] ?? [0, 0];
      const answer = answers[step]?.[at];
      if (isFault(answer)) call.reject(answer.fault);
      else call.resolve(answer);
    }
  }
}
