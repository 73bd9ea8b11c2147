import { isAsRecorded, type FileIdentity } from '../../core/domain/document.ts';
import { systemCode } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { FileStat, WatchedFolder } from '../../core/ports/folder.ts';
import type { LedgerReports, ListState, Standing } from '../../core/ports/ledgerReports.ts';
import { fingerprint } from './fingerprint.ts';
import { inChunks } from '../../core/inChunks.ts';
import { shown, type Shown } from '../../core/domain/why.ts';

/** A file on which folder and ledger disagree. */
export interface Unaccounted {
  readonly path: string;
  /** `unknown`: not in the ledger. `changed`: since it was recorded. `missing`: gone from the folder, though the ledger still lists it. */
  readonly problem: 'unknown' | 'changed' | 'missing';
  /** State of the ledger's record for that path; null if there is none. */
  readonly state: ListState | null;
  /** Name of its document, if it has one. */
  readonly name: string | null;
}

export interface NotLookedAt {
  /** Relative to the folder; '' is the folder itself. */
  readonly path: string;
  readonly message: string;
  readonly fact: Record<string, unknown> | null;
}

export interface Comparison {
  /** Files in the folder that match its patterns. */
  readonly listed: number;
  /** Of those, files in the ledger with the same size, times and inode. */
  readonly known: number;
  /** Files that the ledger lists as present, but that no longer match the patterns. */
  readonly excluded: number;
  /** Symbolic links in the folder; they are not followed, so the files behind them do not count. */
  readonly links: number;
  readonly unaccounted: readonly Unaccounted[];
  readonly notLookedAt: readonly NotLookedAt[];
}

export interface AuditDeps {
  readonly folder: WatchedFolder;
  readonly reports: Pick<LedgerReports, 'standings'>;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
/** What `reconcile` records for a file that can't be opened under the name that the system reports. */
const NO_IDENTITY: FileIdentity = { size: 0, mtimeNs: 0n, ctimeNs: 0n, inode: 0n };

/**
 * Compares every file in the folder with the ledger. Holds one directory in memory at a time, plus one number per file of the
 * ledger. `settleMs`: how long a file may take to settle and reach the ledger while an agent is running; null if none is.
 */
export async function compareFolder(
  deps: AuditDeps,
  settleMs: number | null,
  signal: AbortSignal,
): Promise<Comparison> {
  const { folder, clock } = deps;
  const availability = await folder.availability();
  if (availability.state !== 'present') return notListed(shown(availability.why));
  let first: FirstLook;
  try {
    first = await look(deps, signal);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return notListed(shown({ is: 'unlisted', folder: folder.path, system: code }));
  }
  const deadline = clock.monotonic() + (settleMs ?? 0);
  let { suspects } = first;
  let known = first.known;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const judged = await judge(suspects, first.badNames, deps, signal);
    known += judged.known;
    const { unaccounted } = judged;
    const notLookedAt = [...first.notLookedAt, ...judged.notLookedAt];
    const leftMs = deadline - clock.monotonic();
    if (unaccounted.length === 0 || settleMs === null || leftMs <= 0) {
      const there = unaccounted.filter(({ problem }) => problem !== 'missing').length;
      const { excluded, links } = first;
      return { listed: known + there, known, excluded, links, unaccounted, notLookedAt };
    }
    suspects = new Set([...unaccounted, ...judged.notLookedAt].map(({ path }) => path));
    await clock.sleep(Math.min(pauseMs, leftMs), signal);
  }
}

/** Result for a folder that can't be listed now, or whose listing means nothing. */
export function notListed(why: Shown<string>): Comparison {
  return {
    listed: 0,
    known: 0,
    excluded: 0,
    links: 0,
    unaccounted: [],
    notLookedAt: [{ path: '', ...why }],
  };
}

interface FirstLook {
  readonly known: number;
  readonly excluded: number;
  readonly links: number;
  /** Paths on which folder and ledger disagreed at first sight. */
  readonly suspects: ReadonlySet<string>;
  /** Suspects that can't be opened under the displayed name. */
  readonly badNames: ReadonlySet<string>;
  readonly notLookedAt: readonly NotLookedAt[];
}

async function look({ folder, reports }: AuditDeps, signal: AbortSignal): Promise<FirstLook> {
  const unmatched = new Set<number>();
  for await (const batch of reports.standings(folder.path)) {
    for (const [path, { identity }] of batch) unmatched.add(fingerprint(path, identity));
  }
  let known = 0;
  let links = 0;
  const suspects = new Set<string>();
  const notLookedAt: NotLookedAt[] = [];
  const match = (path: string, identity: FileIdentity): void => {
    if (unmatched.delete(fingerprint(path, identity))) known += 1;
    else suspects.add(path);
  };
  const allBadNames = new Set<string>();
  for await (const listed of folder.list('', signal)) {
    const { files, badNames = [], unreadableDirs = [] } = listed;
    links += listed.links ?? 0;
    for (const { path, code } of unreadableDirs) {
      // The directory vanished during the listing; its files are looked up one by one.
      if (code !== 'ENOENT') notLookedAt.push({ path, ...shown({ is: 'directoryUnread', system: code }) });
    }
    for (const path of badNames) {
      allBadNames.add(path);
      match(path, NO_IDENTITY);
    }
    await inChunks(files, signal, async ({ path }) => {
      const found = await statOf(folder, path);
      if (found === null || typeof found === 'string') suspects.add(path);
      else if (found.kind === 'file') match(path, found.identity);
    });
  }
  let excluded = 0;
  const hidden = notLookedAt.map(({ path }) => `${path}/`);
  if (unmatched.size > 0) {
    for await (const batch of reports.standings(folder.path)) {
      for (const [path, { identity }] of batch) {
        if (suspects.has(path) || !unmatched.has(fingerprint(path, identity))) continue;
        if (hidden.some((dir) => path.startsWith(dir))) continue;
        if (folder.covers(path)) suspects.add(path);
        else excluded += 1;
      }
    }
  }
  return { known, excluded, links, suspects, badNames: allBadNames, notLookedAt };
}

interface Judged {
  readonly known: number;
  readonly unaccounted: readonly Unaccounted[];
  readonly notLookedAt: readonly NotLookedAt[];
}

/** Judges each suspect by what folder and ledger have now. */
async function judge(
  suspects: ReadonlySet<string>,
  badNames: ReadonlySet<string>,
  { folder, reports }: AuditDeps,
  signal: AbortSignal,
): Promise<Judged> {
  if (suspects.size === 0) return { known: 0, unaccounted: [], notLookedAt: [] };
  const standings = new Map<string, Standing>();
  for await (const batch of reports.standings(folder.path)) {
    for (const [path, standing] of batch) if (suspects.has(path)) standings.set(path, standing);
  }
  let known = 0;
  const unaccounted: Unaccounted[] = [];
  const notLookedAt: NotLookedAt[] = [];
  await inChunks([...suspects], signal, async (path) => {
    const standing = standings.get(path);
    const found = badNames.has(path) ? null : await statOf(folder, path);
    if (typeof found === 'string') {
      notLookedAt.push({ path, ...shown({ is: 'fileUnread', system: found }) });
      return;
    }
    const problem = badNames.has(path)
      ? standing === undefined
        ? 'unknown'
        : 'none'
      : problemOf(found, standing);
    if (problem === 'none') known += 1;
    else if (problem !== 'gone')
      unaccounted.push({ path, problem, state: standing?.state ?? null, name: standing?.name ?? null });
  });
  unaccounted.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { known, unaccounted, notLookedAt };
}

function problemOf(
  found: FileStat | null,
  standing: Standing | undefined,
): Unaccounted['problem'] | 'none' | 'gone' {
  if (found?.kind !== 'file') return standing === undefined ? 'gone' : 'missing';
  if (standing === undefined) return 'unknown';
  const { state: verdict, identity } = standing;
  return isAsRecorded({ verdict, identity }, found.identity) ? 'none' : 'changed';
}

/** Resolves the code of the system error if stat fails. */
async function statOf(folder: WatchedFolder, path: string): Promise<FileStat | null | string> {
  try {
    return await folder.stat(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code;
  }
}
