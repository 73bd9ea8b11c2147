import { sameIdentity, type FileIdentity, type Lane } from '../../core/domain/document.ts';
import { systemCode } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { FileStat, WatchedFolder } from '../../core/ports/folder.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { FileSeen, KnownFile, Note } from '../../core/ports/ledgerIntake.ts';
import type { Settling } from '../settle/settling.ts';
import {
  acceptPolicy,
  existingPolicy,
  type Existing,
  type FolderSettings,
} from '../../core/domain/settings.ts';
import { MissingFiles } from './missingFiles.ts';
import type { LookOver } from './directoryCache.ts';
import { inChunks } from '../../core/inChunks.ts';
import { nameOf, pathOf } from '../../core/paths.ts';

export interface ReconcileDeps {
  readonly folder: WatchedFolder;
  readonly settings: FolderSettings;
  readonly settling: Settling;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Whether what is not there is gone: false while another directory, or none, stands in the folder's place. */
  readonly isInPlace: () => Promise<boolean>;
  /** Milliseconds for which a file has surely been still when it is found. */
  readonly restedMs: (identity: FileIdentity) => number;
  readonly onSeen: () => void;
  /** An event told of a file that could not be looked at. */
  readonly onMissed: () => void;
  /** Of files that were known. */
  readonly onGone?: (paths: readonly string[]) => Promise<void>;
  readonly onUnreadableDir: (path: string, code: string) => void;
  /** Of every file that was looked at. */
  readonly onIdentity?: (identity: FileIdentity) => void;
  /** Whether a file came while the first watch waited for the ledger: no `existing` file, whatever the listing says. */
  readonly cameBeforeFirstWatch?: (identity: FileIdentity) => boolean;
  /** Whether a file was taken that may not be in the ledger yet. */
  readonly hasTaken?: (path: string, identity: FileIdentity) => boolean;
}

/** Names that the ledger is asked about at once, and that may be over the capacity of settling. */
const LOOKED_UP_AT_ONCE = 256;

interface How {
  readonly lane: Lane;
  readonly full: boolean;
}

/**
 * Compares the folder's listing with the ledger: the truth, where events are only hints. `full` also compares what
 * is known with what is there now, so that new bytes under an old name are found even if no event told of them.
 * Resolves how many files were compared.
 */
export async function reconcile(
  deps: ReconcileDeps,
  how: How & { readonly under: string; readonly lookOver?: LookOver },
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
  // Only now: a listing that ends in an error (the folder was replaced meanwhile) says nothing about what is gone.
  if (how.full && isListed) await markGone(await missing.all(how.under), deps);
  lookOver?.over();
  return compared;
}

/** Listed files of one directory: each is known and unchanged, or to be settled. False if that can't be told of one. */
async function compare(
  dir: string,
  names: readonly string[],
  known: readonly (KnownFile | undefined)[],
  how: How,
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
    if (stands && !how.full) {
      continue;
    }
    lookedAt.push(name);
    knownOf.push(stands ? file : null);
  }
  for (const [at, found] of (await folder.statEach(dir, lookedAt)).entries()) {
    if (found === undefined) isSure = false;
    if (found?.kind !== 'file') continue;
    onIdentity?.(found.identity);
    const file = knownOf[at] ?? null;
    if (file && sameIdentity(file.identity, found.identity)) {
      continue;
    }
    settling.see(pathOf(dir, lookedAt[at] ?? ''), found.identity, how.lane, restedMs(found.identity));
    onSeen();
  }
  return isSure;
}

/** Whether a verdict was given under a configuration that is not the present one, or only for the time being. */
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

/** Before the first reconciliation of a folder: what lies in it already is sent only as configured. */
export async function firstWatch(
  deps: ReconcileDeps,
  signal: AbortSignal,
): Promise<{ sent: number; skipped: number }> {
  const { folder, settings, ledger, clock } = deps;
  const { existing } = settings;
  const skipped: FileSeen[] = [];
  let sent = 0;
  for await (const { files } of folder.list('', signal)) {
    if (existing.kind === 'send') {
      sent += files.length;
      continue;
    }
    await inChunks(files, signal, async ({ path }) => {
      const found = await statOf(folder, path);
      if (found?.kind !== 'file') return;
      const { identity } = found;
      const isNew = deps.cameBeforeFirstWatch?.(identity) || deps.hasTaken?.(path, identity);
      if (isSkipped(identity, existing) && !isNew) skipped.push({ folder: settings.path, path, identity });
      else sent += 1;
    });
  }
  const note: Omit<Note, 'verdict'> = {
    reason: 'EXISTING',
    message: `It was in the folder when it was first watched (\`${existingPolicy(existing).replace('=', ': ')}\`).`,
    sha256: null,
    policy: existingPolicy(existing),
    at: clock.now(),
  };
  await ledger.markWatched(settings.path, skipped, note);
  return { sent, skipped: skipped.length };
}

/** What was left alone at a takeover stays so, whatever `existing` says, until a person changes that. */
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
  // Listed a moment ago and admitted since is not gone: look before saying so. A link or a directory in its place is not it.
  for (const path of candidates) {
    const found = await statOf(folder, path);
    if (found === null || found?.kind === 'other') gone.push(path);
  }
  // A share that went away meanwhile leaves an empty directory, in which nothing is.
  if (gone.length === 0 || !(await isInPlace())) return;
  await ledger.gone(settings.path, gone, clock.now());
  await onGone?.(gone);
}

/** Undefined where the system won't say: that file waits for a listing that can. */
export async function statOf(folder: WatchedFolder, path: string): Promise<FileStat | null | undefined> {
  try {
    return await folder.stat(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** It can't be opened under the name that is shown, but it must not be passed over in silence. */
async function noteBadName(path: string, { settings, ledger, clock }: ReconcileDeps): Promise<void> {
  const identity = { size: 0, mtimeNs: 0n, ctimeNs: 0n, inode: 0n };
  if ((await ledger.known({ folder: settings.path, path })) !== null) return;
  const message =
    'Its name is not valid UTF-8 (invalid bytes are shown as %XX), so it was skipped. Rename it in a file manager, or convert the names in its folder with `convmv`.';
  await ledger.note(
    { folder: settings.path, path, identity },
    { verdict: 'unreadable', reason: 'NAME_NOT_UTF8', message, sha256: null, policy: null, at: clock.now() },
  );
}
