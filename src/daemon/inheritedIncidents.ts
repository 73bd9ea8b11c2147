import type { Incident, Incidents } from '../core/ports/incident.ts';

/**
 * The incidents of one generation after the other, in the list of the process. What one leaves open stays open, with the
 * time since when; the next one
 *
 *   inherited ──meets it again──▶ own     said once, as if nothing had happened in between
 *       └──has looked, and it is over──▶ closed
 */
export class InheritedIncidents implements Incidents {
  readonly #all: Incidents;
  readonly #own = new Set<string>();
  readonly #inherited = new Set<string>();

  constructor(all: Incidents) {
    this.#all = all;
  }

  open(incident: Omit<Incident, 'since'>): void {
    this.#inherited.delete(incident.key);
    this.#own.add(incident.key);
    this.#all.open(incident);
  }

  close(key: string): void {
    this.#inherited.delete(key);
    this.#own.delete(key);
    this.#all.close(key);
  }

  list(): readonly Incident[] {
    return this.#all.list();
  }

  /** Whether a generation opened it, so that the next one has to meet it again. */
  has(key: string): boolean {
    return this.#own.has(key) || this.#inherited.has(key);
  }

  /** Another generation begins: nothing is its own yet. */
  passOn(): void {
    for (const key of this.#own) this.#inherited.add(key);
    this.#own.clear();
  }

  /** The new generation has looked at everything; what it did not meet is over. */
  settle(): void {
    for (const key of this.#inherited) this.close(key);
  }
}
