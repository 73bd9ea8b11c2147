import { readdir } from 'node:fs/promises';
import path from 'node:path';
import {
  accessTo,
  closeToOtherUsers,
  closingCommand,
  givenAt,
  inheritAccess,
  type Access,
  type AccessUnknown,
  type OpenPath,
  type WindowsProgram,
} from '../system/windowsAccess.ts';
import { isOwnName, isSecretName } from './stateFiles.ts';

interface WindowsPrivacyReport {
  readonly closed: string[];
  readonly open: string[];
  /** Command that removes the remaining access. */
  readonly remedy: string;
  /** Names of secrets that others could read. */
  readonly exposed: readonly string[];
}

/**
 * Like `closeToOthers`, with access control lists: restricts the directory if it is new or open, and our files in it that do
 * not inherit its list. Later files inherit the directory's list.
 * @returns also why access is unknown, if Windows did not answer
 */
export async function closeByAccessList(
  stateDir: string,
  { closes, isNew }: { readonly closes: boolean; readonly isNew: boolean },
  program: WindowsProgram,
): Promise<WindowsPrivacyReport | { readonly unknown: AccessUnknown }> {
  const before = await accessTo(stateDir, program);
  if (!before.isKnown) return { unknown: before.unknown };
  const wasOpen = ours(stateDir, before);
  const isOpen = wasOpen.some((each) => each.path === stateDir);
  const secrets = (await readdir(stateDir)).filter(isSecretName);
  const exposed = secrets.filter(
    (name) => isOpen || wasOpen.some((each) => each.path === path.join(stateDir, name)),
  );
  if (!isNew && (!closes || wasOpen.length === 0))
    return foundOf(stateDir, [], wasOpen, before.user, exposed);
  if (isNew || isOpen)
    await closeToOtherUsers(stateDir, before.user, givenAt(stateDir, before.open), program);
  for (const each of wasOpen) if (each.path !== stateDir) await inheritAccess(each.path, program);
  const after = await accessTo(stateDir, program);
  if (!after.isKnown) return { unknown: after.unknown };
  const stillOpen = ours(stateDir, after);
  const closed = wasOpen.filter((each) => !isNew && !stillOpen.some((open) => open.path === each.path));
  return foundOf(stateDir, closed, stillOpen, after.user, exposed);
}

function foundOf(
  stateDir: string,
  closed: readonly OpenPath[],
  open: readonly OpenPath[],
  user: string,
  exposed: readonly string[],
): WindowsPrivacyReport {
  return {
    closed: closed.map(shown),
    open: open.map(shown),
    remedy: closingCommand(stateDir, user, open),
    exposed,
  };
}

/** Leaves out files of others. */
function ours(stateDir: string, { open }: Extract<Access, { isKnown: true }>): OpenPath[] {
  return open.filter((each) => each.path === stateDir || isOwnName(path.basename(each.path)));
}

function shown({ path: place, to }: OpenPath): string {
  return `${place} (${to.join(', ')})`;
}
