import { elsewhere } from '../../core/domain/elsewhere.ts';
import type { HoldScope } from '../../core/ports/hold.ts';

/**
 * Where folders are, for the fleet and for this machine. A folder of an agent belongs to `agent:<name>` and its absolute path; a
 * shared one to `share:<share>`, under whatever path each agent has it. The port speaks of this machine's absolute paths;
 * another agent's folder is `<agent>:<path>` there, and a share that this machine does not have `share:<share>`.
 */
export class Places {
  readonly agent: string;
  readonly #shareOf: ReadonlyMap<string, string>;
  readonly #pathOf: ReadonlyMap<string, string>;

  /** `shares`: the names of shared folders by their absolute path here. */
  constructor(agent: string, shares: ReadonlyMap<string, string> = new Map()) {
    this.agent = agent;
    this.#shareOf = shares;
    this.#pathOf = new Map([...shares].map(([path, share]) => [share, path]));
  }

  /** The places whose files this agent reaches. */
  get reached(): readonly string[] {
    return [`agent:${this.agent}`, ...[...this.#shareOf.values()].map((share) => `share:${share}`)];
  }

  reaches(place: string): boolean {
    return this.reached.includes(place);
  }

  /** What `toFolder` goes by, for statements that have to do the same. */
  get shown(): { readonly own: string; readonly shares: string } {
    const shares = [...this.#shareOf].map(([path, share]) => [`share:${share}`, path] as const);
    return { own: `agent:${this.agent}`, shares: JSON.stringify(Object.fromEntries(shares)) };
  }

  isShared(folder: string): boolean {
    return this.#shareOf.has(folder);
  }

  /** Whether no other agent reaches it. */
  isOwn(folder: string): boolean {
    return this.ofFolder(folder).place === `agent:${this.agent}`;
  }

  /** The row's place and path of a folder as the port has it. */
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

  /** The folder as the port has it. */
  toFolder(place: string, path: string): string {
    const [kind, name] = [place.slice(0, place.indexOf(':')), place.slice(place.indexOf(':') + 1)];
    if (kind === 'share') return this.#pathOf.get(name) ?? place;
    return name === this.agent ? path : `${name}:${path}`;
  }

  /** A hold's key as the rows have it: that of a folder means it on every machine. */
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
