import { basename, dirname, isAbsolute, relative, sep } from 'node:path';
import { inRealDirectory } from './realDirectory.ts';

/**
 * A directory that the agent writes, in two parts. What leads to `base` is the admin's choice, links too. Who may scan
 * may put a link anywhere below a watched folder, and the agent may be allowed more than they are: so none is followed
 * in `below`.
 */
export interface OwnPlace {
  readonly base: string;
  /** Relative, with slashes; '' is `base`. */
  readonly below: string;
  /** Whether `base` is a watched folder: one that is away, as a share may be, is never made. */
  readonly isWatched: boolean;
}

/** Null: it lies in none of these watched folders. All absolute. */
function inWatched(path: string, watched: readonly string[]): OwnPlace | null {
  let outermost: OwnPlace | null = null;
  for (const base of watched) {
    const below = relative(base, path);
    if (below === '' || below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) continue;
    if (outermost === null || base.length < outermost.base.length)
      outermost = { base, below: below.split(sep).join('/'), isWatched: true };
  }
  return outermost;
}

/** An archive elsewhere may be reached by a link. */
export function archivePlace(archiveTo: string, watched: readonly string[]): OwnPlace {
  return inWatched(archiveTo, watched) ?? { base: archiveTo, below: '', isWatched: false };
}

/** People may write here, wherever it lies: it is never a link itself. */
export function attentionPlace(path: string, watched: readonly string[]): OwnPlace {
  return inWatched(path, watched) ?? { base: dirname(path), below: basename(path), isWatched: false };
}

/** As `inRealDirectory`, for the directory `path` in that place. */
export function inOwnPlace<T>(
  { base, below, isWatched }: OwnPlace,
  path: string,
  work: (directory: string) => Promise<T>,
  options: { readonly make?: boolean } = {},
): Promise<T> {
  const whole = [below, path].filter((part) => part !== '').join('/');
  return inRealDirectory(base, whole, work, { ...options, hasBase: isWatched });
}
