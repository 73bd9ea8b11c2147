import { configSchema } from '../../../src/config/schema.ts';
import type { PipelineConfig } from '../../../src/wiring/world.ts';
import { parseTemplate } from '../../../src/core/domain/nameTemplate.ts';
import { Dice } from '../support/dice.ts';
import { FAULTS, type Phase } from './faults.ts';
import type { KillPoint, Pace } from './process.ts';
import { drawLooks } from './looks.ts';
import { drawScenario, narrow } from './scenarios.ts';
import type { ShareKind, ShareState } from './share.ts';

/**
 * Everything that a seed decides in advance. All trouble ends at `troubleMs`; after that everything must be settled. Times in milliseconds.
 */
export interface Plan {
  readonly config: PipelineConfig & { readonly spoolLimit: number };
  readonly kinds: ReadonlyMap<string, ShareKind>;
  /** What the wall clock shows at first. */
  readonly beginsAt: number;
  readonly troubleMs: number;
  readonly pace: Pace;
  readonly hints: { readonly lostShare: number; readonly failsAfterMs: number | null };
  readonly phases: readonly Phase[];
  readonly isStrict: boolean;
  /** How the first lives end. Later lives go on. */
  readonly deaths: readonly Death[];
  readonly shareTrouble: readonly {
    readonly at: number;
    readonly forMs: number;
    readonly path: string;
    readonly state: Exclude<ShareState, 'present'>;
  }[];
  readonly diskTrouble: readonly {
    readonly at: number;
    readonly forMs: number;
    readonly disk: 'full' | 'failing';
  }[];
  /** Absences of a ledger that agents share; empty: the agent has its own ledger. */
  readonly ledgerAway: readonly { readonly at: number; readonly forMs: number }[];
  readonly archiveFull: readonly { readonly at: number; readonly forMs: number; readonly path: string }[];
  readonly clockJumps: readonly { readonly at: number; readonly byMs: number }[];
  readonly sleeps: readonly { readonly at: number; readonly forMs: number }[];
  readonly scans: number;
  /** Number of multi-page files, in addition to the scans. */
  readonly filesOfPages: number;
  /** Null: as much as the program takes on a computer. */
  readonly memory: { readonly reading: number; readonly sending: number } | null;
  /** For separate dice. */
  readonly seed: number;
  /** All scans start within this time. */
  readonly scansWithinMs: number;
  /** An endpoint that stays closed (403) after all other trouble is over (promise P4); null: none. */
  readonly closedForGood: string | null;
}

export type Death =
  | { readonly kind: 'step'; readonly point: KillPoint; readonly ledgerLost: boolean }
  | { readonly kind: 'time'; readonly afterMs: number; readonly ledgerLost: boolean }
  | { readonly kind: 'stop'; readonly afterMs: number };

/** Wednesday, 14 January 2026, 09:30 UTC. */
const MORNING = Date.UTC(2026, 0, 14, 9, 30);
/** The end of a day, and of a month. */
const MIDNIGHTS = [Date.UTC(2026, 0, 15), Date.UTC(2026, 1, 1)];

export const BASE_URL = 'https://service.example';

const KINDS: readonly ShareKind[] = [
  { fileSystem: { name: 'ext4', network: false }, tickMs: 4, clockAheadMs: 0 },
  { fileSystem: { name: 'ext4', network: false }, tickMs: 4, clockAheadMs: 0 },
  { fileSystem: { name: 'nfs', network: true }, tickMs: 10, clockAheadMs: -3_600_000 },
  { fileSystem: { name: 'smb', network: true }, tickMs: 1, clockAheadMs: 95_000 },
  { fileSystem: { name: 'vfat', network: false }, tickMs: 2_000, clockAheadMs: 0 },
];

/** Draws the plan of a seed. */
export function planOf(seed: number): Plan {
  const dice = Dice.of(seed, 'plan');
  const files = Dice.of(seed, 'files of pages');
  // Separate dice, so that all other stories stay the same.
  const filesOfPages = files.chance(0.3) ? files.int(1, 3) : 0;
  const narrowed = narrow(draw(dice), drawScenario(dice), dice);
  const config = { ...narrowed.config, folders: drawLooks(seed, narrowed.config.folders) };
  const memory = drawMemory(Dice.of(seed, 'memory'));
  const plan = overMidnight({ ...narrowed, config, filesOfPages, seed, memory });
  if (plan.ledgerAway.length > 0) return plan;
  return { ...plan, ledgerAway: absences(Dice.of(seed, 'absences'), plan.troubleMs) };
}

/** So little that a byte that is never given back keeps everything waiting. */
function drawMemory(dice: Dice): Plan['memory'] {
  return dice.chance(0.3) ? { reading: dice.int(1, 500), sending: dice.int(1, 500) } : null;
}

/** Some stories have budgets, and cross the end of a day, which may be that of a month too, while much is under way. */
function overMidnight(plan: Plan): Plan {
  const dice = Dice.of(plan.seed, 'midnight');
  if (!dice.chance(0.25)) return plan;
  const { config, pace } = plan;
  const budget = (share: number, most: number): number | null =>
    dice.chance(share) ? dice.int(1, most) : null;
  const budgets = (share: number) => ({ perDay: budget(share, 6), perMonth: budget(share / 2, 12) });
  const { delivery, endpoints } = config;
  return {
    ...plan,
    beginsAt: dice.pick(MIDNIGHTS) - dice.int(1_000, 20_000),
    scans: plan.scans + dice.int(0, 4),
    scansWithinMs: Math.min(plan.scansWithinMs, 25_000),
    // Requests that take long to prepare are more often under way at midnight.
    pace: dice.chance(0.5) ? pace : { slowShare: 0.3, slowMs: 5_000 },
    config: {
      ...config,
      delivery: { ...delivery, ...budgets(0.7) },
      endpoints: endpoints.map((each) => ({ ...each, limits: { ...each.limits, ...budgets(0.4) } })),
    },
  };
}

function absences(dice: Dice, troubleMs: number): Plan['ledgerAway'] {
  const count = dice.chance(0.3) ? dice.int(1, 3) : 0;
  return Array.from({ length: count }, () => ({
    // Sometimes from the very start.
    at: dice.chance(0.2) ? 0 : dice.next() * troubleMs,
    forMs: dice.next() * (dice.chance(0.5) ? 5_000 : 60_000),
  }));
}

function draw(dice: Dice): Plan {
  const troubleMs = dice.int(15, 80) * 1_000;
  const at = (): number => dice.next() * troubleMs;
  const times = (most: number): number => (dice.chance(0.5) ? 0 : dice.int(1, most));
  const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
  const uids = dice.chance(0.5) ? ['office'] : ['office', 'shop'];
  const folders = many(dice.int(1, 2), () => dice.pick(uids)).map((uid, index) => ({
    uid,
    path: `/scans/${index}`,
  }));
  const paths = folders.map(({ path }) => path);
  const used = [...new Set(folders.map(({ uid }) => uid))];
  const rate = dice.weighted({ none: 5, second: 2, minute: 1 });
  const limits = {
    concurrency: dice.int(1, 4),
    rate:
      rate === 'none'
        ? null
        : rate === 'second'
          ? { count: dice.int(1, 5), intervalMs: 1_000 }
          : { count: dice.int(10, 60), intervalMs: 60_000 },
    // Derived instead of drawn, because another draw would change every story.
    spread: folders.length === 1,
    perDay: dice.chance(0.1) ? dice.int(40, 80) : null,
    perMonth: null,
  };
  const key = (uid: string) => ({ baseUrl: BASE_URL, uid });
  const config: Plan['config'] = {
    service: { uploadContentType: 'auto' },
    endpoints: uids.map((uid) => ({
      alias: uid,
      key: key(uid),
      account: null,
      limits: {
        concurrency: dice.int(1, 3),
        rate: dice.chance(0.2) ? { count: dice.int(1, 3), intervalMs: 1_000 } : null,
        perDay: null,
        perMonth: null,
      },
    })),
    folders: folders.map(({ uid, path }) => ({
      path,
      endpoint: key(uid),
      alias: uid,
      share: null,
      recursive: dice.chance(0.5),
      watch: dice.chance(0.25) ? 'poll' : 'auto',
      include: [],
      ignore: [],
      settle: { shortMs: 200, longMs: dice.int(2, 5) * 1_000, patienceMs: dice.int(10, 40) * 1_000 },
      template: parseTemplate(
        dice.pick(['{stem}-{hash:12}', '{date}-{seq:5}', '{stem}', '{endpoint}-{seq}']),
      ),
      nameMaxBytes: 200,
      accept: ['jpeg', 'tiff'],
      pages: 'split',
      pageResolution: 200,
      qualityCheck: 'off',
      upright: false,
      maxFileSize: 100_000,
      existing: { kind: 'send' },
      afterUpload: dice.pick(['keep', 'keep', 'archive', 'delete']),
      archiveTo: `${path}-archive`,
      afterUploadOn: null,
      afterUploadExisting: 'auto',
      silentAfter: 'never',
      needsAttention: null,
    })),
    delivery: { ...configSchema.shape.delivery.parse({}), ...limits, grace: 5_000, parkAfter: 3 },
    intake: {
      ...configSchema.shape.intake.parse({}),
      reconcileEvery: dice.int(8, 30) * 1_000,
      pollEvery: dice.int(2, 5) * 1_000,
      // With the default, so few files are compared at every listing and nothing is ever skipped.
      comparedApartMs: 10_000,
    },
    spool: dice.pick(['auto', 'auto', 'always', 'never']),
    storage: { keepFailed: 7 * 24 * 3_600_000 },
    spoolLimit: dice.chance(0.2) ? 2_000 : 1_000_000,
  };
  const isClosed = used.length > 1 && dice.chance(0.3);
  return {
    config,
    beginsAt: MORNING,
    kinds: new Map(paths.map((path) => [path, dice.pick(KINDS)])),
    troubleMs,
    pace: { slowShare: dice.pick([0, 0.02, 0.1]), slowMs: dice.pick([50, 500, 5_000]) },
    hints: {
      lostShare: dice.pick([0, 0, 0.3, 1]),
      failsAfterMs: dice.chance(0.15) ? at() : null,
    },
    phases: many(times(4), () => {
      const from = at();
      return {
        from,
        until: Math.min(troubleMs, from + dice.next() * 40_000),
        fault: dice.pick(FAULTS),
        uid: dice.chance(0.3) ? dice.pick(uids) : null,
        share: dice.pick([0.2, 0.6, 1]),
      };
    }),
    isStrict: dice.chance(0.25),
    deaths: many(dice.weighted({ none: 2, some: 5 }) === 'none' ? 0 : dice.int(1, 4), (): Death => {
      const kind = dice.weighted({ step: 6, time: 2, stop: 2 });
      const afterMs = dice.next() * troubleMs * 0.5;
      const ledgerLost = dice.chance(0.3);
      if (kind === 'stop') return { kind, afterMs };
      if (kind === 'time') return { kind, afterMs, ledgerLost };
      const when = dice.chance(0.5) ? 'before' : 'after';
      return { kind, point: { atStep: Math.ceil(dice.next() ** 2 * 400), when }, ledgerLost };
    }),
    shareTrouble: many(dice.chance(0.4) ? dice.int(1, 2) : 0, () => ({
      at: at(),
      forMs: dice.next() * 90_000,
      path: dice.pick(paths),
      state: dice.pick(['missing', 'unreachable', 'unmounted'] as const),
    })),
    diskTrouble: many(dice.chance(0.2) ? 1 : 0, () => ({
      at: at(),
      forMs: dice.next() * 30_000,
      disk: dice.pick(['full', 'failing'] as const),
    })),
    ledgerAway: [],
    archiveFull: many(dice.chance(0.1) ? 1 : 0, () => ({
      at: at(),
      forMs: dice.next() * 30_000,
      path: dice.pick(paths),
    })),
    clockJumps: many(dice.chance(0.1) ? dice.int(1, 2) : 0, () => ({
      at: at(),
      byMs: dice.pick([-86_400_000, -3_600_000, -5_000, 5_000, 3_600_000, 86_400_000]),
    })),
    sleeps: many(dice.chance(0.15) ? dice.int(1, 2) : 0, () => ({
      at: at(),
      forMs: dice.pick([20_000, 600_000, 14_400_000]),
    })),
    scans: dice.int(2, 8),
    filesOfPages: 0,
    memory: null,
    seed: 0,
    scansWithinMs: troubleMs * 0.9,
    closedForGood: isClosed ? dice.pick(used) : null,
  };
}
