import { elsewhere } from '../../core/domain/elsewhere.ts';
import type { FolderKey } from '../../core/messages.ts';
import type { Places } from '../reads/view.ts';

/**
 * Folders as an agent of a fleet calls them. A folder that it alone sees belongs to `agent:<name>`, with its absolute path; one on a share to
 * `share:<share>`, under whatever path each agent has it. Another agent's folder is called `<agent>:<path>`, and a share that this machine lacks
 * `share:<share>`.
 *
 * @param shares names of shared folders, by their absolute path on this machine
 */
export function placesOf(agent: string, shares: ReadonlyMap<string, string>): Places {
  const paths = new Map([...shares].map(([path, share]) => [`share:${share}`, path]));
  const own = `agent:${agent}`;
  return {
    keyOf(folder): FolderKey {
      const share = shares.get(folder);
      if (share !== undefined) return { owner: `share:${share}`, path: '' };
      const found = elsewhere(folder);
      if (found === null) return { owner: own, path: folder };
      const { name, rest } = found;
      return name === 'share' ? { owner: `share:${rest}`, path: '' } : { owner: `agent:${name}`, path: rest };
    },
    pathOf({ owner, path }) {
      if (owner === own) return path;
      return owner.startsWith('share:')
        ? (paths.get(owner) ?? owner)
        : `${owner.slice(owner.indexOf(':') + 1)}:${path}`;
    },
    reaches: ({ owner }) => owner === own || paths.has(owner),
  };
}
