import { sameIdentity, type FileIdentity, type Lane } from '../../core/domain/document.ts';
import { systemCode } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { FileStat, WatchedFolder } from '../../core/ports/folder.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { KnownFile } from '../../core/ports/ledgerIntake.ts';
import type { Settling } from '../settle/settling.ts';
import {
  acceptPolicy,
  existingPolicy,
  type Existing,
  type FolderSettings,
} from '../../core/domain/settings.ts';
import { MissingFiles } from './missingFiles.ts';
import type { LookOver } from './directoryCache.ts';
import { nameOf, pathOf } from '../../core/paths.ts';
import { toMessage } from '../../core/domain/why.ts';

export interface ReconcileDeps {
  readonly folder: WatchedFolder;
  readonly settings: FolderSettings;
  readonly settling: Settling;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Whether a missing file counts as gone: false while the folder is missing or replaced by another directory. */
  readonly isInPlace: () => Promise<boolean>;
  /** Milliseconds for which a newly found file has certainly not changed. */
  readonly restedMs: (identity: FileIdentity) => number;
  readonly onSeen: () => void;
  /** The state of a file that an event named could not be read. */
  readonly onMissed: () => void;
  /** Known files are gone. */
  readonly onGone?: (paths: readonly string[]) => Promise<void>;
  readonly onUnreadableDir: (path: string, code: string) => void;
  /** A name that is not valid UTF-8 was noted. */
  readonly onBadName?: (path: string) => void;
  /** Called for every file that was looked at. */
  readonly onIdentity?: (identity: FileIdentity) => void;
  /** Whether a file arrived while the first watch waited for the ledger; `existing` does not apply to it then. */
  readonly cameBeforeFirstWatch?: (identity: FileIdentity) => boolean;
  /** Whether a file was already accepted, even if it may not be in the ledger yet. */
  readonly hasTaken?: (path: string, identity: FileIdentity) => boolean;
}

/** Names per ledger query. Settling may exceed its capacity by this many. */
const LOOKED_UP_AT_ONCE = 256;

interface ReconcileOptions {
  readonly lane: Lane;
  readonly full: boolean;
}

/**
 * Compares the folder's listing with the ledger; events are only hints. `full` also compares known files with their
 * present state, which finds new bytes under an old name even if no event reported them, and files that are gone.
 * Resolves the number of files compared.
 */
export async function reconcile(
  deps: ReconcileDeps,
  how: ReconcileOptions & { readonly under: string; readonly lookOver?: LookOver },
  signal: AbortSignal,
): Promise<number> {
  const { folder, settings, settling, ledger } = deps;
  const missing = new MissingFiles({ ledger, folder: settings.path, full: how.full });
  const { lookOver } = how;
  const passesOver = lookOver && ((dir: string, stamp: string) => lookOver.passesOver(dir, stamp));
  let compared = 0;
  let isListed = false;
  for await (const listed of folder.list(how.under, signal, passesOver)) {
    const { dir, files, badNames = [], unreadableDirs = [], stamp, directories = [] } = listed;
    if (listed.isUnchanged) {
      missing.without(dir);
      continue;
    }
    isListed = true;
    if (stamp !== undefined) lookOver?.listed(dir, stamp, directories);
    for (const each of unreadableDirs) deps.onUnreadableDir(each.path, each.code);
    if (unreadableDirs.some(({ path }) => path === dir)) {
      missing.without(dir);
      continue;
    }
    for (const path of badNames) await noteBadName(path, deps);
    await missing.badNames(dir, badNames.map(nameOf));
    const names = files.map(({ path }) => nameOf(path));
    for (let start = 0; start < names.length; start += LOOKED_UP_AT_ONCE) {
      await settling.room(signal);
      const chunk = names.slice(start, start + LOOKED_UP_AT_ONCE);
      if (!(await compare(dir, chunk, await missing.known(dir, chunk), how, deps))) lookOver?.doubt(dir);
      compared += chunk.length;
      signal.throwIfAborted();
    }
  }
  // Only after the whole listing: if it fails, for example because the folder was replaced, nothing counts as gone.
  if (how.full && isListed) await markGone(await missing.all(how.under), deps);
  lookOver?.over();
  return compared;
}

/** Hands the new and changed files of one directory to settling. False if the state of a file is unknown. */
async function compare(
  dir: string,
  names: readonly string[],
  known: readonly (KnownFile | undefined)[],
  how: ReconcileOptions,
  { folder, settings, settling, restedMs, onSeen, onIdentity }: ReconcileDeps,
): Promise<boolean> {
  let isSure = true;
  const lookedAt: string[] = [];
  const knownOf: (KnownFile | null)[] = [];
  for (const [at, name] of names.entries()) {
    const path = pathOf(dir, name);
    if (settling.has(path)) continue;
    const file = known[at];
    const stands = file !== undefined && !needsJudgingAnew(file, settings);
    if (stands && !how.full) continue;
    lookedAt.push(name);
    knownOf.push(stands ? file : null);
  }
  for (const [at, found] of (await folder.statEach(dir, lookedAt)).entries()) {
    if (found === undefined) isSure = false;
    if (found?.kind !== 'file') continue;
    onIdentity?.(found.identity);
    const file = knownOf[at] ?? null;
    if (file && sameIdentity(file.identity, found.identity)) continue;
    settling.see(pathOf(dir, lookedAt[at] ?? ''), found.identity, how.lane, restedMs(found.identity));
    onSeen();
  }
  return isSure;
}

/** Whether a verdict is temporary or was given under another configuration. */
export function needsJudgingAnew(known: KnownFile, settings: FolderSettings): boolean {
  switch (known.verdict) {
    case 'unreadable':
      return true;
    case 'rejected':
      return known.policy !== acceptPolicy(settings);
    case 'skipped':
      return !staysSkipped(known, settings);
    case 'document':
    case 'duplicate':
    case 'split':
    case 'incomplete':
      return false;
  }
}

/** Files skipped under the present `existing`, including those left alone at a takeover, stay skipped until it changes. */
export function staysSkipped(
  { identity, policy }: Pick<KnownFile, 'identity' | 'policy'>,
  { existing }: Pick<FolderSettings, 'existing'>,
): boolean {
  return policy === existingPolicy(existing) || isSkipped(identity, existing);
}

export function isSkipped(identity: FileIdentity, existing: Existing): boolean {
  switch (existing.kind) {
    case 'send':
      return false;
    case 'skip':
      return true;
    case 'since':
      return identity.mtimeNs < BigInt(existing.at) * 1_000_000n;
  }
}

async function markGone(
  candidates: readonly string[],
  { folder, settings, ledger, clock, isInPlace, onGone }: ReconcileDeps,
): Promise<void> {
  if (candidates.length === 0 || !(await isInPlace())) return;
  const gone: string[] = [];
  // Check each again: it may have appeared since the listing. A link or directory in its place counts as gone.
  for (const path of candidates) {
    const found = await statOf(folder, path);
    if (found === null || found?.kind === 'other') gone.push(path);
  }
  // A share unmounted meanwhile leaves an empty directory, in which every file looks gone.
  if (gone.length === 0 || !(await isInPlace())) return;
  await ledger.gone(settings.path, gone, clock.now());
  await onGone?.(gone);
}

/** Undefined if the system reports an error: the file waits for a later listing. */
export async function statOf(folder: WatchedFolder, path: string): Promise<FileStat | null | undefined> {
  try {
    return await folder.stat(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Notes a file whose name is not valid UTF-8: it can't be opened under the name shown, but people must learn of it. */
async function noteBadName(
  path: string,
  { settings, ledger, clock, onBadName }: ReconcileDeps,
): Promise<void> {
  const identity = { size: 0, mtimeNs: 0n, ctimeNs: 0n, inode: 0n };
  if ((await ledger.known({ folder: settings.path, path })) !== null) return;
  const message = toMessage({ is: 'badName' });
  await ledger.note(
    { folder: settings.path, path, identity },
    { verdict: 'unreadable', reason: 'NAME_NOT_UTF8', message, sha256: null, policy: null, at: clock.now() },
  );
  onBadName?.(path);
}
