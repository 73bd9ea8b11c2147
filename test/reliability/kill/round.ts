import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loadImages, type Image } from '../support/images.ts';
import { Scanner } from '../support/scanner.ts';
import { judge, said } from '../../oracle/oracle.ts';
import { runAndKill, runToEnd, runUntil, type Ended } from './agent.ts';
import { damageLedger } from './damage.ts';
import { describeKill, drawPlan, type Plan } from './plan.ts';
import { Site } from './site.ts';
import {
  historyOf,
  ledgerIsWhole,
  lookAround,
  observe,
  type Observation,
  type Run,
  type World,
} from './world.ts';

export interface Round {
  readonly plan: Plan;
  /** Whether each kill came with a power failure. */
  readonly power: boolean;
  readonly world: World | null;
  readonly breaches: readonly string[];
  /** What happened, in order, to analyse a breach. */
  readonly story: readonly string[];
  /** Path of the kept site; null once removed. */
  readonly keptAt: string | null;
  readonly ms: number;
}

/** Time limit of the last run, reached only by a defect. */
const QUIET_WITHIN_MS = 30_000;

/** Plays one seed: a new site, kills and restarts, an undisturbed last run, the oracle. Removes the site if there is no breach. */
async function playRound(
  seed: number,
  images: readonly Image[],
  { power }: { readonly power: boolean },
): Promise<Round> {
  const plan = drawPlan(seed);
  const startedAt = performance.now();
  const site = await Site.open(plan, { power });
  const story: string[] = [JSON.stringify(plan.settings), ...plan.faults.map((rule) => JSON.stringify(rule))];
  let world: World | null = null;
  let breaches: readonly string[];
  try {
    world = await play(site, plan, images, story);
    breaches = judge(historyOf(world)).map((breach) => said(breach, breach.what));
  } catch (error) {
    breaches = [`the round could not be finished: ${(error as Error).stack}`];
  }
  const kept = breaches.length > 0;
  await site.close({ kept });
  const keptAt = kept ? site.dirs.join(' and ') : null;
  return { plan, power, world, breaches, story, keptAt, ms: performance.now() - startedAt };
}

async function play(site: Site, plan: Plan, images: readonly Image[], story: string[]): Promise<World> {
  const scanner = new Scanner({
    seed: plan.seed,
    folders: site.folders,
    aside: join(site.dir, 'scanner'),
    habits: { drop: 36, pieces: 24, copy: 7, rename: 7, overwrite: 10, delete: 7, junk: 3, cutShort: 3 },
    longestPauseMs: 350,
    image: (dice) => dice.pick(images),
    knownAs: (scan) => site.knownAs(scan),
    careless: 0.3,
    inPlace: plan.settings.afterUpload === 'keep',
  });
  const observations: Observation[] = [];
  const runs: Run[] = [];
  // A power failure may damage the ledger like the planned damage of other rounds.
  let ledgerWasDamaged = site.disk !== null;
  let journalWasLost = false;
  const today = new Date().toDateString();
  await site.configure({ limited: true });
  const scanning = scanner.run(plan.steps);
  // Errors are rethrown below; until then nothing awaits it.
  scanning.catch(() => {});

  const record = async (run: Run): Promise<void> => {
    runs.push(run);
    if (run.kill !== null) await site.failPower();
    const observed = await observe(site, scanner);
    observations.push(observed);
    const { kind, kill, ended } = run;
    const how =
      kill === null ? 'undisturbed' : `${describeKill(kill)}${ended.asPlanned ? '' : ' (given up)'}`;
    story.push(`run ${runs.length}, ${kind}, ${how}: ${told(ended)}; ${shown(observed)}`);
  };

  for (const { once, backup, damage, restore, revokeTokens, kill } of plan.runs) {
    if (revokeTokens) site.service.sandbox.revokeTokens();
    if (backup && existsSync(join(site.stateDir, 'ledger.db'))) await makeBackup(site, story);
    // One of the two has to stay intact: after a kill before a new journal was in place, only the ledger is left.
    const isOtherWhole =
      damage?.what === 'noJournal'
        ? await ledgerIsWhole(site)
        : !journalWasLost || existsSync(join(site.stateDir, 'ledger.journal'));
    const mayBe = site.disk === null && isOtherWhole;
    if (damage !== null && mayBe && (await damageLedger(site.stateDir, damage))) {
      ledgerWasDamaged = true;
      if (damage.what === 'noJournal') journalWasLost = true;
      story.push(`the ledger: ${JSON.stringify(damage)}`);
    }
    // A backup does not match a journal that was started after it.
    const newest = restore && !journalWasLost && (await newestBackup(site));
    if (restore && newest) {
      ledgerWasDamaged = true;
      const ended = await runAndKill(site, ['restore', newest, '--yes'], restore);
      await record({ kind: 'restore', kill: restore, ended });
    }
    const ended = await runAndKill(site, once ? ['run', '--once', '--wait', '2s'] : ['run'], kill);
    await record({ kind: once ? 'once' : 'daemon', kill, ended });
  }

  await scanning;
  site.service.misbehave([]);
  // After midnight, the budget is that of another day.
  const liftedAt = today === new Date().toDateString() ? performance.now() : null;
  await site.configure({ limited: false });
  const ended = plan.lastIsOnce
    ? await runToEnd(site, ['run', '--once', '--wait', '60s'])
    : await runUntil(site, async () => isQuiet(site, await observe(site, scanner)), QUIET_WITHIN_MS);
  await record({ kind: plan.lastIsOnce ? 'once' : 'daemon', kill: null, ended });
  return lookAround({ site, observations, runs, liftedAt, ledgerWasDamaged, journalWasLost });
}

async function makeBackup(site: Site, story: string[]): Promise<void> {
  const { status, stderr } = await runToEnd(site, ['backup']);
  story.push(`backup: ${status}`);
  if (status !== 0) throw new Error(`backup: ${stderr}`);
}

async function newestBackup({ stateDir }: Site): Promise<string | null> {
  const dir = join(stateDir, 'backups');
  if (!existsSync(dir)) return null;
  const name = (await readdir(dir))
    .filter((each) => each.endsWith('.db'))
    .sort()
    .at(-1);
  return name === undefined ? null : join(dir, name);
}

/** Whether every file was seen, nothing waits, and all due disposals are complete. */
function isQuiet({ settings }: Site, { scans, books, files }: Observation): boolean {
  const waits =
    [...books.documents.values()].some(({ state }) => state === 'queued' || state === 'uploading') ||
    [...files.keys()].some((path) => path.includes('/.receiptd-'));
  return (
    !waits &&
    scans.every((scan) => {
      if (scan.gone !== null) return true;
      const seen = books.lastSeen.get(scan.path);
      if (scan.kind !== 'image') return seen !== undefined;
      const isThere = files.get(scan.path) === scan.sha256;
      const isAccepted = books.documentOf(scan.uid, scan.sha256)?.state === 'accepted';
      return seen?.sha256 === scan.sha256 && !(isThere && settings.afterUpload !== 'keep' && isAccepted);
    })
  );
}

function told({ status, signal, killedAt, startedAt, endedAt }: Ended): string {
  return `${status ?? signal} after ${Math.round(endedAt - startedAt)} ms${killedAt === null ? '' : ` at ${killedAt}`}`;
}

function shown({ books, files }: Observation): string {
  const states = new Map<string, number>();
  for (const { state } of books.documents.values()) states.set(state, (states.get(state) ?? 0) + 1);
  const counts = [...states].map(([state, count]) => `${count} ${state}`);
  return `entry ${books.entries}, ${counts.join(', ') || 'nothing named'}, ${files.size} files`;
}

/** Plays rounds `from` to `from + rounds - 1`, several at once because they mostly wait. */
export async function playRounds(
  rounds: {
    readonly from: number;
    readonly rounds: number;
    readonly atOnce: number;
    readonly power: boolean;
  },
  onRound: (round: Round) => void,
): Promise<{ readonly real: boolean }> {
  const { real, images } = await loadImages();
  let next = rounds.from;
  const lane = async (): Promise<void> => {
    while (next < rounds.from + rounds.rounds) onRound(await playRound((next += 1) - 1, images, rounds));
  };
  await Promise.all(Array.from({ length: rounds.atOnce }, lane));
  return { real };
}
