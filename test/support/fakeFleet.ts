/** Stands in for the other agents: a test sets who leads, who is paused, and how long to wait. */
import type {
  FleetAgent,
  FleetSignal,
  LedgerFleet,
  Retired,
  SilentAgent,
} from '../../src/core/ports/fleet.ts';

export class FakeFleet implements LedgerFleet {
  readonly agent = 'here';
  /** The leader of each folder. A folder without one goes to the first agent that asks. */
  readonly leaders = new Map<string, string>();
  readonly #listeners = new Set<(signal: FleetSignal) => void>();
  leased = true;
  /** Whether a new lease began after the attempts were recorded. */
  isRenewed = false;
  paused: FleetAgent['paused'] = null;
  isFirst = true;
  endedHolds = 0;
  silent: SilentAgent[] = [];
  /** Number of documents that only this agent can send, by agent. */
  readonly waiting = new Map<string, number>();

  signal(signal: FleetSignal): void {
    for (const listener of this.#listeners) listener(signal);
  }

  onSignal(listener: (signal: FleetSignal) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  isLeased(attemptId?: number): boolean {
    return this.leased && !(this.isRenewed && attemptId !== undefined);
  }

  async lead(folder: string): Promise<boolean> {
    if (!this.leaders.has(folder)) this.leaders.set(folder, this.agent);
    return this.leaders.get(folder) === this.agent;
  }

  async endLead(folder: string): Promise<void> {
    if (this.leaders.get(folder) === this.agent) this.leaders.delete(folder);
  }

  isTurn(): boolean {
    return true;
  }

  readonly running = 1;

  async silence(): Promise<{ isFirst: boolean; agents: SilentAgent[] }> {
    return { isFirst: this.isFirst, agents: this.silent };
  }

  async waitingFor(agent: string): Promise<number> {
    return this.waiting.get(agent) ?? 0;
  }

  async handed(): Promise<void> {}

  async missingFor(): Promise<string[]> {
    return [];
  }

  async retire(): Promise<Retired> {
    return { lost: 0, passedOn: 0, results: 0 };
  }

  async endHolds(): Promise<void> {
    this.endedHolds += 1;
  }

  isPaused(): boolean {
    return this.paused !== null;
  }

  async setPaused(_agent: string, by: string | null): Promise<void> {
    this.paused = by === null ? null : { by, since: 0 };
  }

  async agents(): Promise<FleetAgent[]> {
    const names = new Set([this.agent, ...this.leaders.values()]);
    return [...names].map((name) => ({
      name,
      host: `${name}-pc`,
      version: '1.0.0',
      state: 'running',
      startedAt: 0,
      lastSeenAt: 0,
      paused: name === this.agent ? this.paused : null,
      queued: 0,
      uploading: 0,
      // Each folder is a share of that name.
      leads: [...this.leaders].flatMap(([folder, leader]) => (leader === name ? [folder] : [])),
      holds: [],
    }));
  }
}
