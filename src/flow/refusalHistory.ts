import type { WhyFact } from '../core/domain/why.ts';

/** Documents remembered per endpoint. */
const REMEMBERED = 1_000;
/** This many different documents refused in a row point to the endpoint rather than the documents. */
const MANY_REFUSALS = 5;

/** Documents to queue again, because too many were refused in a row. */
export interface Together {
  readonly documents: readonly number[];
  readonly reason: string;
  readonly why: WhyFact;
}

interface OddAnswers {
  /** Documents that the endpoint had accepted by the latest of them. */
  readonly accepted: number;
  readonly count: number;
}

/** What one endpoint accepted and refused since the start: tells a bad document from a bad endpoint. */
export class RefusalHistory {
  #accepted = 0;
  #refusedInARow = new Set<number>();
  /** Document id → how many were accepted by its latest refusal. */
  readonly #refusedAt = new Map<number, number>();
  readonly #answeredOddly = new Map<number, OddAnswers>();
  /** The latest documents that were refused in a row. */
  #together: Together | undefined;

  accepted(id: number): void {
    this.#accepted += 1;
    this.#refusedInARow.clear();
    this.#together = undefined;
    this.#refusedAt.delete(id);
    this.#answeredOddly.delete(id);
  }

  refused(id: number, last: WhyFact): void {
    // Refused again although the endpoint accepted others in between: the document is at fault.
    const refusedAt = this.#refusedAt.get(id);
    if (refusedAt !== undefined && this.#accepted > refusedAt) this.#refusedInARow.delete(id);
    else this.#refusedInARow.add(id);
    remember(this.#refusedAt, id, this.#accepted);
    const ids = [...this.#refusedInARow];
    if (ids.length < MANY_REFUSALS) return;
    const why = { is: 'manyRefused', count: ids.length, last } as const;
    this.#together = { documents: ids, reason: 'MANY_REFUSALS', why };
    this.#refusedInARow = new Set(ids.slice(1));
  }

  /** The documents to queue again with this one, because too many in a row were refused. */
  together(id: number): Together | undefined {
    return this.#together?.documents.includes(id) ? this.#together : undefined;
  }

  /**
   * An odd answer to this document. How often it was answered oddly while others were accepted in between: those of an outage count once. Zero if
   * none was accepted since the answer before.
   */
  answeredOddly(id: number): number {
    const before = this.#answeredOddly.get(id);
    const others = before !== undefined && this.#accepted > before.accepted;
    const count = (before?.count ?? 1) + (others ? 1 : 0);
    remember(this.#answeredOddly, id, { accepted: this.#accepted, count });
    return others ? count : 0;
  }
}

function remember<T>(map: Map<number, T>, id: number, value: T): void {
  map.delete(id);
  map.set(id, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest);
}
