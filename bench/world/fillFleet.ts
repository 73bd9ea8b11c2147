import { execFileSync } from 'node:child_process';
import type { Client } from 'pg';
import { ENDPOINT } from './agent.ts';

export interface Filling {
  readonly baseUrl: string;
  readonly accepted: number;
  readonly queued: number;
  /** Shared folders, named `s0`, `s1` and so on. */
  readonly folders: number;
  /** Number of endpoints, which get the folders in turn; default: one. */
  readonly endpoints?: number;
  /** Also adds their files, upload requests and results, and a duplicate of every twentieth document. */
  readonly isWhole?: boolean;
}

const RESPONSE = JSON.stringify({ status: 'PROCESSING' });

/**
 * Fills an empty ledger with documents as if agents had sent them. For speed, indexes are created afterwards, and
 * fsync is off until the end: a partial ledger is useless anyway.
 */
export async function fillFleet(client: Client, filling: Filling): Promise<void> {
  const { baseUrl, accepted, queued, folders, endpoints = 1, isWhole = false } = filling;
  const total = accepted + queued;
  for (const setting of ["fsync = 'off'", "max_wal_size = '20GB'"])
    await client.query(`ALTER SYSTEM SET ${setting}`);
  await client.query('SELECT pg_reload_conf()');
  await client.query("SET search_path = receiptd; SET maintenance_work_mem = '1GB'");
  const endpoint = await idOf(
    client,
    `WITH made AS (INSERT INTO endpoints (base_url, uid, next_line)
       SELECT $1, CASE WHEN n = 0 THEN $2 ELSE md5(n::text)::uuid::text END, $3 FROM generate_series(0, $4::int - 1) n RETURNING id)
     SELECT min(id) AS id FROM made`,
    [baseUrl, ENDPOINT, total + 1, endpoints],
  );
  const agent = await idOf(client, 'SELECT min(id) AS id FROM agents', []);
  const first = await idOf(
    client,
    `WITH made AS (INSERT INTO folders (place, path) SELECT 'share:s' || n, '' FROM generate_series(0, $1::int - 1) n RETURNING id)
     SELECT min(id) AS id FROM made`,
    [folders],
  );
  const tables = isWhole ? ['documents', 'attempts', 'sightings', 'results'] : ['documents'];
  const remake: string[] = [];
  for (const table of tables) remake.push(...(await withoutIndexes(client, table)));
  // Disables triggers and foreign keys.
  await client.query('SET session_replication_role = replica');
  await client.query(
    `INSERT INTO documents (endpoint_id, folder_id, agent_id, path, name, sha256, type, size, lane, state, line, attempts,
                            created_at, updated_at, service_status, response)
     SELECT $1::int + (n % $3::int) % $8::int, $2::int + n % $3::int, $4::int, path || '.jpg', path || '-' || left(hash, 12), hash, 'jpeg', 1000000, 'backlog',
            CASE WHEN n <= $5::bigint THEN 'accepted' ELSE 'queued' END, n, CASE WHEN n <= $5::bigint THEN 1 ELSE 0 END,
            at, at, CASE WHEN n <= $5::bigint THEN 'PROCESSING' END, CASE WHEN n <= $5::bigint THEN $6::text END
       FROM (SELECT n, 'SCAN' || lpad(n::text, 8, '0') AS path, encode(sha256(n::text::bytea), 'hex') AS hash,
                    (extract(epoch FROM now()) * 1000)::bigint - ($7::bigint - n) * 100 AS at
               FROM generate_series(1, $7::bigint) n) drawn`,
    [endpoint, first, folders, agent, accepted, RESPONSE, total, endpoints],
  );
  if (isWhole) for (const statement of REST) await client.query(statement);
  for (const statement of remake) await client.query(statement);
  await client.query('RESET session_replication_role');
  await client.query(
    `INSERT INTO document_counts (endpoint_id, folder_id, state, agent_id, count)
     SELECT endpoint_id, folder_id, state, 0, count(*) FROM documents GROUP BY 1, 2, 3`,
  );
  if (isWhole)
    await client.query(
      `INSERT INTO file_counts (endpoint_id, folder_id, verdict, agent_id, count)
       SELECT d.endpoint_id, s.folder_id, s.verdict, 0, count(*) FROM sightings s JOIN documents d ON d.id = s.document_id
        WHERE s.verdict = 'duplicate' GROUP BY 1, 2, 3`,
    );
  for (const table of tables) {
    await client.query(
      `SELECT setval(pg_get_serial_sequence('${table}', 'id'), greatest(max(id), 1)) FROM ${table}`,
    );
    await client.query(`VACUUM (ANALYZE) ${table}`);
  }
  await client.query('CHECKPOINT');
  execFileSync('sync');
  await client.query('ALTER SYSTEM RESET fsync');
  await client.query('SELECT pg_reload_conf()');
}

/** Adds the files of documents, upload requests, and a posted result for every fifth document. */
const REST = [
  `INSERT INTO sightings (folder_id, dir, name, size, mtime_ns, ctime_ns, inode, verdict, document_id, sha256, seen_at, updated_at)
   SELECT folder_id, '', CASE WHEN copy THEN 'copy of ' ELSE '' END || path, size, created_at * 1000000,
          created_at * 1000000, id, CASE WHEN copy THEN 'duplicate' ELSE 'document' END, id, sha256, created_at, created_at
     FROM documents, (VALUES (false), (true)) AS c (copy) WHERE NOT copy OR id % 20 = 0`,
  `INSERT INTO attempts (document_id, endpoint_id, agent_id, epoch, started_at, finished_at, outcome, http_status, bytes)
   SELECT id, endpoint_id, agent_id, 1, created_at + 100, created_at + 600, 'accepted', 201, size
     FROM documents WHERE state = 'accepted'`,
  `INSERT INTO results (agent_id, received_at, document_id, attempts, status, sha256, size, encoding, words, fields)
   SELECT agent_id, created_at + 60000, id, 1, 'DONE', sha256, 300, 'utf8',
          E'hotel adler\\n' || total || E'\\n' || replace(total, '.', ','), '{"/merchant":"Hotel Adler","/total":' || total || '}'
     FROM (SELECT *, (id % 997)::text || '.50' AS total FROM documents WHERE state = 'accepted' AND id % 5 = 0) d`,
];

async function idOf(client: Client, text: string, params: readonly unknown[]): Promise<number> {
  const { rows } = await client.query<{ id: number }>(text, [...params]);
  const [row] = rows;
  if (!row) throw new Error('nothing was inserted');
  return row.id;
}

/** Drops all indexes except the primary key, which others refer to. @returns the statements that recreate them */
async function withoutIndexes(client: Client, table: string): Promise<string[]> {
  const { rows: constraints } = await client.query<{ name: string; definition: string }>(
    `SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
      WHERE conrelid = '${table}'::regclass AND contype = 'u'`,
  );
  const again = constraints.map(
    ({ name, definition }) => `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`,
  );
  for (const { name } of constraints) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
      WHERE indrelid = '${table}'::regclass AND NOT indisprimary`,
  );
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  return [...again, ...indexes.map(({ definition }) => definition)];
}
