import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Cluster } from '../../test/support/postgresCluster.ts';
import { processorSecondsWithChildren } from './proc.ts';

/** Creates a database for one run. */
export async function freshDatabase(
  cluster: Cluster,
  name: string,
): Promise<{ readonly url: string; remove(): Promise<void> }> {
  await asAdmin(cluster, 'postgres', (client) => client.query(`CREATE DATABASE ${name}`));
  return {
    url: cluster.urlOf(name),
    remove: () =>
      asAdmin(cluster, 'postgres', async (client) => {
        await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      }),
  };
}

export async function asAdmin<T>(
  cluster: Cluster,
  database: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: cluster.urlOf(database) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** CPU seconds of the server and all its processes, including those that have ended. */
export async function databaseProcessorSeconds(cluster: Cluster): Promise<number> {
  const [first = ''] = readFileSync(join(cluster.dir, 'data', 'postmaster.pid'), 'utf8').split('\n');
  const server = Number(first);
  const children = readdirSync('/proc')
    .map(Number)
    .filter((pid) => parentOf(pid) === server);
  const each = await Promise.all(
    [server, ...children].map((pid) => processorSecondsWithChildren(pid).catch(() => 0)),
  );
  return each.reduce((sum, seconds) => sum + seconds, 0);
}

function parentOf(pid: number): number | null {
  if (!pid) return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}
