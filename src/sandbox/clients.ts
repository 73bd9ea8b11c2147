import { z } from 'zod';
import type { Tokens } from './tokens.ts';

const CLIENT = z.strictObject({ clientId: z.string(), clientSecret: z.string() }).readonly();
export const CLIENTS = z.array(CLIENT).min(1);
export type Client = z.infer<typeof CLIENT>;

/** The accepted credentials: of one client at first, or of several accounts. Can be changed at run time. */
export class Clients {
  readonly #tokens: Tokens;
  #taken: readonly Client[];
  /** Endpoint uid → the only client that may upload to it. */
  readonly #owners: Readonly<Record<string, string>>;

  constructor(tokens: Tokens, first: Client, owners: Readonly<Record<string, string>>) {
    this.#tokens = tokens;
    this.#taken = [first];
    this.#owners = owners;
  }

  /** Replaces the accepted credentials. Tokens of clients whose credentials changed get 401. */
  take(clients: readonly Client[]): void {
    const before = this.#taken;
    this.#taken = [...clients];
    const gone = before.filter(({ clientId, clientSecret }) => !this.has(clientId, clientSecret));
    for (const { clientId } of gone) this.#tokens.revokeOf(clientId);
  }

  has(clientId: string, clientSecret: string): boolean {
    return this.#taken.some((each) => each.clientId === clientId && each.clientSecret === clientSecret);
  }

  mayUse(endpointUid: string, clientId: string | null): boolean {
    const owner = this.#owners[endpointUid];
    return owner === undefined || owner === clientId;
  }
}
