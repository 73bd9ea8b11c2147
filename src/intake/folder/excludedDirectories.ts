import { resolve } from 'node:path';
import { below } from './folderPath.ts';
import { locationOf, realLocation } from './location.ts';

/** Directories inside a folder that are never entered: archives and the agent's own. */
export interface ExcludedDirectories {
  /** Whether this relative path is an excluded directory, or inside one. */
  has(path: string): boolean;
  /** Resolves symbolic links again: the archive may be configured by a different path than the folder. */
  refresh(): Promise<void>;
}

export function createExcludedDirectories(
  folder: string,
  directories: readonly string[],
): ExcludedDirectories {
  const asConfigured = directories.map((directory) => below(folder, resolve(folder, directory)));
  let excluded = asConfigured.filter((path) => path !== null);
  return {
    has: (path) => excluded.some((directory) => path === directory || path.startsWith(`${directory}/`)),
    async refresh() {
      const realFolder = await realLocation(folder);
      const real = await Promise.all(
        directories.map(async (directory) => below(realFolder, await locationOf(resolve(folder, directory)))),
      );
      excluded = [...new Set([...asConfigured, ...real])].filter((path) => path !== null);
    },
  };
}
