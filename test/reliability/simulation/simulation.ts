import { budgetsBegin } from '../../oracle/budgets.ts';
import { Dice } from '../support/dice.ts';
import { LOOK_EVERY_MS, watchCanaries } from './canaries.ts';
import { runAgent } from './modelAgent.ts';
import type { Death } from './plan.ts';
import { Process } from './process.ts';
import { useTimeline, WORLD } from './timeline.ts';
import { scheduleTrouble } from './trouble.ts';
import { buildWorld, type World } from './world.ts';

export interface Result {
  readonly breaches: readonly string[];
  readonly story: readonly string[];
  /** `failed`, `unconfirmed` and `lost` count documents that were ever in that state. */
  readonly figures: Readonly<Record<string, number>>;
}

/** Virtual milliseconds within which everything must be settled once trouble is over. */
const PATIENCE_MS = 5 * 3_600_000;
/** How often documents may wait for the next day or month before the story ends. */
const NIGHTS = 3;
const BEFORE_MIDNIGHT_MS = 20_000;
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
  readonly #world: World;
  readonly #deaths: Death[];
  #process: Process | null = null;
  #lives = 0;
  #kills = 0;
  readonly #stops: AbortController[] = [];
  #isCalm = false;
  #isOver = false;

  constructor(seed: number) {
    this.#seed = seed;
    this.#world = buildWorld(seed);
    this.#deaths = [...this.#world.plan.deaths];
  }

  async run(): Promise<Result> {
    const timeline = this.#world.timeline;
    scheduleTrouble(this.#world);
    timeline.after(this.#world.plan.troubleMs, WORLD, () => this.#calm());
    this.#live();
    for (let events = 0; !this.#isOver && this.#world.story.breaches.length === 0; events += 1) {
      if (!(await timeline.step())) this.#stuck('no event is left');
      if (events > MOST_EVENTS) this.#stuck(`${MOST_EVENTS} events without an end`);
    }
    if (this.#world.story.breaches.length === 0) this.#world.gatherer.oracle.end();
    return {
      breaches: this.#world.story.breaches,
      story: this.#world.story.lines,
      figures: {
        lives: this.#lives,
        kills: this.#kills,
        requests: this.#world.service.arrivals.length,
        ...this.#world.gatherer.counts(),
      },
    };
  }

  async close(): Promise<void> {
    if (this.#process) this.#process.isDead = true;
    // Node keeps a derived signal, and with it a whole dead process, while it has listeners.
    for (const stop of this.#stops) stop.abort(new Error('the simulation is over'));
    await new Promise((resolve) => setImmediate(resolve));
    useTimeline(null);
    this.#world.state.close();
  }

  /** Starts the next life of the agent. */
  #live(): void {
    const death = this.#deaths.shift() ?? null;
    const timeline = this.#world.timeline;
    this.#lives += 1;
    const number = this.#lives;
    const point = death?.kind === 'step' ? death.point : null;
    const dice = Dice.of(this.#seed, `life ${number}`);
    const process = new Process(number, timeline, dice, this.#world.plan.pace, point, (how) => {
      this.#world.story.tell('KILL', how);
      this.#kills += 1;
      this.#ended(number);
      for (const share of this.#world.shares.values()) share.watchers.clear();
      if (death && 'ledgerLost' in death && death.ledgerLost) {
        this.#world.story.tell('KILL', 'the power failed too: the ledger must be rebuilt from the journal');
        this.#world.state.loseLedger();
        this.#world.gatherer.take({ kind: 'tablesLost', at: timeline.now });
      }
      timeline.after(100 + dice.next() * 8_000, WORLD, () => this.#live());
    });
    this.#process = process;
    this.#world.story.tell('agent', `starts life ${number}`);
    const stop = new AbortController();
    this.#stops.push(stop);
    if (death?.kind === 'time')
      timeline.after(death.afterMs, process, () => {
        if (!this.#isCalm) process.kill('at a random moment');
      });
    if (death?.kind === 'stop') {
      timeline.after(death.afterMs, process, () => {
        if (this.#isCalm) return;
        this.#world.story.tell('person', 'stops the agent');
        stop.abort(new Error('stopped'));
      });
    }
    runAgent(this.#world, process, stop.signal).then(
      () => {
        if (process.isDead) return;
        process.isDead = true;
        this.#ended(number);
        this.#world.story.tell('agent', 'has stopped');
        for (const share of this.#world.shares.values()) share.watchers.clear();
        timeline.after(dice.next() * 3_000, WORLD, () => this.#live());
      },
      (error: unknown) => {
        if (process.isDead) return;
        // A supervisor restarts it; with a full disk it ends with an error message.
        if (this.#world.state.disk !== 'well') {
          process.kill(`ended unexpectedly: ${String(error)}`);
          return;
        }
        this.#stuck(`the agent ended by itself: ${error instanceof Error ? error.stack : String(error)}`);
      },
    );
  }

  #stuck(what: string): void {
    this.#world.gatherer.take({ kind: 'stuck', what });
  }

  #ended(life: number): void {
    this.#world.results.receiving = null;
    this.#world.gatherer.statusOf = null;
    this.#world.gatherer.take({ kind: 'lifeEnded', life, at: this.#world.timeline.now });
  }

  /** Ends all trouble. From now on, every obligation must be met. */
  #calm(): void {
    const { closedForGood } = this.#world.plan;
    this.#world.story.tell('world', 'all trouble is over');
    this.#isCalm = true;
    this.#deaths.length = 0;
    this.#process?.disarm();
    for (const share of this.#world.shares.values()) share.state = 'present';
    this.#world.office.calm();
    if (closedForGood !== null) this.#world.service.closeForGood(closedForGood);
    this.#untilNothingIsOwed(NIGHTS);
  }

  #untilNothingIsOwed(nights: number): void {
    const { timeline, gatherer } = this.#world;
    const until = timeline.now + PATIENCE_MS;
    const look = (): void => {
      gatherer.status();
      const isOwed = gatherer.oracle.owed().length > 0;
      if (isOwed && timeline.now < until) timeline.after(LOOK_EVERY_MS, WORLD, look);
      else if (isOwed) gatherer.oracle.owes();
      else if (nights === 0 || !this.#sleepOverNight())
        watchCanaries(this.#world, () => (this.#isOver = true));
      else this.#untilNothingIsOwed(nights - 1);
    };
    timeline.after(LOOK_EVERY_MS, WORLD, look);
  }

  /** If documents wait for a budget, the machine sleeps until shortly before it begins anew. False if none does. */
  #sleepOverNight(): boolean {
    const { timeline, gatherer, story } = this.#world;
    const at = budgetsBegin(gatherer.oracle.seen);
    if (at === null) return false;
    story.tell('world', 'the machine sleeps until shortly before midnight');
    gatherer.sleeps();
    timeline.sleepMachine(Math.max(0, at - timeline.wall - BEFORE_MIDNIGHT_MS));
    return true;
  }
}
