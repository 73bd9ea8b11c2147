import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Config, FolderConfig } from '../config/config.ts';
import type { Consequence } from '../control/protocol/consequences.ts';
import { endpointId } from '../core/domain/document.ts';
import { nextOpening } from '../core/domain/hours.ts';
import { BUDGET_LIMITS, BUDGET_PERIODS } from '../core/domain/limits.ts';
import { acceptPolicy } from '../core/domain/settings.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { StateCount } from '../core/ports/ledgerReports.ts';
import type { Spool } from '../core/ports/spool.ts';
import { ignoreSystemErrors } from '../intake/folder/realDirectory.ts';
import { configuredChannels } from './alertChannels.ts';
import { leavingWithinHour, sentSoFar, type SentSoFar, type WaitingFiles } from './backlogWithin.ts';
import { unwritableOf } from './checkFolder.ts';
import { composeFolders, type Guards } from './folders.ts';
import { lookThrough } from './testFolder.ts';

export interface ConsequenceDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly guards: Guards;
  readonly spool: () => Spool;
}

interface SettingChange {
  readonly before: Config;
  readonly after: Config;
  readonly counts: readonly StateCount[];
  readonly waiting: WaitingFiles;
  readonly sent: SentSoFar;
  readonly now: number;
}

/** Lists the immediate side effects of a change that may be unintended, with numbers. Changes nothing. */
export async function consequencesOf(
  before: Config,
  after: Config,
  deps: ConsequenceDeps,
): Promise<Consequence[]> {
  const { ledger, clock } = deps;
  const now = clock.now();
  const counts = await ledger.counts();
  const waiting = new Map<string, number>();
  for (const { endpoint, state, count } of counts)
    if (endpoint !== null && state === 'queued')
      waiting.set(endpointId(endpoint), (waiting.get(endpointId(endpoint)) ?? 0) + count);
  const change = { before, after, counts, waiting, sent: sentSoFar(ledger), now };
  return [
    ...(await ofLimits(change)),
    ...ofEndpoints(change),
    ...after.folders.flatMap((folder) => ofFolder(folder, change)),
    ...(await ofNewFolders(change, deps)),
    ...(await ofStorage(change, deps)),
    ...(await unwritableIn(
      after,
      after.folders.filter((folder) => !writesAsIn(before, folder)),
      deps.guards,
    )),
    ...(configuredChannels(before).length > 0 && configuredChannels(after).length === 0
      ? [{ kind: 'nobodyAlerted' as const }]
      : []),
  ];
}

async function ofLimits(change: SettingChange): Promise<Consequence[]> {
  const { before, after, waiting, sent, now } = change;
  const limitsOf = ({ delivery, endpoints }: Config) => [delivery, delivery.hours, endpoints];
  if (isDeepStrictEqual(limitsOf(before), limitsOf(after))) return [];
  const all = total(waiting);
  const until = (hours: Config['delivery']['hours']) => (hours === null ? 0 : nextOpening(hours, now));
  const [open, opens] = [until(before.delivery.hours), until(after.delivery.hours)];
  const found: Consequence[] = [];
  if (open === 0 && opens > 0)
    found.push({ kind: 'closed', until: new Date(now + opens).toISOString(), waiting: all });
  for (const { alias, key, limits } of [
    { alias: null, key: null, limits: after.delivery },
    ...after.endpoints,
  ]) {
    const former = key === null ? before.delivery : sameEndpoint(before, key)?.limits;
    for (const period of BUDGET_PERIODS) {
      const limit = limits[BUDGET_LIMITS[period]];
      if (limit === null || limit === former?.[BUDGET_LIMITS[period]]) continue;
      const used = await sent(key, period);
      const its = key === null ? all : (waiting.get(endpointId(key)) ?? 0);
      if (used >= limit) found.push({ kind: 'spent', endpoint: alias, period, limit, used, waiting: its });
    }
  }
  const [earlier, then] = [
    await leavingWithinHour(before, waiting, sent, now),
    await leavingWithinHour(after, waiting, sent, now),
  ];
  if (then > earlier) found.push({ kind: 'released', waiting: all, before: earlier, after: then });
  return found;
}

function ofEndpoints({ before, after, counts }: SettingChange): Consequence[] {
  return before.endpoints.flatMap(({ alias, key }): Consequence[] => {
    if (sameEndpoint(after, key) !== undefined) return [];
    const waiting = sum(counts, (each) => isWaiting(each) && isOf(each, endpointId(key)));
    return waiting === 0 ? [] : [{ kind: 'stranded', endpoint: alias, waiting }];
  });
}

function ofFolder(folder: FolderConfig, { before, counts }: SettingChange): Consequence[] {
  const { path } = folder;
  const former = before.folders.find((each) => each.path === path);
  if (former === undefined) return [];
  const here = (states: readonly string[]) =>
    sum(counts, (each) => each.folder === path && states.includes(each.state));
  const waiting = here(['queued']);
  const found: Consequence[] = [];
  if (folder.afterUpload === 'delete' && former.afterUpload !== 'delete')
    found.push({ kind: 'deletes', folder: path, waiting });
  if (endpointId(folder.endpoint) !== endpointId(former.endpoint))
    found.push({ kind: 'rerouted', folder: path, from: former.alias, to: folder.alias, waiting });
  if (folder.pages !== former.pages)
    found.push({
      kind: 'pages',
      folder: path,
      pages: folder.pages,
      files: here(['split']),
      pdf: folder.pages === 'split' || folder.accept.includes('pdf'),
    });
  const files = here(['rejected']);
  if (files > 0 && acceptPolicy(folder) !== acceptPolicy(former))
    found.push({ kind: 'lookedAgain', folder: path, files });
  return found;
}

async function ofNewFolders(
  { before, after }: SettingChange,
  { ledger, guards }: ConsequenceDeps,
): Promise<Consequence[]> {
  const found: Consequence[] = [];
  for (const { path, existing } of after.folders) {
    if (existing.kind === 'skip' || before.folders.some((each) => each.path === path)) continue;
    if (!(await ledger.isFirstWatch(path))) continue;
    const folder = composeFolders(after, undefined, guards)(path);
    if ((await folder.availability()).state !== 'present') continue;
    const { count } = await lookThrough(folder);
    if (count !== 0) found.push({ kind: 'firstWatched', folder: path, files: count });
  }
  return found;
}

/** Where the agent can't write, although these folders of the configuration tell it to. */
export async function unwritableIn(
  config: Config,
  folders: readonly FolderConfig[],
  guards: Guards,
): Promise<Consequence[]> {
  const open = composeFolders(config, undefined, guards);
  const found: Consequence[] = [];
  for (const folder of folders) {
    const opened = open(folder.path);
    // One that is not there, or does not respond, has a problem of its own.
    if ((await opened.availability()).state !== 'present') continue;
    const problems = await unwritableOf(folder, opened, guards).catch((error: unknown) => {
      ignoreSystemErrors(error);
      return [];
    });
    for (const { code, params } of problems)
      found.push({ kind: 'unwritable', problem: { code, params: { ...params } } });
  }
  return found;
}

function writesAsIn(
  { folders }: Config,
  { path, afterUpload, archiveTo, needsAttention }: FolderConfig,
): boolean {
  const former = folders.find((each) => each.path === path);
  const wanted = { afterUpload, archiveTo, needsAttention };
  return former !== undefined && isDeepStrictEqual({ ...former, ...wanted }, former);
}

/** Hashes per query, as in sweeps. */
const AT_ONCE = 500;

async function ofStorage(
  { before, after, waiting, now }: SettingChange,
  { ledger, spool: spoolNow }: ConsequenceDeps,
): Promise<Consequence[]> {
  const found: Consequence[] = [];
  const spool = spoolNow();
  const { keepFailed, spoolLimit, backups } = after.storage;
  if (keepFailed < before.storage.keepFailed) {
    const hashes = spool.hashes();
    let images = 0;
    for (let start = 0; start < hashes.length; start += AT_ONCE) {
      const some = hashes.slice(start, start + AT_ONCE);
      const wanted = await ledger.wanted(some, now - before.storage.keepFailed);
      images += wanted.size - (await ledger.wanted([...wanted], now - keepFailed)).size;
    }
    if (images > 0) found.push({ kind: 'copiesRemoved', images });
  }
  const used = spool.usedBytes;
  if (spoolLimit < before.storage.spoolLimit && used > spoolLimit)
    found.push({ kind: 'spoolFull', used, limit: spoolLimit });
  if (backups < before.storage.backups) {
    const names = await readdir(join(before.stateDir, 'backups')).catch(() => []);
    const there = names.filter((name) => /^ledger-.+\.db$/.test(name)).length;
    if (there > backups) found.push({ kind: 'backupsRemoved', backups: there - backups, kept: backups });
  }
  if (after.spool === 'never' && before.spool !== 'never')
    found.push({ kind: 'unprotected', waiting: total(waiting) });
  return found;
}

function sameEndpoint({ endpoints }: Config, key: FolderConfig['endpoint']) {
  return endpoints.find((each) => endpointId(each.key) === endpointId(key));
}

function isWaiting({ state }: StateCount): boolean {
  return state === 'queued' || state === 'held';
}

function isOf({ endpoint }: StateCount, id: string): boolean {
  return endpoint !== null && endpointId(endpoint) === id;
}

function sum(counts: readonly StateCount[], fits: (count: StateCount) => boolean): number {
  return counts.filter(fits).reduce((all, { count }) => all + count, 0);
}

function total(waiting: WaitingFiles): number {
  return [...waiting.values()].reduce((all, count) => all + count, 0);
}
