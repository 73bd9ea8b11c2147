import { describeError } from '../core/domain/errors.ts';
import type { Note } from '../core/domain/note.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { FleetAgent, FleetSignal, LedgerFleet } from '../core/ports/fleet.ts';
import type { LedgerStorage } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';
import type { Flow } from '../flow/flow.ts';
import type { Holds } from '../flow/holds.ts';
import { Notifier } from '../core/notifier.ts';

export interface FleetWatchDeps {
  readonly fleet: LedgerFleet;
  readonly storage: LedgerStorage;
  readonly flow: Pick<Flow, 'wake' | 'forget'>;
  readonly holds: Pick<Holds, 'takeShared'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Checks at this interval too, in case a signal was missed. */
const LOOK_EVERY_MS = 15 * 60_000;
/** Signals within this time are handled together. */
const GATHER_MS = 100;
/** The pause is cached by the fleet ledger, so this check needs no query. */
const PAUSE_EVERY_MS = 1_000;
const ALL: readonly FleetSignal[] = ['queue', 'holds'];

/** Applies to this agent's delivery what other agents, and people through them, changed in the shared ledger. */
export class FleetWatch {
  readonly #deps: FleetWatchDeps;
  readonly #told = new Set<FleetSignal>(ALL);
  #isBack = false;
  #wasPaused = false;
  #paused: FleetAgent['paused'] = null;

  constructor(deps: FleetWatchDeps) {
    this.#deps = deps;
  }

  /** Who paused this agent, and when; empty if it is not paused. */
  notes(): Note[] {
    const { fleet } = this.#deps;
    if (!fleet.isPaused()) return [];
    const { by = null, since = null } = this.#paused ?? {};
    return [{ kind: 'paused', agent: fleet.agent, by, since }];
  }

  async run(signal: AbortSignal): Promise<void> {
    const { fleet, storage, clock } = this.#deps;
    const notifier = new Notifier(clock);
    const ends = [
      fleet.onSignal((changed) => {
        this.#told.add(changed);
        // The service may have asked to wait, so anything sent before the hold is known here would be too early.
        if (changed === 'holds') void this.#look();
        else notifier.notify();
      }),
      storage.onChange(() => {
        this.#isBack ||= storage.trouble() === null;
        notifier.notify();
      }),
    ];
    let lookAt = clock.monotonic();
    while (!signal.aborted) {
      if (clock.monotonic() >= lookAt) {
        for (const each of ALL) this.#told.add(each);
        lookAt = clock.monotonic() + LOOK_EVERY_MS;
      }
      await this.#look();
      await clock.sleep(GATHER_MS, signal).catch(() => {});
      await notifier.wait(PAUSE_EVERY_MS, signal);
    }
    for (const end of ends) end();
  }

  async #look(): Promise<void> {
    const { storage, flow, holds, log } = this.#deps;
    if (storage.trouble() !== null) return;
    const told = new Set(this.#told);
    this.#told.clear();
    try {
      if (this.#isBack) {
        // Another agent may have taken over documents that were next under an earlier lease.
        this.#isBack = false;
        flow.forget();
      }
      const isHeldOtherwise = told.has('holds') && (await holds.takeShared());
      const isPausedOtherwise = await this.#lookAtPause();
      if (told.has('queue') || isHeldOtherwise || isPausedOtherwise) flow.wake();
    } catch (error) {
      for (const each of told) this.#told.add(each);
      log.debug('fleetChangesUnread', describeError(error));
    }
  }

  /** Resolves whether the pause changed. */
  async #lookAtPause(): Promise<boolean> {
    const { fleet, log } = this.#deps;
    const isPaused = fleet.isPaused();
    if (isPaused === this.#wasPaused) return false;
    this.#paused = isPaused
      ? ((await fleet.agents()).find(({ name }) => name === fleet.agent)?.paused ?? null)
      : null;
    this.#wasPaused = isPaused;
    if (isPaused) log.info('agentPaused', { by: this.#paused?.by ?? null });
    else log.info('agentResumed');
    return true;
  }
}
