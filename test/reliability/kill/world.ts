import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import type { Event, Said, Settings, Stored } from '../../oracle/evidence.ts';
import { Books, type Entry } from '../../oracle/journal.ts';
import { ROWS, type Row } from '../../support/listRows.ts';
import { sha256 } from '../support/digest.ts';
import { unlessGone } from '../support/files.ts';
import { eventsOf, type Scan, type Scanner } from '../support/scanner.ts';
import { requestOf } from '../support/service.ts';
import { runToEnd, type Ended } from './agent.ts';
import { describeKill, type Kill } from './plan.ts';
import type { Site } from './site.ts';

const HEAD = z.looseObject({ seq: z.number() });
/** How much closer together requests may arrive on a busy machine than they were sent. */
const LEEWAY_MS = 250;

/** Folders and journal between runs. */
export interface Observation {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly entries: readonly Entry[];
  readonly books: Books;
  /** What is wrong with the journal. */
  readonly problem: string | null;
  /** Hashes of all files in the folders and archives, by absolute path. */
  readonly files: ReadonlyMap<string, string>;
  readonly scans: readonly Scan[];
}

export interface Run {
  readonly kind: 'daemon' | 'once' | 'restore';
  /** Null for the last run, which is not killed. */
  readonly kill: Kill | null;
  readonly ended: Ended;
}

export interface World {
  readonly site: Site;
  /** One after each run; the last one is the end. */
  readonly observations: readonly Observation[];
  readonly runs: readonly Run[];
  /** When the daily budget was lifted, in monotonic milliseconds; null if the day had ended by then. */
  readonly liftedAt: number | null;
  readonly ledgerWasDamaged: boolean;
  /** A run killed before it started a new journal may leave none. */
  readonly journalWasLost: boolean;
  readonly stored: readonly Stored[];
  readonly rows: readonly Row[];
  readonly audit: Said;
  readonly verify: Said;
  /** Relative to the state directory. */
  readonly stateFiles: readonly string[];
}

export async function observe(site: Site, scanner: Scanner): Promise<Observation> {
  return scanner.still(async () => {
    const files = new Map<string, string>();
    for (const root of new Set(site.folders.flatMap(({ path, archive }) => [path, archive])))
      for (const [path, hash] of await filesBelow(root)) files.set(path, hash);
    const { entries, problem } = await site.journal();
    const scans = scanner.scans.map((scan) => ({ ...scan }));
    return { at: performance.now(), entries, books: Books.of(entries), problem, files, scans };
  });
}

/** The end of a round, once nothing runs any more. */
export async function lookAround(
  known: Pick<World, 'site' | 'observations' | 'runs' | 'liftedAt' | 'ledgerWasDamaged' | 'journalWasLost'>,
): Promise<World> {
  const { site } = known;
  const stored = await Promise.all(
    site.service.received().map(async ({ endpointUid: uid, file, ...each }) => ({
      ...each,
      uid,
      actual: sha256(await readFile(file)),
    })),
  );
  const rows = await say(site, 'list', '--json');
  if (rows.status !== 0) throw new Error(`receiptd list: ${rows.text}`);
  return {
    ...known,
    stored,
    rows: ROWS.parse(JSON.parse(rows.text)),
    audit: await say(site, 'audit', '--json'),
    verify: await say(site, 'ledger', 'verify', '--json'),
    stateFiles: [...(await filesBelow(site.stateDir)).keys()]
      .map((path) => relative(site.stateDir, path))
      .sort(),
  };
}

/** Whether the ledger has everything that is in the journal, so that the journal can be dropped. */
export async function ledgerIsWhole(site: Site): Promise<boolean> {
  const { status, text } = await say(site, 'ledger', 'head', '--json');
  if (status !== 0) return false;
  const { seq } = HEAD.parse(JSON.parse(text));
  return seq === ((await site.journal()).entries.at(-1)?.seq ?? 0);
}

/**
 * Runs in a separate process: the driver releases a closed ledger's files only once its statements are collected, so that damage to them
 * (damage.ts) would hit a connection that still has them open.
 */
async function say(site: Site, ...args: string[]): Promise<Said> {
  const { status, stdout, stderr } = await runToEnd(site, args);
  return { status, text: stdout + stderr };
}

/** Skips files that disappear meanwhile, since the agent may be running. */
async function filesBelow(root: string): Promise<Map<string, string>> {
  let entries = null;
  // A directory that disappears during its listing fails the whole listing.
  while (entries === null && existsSync(root))
    entries = await unlessGone(readdir(root, { recursive: true, withFileTypes: true }));
  const found = new Map<string, string>();
  for (const entry of entries ?? []) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory() && entry.name.startsWith('.receiptd-')) found.set(path, '');
    const bytes = entry.isFile() ? await unlessGone(readFile(path)) : null;
    if (bytes) found.set(path, sha256(bytes));
  }
  return found;
}

/** What was seen in a round, for the oracle. What became durable in a run may have done so at any time of it. */
export function* historyOf(world: World): Generator<Event> {
  const { site, observations, runs, liftedAt } = world;
  const uploads = site.service.uploads.toSorted((a, b) => a.arrivedAt - b.arrivedAt);
  yield { kind: 'settings', settings: settingsOf(world, liftedAt !== null) };
  // What arrived is dated by `performance.now`.
  yield { kind: 'clock', at: 0, wall: performance.timeOrigin };
  const scans = observations.at(-1)?.scans ?? [];
  yield* eventsOf(scans);
  const places = new Map<string, string>();
  let before: readonly Entry[] = [];
  let isLifted = false;
  let sent = 0;
  for (const [index, observation] of observations.entries()) {
    const { at, entries, problem, files } = observation;
    const next = runs[index + 1]?.ended.startedAt ?? Infinity;
    yield { kind: 'possible', entries };
    for (let upload = uploads[sent]; upload && upload.arrivedAt < next; upload = uploads[(sent += 1)]) {
      if (!isLifted && upload.arrivedAt > (liftedAt ?? Infinity)) {
        isLifted = true;
        yield { kind: 'settings', settings: settingsOf(world, false) };
      }
      const isPlain = upload.status === 200 && upload.fault === null && !site.settings.impatient;
      yield* requestOf(upload, { id: sent, life: index + 1, reached: isPlain ? true : null });
    }
    const where = `after run ${index + 1}`;
    const last = before.at(-1);
    const from = last ? entries.findLastIndex(({ hash }) => hash === last.hash) + 1 : 0;
    if (last && from === 0) {
      const isShorter = entries.length > 0 && (entries.at(-1)?.seq ?? 0) < last.seq;
      yield { kind: 'restarted', where, isShorter };
    }
    for (const entry of entries.slice(from)) yield { kind: 'entry', at, entry };
    yield* filesOf(site, observation, places);
    before = entries;
    yield { kind: 'journal', where, problem };
    yield { kind: 'listing', where, files };
    const run = runs[index];
    if (run) yield endOf(run, index);
  }
  const { rows, stored, audit, verify, stateFiles } = world;
  const mostAtOnce = site.service.sandbox.stats().maxConcurrentUploads;
  yield { kind: 'end', end: { rows, stored, audit, verify, stateFiles, mostAtOnce } };
}

function settingsOf({ site, ledgerWasDamaged, journalWasLost }: World, isLimitedByDay: boolean): Settings {
  const { afterUpload, concurrency, perSecond, perDay } = site.settings;
  return {
    folders: site.folders.map(({ path, archive, uid }) => ({ path, archive, uid, afterUpload })),
    overall: {
      concurrency,
      rate: perSecond === null ? null : { count: perSecond, intervalMs: 1_000 },
      perDay: isLimitedByDay ? perDay : null,
    },
    leewayMs: LEEWAY_MS + 2 * site.service.stallMs(),
    ledgerWasDamaged,
    journalWasLost,
  };
}

/** What people left in the folders. */
function* filesOf(
  { folders }: Site,
  { at, scans }: Observation,
  places: Map<string, string>,
): Generator<Event> {
  const now = new Map(scans.flatMap(({ path, sha256: hash, gone }) => (gone === null ? [[path, hash]] : [])));
  for (const path of new Set([...places.keys(), ...now.keys()])) {
    const hash = now.get(path) ?? null;
    const folder = folders.find((each) => path.startsWith(`${each.path}/`))?.path ?? '';
    yield { kind: 'file', at, folder, path: path.slice(folder.length + 1), sha256: hash };
    if (hash === null) places.delete(path);
    else places.set(path, hash);
  }
}

function endOf({ kind, kill, ended: { status, signal, stdout, stderr } }: Run, index: number): Event {
  const how = kill === null ? 'undisturbed' : describeKill(kill);
  const command = kind === 'daemon' && kill?.kind === 'stopping' ? 'stopped' : kind;
  const run = `run ${index + 1} (${kind}, ${how})`;
  const output = stdout + stderr;
  return { kind: 'ended', ended: { run, command, status, signal, output, wasKilled: kill !== null } };
}
