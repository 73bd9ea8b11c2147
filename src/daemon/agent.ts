import { setMaxListeners } from 'node:events';
import { endpointId } from '../core/domain/document.ts';
import { isElsewhere } from '../core/domain/elsewhere.ts';
import { needsOf, type Need } from '../core/domain/problem.ts';
import type { Flow, Idle } from '../flow/flow.ts';
import type { Intake } from '../intake/intake.ts';
import type { FolderLeadership } from '../fleet/folderLeadership.ts';
import type { EndpointSettings } from '../core/domain/settings.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { StateCount } from '../core/ports/ledgerReports.ts';
import type { Log } from '../core/ports/log.ts';
import { runAll } from './runAll.ts';

export interface AgentDeps {
  readonly ledger: Ledger;
  readonly intakes: readonly Intake[];
  readonly flow: Flow;
  readonly endpoints: readonly EndpointSettings[];
  readonly clock: Clock;
  readonly log: Log;
  /** Resolves when sending may begin; delayed if the ledger was unreachable at the start. */
  readonly prepared?: Promise<void> | undefined;
  /** Milliseconds for uploads in flight to finish after a stop. */
  readonly graceMs: number;
  /** Decides which agent of the fleet takes in a shared folder; null if the ledger is not shared. */
  readonly leads?: FolderLeadership | null;
  /** Background tasks; they run until the agent stops. */
  readonly background: readonly ((signal: AbortSignal) => Promise<void>)[];
  /** Runs before a single run lists the folders, since it has no background tasks. */
  readonly before?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Runs after a single run has listed the folders: multi-page files may still have to be split into images. */
  readonly afterIntake?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Cleans up after earlier runs at the end of a single run, since it has no background tasks. */
  readonly tidy: (signal: AbortSignal) => Promise<void>;
}

/** Result of `run --once`; determines the exit status. */
export interface OnceResult {
  readonly missingFolders: readonly string[];
  readonly unreadableDirs: number;
  /** New cases in this run that need a person. */
  readonly found: readonly Need[];
  /** Older cases that still need a person. */
  readonly earlier: readonly Need[];
  /** Documents not yet sent at the end, plus files whose pages are not all taken in. */
  readonly waiting: number;
  readonly accepted: number;
  /** Documents waiting for an endpoint that is no longer configured. */
  readonly orphaned: number;
  /** The service was still unreachable at the end. */
  readonly unreachable: boolean;
}

interface Stand extends Pick<OnceResult, 'waiting' | 'accepted' | 'orphaned'> {
  /** Cases that need a person, keyed to tell new ones from old ones. */
  readonly cases: ReadonlyMap<string, Need>;
}

const LOOK_AGAIN_MS = 20;
/** Any number above 0 means that work is left, so counting may stop here. */
const SPLITS_COUNTED = 1_000;

/** Runs intake and delivery together, until stopped or once, and drains uploads at the end. */
export class Agent {
  readonly #deps: AgentDeps;
  readonly #abort = new AbortController();

  constructor(deps: AgentDeps) {
    this.#deps = deps;
  }

  /** Watches and sends until `stop` aborts; resolves when drained. */
  async run(stop: AbortSignal): Promise<void> {
    const { intakes, leads, background } = this.#deps;
    const dispatch = (stopping: AbortSignal) => this.#dispatch(stopping);
    const watching = intakes.map(
      (intake) => (stopping: AbortSignal) => (leads ? leads.run(intake, stopping) : intake.run(stopping)),
    );
    await runAll([dispatch, ...watching, ...background], stop);
  }

  /** Sends queued documents until `stop` aborts, without watching folders; resolves when drained. */
  async deliver(stop: AbortSignal): Promise<void> {
    await this.#dispatch(stop);
  }

  /** Lists every folder once and sends its files. Resolves when nothing more can be done, or after `waitMs` of outage. */
  async once(stop: AbortSignal, waitMs: number): Promise<OnceResult> {
    const { intakes, leads, tidy } = this.#deps;
    const before = await this.#look();
    const done = new AbortController();
    const stopping = AbortSignal.any([stop, done.signal]);
    setMaxListeners(0, stop);
    const sending = this.#dispatch(stopping);
    let last: Idle['why'] | null = null;
    let present: boolean[] = [];
    try {
      await this.#deps.before?.(stop);
      const led = await Promise.all(intakes.map(async ({ status }) => !leads || leads.take(status.path)));
      // Skip folders that another agent leads.
      present = await Promise.all(intakes.map(async (intake, index) => !led[index] || intake.runOnce(stop)));
      await this.#deps.afterIntake?.(stop);
      last = await this.#untilIdle(stop, waitMs);
      for (const [index, intake] of intakes.entries())
        if (led[index] && present[index]) await intake.dispose(stop);
      await tidy(stop);
    } catch (error) {
      if (!stop.aborted) throw error;
    } finally {
      done.abort();
      await sending;
      for (const { status } of intakes) await leads?.end(status.path);
    }
    const { cases, accepted, waiting, orphaned } = await this.#look();
    const found: Need[] = [];
    const earlier: Need[] = [];
    for (const [key, need] of cases) (before.cases.has(key) ? earlier : found).push(need);
    return {
      missingFolders: intakes
        .filter(({ status }, index) => !present[index] || status.state === 'unreachable')
        .map(({ status }) => status.path),
      unreadableDirs: intakes.reduce((sum, intake) => sum + intake.unreadableDirs, 0),
      found,
      earlier,
      waiting,
      // At least 0, in case other agents of the fleet change the counts meanwhile.
      accepted: Math.max(0, accepted - before.accepted),
      orphaned,
      unreachable: last === 'outage' && (await this.#isServiceHeld()),
    };
  }

  /** Current counts and cases, without the own folders of other agents of a fleet. */
  async #look(): Promise<Stand> {
    const { ledger, endpoints } = this.#deps;
    const own = new Set(endpoints.map(({ key }) => endpointId(key)));
    const documents = (await ledger.counts()).filter(
      ({ endpoint, folder }) => endpoint !== null && !isElsewhere(folder),
    );
    const isOwn = ({ endpoint }: StateCount) => endpoint !== null && own.has(endpointId(endpoint));
    const countIn = (among: readonly StateCount[], states: readonly string[]) =>
      among.filter(({ state }) => states.includes(state)).reduce((sum, each) => sum + each.count, 0);
    const waiting = ['queued', 'uploading', 'held'];
    const cases = new Map<string, Need>();
    for await (const row of ledger.list({ attention: 'needed' })) {
      const { fileId, documentId, attempts, size, state, reason } = row;
      if (isElsewhere(row.path)) continue;
      // A document that failed again and a file that changed count as new cases.
      const key = `${fileId ?? ''} ${documentId ?? ''} ${attempts} ${size} ${state} ${reason}`;
      for (const need of needsOf([{ state, reason, count: 1 }])) cases.set(key, need);
    }
    return {
      cases,
      accepted: countIn(documents.filter(isOwn), ['accepted']),
      waiting: countIn(documents.filter(isOwn), waiting) + (await this.#openSplits(own)),
      orphaned: countIn(
        documents.filter((each) => !isOwn(each)),
        waiting,
      ),
    };
  }

  async #openSplits(own: ReadonlySet<string>): Promise<number> {
    const open = await this.#deps.ledger.openSplits(0, SPLITS_COUNTED);
    return open.filter(({ endpoint, file }) => own.has(endpointId(endpoint)) && !isElsewhere(file.folder))
      .length;
  }

  /** Tells a real outage from a rate limit, which also counts as an outage while waiting, although the service answered. */
  async #isServiceHeld(): Promise<boolean> {
    return (await this.#deps.ledger.holds()).some(({ scope }) => scope === 'service');
  }

  async #dispatch(stop: AbortSignal): Promise<void> {
    const { flow, graceMs, clock, log, prepared } = this.#deps;
    if (prepared) await orAborted(prepared, stop);
    const drained = new AbortController();
    const grace = (async () => {
      await new Promise((resolve) => {
        if (stop.aborted) resolve(null);
        stop.addEventListener('abort', resolve, { once: true });
        drained.signal.addEventListener('abort', resolve, { once: true });
      });
      if (flow.inFlight > 0) log.info('agentStopping', { inFlight: flow.inFlight, graceMs });
      await clock.sleep(graceMs, drained.signal).catch(() => {});
      if (!drained.signal.aborted) this.#abort.abort(new Error('stopped before the answer came'));
    })();
    await flow.run(stop, this.#abort.signal);
    drained.abort();
    await grace;
  }

  /** Resolves with the reason once nothing more can be sent within `waitMs`. */
  async #untilIdle(stop: AbortSignal, waitMs: number): Promise<Idle['why']> {
    const { flow, clock } = this.#deps;
    let outageSince: number | null = null;
    for (;;) {
      const idle = await nextIdle(flow, stop);
      stop.throwIfAborted();
      if (idle.why === 'done' || idle.why === 'hold') return idle.why;
      if (idle.why === 'pace') {
        outageSince = null;
        await clock.sleep(idle.waitMs ?? LOOK_AGAIN_MS, stop);
        continue;
      }
      outageSince ??= clock.monotonic();
      const left = outageSince + waitMs - clock.monotonic();
      if (left <= 0 || (idle.waitMs ?? 0) > left) return idle.why;
      await clock.sleep(Math.max(LOOK_AGAIN_MS, Math.min(idle.waitMs ?? left, left)), stop);
    }
  }
}

async function orAborted(prepared: Promise<void>, stop: AbortSignal): Promise<void> {
  if (stop.aborted) return;
  let end = (): void => {};
  const aborted = new Promise<void>((resolve) => {
    end = resolve;
    stop.addEventListener('abort', end, { once: true });
  });
  await Promise.race([prepared, aborted]);
  stop.removeEventListener('abort', end);
}

/** Rejects on `stop`, because a flow that has ended never calls back. */
async function nextIdle(flow: Pick<Flow, 'onIdle'>, stop: AbortSignal): Promise<Idle> {
  stop.throwIfAborted();
  return new Promise((resolve, reject) => {
    const end = () => {
      off();
      stop.removeEventListener('abort', aborted);
    };
    const aborted = () => {
      end();
      reject(stop.reason as Error);
    };
    const off = flow.onIdle((idle) => {
      end();
      resolve(idle);
    });
    stop.addEventListener('abort', aborted);
  });
}
