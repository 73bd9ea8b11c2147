import { hostname } from 'node:os';
import type { Config, FolderConfig, PostgresConfig } from './config.ts';
import { readPostgresUrl } from '../core/domain/postgresUrl.ts';

/* Who this agent is among those that share a ledger, and where that ledger is, as the configuration has it. */

const LONGEST_NAME = 63;

/** As `ledger.agent` has it, or made of the host name, which may hold what a short name cannot. */
export function agentName({ agent }: Pick<PostgresConfig, 'agent'>, host: string = hostname()): string {
  if (agent !== null) return agent;
  const name = host.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replace(/^[-_]+/, '');
  const short = name.slice(0, LONGEST_NAME).replace(/-+$/, '');
  // What `ledger.agent` may not be either.
  return short.length < 2 || short === 'share' ? `agent${short && `-${short}`}` : short;
}

/** Names of shared folders by their absolute path here. */
export function sharesOf(
  folders: readonly Pick<FolderConfig, 'path' | 'share'>[],
): ReadonlyMap<string, string> {
  return new Map(folders.flatMap(({ path, share }) => (share === null ? [] : [[path, share] as const])));
}

/** What a connection needs. */
export function targetOf({ url, passwordFile, ca }: PostgresConfig) {
  return { url, passwordFile, caFile: ca };
}

/** For people, without the user. */
export function databasePlace({ url }: PostgresConfig): string {
  const { database = '', hosts = [] } = readPostgresUrl(url) ?? {};
  return `the database ${database} at ${hosts.join(', ')}`;
}

/** For people: the ledger that this agent shares, and its name there; null for one that it has to itself. */
export function sharedLedger({
  ledger,
}: Pick<Config, 'ledger'>): { readonly place: string; readonly agent: string } | null {
  return ledger.kind === 'sqlite' ? null : { place: databasePlace(ledger), agent: agentName(ledger) };
}
