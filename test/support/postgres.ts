/**
 * A real PostgreSQL for tests. The first test that needs it starts one cluster for the whole run; each test has its own
 * database there. Tests that stop, kill or fill a server start their own cluster: `startCluster`.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { createCluster, onceARun } from './postgresCluster.ts';
import { postgresBinaries, runDirectory } from './postgresRun.ts';
import { requirement } from './requires.ts';

export { startCluster, type Cluster, type ClusterOptions } from './postgresCluster.ts';

export interface FreshDatabase {
  /** Connects as the cluster's superuser. Roles are shared by the cluster: include `name` in the names of new ones. */
  readonly url: string;
  readonly name: string;
  /** Copies the database. Terminates its connections, as `restore` and `remove` do. */
  keep(): Promise<Kept>;
  remove(): Promise<void>;
}

export interface Kept {
  /** Replaces the database with the copy. Works once. */
  restore(): Promise<void>;
}

/** A filled database that is made once a run and copied for each test. */
export interface Template {
  /** Unique for its content. */
  readonly name: string;
  /** Fills it; must have closed its connections when it resolves. */
  fill(url: string): Promise<void>;
}

/** For `describe.skipIf(!needsPostgres())`. */
export function needsPostgres(): boolean {
  return requirement('PostgreSQL', postgresBinaries() !== null, 'apt-get install postgresql');
}

/** A new database in the run's cluster. */
export async function freshDatabase(template?: Template): Promise<FreshDatabase> {
  const server = await sharedServer();
  const name = `test_${randomBytes(8).toString('hex')}`;
  const admin = await connected(at(server, 'postgres'));
  try {
    const source = template ? await templateDatabase(admin, server, template) : 'template0';
    await admin.query(copyOf(source, name));
  } finally {
    await admin.end();
  }
  return {
    url: at(server, name),
    name,
    keep: () => kept(server, name),
    remove: () => dropped(server, name),
  };
}

/** As files: to write every block to the log as well takes twice as long. */
function copyOf(source: string, name: string): string {
  return `CREATE DATABASE ${name} TEMPLATE ${source} STRATEGY file_copy`;
}

async function kept(server: string, name: string): Promise<Kept> {
  const copy = `${name}_kept`;
  await alone(server, name, copyOf(name, copy));
  return {
    restore: () =>
      alone(server, name, `DROP DATABASE ${name} WITH (FORCE)`, `ALTER DATABASE ${copy} RENAME TO ${name}`),
  };
}

/** Runs the statements while connections to the database are refused. */
async function alone(server: string, name: string, ...statements: readonly string[]): Promise<void> {
  const admin = await connected(at(server, 'postgres'));
  try {
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await admin.query('SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1', [
      name,
    ]);
    for (const statement of statements) await admin.query(statement);
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  } finally {
    await admin.end();
  }
}

async function dropped(server: string, name: string): Promise<void> {
  const admin = await connected(at(server, 'postgres'));
  try {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  } finally {
    await admin.end();
  }
}

async function templateDatabase(admin: Client, server: string, template: Template): Promise<string> {
  const name = `template_${template.name}`;
  const exists = async () => {
    const found = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    return found.rowCount === 1;
  };
  if (await exists()) return name;
  // The connection holds the lock: if filling fails, it is released and the next test tries.
  await admin.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
  try {
    if (await exists()) return name;
    const making = `${name}_${randomBytes(4).toString('hex')}`;
    await admin.query(copyOf('template0', making));
    await template.fill(at(server, making));
    await admin.query(`ALTER DATABASE ${making} RENAME TO ${name}`);
    return name;
  } finally {
    await admin.query('SELECT pg_advisory_unlock(hashtext($1))', [name]);
  }
}

/** @returns the URL of the run's server without a database */
async function sharedServer(): Promise<string> {
  const dir = join(runDirectory(), 'shared');
  return onceARun(dir, async () => {
    const { port } = await createCluster(dir, {});
    return `postgres://postgres@127.0.0.1:${port}/`;
  });
}

function at(server: string, database: string): string {
  return `${server}${database}`;
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // A stopping server ends idle connections; the next query reports it.
  client.on('error', () => {});
  await client.connect();
  return client;
}
