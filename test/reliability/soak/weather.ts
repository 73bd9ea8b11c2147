import type { FaultRule } from '../../../src/sandbox/server.ts';
import type { Dice } from '../support/dice.ts';
import { pause } from '../support/agentProcess.ts';
import type { Service } from '../support/service.ts';

interface Phase {
  readonly weight: number;
  readonly rules: readonly FaultRule[];
  /** Maximum duration in seconds. */
  readonly longest?: number;
  /** Whether the agent reports afterwards that a person is needed, so that one acts. */
  readonly callsPerson?: boolean;
}

const share = (probability: number) => ({ probability });

/** Faults of the service, one at a time. */
const PHASES = {
  slow: { weight: 3, rules: [{ kind: 'delay', delayMs: 300, ...share(0.5) }] },
  errors: {
    weight: 3,
    rules: [
      { kind: 'status', status: 500, store: true, ...share(0.05) },
      { kind: 'status', status: 503, ...share(0.1) },
    ],
  },
  outage: { weight: 2, rules: [{ kind: 'status', status: 503, route: 'any' }], longest: 10 },
  resets: {
    weight: 3,
    rules: [
      { kind: 'cut', at: 'beforeBody', ...share(0.1) },
      { kind: 'cut', at: 'midBody', ...share(0.1) },
    ],
  },
  lostAnswers: {
    weight: 3,
    rules: [
      { kind: 'lostAnswer', ...share(0.1) },
      { kind: 'cut', at: 'midAnswer', ...share(0.1) },
      { kind: 'truncatedJson', ...share(0.05) },
    ],
  },
  stalls: {
    weight: 2,
    rules: [
      { kind: 'stall', at: 'beforeBody', ...share(0.05) },
      { kind: 'stall', at: 'midAnswer', ...share(0.05) },
    ],
  },
  tooMany: { weight: 2, rules: [{ kind: 'status', status: 429, retryAfter: 2, ...share(0.2) }] },
  portal: { weight: 2, rules: [{ kind: 'html', route: 'any' }], longest: 8 },
  wrongRecord: { weight: 1, rules: [{ kind: 'wrongRecord', ...share(0.1) }] },
  redirect: { weight: 1, rules: [{ kind: 'redirect', ...share(0.2) }] },
  revoked: { weight: 2, rules: [] },
  noTokens: { weight: 1, rules: [{ kind: 'status', status: 500, route: 'token' }], longest: 8 },
  unauthorized: {
    weight: 1,
    rules: [{ kind: 'status', status: 401, route: 'upload' }],
    longest: 5,
    callsPerson: true,
  },
  forbidden: {
    weight: 2,
    rules: [{ kind: 'status', status: 403, nameIncludes: 'depot-' }],
    callsPerson: true,
  },
  refusals: { weight: 1, rules: [{ kind: 'status', status: 422, ...share(0.02) }], callsPerson: true },
  undescribed: { weight: 1, rules: [{ kind: 'status', status: 418, ...share(0.02) }], callsPerson: true },
  refused: { weight: 2, rules: [], longest: 8 },
} as const satisfies Record<string, Phase>;
export type PhaseName = keyof typeof PHASES;

/** When each phase was active; wall-clock milliseconds. */
export interface Spell {
  readonly phase: PhaseName;
  readonly from: number;
  to: number;
}

export class Weather {
  readonly #service: Service;
  readonly #dice: Dice;
  readonly spells: Spell[] = [];

  constructor(service: Service, dice: Dice) {
    this.#service = service;
    this.#dice = dice;
  }

  get now(): PhaseName | 'fair' {
    const last = this.spells.at(-1);
    return last && last.to === Infinity ? last.phase : 'fair';
  }

  /** Runs until aborted and then ends all faults. `person` is called after phases that need one, and sometimes after others. */
  async run(signal: AbortSignal, person: () => Promise<void>): Promise<void> {
    const dice = this.#dice;
    const weights = Object.fromEntries(Object.entries(PHASES).map(([name, { weight }]) => [name, weight]));
    while (!signal.aborted) {
      await pause(dice.int(3_000, 8_000), signal);
      if (signal.aborted) break;
      const name = dice.weighted(weights as Record<PhaseName, number>);
      const phase: Phase = PHASES[name];
      const spell: Spell = { phase: name, from: Date.now(), to: Infinity };
      this.spells.push(spell);
      const ms = dice.int(3_000, (phase.longest ?? 15) * 1_000);
      if (name === 'revoked') this.#service.sandbox.revokeTokens();
      if (name === 'refused') await this.#service.away(ms, signal);
      else {
        this.#service.misbehave(phase.rules);
        await pause(ms, signal);
        this.#service.misbehave([]);
      }
      spell.to = Date.now();
      if (phase.callsPerson || dice.chance(0.3)) await person();
    }
  }
}
