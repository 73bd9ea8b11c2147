import { hostname } from 'node:os';
import type { Config, FolderConfig, PostgresConfig } from './config.ts';
import { readPostgresUrl } from '../core/domain/postgresUrl.ts';
import { databaseAt } from '../texts/en/errors/ledger.ts';

/* This agent's name in a fleet and the place of the shared ledger, from the configuration. */

const LONGEST_NAME = 63;

/** `ledger.agent`, or else a name derived from the host name without the characters that agent names don't allow. */
export function agentName({ agent }: Pick<PostgresConfig, 'agent'>, host: string = hostname()): string {
  if (agent !== null) return agent;
  const name = host.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replace(/^[-_]+/, '');
  const short = name.slice(0, LONGEST_NAME).replace(/-+$/, '');
  // `ledger.agent` does not allow these names either.
  return short.length < 2 || short === 'share' ? `agent${short && `-${short}`}` : short;
}

/** Share names by the folder's absolute path on this machine. */
export function sharesOf(
  folders: readonly Pick<FolderConfig, 'path' | 'share'>[],
): ReadonlyMap<string, string> {
  return new Map(folders.flatMap(({ path, share }) => (share === null ? [] : [[path, share] as const])));
}

/** The settings needed to connect to the database. */
export function targetOf({ url, passwordFile, ca }: PostgresConfig) {
  return { url, passwordFile, caFile: ca };
}

/** Where the database is, without the user name. */
export function databaseOf({ url }: Pick<PostgresConfig, 'url'>) {
  const { database = '', hosts = [] } = readPostgresUrl(url) ?? {};
  return { database, hosts };
}

/** Describes the shared ledger for people, with this agent's name in it; null if the ledger is not shared. */
export function sharedLedger({
  ledger,
}: Pick<Config, 'ledger'>): { readonly place: string; readonly agent: string } | null {
  return ledger.kind === 'sqlite'
    ? null
    : { place: databaseAt(databaseOf(ledger)), agent: agentName(ledger) };
}
