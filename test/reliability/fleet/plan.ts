import { Dice } from '../support/dice.ts';

/** A fault of one agent, or of its connection to the database. */
export type AgentFault = 'kill' | 'freeze' | 'cut' | 'hang' | 'loseAnswers' | 'reset';
/** A fault of the database itself. */
export type DatabaseFault = 'fast' | 'immediate' | 'kill';

/** Milliseconds from the start, and the duration. */
interface Span {
  readonly at: number;
  readonly lasts: number;
}

export type Step =
  | (Span & { readonly on: 'agent'; readonly agent: number; readonly fault: AgentFault })
  | (Span & { readonly on: 'database'; readonly fault: DatabaseFault });

export interface Settings {
  readonly seed: number;
  readonly seconds: number;
  readonly agents: number;
  /** The endpoint's limit of requests per second across all agents; null: no limit. */
  readonly perSecond: number | null;
}

export interface Plan extends Settings {
  /** In order of their start. */
  readonly steps: readonly Step[];
  /** Share of requests whose answers the service loses. */
  readonly lostAnswers: number;
  /** Delay of the service's answers to uploads, so that many are in flight when a fault happens. */
  readonly answerAfterMs: number;
}

export const LEASE_MS = 5_000;
const QUIET_MS = 1_500;

/** The same settings give the same plan. */
export function drawPlan(settings: Settings): Plan {
  const { seed, seconds, agents } = settings;
  const until = seconds * 1_000;
  const steps: Step[] = [];
  for (let agent = 0; agent < agents; agent += 1) {
    const dice = Dice.of(seed, `agent ${agent}`);
    for (let at = QUIET_MS + dice.int(0, 3_000); at < until;) {
      const fault = dice.weighted<AgentFault>({
        kill: 4,
        freeze: 3,
        cut: 2,
        hang: 2,
        loseAnswers: 2,
        reset: 3,
      });
      const lasts = lengthOf(fault, dice);
      steps.push({ on: 'agent', agent, fault, at, lasts });
      at += lasts + dice.int(300, 5_000);
    }
  }
  const dice = Dice.of(seed, 'database');
  for (let at = QUIET_MS + dice.int(2_000, 6_000); at < until;) {
    const fault = dice.pick(['fast', 'immediate', 'kill'] as const);
    const lasts = dice.int(0, 2_000);
    steps.push({ on: 'database', fault, at, lasts });
    at += lasts + dice.int(4_000, 12_000);
  }
  return {
    ...settings,
    steps: steps.toSorted((a, b) => a.at - b.at),
    lostAnswers: dice.chance(0.5) ? 0.02 : 0,
    answerAfterMs: dice.pick([0, 100, 400]),
  };
}

function lengthOf(fault: AgentFault, dice: Dice): number {
  switch (fault) {
    case 'freeze':
      // Mostly long enough for others to take over its work.
      return dice.chance(0.8) ? LEASE_MS + dice.int(500, 4_000) : dice.int(200, LEASE_MS);
    case 'kill':
      return dice.chance(0.4) ? LEASE_MS + dice.int(500, 3_000) : dice.int(0, 2_000);
    case 'reset':
      return 0;
    case 'cut':
    case 'hang':
    case 'loseAnswers':
      return dice.chance(0.4) ? LEASE_MS + dice.int(500, 4_000) : dice.int(200, 3_000);
  }
}

export function tellStep(step: Step): string {
  const what = step.on === 'agent' ? `agent ${nameOf(step.agent)}: ${step.fault}` : `database: ${step.fault}`;
  return `${(step.at / 1_000).toFixed(1)} s ${what}, ${(step.lasts / 1_000).toFixed(1)} s`;
}

export function nameOf(agent: number): string {
  return `pc-${String.fromCharCode('a'.charCodeAt(0) + agent)}`;
}
