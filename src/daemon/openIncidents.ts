import type { Clock } from '../core/ports/clock.ts';
import type { Incident, Incidents } from '../core/ports/incident.ts';
import type { Log } from '../core/ports/log.ts';

/**
 * Problems that keep the agent from working. Each cause
 *
 *   absent ──open──▶ open ──close──▶ absent
 *
 * is logged once when it opens and once when it closes, however often it is reported in between.
 */
export class OpenIncidents implements Incidents {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #open = new Map<string, Incident>();

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  open({ key, code, message, hint }: Omit<Incident, 'since'>): void {
    const before = this.#open.get(key);
    const since = before?.since ?? this.#clock.now();
    this.#open.set(key, { key, code, message, hint, since });
    if (!before) this.#log.error(message, { code, hint });
  }

  close(key: string): void {
    const before = this.#open.get(key);
    if (!before || !this.#open.delete(key)) return;
    const { code, message, since } = before;
    this.#log.info('The problem is over', { code, detail: message, lastedMs: this.#clock.now() - since });
  }

  list(): readonly Incident[] {
    return [...this.#open.values()];
  }
}
