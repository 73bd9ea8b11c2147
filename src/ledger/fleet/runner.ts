import { isFault, type BeginAnswer, type Done, type MoveAnswer } from '../../core/messages.ts';
import type { ReceiptdError } from '../../core/domain/errors.ts';
import { isOfServer, ledgerFailure } from '../postgres/failure.ts';
import type { FleetTrouble } from '../postgres/trouble.ts';
import type { Member } from '../postgres/member.ts';
import type { LedgerCore, Step } from '../ledger.ts';
import type { OpenAgent } from './open.ts';
import { StoreFailed, type Runner } from '../runner.ts';
import { toMessage } from '../../core/domain/why.ts';

interface BegunRequest {
  readonly attempt: number;
  readonly epoch: number;
}

const FORGOTTEN = toMessage({ is: 'lostWithServer' });

export interface FleetRunnerOptions {
  readonly core: LedgerCore;
  readonly blanked: OpenAgent['blanked'];
  readonly member: Member;
  readonly trouble: FleetTrouble;
  readonly now: () => number;
}

/** Runs steps in a shared ledger, and knows which requests of this process are in progress. */
export class FleetRunner implements Pick<Runner, 'run' | 'storage' | 'blanked'> {
  readonly storage: FleetTrouble;
  readonly #options: FleetRunnerOptions;
  /** By document. A request that ended is kept while it is repeated at once. */
  readonly #underWay = new Map<number, BegunRequest>();

  constructor(options: FleetRunnerOptions) {
    this.#options = options;
    this.storage = options.trouble;
  }

  async run(steps: readonly Step[]): Promise<readonly (readonly unknown[])[]> {
    const { core, member, trouble } = this.#options;
    const error: ReceiptdError | null = trouble.error();
    if (error !== null) throw new StoreFailed(error, false);
    // Of a session that has ended when the steps are done, a request does not count: it may have been taken over.
    const { epoch } = member.session;
    try {
      const answers = await core.run(steps);
      for (const [i, step] of steps.entries()) this.#learn(step, answers[i] ?? [], epoch);
      // Where the server failed after a part was done, the rest has its error as answer.
      const named = (one: unknown): unknown =>
        isFault(one) && isOfServer(one.fault) ? { fault: ledgerFailure(one.fault, member.where) } : one;
      return answers.map((each: readonly unknown[]) => (each.some(isFault) ? each.map(named) : each));
    } catch (failure) {
      throw new StoreFailed(ledgerFailure(failure, member.where), false);
    }
  }

  /** Whether this agent certainly holds its lease, and has held it since the request was recorded. */
  isLeased(attempt: number | undefined): boolean {
    const { member } = this.#options;
    if (!member.isLeased) return false;
    if (attempt === undefined) return true;
    const request = [...this.#underWay.values()].find((each) => each.attempt === attempt);
    return request?.epoch === member.session.epoch;
  }

  /** After a failover, the new server may lack the last commits: nobody would end the requests that it has and this process has not. */
  async endForgotten(): Promise<void> {
    const { core, member } = this.#options;
    // A request whose recording was not answered yet is known once that is.
    await core.idle();
    const except = [...this.#underWay].flatMap(([id, { epoch }]) =>
      epoch === member.session.epoch ? [id] : [],
    );
    await core.run([['recover', [{ at: this.#options.now(), except, message: FORGOTTEN }]]]);
  }

  blanked(): Promise<void> {
    return this.#options.blanked();
  }

  #learn([name, items]: Step, answers: readonly unknown[], epoch: number): void {
    if (name === 'recover') this.#underWay.clear();
    if (name === 'begin')
      for (const [i, { document }] of items.entries()) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an answer for each item
        const answer = answers[i] as Partial<BeginAnswer>;
        if (answer.kind === 'begun' && answer.attempt !== undefined)
          this.#underWay.set(document, { attempt: answer.attempt, epoch });
      }
    if (name === 'end')
      for (const [i, { document, next }] of items.entries())
        if (next !== null && (answers[i] as Partial<Done>).isDone === true) this.#underWay.delete(document);
    if (name === 'move')
      for (const answer of answers as readonly Partial<MoveAnswer>[])
        for (const id of answer.moved ?? []) this.#underWay.delete(id);
  }
}
