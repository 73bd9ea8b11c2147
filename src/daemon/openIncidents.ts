import type { Clock } from '../core/ports/clock.ts';
import type { Incident, Incidents, OpenedIncident } from '../core/ports/incident.ts';
import type { Log, LogFields } from '../core/ports/log.ts';
import { areOfSettings } from '../core/domain/invalidSettings.ts';

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

  open(incident: OpenedIncident): void {
    const before = this.#open.get(incident.key);
    this.#open.set(incident.key, { ...incident, since: before?.since ?? this.#clock.now() });
    if (!before) this.#log.error('problemBegan', fieldsOf(incident));
  }

  close(key: string): void {
    const before = this.#open.get(key);
    if (!before || !this.#open.delete(key)) return;
    this.#log.info('problemOver', {
      ...fieldsOf(before),
      lastedMs: this.#clock.now() - before.since,
    });
  }

  list(): readonly Incident[] {
    return [...this.#open.values()];
  }
}

function fieldsOf({ code, params }: OpenedIncident): LogFields {
  const isList = 'error' in params && areOfSettings(params.error?.params);
  const fields = Object.entries(params)
    // It is what `detail` says.
    .filter(([name]) => name !== 'error')
    .map(([name, value]: [string, unknown]) => [
      name,
      Array.isArray(value)
        ? value.map(String).join(', ')
        : isList && name === 'detail'
          ? inOneLine(value)
          : value,
    ]);
  // All values are plain now.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { code, ...(Object.fromEntries(fields) as LogFields) };
}

/** Mistakes in settings have a line each. */
function inOneLine(detail: unknown): string {
  return String(detail).replaceAll('\n', '; ');
}
