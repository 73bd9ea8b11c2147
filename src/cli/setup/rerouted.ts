import type { Config, FolderConfig } from '../../config/config.ts';
import type { Found } from './wanted.ts';

interface Goal {
  readonly alias: string;
  readonly baseUrl: string;
  readonly uid: string;
}

/** A folder that was watched before, and whose receipts go elsewhere from now on. */
export interface Rerouted {
  readonly path: string;
  readonly from: Goal;
  readonly to: Goal;
}

export function reroutedBy({ before }: Found, after: Config): Rerouted[] {
  if (before === null || before.isExample) return [];
  return before.config.folders.flatMap((folder) => {
    const now = after.folders.find(({ path }) => path === folder.path);
    if (now === undefined) return [];
    const [from, to] = [goalOf(folder), goalOf(now)];
    return from.baseUrl === to.baseUrl && from.uid === to.uid ? [] : [{ path: folder.path, from, to }];
  });
}

function goalOf({ alias, endpoint: { baseUrl, uid } }: FolderConfig): Goal {
  return { alias, baseUrl, uid };
}

/** Lines for a person. `isFresh`: the ledger that is used from now on knows none of the folders. */
export function linesOf(rerouted: readonly Rerouted[], isFresh: boolean): string[] {
  if (rerouted.length === 0) return [];
  const lines = rerouted.map(({ path, from, to }) => `  ${path}: ${words(from, to)} -> ${words(to, from)}`);
  const before = isFresh
    ? 'Practice is kept separate and does not count there.'
    : 'Files that were accepted before are not sent again.';
  return ['Receipts of these folders go elsewhere from now on:', ...lines, before];
}

/** As much of it as tells it from the other. */
function words({ alias, baseUrl, uid }: Goal, other: Goal): string {
  return baseUrl === other.baseUrl ? `${alias}, ${uid}` : `${alias}, ${uid} at ${baseUrl}`;
}
