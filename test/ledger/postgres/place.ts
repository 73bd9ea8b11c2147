import { Client } from 'pg';
import { prepareShared } from '../../../src/wiring/sharedLedger/prepare.ts';
import type { Target } from '../../../src/ledger/postgres/connection.ts';
import type { FreshDatabase } from '../../support/postgres.ts';
import { ask } from '../support/agents.ts';

export function targetOf(url: string): Target {
  return { url, passwordFile: null, caFile: null };
}

export async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, options: '-c search_path=receiptd' });
  await client.connect();
  return client;
}

/** Roles belong to the whole cluster. */
export function roleOf({ name }: FreshDatabase): string {
  return `agents_${name}`;
}

export function urlAs({ url }: FreshDatabase, role: string): string {
  return url.replace('postgres@', `${role}@`);
}

/** Prepares the database as its owner would. @returns the URL for agents */
export async function prepared(database: FreshDatabase): Promise<string> {
  const role = roleOf(database);
  await ask(database.url, `CREATE ROLE ${role} LOGIN`);
  await prepareShared(targetOf(database.url), role);
  return urlAs(database, role);
}

export async function removeWithRole(database: FreshDatabase): Promise<void> {
  const role = roleOf(database);
  const [known] = await ask(database.url, 'SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
  if (known) await ask(database.url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await database.remove();
}
