import type { Limits } from '../../../src/core/domain/settings.ts';
import type { Dice } from '../support/dice.ts';
import type { Death, Plan } from './plan.ts';

/** Combinations that chance alone would rarely produce. Each one narrows a plan down to it. */
export const SCENARIOS = [
  'anything',
  /** Documents wait for a share that went away before they were sent, and only the share has their bytes. */
  'shareAway',
  /** Answers are lost, and retries are then refused. */
  'refusedAfterLoss',
  /** A strict limit and many restarts. */
  'restartsAtLimit',
  /** More scans than the daily budget allows. */
  'budgetSpent',
  /** Two endpoints, one of which is closed for good. */
  'oneClosed',
  /** A folder is first watched while unmounted, and its share appears while the shared ledger is away. */
  'mountedWhileAway',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

export function drawScenario(dice: Dice): Scenario {
  return dice.weighted({
    anything: 15,
    shareAway: 1,
    refusedAfterLoss: 1,
    restartsAtLimit: 1,
    budgetSpent: 1,
    oneClosed: 1,
    mountedWhileAway: 1,
  });
}

export function narrow(plan: Plan, scenario: Scenario, dice: Dice): Plan {
  const soon = { ...plan, scansWithinMs: 1_000 };
  const killsAfter = (...afterMs: number[]): Death[] =>
    afterMs.map((ms) => ({ kind: 'time', afterMs: ms * (0.5 + dice.next()), ledgerLost: false }));
  switch (scenario) {
    case 'anything':
      return plan;
    case 'shareAway': {
      const path = dice.pick(plan.config.folders).path;
      const state = dice.pick(['unreachable', 'unmounted'] as const);
      return {
        ...soon,
        troubleMs: Math.max(plan.troubleMs, 120_000),
        config: { ...plan.config, spool: 'never' },
        phases: [{ from: 0, until: 15_000, fault: 'lostBefore', uid: null, share: 1 }],
        deaths: killsAfter(8_000),
        shareTrouble: [{ at: 9_000, forMs: 110_000, path, state }],
      };
    }
    case 'refusedAfterLoss':
      return {
        ...soon,
        troubleMs: Math.max(plan.troubleMs, 60_000),
        phases: [
          { from: 0, until: 8_000, fault: 'lostAfter', uid: null, share: 1 },
          { from: 8_000, until: 40_000, fault: 'refusedOnce', uid: null, share: 1 },
        ],
      };
    case 'restartsAtLimit': {
      const rate = { count: dice.int(1, 3), intervalMs: 60_000 };
      return {
        ...soon,
        phases: [],
        clockJumps: [],
        config: withLimits(plan, { rate }),
        deaths: killsAfter(3_000, 3_000, 10_000, 30_000),
      };
    }
    case 'budgetSpent':
      return {
        ...soon,
        scans: 8,
        clockJumps: [],
        config: withLimits(plan, { perDay: dice.int(2, 5) }),
        deaths: killsAfter(5_000, 20_000),
      };
    case 'mountedWhileAway':
      return {
        ...plan,
        troubleMs: Math.max(plan.troubleMs, 60_000),
        deaths: [],
        diskTrouble: [],
        scansWithinMs: 45_000,
        shareTrouble: plan.config.folders.map(({ path }) => ({
          at: 0,
          forMs: 12_000,
          path,
          state: 'unmounted',
        })),
        ledgerAway: [{ at: 10_000, forMs: 40_000 }],
      };
    case 'oneClosed': {
      const [office, shop] = ['office', 'shop'].map((uid) => ({ ...plan.config.endpoints[0]!.key, uid }));
      const { endpoints, folders } = plan.config;
      if (folders.length < 2 || endpoints.length < 2 || !office || !shop) return plan;
      return {
        ...plan,
        config: {
          ...plan.config,
          folders: folders.map((folder, index) => ({ ...folder, endpoint: index === 0 ? office : shop })),
        },
        closedForGood: dice.pick(['office', 'shop']),
      };
    }
  }
}

function withLimits({ config }: Plan, limits: Partial<Limits>): Plan['config'] {
  const { delivery } = config;
  return { ...config, delivery: { ...delivery, ...limits } };
}
