import type { Config, FolderConfig } from '../../config/config.ts';
import { says, type Said } from '../../core/domain/setupWords.ts';
import type { ExistingConfig } from './wanted.ts';

interface Goal {
  readonly alias: string;
  readonly baseUrl: string;
  readonly uid: string;
}

/** A folder that was already watched and now feeds another endpoint or service. */
export interface Rerouted {
  readonly path: string;
  readonly from: Goal;
  readonly to: Goal;
}

export function reroutedBy({ before }: ExistingConfig, after: Config): Rerouted[] {
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

/** Messages about rerouted folders. `isFresh`: the new ledger knows none of the folders. */
export function linesOf(rerouted: readonly Rerouted[], isFresh: boolean): Said[] {
  if (rerouted.length === 0) return [];
  return [
    says('rerouted.begin'),
    ...rerouted.map(lineOf),
    says(isFresh ? 'rerouted.practice' : 'rerouted.accepted'),
  ];
}

/** Names only what differs between the old and the new goal. */
function lineOf({ path, from, to }: Rerouted): Said {
  const of = { path, from: from.alias, fromUid: from.uid, to: to.alias, toUid: to.uid };
  return from.baseUrl === to.baseUrl
    ? says('rerouted.endpoint', of)
    : says('rerouted.service', { ...of, fromUrl: from.baseUrl, toUrl: to.baseUrl });
}
