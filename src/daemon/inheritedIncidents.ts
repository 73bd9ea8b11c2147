import type { Incident, Incidents, OpenedIncident } from '../core/ports/incident.ts';

/**
 * Carries open incidents from one generation to the next. An incident stays open with its original start time until the
 * next generation either meets it again or has checked everything without meeting it:
 *
 *   inherited ──met again──▶ own     not reported a second time
 *       └──settle, not met──▶ closed
 */
export class InheritedIncidents implements Incidents {
  readonly #all: Incidents;
  readonly #own = new Set<string>();
  readonly #inherited = new Set<string>();

  constructor(all: Incidents) {
    this.#all = all;
  }

  open(incident: OpenedIncident): void {
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

  /** Whether a generation opened it; the next generation then has to meet it again. */
  has(key: string): boolean {
    return this.#own.has(key) || this.#inherited.has(key);
  }

  /** Marks all incidents as inherited when a new generation begins. */
  passOn(): void {
    for (const key of this.#own) this.#inherited.add(key);
    this.#own.clear();
  }

  /** Closes the inherited incidents that the new generation, having checked everything, did not meet. */
  settle(): void {
    for (const key of this.#inherited) this.close(key);
  }
}
