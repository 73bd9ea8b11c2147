import type { FolderClaims, FolderHolder } from '../ports/folder.ts';

/** What this agent holds of one folder, which is another folder once its token changes. */
export class FolderClaim {
  readonly #path: string;
  readonly #claims: FolderClaims | undefined;
  #held: { readonly token: string; release(): Promise<void> } | null = null;

  constructor(path: string, claims: FolderClaims | undefined) {
    this.#path = path;
    this.#claims = claims;
  }

  /** Null once it is held; otherwise who takes it in, in a sentence. */
  async hold(token: string): Promise<string | null> {
    if (this.#claims === undefined || this.#held?.token === token) return null;
    await this.release();
    const got = await this.#claims.hold(token);
    if (got.kind === 'taken') return takenBy(this.#path, got.by);
    this.#held = { token, release: () => got.release() };
    return null;
  }

  async release(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    await held?.release();
  }
}

export function takenBy(path: string, by: FolderHolder | null): string {
  const who = by === null ? '' : ` (process ${by.pid} of ${by.user}, state directory ${by.stateDir})`;
  return `Another agent on this machine takes in ${path}${who}. Both would send every receipt in it.`;
}
