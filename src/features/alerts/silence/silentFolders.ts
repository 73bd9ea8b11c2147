import { Arrivals } from './arrivals.ts';
import { silenceOf, type Silence } from './silence.ts';

export interface FolderArrivals {
  readonly path: string;
  readonly arrivals: Arrivals;
  /** As in `Watched`. */
  readonly since: number;
}

export interface SilentFolders {
  /** Of all folders taken together; then nothing is said of each. */
  readonly all: Silence | null;
  readonly alone: readonly (Silence & { readonly path: string })[];
}

/**
 * Which folders are silent. All of them taken together are one more folder, and the busiest: on a holiday it is the first
 * to be missed, and one sentence is said instead of thirty. Days on which nothing came into any say nothing of each.
 * `known`: what came into any of them, where somebody has it already.
 */
export function silentAmong(
  folders: readonly FolderArrivals[],
  now: number,
  known?: Arrivals,
): SilentFolders {
  const [only] = folders;
  if (only && folders.length === 1) return { all: silenceOf({ ...only, now }), alone: [] };
  const since = Math.max(0, ...folders.map((folder) => folder.since));
  const union = known ?? unionOf(folders);
  const all = silenceOf({ arrivals: union, since, now });
  if (all !== null) return { all, alone: [] };
  const isClosed = (day: number): boolean => union.total(day) === 0;
  const alone = folders.flatMap((folder) => {
    const silence = silenceOf({ arrivals: folder.arrivals, since: folder.since, now, isClosed });
    return silence === null ? [] : [{ ...silence, path: folder.path }];
  });
  return { all: null, alone };
}

function unionOf(folders: readonly FolderArrivals[]): Arrivals {
  const union = new Arrivals();
  for (const { arrivals } of folders) union.addAll(arrivals);
  return union;
}
