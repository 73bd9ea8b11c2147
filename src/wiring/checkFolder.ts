import { access, constants, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderConfig } from '../config/config.ts';
import { ReceiptdError, systemCode, type ErrorCode } from '../core/domain/errors.ts';
import type { Finding, FindingFact } from '../core/domain/finding.ts';
import {
  conditionOfFolder,
  originalsStay,
  subfoldersShut,
  type Condition,
  type Detail,
} from '../core/domain/problem.ts';
import { isUnreachable } from '../core/domain/unreachable.ts';
import type { WatchedFolder } from '../core/ports/folder.ts';
import { createFolderClaims } from '../intake/folder/folderClaims.ts';
import { statFolder, tokenOf } from '../intake/folder/availability.ts';
import { createWatchedFolder } from '../intake/folder/watchedFolder.ts';
import { attentionDirectory, unwritable } from '../intake/folder/realDirectory.ts';
import { Guards } from './folders.ts';

/** Finds, by trying, what would prevent the agent from watching this folder. */
export async function checkFolder(folder: FolderConfig): Promise<Finding[]> {
  const { path: subject } = folder;
  try {
    if (!(await stat(subject)).isDirectory()) {
      return [awayFinding(subject, 'notADirectory', { detail: '' })];
    }
    const entries = await readdir(subject, { withFileTypes: true });
    await access(subject, constants.R_OK | constants.X_OK);
    const files = entries.filter((entry) => entry.isFile()).length;
    const findings = [found(subject, 'ok', { is: 'readable', count: files })];
    // The agent's own folders in it are not watched.
    const own = [folder.archiveTo, folder.needsAttention];
    const others = entries.filter(({ name }) => !name.startsWith('.') && !own.includes(join(subject, name)));
    const below = others.filter((entry) => entry.isDirectory()).length;
    if (below > 0 && !folder.recursive)
      findings.push(found(subject, 'warn', { is: 'subfolders', count: below }));
    const opened = opens(folder);
    if (folder.recursive) findings.push(...(await checkSubfolders(opened)));
    const links = entries.filter((entry) => entry.isSymbolicLink()).length;
    if (links > 0) findings.push(found(subject, 'warn', { is: 'links', count: links }));
    const problems = await unwritableOf(folder, opened);
    findings.push(...problems.map((problem) => found(subject, 'fail', { is: 'problem', problem })));
    const isFine = (code: ErrorCode) => problems.every((problem) => problem.code !== code);
    if (folder.afterUpload !== 'keep' && isFine('FOLDER_UNWRITABLE'))
      findings.push(found(subject, 'ok', { is: 'movable', afterUpload: folder.afterUpload }));
    if (folder.needsAttention !== null && isFine('ATTENTION_UNWRITABLE'))
      findings.push(found(subject, 'ok', { is: 'attention', place: folder.needsAttention }));
    return findings;
  } catch (error) {
    const code = systemCode(error);
    const state = code === 'ENOENT' ? 'missing' : isUnreachable(code) ? 'unreachable' : 'unreadable';
    return [awayFinding(subject, state, { detail: code ?? String(error) })];
  }
}

/** That a folder can't be taken in, as the agent would tell it. It waits for one that is missing. */
export function awayFinding(
  path: string,
  state: 'missing' | 'notADirectory' | 'unreadable' | 'unreachable' | 'taken',
  why: Detail,
): Finding {
  const problem = conditionOfFolder(path, state, why);
  if (problem === null) throw new TypeError(`no problem: ${state}`);
  return found(path, state === 'missing' ? 'warn' : 'fail', { is: 'problem', problem });
}

/** As the agent opens it. */
function opens({ path, recursive, include, ignore, archiveTo, needsAttention }: FolderConfig): WatchedFolder {
  const exclude = needsAttention === null ? [] : [needsAttention];
  return createWatchedFolder({ path, recursive, include, ignore, exclude, archiveTo, random: Math.random });
}

/** Directories and batches of files that are looked at; a tree may be large. */
const LISTED_AT_MOST = 1_000;

/** Subfolders of a recursive folder that the agent can't list; those that it ignores don't matter. */
async function checkSubfolders(folder: WatchedFolder): Promise<Finding[]> {
  const shut = new Map<string, string>();
  let listed = 0;
  for await (const { unreadableDirs = [] } of folder.list()) {
    for (const { path, code } of unreadableDirs) if (code !== 'ENOENT') shut.set(path, code);
    if ((listed += 1) === LISTED_AT_MOST) break;
  }
  if (shut.size === 0) return [];
  return [found(folder.path, 'fail', { is: 'problem', problem: subfoldersShut(folder.path, shut) })];
}

/** Whether an agent with another state directory already watches it. */
export async function checkTaken({ path }: FolderConfig, stateDir: string): Promise<Finding[]> {
  const folder = await statFolder(path).catch(() => null);
  const look = folder && (await createFolderClaims(stateDir).look(tokenOf(folder)));
  // An agent that does not identify itself may be the one of this state directory.
  if (look?.kind !== 'taken' || look.by === null || look.by.stateDir === stateDir) return [];
  const why = new ReceiptdError('FOLDER_TAKEN.held', { folder: path, by: look.by, takeOverAfterMs: null });
  return [awayFinding(path, 'taken', why.within())];
}

/** What keeps originals in the folder, or files that need attention from being shown, by trying: as the agent would tell it. */
export async function unwritableOf(
  folder: FolderConfig,
  opened: WatchedFolder,
  guards = new Guards(),
): Promise<Condition[]> {
  const { path, afterUpload, needsAttention: place } = folder;
  const isArchived = afterUpload === 'archive';
  const originals =
    afterUpload === 'keep' ? null : await opened.unwritable(isArchived ? 'archive' : 'nowhere');
  // The agent creates it when it first needs it, in an existing directory.
  const shown =
    place === null ? null : await guards.over(place).run(() => unwritable(attentionDirectory(place, [path])));
  return [
    ...(originals === null
      ? []
      : [originalsStay({ folder: path, file: null, system: originals, isArchived })]),
    ...(place === null || shown === null
      ? []
      : [{ code: 'ATTENTION_UNWRITABLE', params: { place, system: shown } } as const]),
  ];
}

function found(subject: string, level: Finding['level'], fact: FindingFact): Finding {
  return { level, subject, fact };
}
