import type { FaultRule } from '../../../src/sandbox/server.ts';
import { Dice } from '../support/dice.ts';

export interface Settings {
  readonly spool: 'auto' | 'always' | 'never';
  readonly afterUpload: 'keep' | 'archive' | 'delete';
  /** Location of the archive: in the folder, next to it, or on another file system. */
  readonly archive: 'inside' | 'beside' | 'elsewhere';
  readonly folders: 1 | 2;
  readonly watch: 'auto' | 'poll';
  readonly concurrency: number;
  /** Upload requests per second; null: unlimited. */
  readonly perSecond: number | null;
  /** Upload requests per day, lifted for the last run; null: unlimited. */
  readonly perDay: number | null;
  readonly template: string;
  readonly onRepeat: 'accept' | 'conflict';
  /** Waits less than a second for answers, so that missing ones are given up soon. */
  readonly impatient: boolean;
}

export type Place = 'state' | 'spool' | 'folder';
type When = 'before' | 'torn' | 'after';
const SYSTEM_CALLS = ['pwrite64', 'fsync', 'ftruncate', 'unlink'] as const;
type SystemCall = (typeof SYSTEM_CALLS)[number];

export type Kill =
  | { readonly kind: 'moment'; readonly from: 'start' | 'ready'; readonly afterMs: number }
  /** Right before the sandbox's n-th answer to an upload. */
  | { readonly kind: 'answer'; readonly nth: number }
  /** During a clean stop. */
  | { readonly kind: 'stopping'; readonly readyMs: number; readonly afterMs: number }
  | { readonly kind: 'write'; readonly place: Place; readonly call: number; readonly when: When }
  /** Before SQLite's n-th system call of this kind. */
  | { readonly kind: 'sqlite'; readonly system: SystemCall; readonly nth: number };

/** Results of a power failure or a bad disk. Either ledger or journal stays intact. `share` of the file is kept. */
export type Damage =
  | { readonly what: 'noLog' | 'noLedger' | 'neither' | 'emptyLedger' | 'noJournal' }
  | { readonly what: 'cutLog' | 'zeroedLog' | 'cutLedger'; readonly share: number };

export interface RunPlan {
  readonly once: boolean;
  /** Whether the ledger is backed up before the start. */
  readonly backup: boolean;
  /** Damage between the backup and the start. */
  readonly damage: Damage | null;
  /** Kill of a `restore` of the newest backup before the start; null: no restore. */
  readonly restore: Kill | null;
  readonly revokeTokens: boolean;
  readonly kill: Kill;
}

export interface Plan {
  readonly seed: number;
  readonly settings: Settings;
  readonly faults: readonly FaultRule[];
  /** How much people and scanners do in the folders. */
  readonly steps: number;
  readonly runs: readonly RunPlan[];
  /** Whether the last run ends by itself; otherwise it is stopped once nothing waits. */
  readonly lastIsOnce: boolean;
}

/** Everything decided in advance, from the seed alone. */
export function drawPlan(seed: number): Plan {
  const faults = drawFaults(Dice.of(seed, 'faults'));
  const impatient = faults.some(({ kind }) => kind === 'stall');
  const settings = { ...drawSettings(Dice.of(seed, 'settings')), impatient };
  return {
    seed,
    settings,
    faults,
    steps: Dice.of(seed, 'steps').int(7, 14),
    runs: drawRuns(seed, settings),
    lastIsOnce: Dice.of(seed, 'last').chance(0.5),
  };
}

function drawSettings(dice: Dice): Omit<Settings, 'impatient'> {
  const limit = dice.weighted({ none: 5, perSecond: 3, perDay: 2 });
  return {
    spool: dice.weighted({ auto: 5, always: 4, never: 1 }),
    afterUpload: dice.weighted({ keep: 4, archive: 4, delete: 2 }),
    archive: dice.weighted({ inside: 2, beside: 2, elsewhere: 2 }),
    folders: dice.chance(0.3) ? 2 : 1,
    watch: dice.chance(0.2) ? 'poll' : 'auto',
    concurrency: dice.int(1, 4),
    perSecond: limit === 'perSecond' ? dice.int(3, 6) : null,
    perDay: limit === 'perDay' ? dice.int(3, 8) : null,
    template: dice.pick(['{stem}-{hash:12}', '{stem}', '{seq:5}', '{date:YYYY-MM-DD}-{seq}']),
    onRepeat: dice.chance(0.1) ? 'conflict' : 'accept',
  };
}

function drawFaults(dice: Dice): FaultRule[] {
  if (dice.chance(0.25)) return [];
  const probability = dice.int(10, 40) / 100;
  const rules: Record<string, () => FaultRule> = {
    lostAnswer: () => ({ kind: 'lostAnswer', probability }),
    stored5xx: () => ({ kind: 'status', status: 502, store: true, probability }),
    refused5xx: () => ({ kind: 'status', status: 503, probability }),
    cut: () => ({ kind: 'cut', at: dice.pick(['beforeBody', 'midBody', 'midAnswer']), probability }),
    slow: () => ({ kind: 'delay', delayMs: dice.int(30, 400) }),
    page: () => ({ kind: 'html', store: dice.chance(0.5), probability }),
    half: () => ({ kind: 'truncatedJson', probability }),
    stalled: () => ({ kind: 'stall', at: 'beforeAnswer', store: dice.chance(0.5), times: 2 }),
    tooMany: () => ({ kind: 'status', status: 429, retryAfter: 1, times: dice.int(1, 2) }),
    forbidden: () => ({ kind: 'status', status: 403, times: 1 }),
    refused: () => ({ kind: 'status', status: 400, times: 1 }),
    token5xx: () => ({ kind: 'status', route: 'token', status: 503, times: dice.int(1, 3) }),
  };
  return dice
    .shuffled(Object.values(rules))
    .slice(0, dice.int(1, 3))
    .map((rule) => rule());
}

function drawRuns(seed: number, settings: Settings): RunPlan[] {
  const dice = Dice.of(seed, 'runs');
  const kills = dice.int(3, 5);
  return Array.from({ length: kills }, (_, index) => ({
    once: dice.chance(0.15),
    backup: index > 0 && dice.chance(0.25),
    damage: index > 0 && dice.chance(0.25) ? drawDamage(dice) : null,
    restore: index > 1 && dice.chance(0.2) ? drawRestoreKill(dice) : null,
    revokeTokens: dice.chance(0.1),
    kill: index === 0 ? FIRST[(seed * STRIDE) % FIRST.length]! : drawKill(dice, settings),
  }));
}

function drawDamage(dice: Dice): Damage {
  const what = dice.weighted({
    noLog: 4,
    cutLog: 3,
    zeroedLog: 3,
    noLedger: 1,
    neither: 2,
    emptyLedger: 1,
    noJournal: 3,
    cutLedger: 2,
  });
  const share = dice.next();
  return what === 'cutLog' || what === 'zeroedLog' || what === 'cutLedger' ? { what, share } : { what };
}

/** Approximate number of calls in a run with some receipts. */
const CALLS: Readonly<Record<Place, number>> = { state: 60, spool: 30, folder: 40 };
const SYSTEM: Readonly<Record<SystemCall, number>> = { pwrite64: 110, fsync: 14, ftruncate: 4, unlink: 2 };

/**
 * Kills of first runs, which make nearly the same calls each time. This many consecutive rounds cover every call in the state directory,
 * before it and in the middle of each write, and every system call of SQLite.
 */
const FIRST: readonly Kill[] = [
  ...numbers(60).map((call): Kill => ({ kind: 'write', place: 'state', call, when: 'before' })),
  ...numbers(30).map((call): Kill => ({ kind: 'write', place: 'state', call, when: 'torn' })),
  ...SYSTEM_CALLS.flatMap((system) =>
    numbers(SYSTEM[system]).map((nth): Kill => ({ kind: 'sqlite', system, nth })),
  ),
];
/** Coprime to their number, so that a few rounds already give a mix. */
const STRIDE = 89;

function drawKill(dice: Dice, { spool, afterUpload }: Settings): Kill {
  const kind = dice.weighted({ moment: 6, answer: 2, stopping: 1, write: 9, sqlite: 2 });
  switch (kind) {
    case 'moment': {
      const from = dice.pick(['start', 'ready'] as const);
      return { kind, from, afterMs: dice.int(0, from === 'start' ? 700 : 900) };
    }
    case 'answer':
      return { kind, nth: dice.int(1, 4) };
    case 'stopping':
      return { kind, readyMs: dice.int(0, 500), afterMs: dice.int(0, 60) };
    case 'write': {
      const place = dice.weighted({
        state: 4,
        spool: spool === 'always' ? 2 : 0,
        folder: afterUpload === 'keep' ? 0 : 2,
      });
      const when = dice.weighted({ before: 1, torn: 2, after: 1 });
      const share = when !== 'torn' ? 1 : place === 'state' ? 0.5 : 0.15;
      return { kind, place, when, call: drawNumber(dice, CALLS[place] * share) };
    }
    case 'sqlite': {
      const system = dice.weighted({ pwrite64: 10, fsync: 4, ftruncate: 1, unlink: 1 });
      return { kind, system, nth: drawNumber(dice, SYSTEM[system]) };
    }
  }
}

function drawRestoreKill(dice: Dice): Kill {
  const when = dice.pick(['before', 'torn', 'after'] as const);
  return { kind: 'write', place: 'state', when, call: dice.int(1, when === 'torn' ? 4 : 20) };
}

/** From 1, favouring small numbers, because a run may end before it makes so many calls. */
function drawNumber(dice: Dice, most: number): number {
  return 1 + Math.floor(dice.next() ** 2 * most);
}

function numbers(most: number): number[] {
  return Array.from({ length: most }, (_, index) => index + 1);
}

export function describeKill(kill: Kill): string {
  switch (kill.kind) {
    case 'moment':
      return `at ${kill.afterMs} ms after the ${kill.from === 'start' ? 'start' : 'first log line'}`;
    case 'answer':
      return `at upload answer ${kill.nth}`;
    case 'stopping':
      return `${kill.afterMs} ms into a clean stop`;
    case 'write':
      return `${kill.when} write ${kill.call} of ${kill.place}`;
    case 'sqlite':
      return `before ${kill.system} ${kill.nth} of SQLite`;
  }
}
