import { setMaxListeners } from 'node:events';
import { endpointId } from '../core/domain/document.ts';
import { isElsewhere } from '../core/domain/elsewhere.ts';
import type { Need } from '../core/domain/needWords.ts';
import type { Dispatcher, Idle } from '../delivery/queue/dispatcher.ts';
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
  readonly dispatcher: Dispatcher;
  readonly endpoints: readonly EndpointSettings[];
  readonly clock: Clock;
  readonly log: Log;
  /** Resolves when it may send: a ledger that could not be asked at the start has been asked by then. */
  readonly prepared?: Promise<void> | undefined;
  /** Milliseconds that uploads in flight get to finish when the agent is stopped. */
  readonly graceMs: number;
  /** Which agent of a fleet takes in what comes into shared folders; null: this one has its ledger to itself. */
  readonly leads?: FolderLeadership | null;
  /** What runs besides, until the agent stops. */
  readonly background: readonly ((signal: AbortSignal) => Promise<void>)[];
  /** What has to be done before the folders are listed, by a run that has nothing beside it. */
  readonly before?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** What has to be done once they are listed: what came in is not all there is to send yet. */
  readonly afterIntake?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** What puts in order what an earlier run left, for a run that has nothing beside it. */
  readonly tidy: (signal: AbortSignal) => Promise<void>;
}

/** What a run of `--once` found and did; the command line turns it into an exit status. */
export interface OnceResult {
  readonly missingFolders: readonly string[];
  readonly unreadableDirs: number;
  /** What needs a person since this run. */
  readonly found: readonly Need[];
  /** What needed one before, and still does. */
  readonly earlier: readonly Need[];
  /** Queued or held when it ended, and files whose pages were not all taken. */
  readonly waiting: number;
  readonly accepted: number;
  /** Waiting for an endpoint that is no longer in the configuration. */
  readonly orphaned: number;
  /** The service could not be reached until the end. */
  readonly unreachable: boolean;
}

interface Stand extends Pick<OnceResult, 'waiting' | 'accepted' | 'orphaned'> {
  /** What needs a person, by what tells one case from another. */
  readonly cases: ReadonlyMap<string, Need>;
}

const LOOK_AGAIN_MS = 20;
/** More say no more: it has to go on. */
const SPLITS_COUNTED = 1_000;

/** Runs intake and delivery together, for good or once, and drains them at the end. */
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

  /** Sends what is queued until `stop` aborts, and looks at no folder; resolves when drained. */
  async deliver(stop: AbortSignal): Promise<void> {
    await this.#dispatch(stop);
  }

  /** Lists every folder once, sends what is there, resolves when nothing more can be done. */
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
      // Another agent sees to what comes into a folder that it leads.
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
      // Others of a fleet may send meanwhile; what was accepted stays so.
      accepted: Math.max(0, accepted - before.accepted),
      orphaned,
      unreachable: last === 'outage' && (await this.#isServiceHeld()),
    };
  }

  /** How things stand. What other agents of a fleet have in their own folders is no outcome of this run. */
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
      const { sightingId, documentId, attempts, size, state, reason } = row;
      if (isElsewhere(row.path)) continue;
      // A document that failed once more, and a file that changed, are new cases.
      const key = `${sightingId ?? ''} ${documentId ?? ''} ${attempts} ${size} ${state} ${reason}`;
      cases.set(key, { state, reason: reason ?? undefined, count: 1 });
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

  /** A limit that was met is an outage to those who wait, and the service has answered anyway. */
  async #isServiceHeld(): Promise<boolean> {
    return (await this.#deps.ledger.holds()).some(({ scope }) => scope === 'service');
  }

  async #dispatch(stop: AbortSignal): Promise<void> {
    const { dispatcher, graceMs, clock, log, prepared } = this.#deps;
    if (prepared) await orAborted(prepared, stop);
    const drained = new AbortController();
    const grace = (async () => {
      await new Promise((resolve) => {
        if (stop.aborted) resolve(null);
        stop.addEventListener('abort', resolve, { once: true });
        drained.signal.addEventListener('abort', resolve, { once: true });
      });
      if (dispatcher.inFlight > 0)
        log.info('Stopping; uploads in flight may finish', { inFlight: dispatcher.inFlight, graceMs });
      await clock.sleep(graceMs, drained.signal).catch(() => {});
      if (!drained.signal.aborted) this.#abort.abort(new Error('stopped before the answer came'));
    })();
    await dispatcher.run(stop, this.#abort.signal);
    drained.abort();
    await grace;
  }

  /** Resolves with the reason once nothing more will be sent without waiting longer than allowed. */
  async #untilIdle(stop: AbortSignal, waitMs: number): Promise<Idle['why']> {
    const { dispatcher, clock } = this.#deps;
    let outageSince: number | null = null;
    for (;;) {
      const idle = await nextIdle(dispatcher, stop);
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

/** Rejects when stopped: a dispatcher that has ended calls nobody back. */
async function nextIdle(dispatcher: Pick<Dispatcher, 'onIdle'>, stop: AbortSignal): Promise<Idle> {
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
    const off = dispatcher.onIdle((idle) => {
      end();
      resolve(idle);
    });
    stop.addEventListener('abort', aborted);
  });
}
