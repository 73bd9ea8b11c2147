import { HOLD_BACKOFF } from '../../../src/core/domain/backoff.ts';
import { composePipeline } from '../../../src/wiring/pipeline.ts';
import { SeenSince } from '../../../src/intake/offline/seenSince.ts';
import { ImageBuffers } from '../../../src/delivery/payload/imageBuffers.ts';
import { OpenIncidents } from '../../../src/daemon/openIncidents.ts';
import type { OpenFolder } from '../../../src/delivery/payload/locateBytes.ts';
import type { Log } from '../../../src/core/ports/log.ts';
import { Dice } from '../support/dice.ts';
import { inspector } from './pictures.ts';
import { modelFolder, modelHints } from './modelFolder.ts';
import { modelSplitter } from './paged.ts';
import { ModelResults } from './modelResults.ts';
import { ModelService, TOKEN } from './modelService.ts';
import { Office } from './office.ts';
import { Oracle } from './oracle.ts';
import { planOf, type Death, type Plan } from './plan.ts';
import { Process } from './process.ts';
import { Share } from './share.ts';
import { StateDirectory } from './stateDirectory.ts';
import { Story } from './story.ts';
import { Timeline, useTimeline, WORLD } from './timeline.ts';
import { scheduleTrouble } from './trouble.ts';

export interface Result {
  readonly seed: number;
  readonly breaches: readonly string[];
  readonly story: readonly string[];
  readonly fingerprint: string;
  readonly counts: Counts;
}

export const COUNTED = [
  'lives',
  'kills',
  'requests',
  'storedTwice',
  'documents',
  'accepted',
  'failed',
  'unconfirmed',
  'lost',
  'disposed',
  'results',
] as const;
/** `failed`, `unconfirmed` and `lost` count documents that were ever in that state. */
export type Counts = Readonly<Record<(typeof COUNTED)[number], number>>;

/** Virtual milliseconds within which everything must be settled once trouble is over. */
const PATIENCE_MS = 5 * 3_600_000;
const LOOK_EVERY_MS = 2_000;
const CANARIES_BYTES = 1_000;
/** A story that does not end is a defect of the agent or of the simulation. */
const MOST_EVENTS = 2_000_000;

/** Simulates an office, a service and an agent for one seed, from the first scan until nothing is owed. */
export async function simulate(seed: number): Promise<Result> {
  const simulation = new Simulation(seed);
  try {
    return await simulation.run();
  } finally {
    await simulation.close();
  }
}

class Simulation {
  readonly #seed: number;
  readonly #plan: Plan;
  readonly #timeline: Timeline;
  readonly #story: Story;
  readonly #shares: ReadonlyMap<string, Share>;
  readonly #state: StateDirectory;
  readonly #office: Office;
  readonly #service: ModelService;
  readonly #results: ModelResults;
  readonly #oracle: Oracle;
  readonly #deaths: Death[];
  #process: Process | null = null;
  #lives = 0;
  #kills = 0;
  readonly #stops: AbortController[] = [];
  #isCalm = false;
  #isOver = false;

  constructor(seed: number) {
    Share.resetInodes();
    const dice = (name: string): Dice => Dice.of(seed, name);
    const plan = planOf(seed);
    const timeline = new Timeline(dice('order'));
    const story = new Story(timeline);
    const shares = new Map([...plan.kinds].map(([path, kind]) => [path, new Share(path, kind, timeline)]));
    const list = [...shares.values()];
    const oracle = new Oracle(plan, story, timeline, list);
    const office = new Office(plan, list, dice('office'), timeline, story, (share, path) =>
      oracle.scanned(share, path),
    );
    const state = new StateDirectory(oracle);
    const pictures = office.begin();
    const unlucky = dice('unlucky');
    const some = (share: number): Set<string> =>
      new Set(pictures.filter(() => unlucky.chance(share)).map(({ sha256 }) => sha256));
    const habits = { phases: plan.phases, isStrict: plan.isStrict, refused: some(0.06), poison: some(0.02) };
    const results = new ModelResults(timeline, dice('results'), story, (arrival) =>
      oracle.resultTaken(arrival),
    );
    const service = new ModelService(
      habits,
      timeline,
      dice('service'),
      story,
      (arrival) => oracle.arrival(arrival),
      (arrival) => results.stored(arrival),
    );
    Object.assign(oracle, { office, service, state });
    this.#seed = seed;
    this.#plan = plan;
    this.#timeline = timeline;
    this.#story = story;
    this.#shares = shares;
    this.#state = state;
    this.#office = office;
    this.#service = service;
    this.#results = results;
    this.#oracle = oracle;
    this.#deaths = [...plan.deaths];
  }

  async run(): Promise<Result> {
    const timeline = this.#timeline;
    scheduleTrouble({
      plan: this.#plan,
      timeline,
      story: this.#story,
      shares: this.#shares,
      state: this.#state,
    });
    timeline.after(this.#plan.troubleMs, WORLD, () => this.#calm());
    this.#live();
    for (let events = 0; !this.#isOver && this.#story.breaches.length === 0; events += 1) {
      if (!(await timeline.step())) this.#story.breach('P1', 'nothing happens any more');
      if (events > MOST_EVENTS) this.#story.breach('P1', `${MOST_EVENTS} events without an end`);
    }
    if (this.#story.breaches.length === 0) this.#oracle.finish();
    return {
      seed: this.#seed,
      breaches: this.#story.breaches,
      story: this.#story.lines,
      fingerprint: this.#story.fingerprint(),
      counts: {
        lives: this.#lives,
        kills: this.#kills,
        requests: this.#service.arrivals.length,
        ...this.#oracle.counts(),
      },
    };
  }

  async close(): Promise<void> {
    if (this.#process) this.#process.isDead = true;
    // Node keeps a derived signal, and with it a whole dead process, while it has listeners.
    for (const stop of this.#stops) stop.abort(new Error('the simulation is over'));
    await new Promise((resolve) => setImmediate(resolve));
    useTimeline(null);
    this.#state.close();
  }

  /** Starts the next life of the agent. */
  #live(): void {
    const death = this.#deaths.shift() ?? null;
    const timeline = this.#timeline;
    this.#lives += 1;
    const number = this.#lives;
    const point = death?.kind === 'step' ? death.point : null;
    const dice = Dice.of(this.#seed, `life ${number}`);
    const process = new Process(number, timeline, dice, this.#plan.pace, point, (how) => {
      this.#story.tell('KILL', how);
      this.#kills += 1;
      this.#oracle.lifeEnded(number);
      this.#results.receiving = null;
      for (const share of this.#shares.values()) share.watchers.clear();
      if (death && 'ledgerLost' in death && death.ledgerLost) {
        this.#story.tell('KILL', 'the power failed as well: the ledger has to be made anew from the journal');
        this.#state.loseLedger();
        this.#oracle.ledgerLost();
      }
      timeline.after(100 + dice.next() * 8_000, WORLD, () => this.#live());
    });
    this.#process = process;
    this.#story.tell('agent', `starts for the ${number}. time`);
    const stop = new AbortController();
    this.#stops.push(stop);
    if (death?.kind === 'time')
      timeline.after(death.afterMs, process, () => {
        if (!this.#isCalm) process.kill('at some time');
      });
    if (death?.kind === 'stop') {
      timeline.after(death.afterMs, process, () => {
        if (this.#isCalm) return;
        this.#story.tell('person', 'stops the agent');
        stop.abort(new Error('stopped'));
      });
    }
    this.#agent(process, stop.signal).then(
      () => {
        if (process.isDead) return;
        process.isDead = true;
        this.#oracle.lifeEnded(number);
        this.#results.receiving = null;
        this.#story.tell('agent', 'has stopped');
        for (const share of this.#shares.values()) share.watchers.clear();
        timeline.after(dice.next() * 3_000, WORLD, () => this.#live());
      },
      (error: unknown) => {
        if (process.isDead) return;
        // A supervisor restarts it; with a full disk it ends with an error message.
        if (this.#state.disk !== 'well') {
          process.kill(`ended by itself: ${String(error)}`);
          return;
        }
        this.#story.breach(
          'P1',
          `the agent ended by itself: ${error instanceof Error ? error.stack : String(error)}`,
        );
      },
    );
  }

  async #agent(process: Process, stop: AbortSignal): Promise<void> {
    const { config, hints } = this.#plan;
    const clock = this.#timeline.clockOf(process);
    const log = this.#logOf(process);
    const ledger = this.#state.openLedger(process);
    const spool = this.#state.openSpool(process, config.spoolLimit);
    const incidents = new OpenIncidents({ clock, log });
    const buffers = new ImageBuffers();
    const world = {
      clock,
      random: () => process.dice.next(),
      log,
      incidents,
      ledger,
      spool,
      deferred: this.#plan.ledgerAway.length > 0 ? this.#state.openDeferredJournal(process) : null,
      seenSince: new SeenSince(clock, config.folders),
      ...this.#service.clientOf(process),
      credentialsChanged: async () => false,
      folders: this.#foldersOf(process, buffers),
      buffers,
      hints: modelHints(this.#shares, process, hints),
      splitter: modelSplitter(this.#office.files, process, (image) => this.#office.drawn(image)),
      papers: this.#state.openPapers(process),
      inspector,
      host: 'scanner-pc',
      background: [],
      asleepMs: () => this.#timeline.asleepMs,
    };
    const pipeline = await composePipeline(config, world, { once: false });
    this.#results.receiving = {
      ledger,
      clock,
      onRecorded: ({ document }) => {
        if (document?.state === 'accepted') pipeline.intakeOf(document.folder)?.disposeSoon();
      },
    };
    await pipeline.agent.run(stop);
    await pipeline.payloads.close();
  }

  #foldersOf(process: Process, buffers: ImageBuffers): OpenFolder {
    const opened = new Map<string, ReturnType<typeof modelFolder>>();
    return (path) => {
      const known = opened.get(path);
      if (known) return known;
      for (const share of this.#shares.values()) {
        const { recursive = false } =
          this.#plan.config.folders.find((each) => each.path === share.path) ?? {};
        const archive = path === share.archivePath || path.startsWith(`${share.archivePath}/`);
        if (path !== share.path && !archive) continue;
        const below = archive ? path.slice(share.archivePath.length + 1) : undefined;
        const folder = modelFolder(share, process, {
          recursive,
          oracle: this.#oracle,
          buffers,
          ...(below !== undefined && { below }),
        });
        opened.set(path, folder);
        return folder;
      }
      throw new Error(`The agent opened ${path}.`);
    };
  }

  #logOf(process: Process): Log {
    const write = (level: string) => (message: string, fields?: object) => {
      if (process.isDead) return;
      const line = fields ? `${message} ${JSON.stringify(fields)}` : message;
      if (line.includes(TOKEN)) this.#story.breach('P7', `a token is in the log: ${message}`);
      if (level !== 'debug') this.#story.tell(level, line);
    };
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  }

  /** Ends all trouble. From now on, every obligation must be met. */
  #calm(): void {
    const { closedForGood } = this.#plan;
    this.#story.tell('world', 'all trouble is over');
    this.#isCalm = true;
    this.#deaths.length = 0;
    this.#process?.disarm();
    for (const share of this.#shares.values()) share.state = 'present';
    this.#office.calm();
    if (closedForGood !== null) this.#service.closeForGood(closedForGood);
    const until = this.#timeline.now + PATIENCE_MS;
    const look = (): void => {
      const owed = this.#oracle.owed();
      if (owed.length === 0) this.#watchCanaries();
      else if (this.#timeline.now < until) this.#timeline.after(LOOK_EVERY_MS, WORLD, look);
      else this.#story.breach('P1', `still owed after ${PATIENCE_MS / 3_600_000} h: ${owed.join('; ')}`);
    };
    this.#timeline.after(LOOK_EVERY_MS, WORLD, look);
  }

  /** Checks that damaged and locked files, and a closed endpoint, do not delay good images (promise P4). */
  #watchCanaries(): void {
    const { config, closedForGood, pace } = this.#plan;
    const { intake, delivery, folders } = config;
    const hasRoom = this.#oracle.hasRoom({ length: CANARIES_BYTES });
    if (this.#service.habits.poison.size > 0 || delivery.limits.perDay !== null || !hasRoom) {
      this.#isOver = true;
      return;
    }
    for (const { path, endpoint } of folders) {
      const share = this.#shares.get(path)!;
      this.#office.makeTrouble(share);
      if (endpoint.uid === closedForGood) this.#office.putCanary(share);
    }
    const { intervalMs = 0, count = 1 } = delivery.limits.rate ?? {};
    const rateMs = intervalMs * Math.ceil(folders.length / count);
    // After a limit became known, the agent approaches it step by step again.
    const isCautious = this.#plan.phases.some(({ fault }) => fault === 'tooMany' || fault === 'quota');
    const boundMs =
      intake.reconcileEveryMs +
      rateMs +
      20_000 +
      pace.slowShare * pace.slowMs * 200 +
      (isCautious ? 5 * 60_000 : 0);
    const healthy = folders.filter(({ endpoint }) => endpoint.uid !== closedForGood);
    const put = (): void => {
      const canaries = healthy.map(({ path, endpoint: { uid } }) => ({
        uid,
        ...this.#office.putCanary(this.#shares.get(path)!),
      }));
      const until = this.#timeline.now + boundMs;
      const look = (): void => {
        const stateOf = (uid: string, sha256: string): string =>
          this.#oracle.view.documentOf(uid, sha256)?.state ?? 'not even named';
        const waiting = canaries.filter(({ uid, sha256 }) => stateOf(uid, sha256) !== 'accepted');
        this.#isOver = waiting.length === 0 || this.#timeline.now >= until;
        if (!this.#isOver) this.#timeline.after(LOOK_EVERY_MS, WORLD, look);
        else
          for (const { uid, sha256, label } of waiting)
            this.#story.breach('P4', `${label} is ${stateOf(uid, sha256)} after ${boundMs} ms`);
      };
      look();
    };
    // Waits until the other trouble is known, and until a hold whose probe was settled by a result has ended.
    const knownMs = closedForGood === null ? 0 : boundMs;
    const heldMs = this.#results.hasProved
      ? Math.min(HOLD_BACKOFF.maxMs, this.#state.heldUntil() - this.#timeline.wall)
      : 0;
    this.#timeline.after(Math.max(knownMs, heldMs), WORLD, put);
  }
}
