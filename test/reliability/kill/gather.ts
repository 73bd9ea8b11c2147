import type { Event, Settings } from '../../oracle/evidence.ts';
import type { Entry } from '../../oracle/journal.ts';
import { describeKill } from './plan.ts';
import type { Upload } from './site.ts';
import type { Observation, Run, World } from './world.ts';

/** How much closer together requests may arrive on a busy machine than they were sent. */
const LEEWAY_MS = 250;

/** What was seen in a round, for the oracle. What became durable in a run may have done so at any time of it. */
export function historyOf(world: World): Event[] {
  const { observations, runs, liftedAt } = world;
  const uploads = world.uploads.toSorted((a, b) => a.arrivedAt - b.arrivedAt);
  const events: Event[] = [{ kind: 'settings', settings: settingsOf(world, liftedAt !== null) }];
  // What arrived is dated by `performance.now`.
  events.push({ kind: 'clock', at: 0, wall: performance.timeOrigin });
  const scans = observations.at(-1)?.scans ?? [];
  for (const { sha256, kind } of scans)
    events.push({ kind: 'content', at: 0, content: { sha256, is: kind } });
  const places = new Map<string, string>();
  let before: readonly Entry[] = [];
  let isLifted = false;
  for (const [index, observation] of observations.entries()) {
    const next = runs[index + 1]?.ended.startedAt ?? Infinity;
    events.push({ kind: 'possible', entries: observation.entries });
    for (; uploads[0] !== undefined && uploads[0].arrivedAt < next; uploads.shift()) {
      if (!isLifted && uploads[0].arrivedAt > (liftedAt ?? Infinity)) {
        isLifted = true;
        events.push({ kind: 'settings', settings: settingsOf(world, false) });
      }
      events.push(...requestOf(world, uploads[0], events.length, index + 1));
    }
    const where = `after run ${index + 1}`;
    events.push(...entriesOf(observation, before, where), ...filesOf(world, observation, places));
    before = observation.entries;
    const files = new Map(observation.files.map(({ path, sha256 }) => [path, sha256]));
    events.push({ kind: 'journal', where, problem: observation.problem });
    events.push({ kind: 'listing', where, files });
    const run = runs[index];
    if (run) events.push(endOf(run, index));
  }
  for (const { kind, endpointUid: uid, sha256, gone } of scans)
    if (kind === 'image') events.push({ kind: 'image', uid, sha256, knownAs: gone?.knownAs ?? null });
  const stored = world.stored.map(({ endpointUid: uid, ...each }) => ({ uid, ...each }));
  const { rows, audit, verify, stateFiles, mostAtOnce } = world;
  return [...events, { kind: 'end', end: { rows, stored, audit, verify, stateFiles, mostAtOnce } }];
}

function settingsOf({ settings, folders, ...world }: World, isLimitedByDay: boolean): Settings {
  const { afterUpload, concurrency, perSecond, perDay } = settings;
  return {
    folders: folders.map(({ path, archive, endpointUid: uid }) => ({ path, archive, uid, afterUpload })),
    overall: {
      concurrency,
      rate: perSecond === null ? null : { count: perSecond, intervalMs: 1_000 },
      perDay: isLimitedByDay ? perDay : null,
    },
    leewayMs: LEEWAY_MS + 2 * world.stallMs,
    ledgerWasDamaged: world.ledgerWasDamaged,
    journalWasLost: world.journalWasLost,
  };
}

function* requestOf({ settings }: World, upload: Upload, id: number, life: number): Generator<Event> {
  const { arrivedAt: at, endpointUid: uid, name, ending, fault } = upload;
  yield { kind: 'request', request: { id, uid, name, sha256: null, askedAt: at, at, life } };
  const status = /^\d+$/.test(ending) ? Number(ending) : null;
  const isPlain = status === 200 && fault === null && !settings.impatient;
  const answer = { status, isRecord: status === 200, reached: isPlain ? true : null };
  yield { kind: 'answer', id, at, answer };
}

function* entriesOf({ at, entries }: Observation, before: readonly Entry[], where: string): Generator<Event> {
  const last = before.at(-1);
  const from = last ? entries.findLastIndex(({ hash }) => hash === last.hash) + 1 : 0;
  if (last && from === 0) {
    const isShorter = entries.length > 0 && (entries.at(-1)?.seq ?? 0) < last.seq;
    yield { kind: 'restarted', where, isShorter };
  }
  for (const entry of entries.slice(from)) yield { kind: 'entry', at, entry };
}

/** What people left in the folders. */
function* filesOf(
  { folders }: World,
  { at, scans }: Observation,
  places: Map<string, string>,
): Generator<Event> {
  const now = new Map<string, string>();
  for (const { path, sha256, gone } of scans) if (gone === null) now.set(path, sha256);
  for (const path of new Set([...places.keys(), ...now.keys()])) {
    const sha256 = now.get(path) ?? null;
    const folder = folders.find((each) => path.startsWith(`${each.path}/`))?.path ?? '';
    yield { kind: 'file', at, folder, path: path.slice(folder.length + 1), sha256 };
    if (sha256 === null) places.delete(path);
    else places.set(path, sha256);
  }
}

function endOf({ kind, kill, ended }: Run, index: number): Event {
  const how = kill === null ? 'undisturbed' : describeKill(kill);
  const command = kind === 'daemon' && kill?.kind === 'stopping' ? 'stopped' : kind;
  const { status, signal, output } = ended;
  const run = `run ${index + 1} (${kind}, ${how})`;
  return { kind: 'ended', ended: { run, command, status, signal, output, wasKilled: kill !== null } };
}
