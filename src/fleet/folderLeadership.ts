import { describeError, ReceiptdError } from '../core/domain/errors.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { LedgerFleet } from '../core/ports/fleet.ts';
import type { LedgerStorage } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';
import type { Intake } from '../intake/intake.ts';
import { Notifier } from '../core/notifier.ts';

export interface FolderLeadershipDeps {
  readonly fleet: LedgerFleet;
  readonly storage: LedgerStorage;
  /** Names of shared folders, by their absolute path on this machine. */
  readonly shares: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly log: Log;
}

export type LedIntake = Pick<Intake, 'run' | 'standBy' | 'disposeSoon' | 'isReachable'> & {
  readonly status: Pick<Intake['status'], 'path' | 'state'>;
};

/** How often to ask for a lead held by another agent. Rarely, because releasing, taking and taking over a lead are all signalled. */
const ASK_EVERY_MS = 5 * 60_000;
/** The same for a folder that this machine can't reach, since nothing signals when it can. */
const ASK_UNREACHED_EVERY_MS = 60_000;
/** How often to confirm a lead; losing it with the lease is reported at once by the storage. */
const KEEP_EVERY_MS = 15_000;
/** A leader that can't reach its folder for this long offers the lead to the others, repeatedly. */
const UNREACHED_MS = 15_000;
/** By then, another agent that reaches the folder has taken the offered lead. */
const OFFERED_MS = 6_000;
/** How often to look for files that other agents have sent and that may be disposed of now; nothing signals them. */
const DISPOSE_EVERY_MS = 60_000;

/**
 * Runs the intake of shared folders. Only one agent leads a folder at a time, because listing, notes and disposal by two would
 * conflict. A folder is
 *
 *   standby ──the lead is free, and taken──▶ led ──the lead or the lease is lost──▶ standby
 *
 * While the ledger can't be reached, nobody can take the lead or ask for it: its leader goes on and defers images.
 */
export class FolderLeadership {
  readonly #deps: FolderLeadershipDeps;

  constructor(deps: FolderLeadershipDeps) {
    this.#deps = deps;
  }

  /** Watches until aborted; watches a shared folder only while this agent leads it. */
  async run(intake: LedIntake, signal: AbortSignal): Promise<void> {
    const { path } = intake.status;
    const share = this.#deps.shares.get(path);
    if (share === undefined) return intake.run(signal);
    const { fleet, storage, clock } = this.#deps;
    const notifier = new Notifier(clock);
    const ends = [
      fleet.onSignal((changed) => changed === 'agents' && notifier.notify()),
      storage.onChange(() => notifier.notify()),
    ];
    try {
      let anywayAt = clock.monotonic();
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        const isAskedAnyway = clock.monotonic() >= anywayAt;
        // Agents that reach the folder come first. If none does, one leads it anyway, so that people are alerted.
        const isLed = isAskedAnyway || (await intake.isReachable()) ? await this.#lead(path) : false;
        // On a start without the ledger, the leader is unknown. Images deferred by two agents become one document.
        if (isLed === true || (isLed === null && isFirst)) {
          await this.#whileLed(intake, notifier, signal);
          if (signal.aborted) break;
        }
        if (isAskedAnyway || isLed !== false) anywayAt = clock.monotonic() + ASK_UNREACHED_EVERY_MS;
        const isReachable = await intake.isReachable();
        intake.standBy({ is: 'standby', ...(await this.#leader(share)), isReached: isReachable });
        await notifier.wait(isReachable ? ASK_EVERY_MS : ASK_UNREACHED_EVERY_MS, signal);
      }
    } finally {
      for (const end of ends) end();
      await this.end(path);
    }
  }

  /** For a single run: whether this agent may list the folder now. */
  async take(path: string): Promise<boolean> {
    if (!this.#deps.shares.has(path)) return true;
    return this.#deps.fleet.lead(path);
  }

  async end(path: string): Promise<void> {
    if (!this.#deps.shares.has(path)) return;
    // On failure, the others take over when the lease expires.
    await this.#deps.fleet.endLead(path).catch(() => {});
  }

  async #whileLed(intake: LedIntake, notifier: Notifier, signal: AbortSignal): Promise<void> {
    const { path } = intake.status;
    const { clock, log } = this.#deps;
    const over = new AbortController();
    const watching = { isOver: false };
    const running = intake.run(AbortSignal.any([signal, over.signal])).finally(() => {
      watching.isOver = true;
      notifier.notify();
    });
    running.catch(() => {});
    let offerAt: number | null = null;
    let disposeAt = clock.monotonic();
    while (!signal.aborted && !watching.isOver) {
      if (clock.monotonic() >= disposeAt) {
        intake.disposeSoon();
        disposeAt = clock.monotonic() + DISPOSE_EVERY_MS;
      }
      await notifier.wait(KEEP_EVERY_MS, signal);
      if (signal.aborted || watching.isOver) break;
      const now = clock.monotonic();
      if (isReached(intake.status.state)) offerAt = null;
      else offerAt ??= now + UNREACHED_MS;
      if (offerAt !== null && now >= offerAt) {
        offerAt = null;
        if (!(await this.#isTakenAfterOffer(path, signal))) continue;
        log.info('unreachableFolderLedElsewhere', {
          folder: path,
        });
        break;
      }
      // Null: unknown now, but nobody else can lead before this agent's lease expires.
      if ((await this.#lead(path)) !== false) continue;
      log.info('folderLedElsewhere', { folder: path });
      break;
    }
    over.abort(new Error('another agent leads this folder'));
    await running;
  }

  async #isTakenAfterOffer(path: string, signal: AbortSignal): Promise<boolean> {
    const { fleet, storage, clock } = this.#deps;
    if (storage.trouble() !== null) return false;
    await fleet.endLead(path).catch(() => {});
    await clock.sleep(OFFERED_MS, signal).catch(() => {});
    return !signal.aborted && (await this.#lead(path)) === false;
  }

  /** Null if unknown now. */
  async #lead(path: string): Promise<boolean | null> {
    const { fleet, storage, log } = this.#deps;
    if (storage.trouble() !== null) return null;
    try {
      return await fleet.lead(path);
    } catch (error) {
      // A new lease follows shortly, and the storage reports it.
      const isPassing = error instanceof ReceiptdError && error.code === 'AGENT_FENCED';
      if (!isPassing && storage.trouble() === null)
        log.warn('folderLeaderUnknown', {
          folder: path,
          ...describeError(error),
        });
      return null;
    }
  }

  /** Nothing if it is not known. */
  async #leader(share: string): Promise<{ readonly leader?: string | null }> {
    const { fleet, storage } = this.#deps;
    if (storage.trouble() !== null) return {};
    const agents = await fleet.agents().catch(() => []);
    const leader = agents.find(({ leads }) => leads.includes(share));
    return { leader: leader?.name ?? null };
  }
}

function isReached(state: Intake['status']['state']): boolean {
  return state === 'starting' || state === 'watching' || state === 'standby';
}
