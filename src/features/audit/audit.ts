import { sameIdentity, type FileIdentity } from '../../core/domain/document.ts';
import { systemCode } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { FileStat, WatchedFolder } from '../../core/ports/folder.ts';
import type { LedgerReports, ListState, Standing } from '../../core/ports/ledgerReports.ts';
import { fingerprint } from './fingerprint.ts';
import { inChunks } from '../../core/inChunks.ts';

/** A file for which folder and ledger do not agree. */
export interface Unaccounted {
  readonly path: string;
  /** `unknown` to the ledger; `changed` since it was recorded; `missing` from the folder, while the ledger has it there. */
  readonly problem: 'unknown' | 'changed' | 'missing';
  /** What the ledger has under that path; null where it has nothing. */
  readonly state: ListState | null;
  /** Name of its document, if it has one. */
  readonly name: string | null;
}

export interface NotLookedAt {
  /** Relative to the folder; '' is the folder itself. */
  readonly path: string;
  readonly message: string;
}

export interface Comparison {
  /** Files in the folder that its patterns let in. */
  readonly listed: number;
  /** Of those: in the ledger, with the same size, times and inode. */
  readonly known: number;
  /** In the ledger as being there, and let in by the patterns no more. */
  readonly excluded: number;
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
/** What `reconcile` records of a file that can't be opened under the name that the system gives. */
const NO_IDENTITY: FileIdentity = { size: 0, mtimeNs: 0n, ctimeNs: 0n, inode: 0n };

/**
 * Compares the folder as it is now with what the ledger holds of it, to the file. One directory at a time is in
 * memory, and a number for each file of the ledger. `settleMs`: how long a file may take to be at rest and in the
 * ledger, where an agent runs; null where none does.
 */
export async function compareFolder(
  deps: AuditDeps,
  settleMs: number | null,
  signal: AbortSignal,
): Promise<Comparison> {
  const { folder, clock } = deps;
  const availability = await folder.availability();
  if (availability.state !== 'present') return notListed(availability.message);
  let first: FirstLook;
  try {
    first = await look(deps, signal);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return notListed(`${folder.path} can't be listed (${code}).`);
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
      return { listed: known + there, known, excluded: first.excluded, unaccounted, notLookedAt };
    }
    suspects = new Set([...unaccounted, ...judged.notLookedAt].map(({ path }) => path));
    await clock.sleep(Math.min(pauseMs, leftMs), signal);
  }
}

/** Of a folder that can't be listed now, or whose listing says nothing. */
export function notListed(message: string): Comparison {
  return { listed: 0, known: 0, excluded: 0, unaccounted: [], notLookedAt: [{ path: '', message }] };
}

interface FirstLook {
  readonly known: number;
  readonly excluded: number;
  /** Paths for which folder and ledger did not agree at first sight. */
  readonly suspects: ReadonlySet<string>;
  /** Those of them that can't be asked for under the name that is shown. */
  readonly badNames: ReadonlySet<string>;
  readonly notLookedAt: readonly NotLookedAt[];
}

async function look({ folder, reports }: AuditDeps, signal: AbortSignal): Promise<FirstLook> {
  const unmatched = new Set<number>();
  for await (const batch of reports.standings(folder.path)) {
    for (const [path, { identity }] of batch) unmatched.add(fingerprint(path, identity));
  }
  let known = 0;
  const suspects = new Set<string>();
  const notLookedAt: NotLookedAt[] = [];
  const match = (path: string, identity: FileIdentity): void => {
    if (unmatched.delete(fingerprint(path, identity))) known += 1;
    else suspects.add(path);
  };
  const allBadNames = new Set<string>();
  for await (const { files, badNames = [], unreadableDirs = [] } of folder.list('', signal)) {
    for (const { path, code } of unreadableDirs) {
      // It vanished while the folder was listed; its files are looked for one by one.
      if (code !== 'ENOENT') notLookedAt.push({ path, message: `The folder can't be read (${code}).` });
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
  return { known, excluded, suspects, badNames: allBadNames, notLookedAt };
}

interface Judged {
  readonly known: number;
  readonly unaccounted: readonly Unaccounted[];
  readonly notLookedAt: readonly NotLookedAt[];
}

/** Each suspect, from what folder and ledger say of it now. */
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
      notLookedAt.push({ path, message: `The file can't be read (${found}).` });
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
  return sameIdentity(standing.identity, found.identity) ? 'none' : 'changed';
}

/** A system error's code where the system won't say. */
async function statOf(folder: WatchedFolder, path: string): Promise<FileStat | null | string> {
  try {
    return await folder.stat(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code;
  }
}
