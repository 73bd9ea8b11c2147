import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Outcome } from '../support/campaign.ts';
import type { Image } from '../support/images.ts';
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

/** Time limit of the last run, reached only by a defect. */
const QUIET_WITHIN_MS = 30_000;

/** Plays one seed: a new site, kills and restarts, an undisturbed last run, the oracle. Removes the site if there is no breach. */
export async function playRound(
  seed: number,
  images: readonly Image[],
  { power }: { readonly power: boolean },
): Promise<Outcome> {
  const plan = drawPlan(seed);
  const site = await Site.open(plan, { power });
  const story: string[] = [JSON.stringify(plan.settings), ...plan.faults.map((rule) => JSON.stringify(rule))];
  let breaches: readonly string[];
  let figures: Record<string, number> = {};
  try {
    const world = await play(site, plan, images, story);
    figures = figuresOf(world);
    breaches = judge(historyOf(world)).map((breach) => said(breach, breach.what));
  } catch (error) {
    breaches = [`the round could not be finished: ${(error as Error).stack}`];
  }
  const kept = breaches.length > 0;
  await site.close({ kept });
  return { breaches, story, figures, keptAt: kept ? site.dirs.join(' and ') : null };
}

function figuresOf({ runs, observations, rows, site, stored }: World): Record<string, number> {
  const figures: Record<string, number> = {};
  const count = (what: string, by = 1): void => void (figures[what] = (figures[what] ?? 0) + by);
  for (const { kind, kill, ended } of runs) {
    if (kill === null) continue;
    if (ended.signal !== 'SIGKILL') count('runs that ended before their kill');
    else if (!ended.asPlanned) count('kills: late, while idle');
    else if (kind === 'restore') count('kills: in a restore');
    else count(`kills: ${kill.kind === 'write' ? `${kill.when} a write of ${kill.place}` : kill.kind}`);
    if (ended.killedAt !== null) count(`killed at: ${callOf(ended.killedAt)}`);
  }
  const { books, scans } = observations.at(-1)!;
  count('scans', scans.length);
  count('documents', books.documents.size);
  for (const { state } of rows) count(`rows ${state}`);
  count('ledgers rebuilt', books.rebuilt);
  count('requests', site.service.uploads.length);
  count(
    'stored again after a lost answer',
    stored.reduce((sum, { tries }) => sum + tries - 1, 0),
  );
  return figures;
}

/** The call before which the binary killed itself, without what differs each time. */
function callOf(report: string): string {
  const { name, path }: { name: string; path: string } = JSON.parse(report);
  // The journal was linked to its final name, but the descriptor shows the first one.
  const file = path
    .replace('.new (deleted)', '')
    .replaceAll(/[0-9a-f]{8,}(-[0-9a-f]{4,})*/g, '*')
    .replaceAll(/\d{4,}/g, '*');
  return `${name} ${basename(file)}`;
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
