import { readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';

/** As many as Linux follows. */
const MOST_LINKS = 40;

/**
 * The other paths by which the system gets to a path: one for every link on the way, the last of which has none. They need not be there: a
 * share may be away. Empty where no link is on the way.
 */
export async function linkedPaths(path: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let at = await followed(path); at !== null && found.length < MOST_LINKS; at = await followed(at)) {
    if (found.includes(at)) break;
    found.push(at);
  }
  return found;
}

/** The path with its first link replaced by what that leads to; null where it has none. */
async function followed(path: string): Promise<string | null> {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  for (let depth = 1; depth <= names.length; depth += 1) {
    const link = join(root, ...names.slice(0, depth));
    const target = await readlink(link).catch(() => null);
    if (target === null) continue;
    const rest = names.slice(depth);
    return isAbsolute(target) ? join(target, ...rest) : resolve(dirname(link), target, ...rest);
  }
  return null;
}
