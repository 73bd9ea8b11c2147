import { isFault, type Recorded } from '../core/messages.ts';
import type { Step } from './ledger.ts';
import type { StepAnswer, Item, StepName } from './steps.ts';
import { StoreFailed, type Runner } from './runner.ts';

/** A step and its items. */
export interface StepPart {
  readonly name: StepName;
  readonly items: readonly unknown[];
  /** The ends of requests in progress: tried even if the disk is full. */
  readonly isOutcome?: boolean;
}

interface Call {
  readonly take: () => readonly StepPart[];
  readonly resolve: (recorded: readonly Recorded<unknown>[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Bounds how long one transaction blocks other work. */
const MOST_CALLS = 500;

/**
 * Gathers calls into transactions. Those of one turn of the event loop, and those that come while a transaction is running, share the next transaction
 * and its sync.
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
  async call<Name extends StepName>(name: Name, item: Item<Name>): Promise<StepAnswer<Name>> {
    const parts = [{ name, items: [item] }];
    const [recorded] = await this.record(() => parts);
    if (recorded === undefined || recorded.answers === null) throw recorded?.failure;
    const [answer] = recorded.answers;
    if (isFault(answer)) throw answer.fault;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the step's own
    return answer as StepAnswer<Name>;
  }

  /** `take` says what is to be recorded when the transaction starts. Resolves what became of each part. */
  async record(take: () => readonly StepPart[]): Promise<readonly Recorded<unknown>[]> {
    if (this.#isClosed) throw this.#closed();
    return new Promise((resolve, reject) => {
      this.#calls.push({ take, resolve, reject });
      this.#committing ??= this.#commitAll();
    });
  }

  /** Commits what is gathered; later calls are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#committing;
  }

  async #commitAll(): Promise<void> {
    while (this.#calls.length > 0) {
      await new Promise<void>((resolve) => this.#nextTurn(resolve));
      const calls = this.#calls.splice(0, MOST_CALLS);
      try {
        const parts = calls.map(({ take }) => take());
        const recorded = await this.#commit(parts.flat());
        for (const [n, { resolve }] of calls.entries()) resolve(recorded.splice(0, parts[n]?.length));
      } catch (defect) {
        for (const { reject } of calls) reject(defect);
      }
    }
    this.#committing = null;
  }

  async #commit(parts: readonly StepPart[]): Promise<Recorded<unknown>[]> {
    try {
      return await this.#run(parts);
    } catch (error) {
      const { failure, mayRecordOutcomes } =
        error instanceof StoreFailed ? error : new StoreFailed(error, false);
      const failed = parts.map((): Recorded<unknown> => ({ answers: null, failure }));
      const outcomes = mayRecordOutcomes ? parts.filter(({ isOutcome }) => isOutcome) : [];
      if (outcomes.length === 0) return failed;
      const again = await this.#run(outcomes).catch((cause: unknown): Recorded<unknown>[] =>
        outcomes.map(() => ({
          answers: null,
          failure: cause instanceof StoreFailed ? cause.failure : cause,
        })),
      );
      return failed.map((each, n) => (parts[n]?.isOutcome ? (again.shift() ?? each) : each));
    }
  }

  async #run(parts: readonly StepPart[]): Promise<Recorded<unknown>[]> {
    const steps: [name: StepName, items: unknown[]][] = [];
    const places = parts.map(({ name, items }) => {
      let last = steps.at(-1);
      if (last?.[0] !== name) steps.push((last = [name, []]));
      const first = last[1].length;
      last[1].push(...items);
      return [steps.length - 1, first] as const;
    });
    const areOutcomes = parts.every(({ isOutcome }) => isOutcome);
    const some = steps.filter(([, items]) => items.length > 0);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of steps
    const answers =
      some.length === 0 ? [] : await this.#runner.run(some as unknown as readonly Step[], areOutcomes);
    return parts.map(({ items }, n) => {
      const [step = 0, first = 0] = places[n] ?? [];
      const at = some.indexOf(steps[step] as (typeof steps)[number]);
      return { answers: answers[at]?.slice(first, first + items.length) ?? [] };
    });
  }
}
