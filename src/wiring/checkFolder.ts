import { access, constants, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderConfig } from '../config/config.ts';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { failure, type Finding, type FindingFact } from '../core/domain/finding.ts';
import { isUnreachable } from '../core/domain/unreachable.ts';
import type { WatchedFolder } from '../core/ports/folder.ts';
import { createFolderClaims } from '../intake/folder/folderClaims.ts';
import { statFolder, tokenOf } from '../intake/folder/availability.ts';
import { createWatchedFolder } from '../intake/folder/watchedFolder.ts';
import { attentionDirectory, unwritable } from '../intake/folder/realDirectory.ts';

/** Finds, by trying, what would prevent the agent from watching this folder. */
export async function checkFolder(folder: FolderConfig): Promise<Finding[]> {
  const { path: subject } = folder;
  try {
    if (!(await stat(subject)).isDirectory()) {
      return [failure(subject, new ReceiptdError('FOLDER_NOT_A_DIRECTORY.checked'))];
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
    if (folder.afterUpload !== 'keep') findings.push(await checkOriginals(opened, folder.afterUpload));
    if (folder.needsAttention !== null) findings.push(await checkAttention(subject, folder.needsAttention));
    return findings;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return [found(subject, 'warn', { is: 'awaited' })];
    if (code !== undefined && isUnreachable(code))
      return [failure(subject, new ReceiptdError('FOLDER_UNREACHABLE.checked', { system: code }))];
    const detail = code ?? String(error);
    return [failure(subject, new ReceiptdError('FOLDER_UNREADABLE.checked', { detail }))];
  }
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
  const shut: { readonly path: string; readonly code: string }[] = [];
  let listed = 0;
  for await (const { unreadableDirs = [] } of folder.list()) {
    shut.push(...unreadableDirs.filter(({ code }) => code !== 'ENOENT'));
    if ((listed += 1) === LISTED_AT_MOST) break;
  }
  const [first] = shut;
  if (first === undefined) return [];
  const about = {
    count: shut.length,
    systems: [...new Set(shut.map(({ code }) => code))],
    example: first.path,
  };
  return [failure(folder.path, new ReceiptdError('SUBFOLDERS_UNREADABLE.checked', about))];
}

/** Whether an agent with another state directory already watches it. */
export async function checkTaken({ path }: FolderConfig, stateDir: string): Promise<Finding[]> {
  const folder = await statFolder(path).catch(() => null);
  const look = folder && (await createFolderClaims(stateDir).look(tokenOf(folder)));
  // An agent that does not identify itself may be the one of this state directory.
  if (look?.kind !== 'taken' || look.by === null || look.by.stateDir === stateDir) return [];
  return [failure(path, new ReceiptdError('FOLDER_TAKEN.checked', { folder: path, by: look.by }))];
}

async function checkOriginals(folder: WatchedFolder, afterUpload: 'archive' | 'delete'): Promise<Finding> {
  const { path } = folder;
  const system = await folder.unwritable(afterUpload === 'archive' ? 'archive' : 'nowhere');
  if (system === null) return found(path, 'ok', { is: 'movable', afterUpload });
  const about = { afterUpload, system, isNoFolder: isNoFolder(system) };
  return failure(path, new ReceiptdError('FOLDER_UNWRITABLE.originals', about));
}

/** The agent creates it when it first needs it, in an existing directory. */
async function checkAttention(subject: string, place: string): Promise<Finding> {
  const system = await unwritable(attentionDirectory(place, [subject]));
  if (system === null) return found(subject, 'ok', { is: 'attention', place });
  return failure(
    subject,
    isNoFolder(system)
      ? new ReceiptdError('ATTENTION_UNWRITABLE.link', { place })
      : new ReceiptdError('ATTENTION_UNWRITABLE.checked', { place, system }),
  );
}

function isNoFolder(code: string): boolean {
  return code === 'ENOTDIR' || code === 'ELOOP';
}

function found(subject: string, level: Finding['level'], fact: FindingFact): Finding {
  return { level, subject, fact };
}
