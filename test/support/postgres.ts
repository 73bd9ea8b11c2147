/**
 * A real PostgreSQL for tests. One cluster for a whole run, started by the first test that needs it; each test has a database
 * of its own in it. A test that stops, kills or fills a server has a cluster of its own: `startCluster`.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createCluster, makeOwned } from './postgresCluster.ts';
import { postgresBinaries, runDirectory } from './postgresRun.ts';
import { requirement } from './requires.ts';

export { startCluster, type Cluster, type ClusterOptions } from './postgresCluster.ts';

export interface FreshDatabase {
  /** As the cluster's superuser. Roles are the whole cluster's: give one a name that has `name` in it. */
  readonly url: string;
  readonly name: string;
  /** A copy of what is in it. Ends what is connected to it, as the other two do. */
  keep(): Promise<Kept>;
  remove(): Promise<void>;
}

export interface Kept {
  /** The database becomes that copy again, once. */
  restore(): Promise<void>;
}

/** What many tests begin with, made once for a run: a database with something in it, copied for each of them. */
export interface Template {
  /** One for each content. */
  readonly name: string;
  /** Fills it; must have closed its connections when it resolves. */
  fill(url: string): Promise<void>;
}

const START_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** For `describe.skipIf(!needsPostgres())`. */
export function needsPostgres(): boolean {
  return requirement('PostgreSQL', postgresBinaries() !== null, 'apt-get install postgresql');
}

/** A database of the run's cluster that nobody else uses. */
export async function freshDatabase(template?: Template): Promise<FreshDatabase> {
  const server = await sharedServer();
  const name = `test_${randomBytes(8).toString('hex')}`;
  const admin = await connected(at(server, 'postgres'));
  try {
    const source = template ? await templateDatabase(admin, server, template) : 'template0';
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${source}`);
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

async function kept(server: string, name: string): Promise<Kept> {
  const copy = `${name}_kept`;
  await alone(server, name, `CREATE DATABASE ${copy} TEMPLATE ${name}`);
  return {
    restore: () =>
      alone(server, name, `DROP DATABASE ${name} WITH (FORCE)`, `ALTER DATABASE ${copy} RENAME TO ${name}`),
  };
}

/** While nobody may connect to it. */
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
  // Held by the connection: whoever fails to fill it lets the next one try.
  await admin.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
  try {
    if (await exists()) return name;
    const making = `${name}_${randomBytes(4).toString('hex')}`;
    await admin.query(`CREATE DATABASE ${making} TEMPLATE template0`);
    await template.fill(at(server, making));
    await admin.query(`ALTER DATABASE ${making} RENAME TO ${name}`);
    return name;
  } finally {
    await admin.query('SELECT pg_advisory_unlock(hashtext($1))', [name]);
  }
}

/** Started by the first that asks, in whatever process; the others wait. @returns its URL without a database */
async function sharedServer(): Promise<string> {
  const dir = join(runDirectory(), 'shared');
  const [ready, failed] = [join(dir, 'url'), join(dir, 'failed')];
  const isFirst = await makeOwned(dir).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    try {
      const { port } = await createCluster(dir, {});
      await writeFile(ready, `postgres://postgres@127.0.0.1:${port}/`);
    } catch (error) {
      await mkdir(failed);
      throw error;
    }
  }
  const until = Date.now() + START_LIMIT_MS;
  for (;;) {
    if (existsSync(failed)) throw new Error('The cluster of this run did not start; see the first failure.');
    const url = await readFile(ready, 'utf8').catch(() => '');
    if (url.endsWith('/')) return url;
    if (Date.now() > until) throw new Error('The cluster of this run does not start.');
    await sleep(LOOK_EVERY_MS);
  }
}

function at(server: string, database: string): string {
  return `${server}${database}`;
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // A server that is stopped ends its idle connections; who asks next hears of it.
  client.on('error', () => {});
  await client.connect();
  return client;
}
