import { execFileSync } from 'node:child_process';
import type { Client } from 'pg';
import { ENDPOINT } from './agent.ts';

export interface Filling {
  readonly baseUrl: string;
  readonly accepted: number;
  readonly queued: number;
  /** Shared folders, named `s0`, `s1` and so on. */
  readonly folders: number;
}

const RESPONSE = JSON.stringify({ status: 'PROCESSING' });

/**
 * Fills a ledger with empty tables with documents as if agents had sent them. For speed, indexes are created afterwards, and
 * fsync is off until the end: a partial ledger is useless anyway.
 */
export async function fillFleet(client: Client, filling: Filling): Promise<void> {
  const { baseUrl, accepted, queued, folders } = filling;
  const total = accepted + queued;
  for (const setting of ["fsync = 'off'", "max_wal_size = '20GB'"])
    await client.query(`ALTER SYSTEM SET ${setting}`);
  await client.query('SELECT pg_reload_conf()');
  await client.query("SET search_path = receiptd; SET maintenance_work_mem = '1GB'");
  const endpoint = await idOf(
    client,
    'INSERT INTO endpoints (base_url, uid, next_line) VALUES ($1, $2, $3) RETURNING id',
    [baseUrl, ENDPOINT, total + 1],
  );
  const agent = await idOf(client, 'SELECT min(id) AS id FROM agents', []);
  const first = await idOf(
    client,
    `WITH made AS (INSERT INTO folders (place, path) SELECT 'share:s' || n, '' FROM generate_series(0, $1::int - 1) n RETURNING id)
     SELECT min(id) AS id FROM made`,
    [folders],
  );
  const remake = await withoutIndexes(client);
  await client.query('ALTER TABLE documents DISABLE TRIGGER USER');
  await client.query(
    `INSERT INTO documents (endpoint_id, folder_id, agent_id, path, name, sha256, type, size, lane, state, line, attempts,
                            created_at, updated_at, service_status, response)
     SELECT $1::int, $2::int + n % $3::int, $4::int, path, path || '-' || left(hash, 12), hash, 'jpeg', 1000000, 'backlog',
            CASE WHEN n <= $5::bigint THEN 'accepted' ELSE 'queued' END, n, CASE WHEN n <= $5::bigint THEN 1 ELSE 0 END,
            at, at, CASE WHEN n <= $5::bigint THEN 'PROCESSING' END, CASE WHEN n <= $5::bigint THEN $6::text END
       FROM (SELECT n, 'SCAN' || lpad(n::text, 8, '0') AS path, encode(sha256(n::text::bytea), 'hex') AS hash,
                    (extract(epoch FROM now()) * 1000)::bigint - ($7::bigint - n) * 100 AS at
               FROM generate_series(1, $7::bigint) n) drawn`,
    [endpoint, first, folders, agent, accepted, RESPONSE, total],
  );
  for (const statement of remake) await client.query(statement);
  await client.query('ALTER TABLE documents ENABLE TRIGGER USER');
  await client.query(
    `INSERT INTO document_counts (endpoint_id, folder_id, state, agent_id, count)
     SELECT endpoint_id, folder_id, state, 0, count(*) FROM documents GROUP BY 1, 2, 3`,
  );
  await client.query(`SELECT setval(pg_get_serial_sequence('documents', 'id'), $1)`, [total]);
  await client.query('VACUUM (ANALYZE) documents');
  await client.query('CHECKPOINT');
  execFileSync('sync');
  await client.query('ALTER SYSTEM RESET fsync');
  await client.query('SELECT pg_reload_conf()');
}

async function idOf(client: Client, text: string, params: readonly unknown[]): Promise<number> {
  const { rows } = await client.query<{ id: number }>(text, [...params]);
  const [row] = rows;
  if (!row) throw new Error('nothing was made');
  return row.id;
}

/** Drops all indexes except the primary key, which others refer to. @returns the statements that recreate them */
async function withoutIndexes(client: Client): Promise<string[]> {
  const { rows: constraints } = await client.query<{ name: string; definition: string }>(
    `SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
      WHERE conrelid = 'documents'::regclass AND contype = 'u'`,
  );
  const again = constraints.map(
    ({ name, definition }) => `ALTER TABLE documents ADD CONSTRAINT ${name} ${definition}`,
  );
  for (const { name } of constraints) await client.query(`ALTER TABLE documents DROP CONSTRAINT ${name}`);
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
      WHERE indrelid = 'documents'::regclass AND NOT indisprimary`,
  );
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  return [...again, ...indexes.map(({ definition }) => definition)];
}
