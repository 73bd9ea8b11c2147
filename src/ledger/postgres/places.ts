import { elsewhere } from '../../core/domain/elsewhere.ts';
import type { HoldScope } from '../../core/ports/hold.ts';

/**
 * Translates folders between the fleet and this machine. A folder of one agent is stored as `agent:<name>` with its
 * absolute path; a shared one as `share:<share>`, under whatever path each agent has it. The port uses absolute paths
 * of this machine; another agent's folder is `<agent>:<path>`, and a share that this machine lacks `share:<share>`.
 */
export class Places {
  readonly agent: string;
  readonly #shareOf: ReadonlyMap<string, string>;
  readonly #pathOf: ReadonlyMap<string, string>;

  /** `shares`: the names of shared folders, by their absolute path on this machine. */
  constructor(agent: string, shares: ReadonlyMap<string, string> = new Map()) {
    this.agent = agent;
    this.#shareOf = shares;
    this.#pathOf = new Map([...shares].map(([path, share]) => [share, path]));
  }

  /** Places whose files this agent can reach. */
  get reached(): readonly string[] {
    return [`agent:${this.agent}`, ...[...this.#shareOf.values()].map((share) => `share:${share}`)];
  }

  reaches(place: string): boolean {
    return this.reached.includes(place);
  }

  /** The data that `toFolder` uses, for statements that must do the same. */
  get shown(): { readonly own: string; readonly shares: string } {
    const shares = [...this.#shareOf].map(([path, share]) => [`share:${share}`, path] as const);
    return { own: `agent:${this.agent}`, shares: JSON.stringify(Object.fromEntries(shares)) };
  }

  isShared(folder: string): boolean {
    return this.#shareOf.has(folder);
  }

  /** Whether no other agent reaches the folder. */
  isOwn(folder: string): boolean {
    return this.ofFolder(folder).place === `agent:${this.agent}`;
  }

  /** The place and path that rows use for a folder of the port. */
  ofFolder(folder: string): { readonly place: string; readonly folder: string } {
    const share = this.#shareOf.get(folder);
    if (share !== undefined) return { place: `share:${share}`, folder: '' };
    const found = elsewhere(folder);
    if (found === null) return { place: `agent:${this.agent}`, folder };
    const { name, rest } = found;
    return name === 'share'
      ? { place: `share:${rest}`, folder: '' }
      : { place: `agent:${name}`, folder: rest };
  }

  /** The port's folder for a place and path. */
  toFolder(place: string, path: string): string {
    const [kind, name] = [place.slice(0, place.indexOf(':')), place.slice(place.indexOf(':') + 1)];
    if (kind === 'share') return this.#pathOf.get(name) ?? place;
    return name === this.agent ? path : `${name}:${path}`;
  }

  /** A hold's key as stored in rows: a folder's key means the same folder on every machine. */
  ofKey(scope: HoldScope, key: string): string {
    if (scope !== 'folder') return key;
    const { place, folder } = this.ofFolder(key);
    return `${place}:${folder}`;
  }

  toKey(scope: HoldScope, key: string): string {
    const [, place, folder] = (scope === 'folder' && /^([^:]*:[^:]*):(.*)$/s.exec(key)) || [];
    return place === undefined || folder === undefined ? key : this.toFolder(place, folder);
  }
}
