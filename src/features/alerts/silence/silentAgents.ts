import { describeError } from '../../../core/domain/errors.ts';
import { iso } from '../../../core/domain/words.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { LedgerFleet, SilentAgent } from '../../../core/ports/fleet.ts';
import type { Incidents } from '../../../core/ports/incident.ts';
import type { LedgerStorage } from '../../../core/ports/ledger.ts';
import type { Log } from '../../../core/ports/log.ts';

export interface SilentAgentsDeps {
  readonly fleet: Pick<LedgerFleet, 'silence' | 'waitingFor'>;
  readonly storage: Pick<LedgerStorage, 'trouble'>;
  readonly incidents: Pick<Incidents, 'open' | 'close'>;
  readonly clock: Clock;
  readonly log: Log;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LOOK_EVERY_MS = MINUTE_MS / 3;
/** A restart or an update of the machine is not worth an alert; if documents wait for the agent, `status` shows that at once. */
const SILENT_FOR_MS = 10 * MINUTE_MS;
const WAITED_FOR_MS = MINUTE_MS / 3;
/** An agent that is not back by then will not return, and people have been alerted. */
const AT_MOST_MS = 7 * DAY_MS;
/** Tolerated absence of the agent that reports, and time for all agents to come back after the ledger does. */
const WAITS_MS = 10 * MINUTE_MS;
/** Documents waiting for a silent agent rarely change, and counting them takes a query. */
const COUNT_EVERY_MS = 60 * MINUTE_MS;

/**
 * Opens an incident for each agent of the fleet that has fallen silent. The first running agent by name opens it, and keeps it
 * until it is over, so that no other agent reports a recovery too early.
 *
 *   heard of ──silent for 10 minutes, or documents wait for it──▶ silent (incident) ──is back, has stopped, or 7 days──▶ over
 */
export class SilentAgents {
  readonly #deps: SilentAgentsDeps;
  /** Agents with an open incident, and when (monotonic) to count their waiting documents again. */
  readonly #open = new Map<string, number>();
  /** When (monotonic) this agent starts to report. Immediately after its start, since it may have reported before. */
  #tellsFrom = -Infinity;

  constructor(deps: SilentAgentsDeps) {
    this.#deps = deps;
  }

  /** Runs until aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    while (!signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
      if (signal.aborted) return;
      await this.#look().catch((error: unknown) => {
        log.debug('agentSilenceUnknown', describeError(error));
      });
    }
  }

  async #look(): Promise<void> {
    const { fleet, storage, incidents, clock } = this.#deps;
    if (storage.trouble() !== null) {
      // Without the ledger, heartbeats can't be seen.
      this.#tellsFrom = Infinity;
      return;
    }
    const { isFirst, agents } = await fleet.silence(WAITED_FOR_MS, AT_MOST_MS);
    const silent = new Set(agents.map(({ name }) => name));
    for (const name of this.#open.keys()) {
      if (silent.has(name)) continue;
      this.#open.delete(name);
      incidents.close(keyOf(name));
    }
    const now = clock.monotonic();
    if (!isFirst) this.#tellsFrom = Infinity;
    else if (this.#tellsFrom === Infinity) this.#tellsFrom = now + WAITS_MS;
    for (const agent of agents) {
      const countAt = this.#open.get(agent.name);
      if (countAt === undefined ? now < this.#tellsFrom : now < countAt) continue;
      await this.#tell(agent, now);
    }
  }

  async #tell({ name, host, lastSeenAt, silentMs }: SilentAgent, now: number): Promise<void> {
    const { fleet, incidents } = this.#deps;
    const count = await fleet.waitingFor(name);
    if (count === 0 && silentMs < SILENT_FOR_MS && !this.#open.has(name)) return;
    const params = { agent: name, host, last: iso(lastSeenAt), count };
    incidents.open({ key: keyOf(name), code: 'AGENT_SILENT', params });
    this.#open.set(name, now + COUNT_EVERY_MS);
  }
}

function keyOf(name: string): string {
  return `AGENT_SILENT ${name}`;
}
