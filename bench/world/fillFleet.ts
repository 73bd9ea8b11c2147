import { execFileSync } from 'node:child_process';
import type { Client } from 'pg';
import { BACKLOG } from '../../src/core/messages.ts';
import { CHAIN, endpointIdOf, folderIdOf } from '../../src/ledger/entries.ts';
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
 * Fills an empty ledger with documents as if agents had sent them. For speed, indexes are created afterwards, and
 * fsync is off until the end: a partial ledger is useless anyway.
 */
export async function fillFleet(client: Client, filling: Filling): Promise<void> {
  const { baseUrl, accepted, queued, folders } = filling;
  const total = accepted + queued;
  for (const setting of ["fsync = 'off'", "max_wal_size = '20GB'"])
    await client.query(`ALTER SYSTEM SET ${setting}`);
  await client.query('SELECT pg_reload_conf()');
  await client.query("SET search_path = receiptd; SET maintenance_work_mem = '1GB'");
  const { rows } = await client.query<{ id: number }>('SELECT min(id) AS id FROM agents');
  // Rows have the numbers of entries that this agent never wrote.
  const first = (rows[0]?.id ?? 0) * CHAIN;
  const endpoint = endpointIdOf({ baseUrl, uid: ENDPOINT });
  const places = Array.from({ length: folders }, (_, n) => {
    const owner = `share:s${n}`;
    return { id: folderIdOf({ owner, path: '' }), owner };
  });
  await client.query('INSERT INTO endpoints (id, base_url, uid, seq) VALUES ($1, $2, $3, 0)', [
    endpoint,
    baseUrl,
    ENDPOINT,
  ]);
  await client.query(
    `INSERT INTO folders (id, owner, path) SELECT id, owner, '' FROM unnest($1::bigint[], $2::text[]) AS f (id, owner)`,
    [places.map(({ id }) => id), places.map(({ owner }) => owner)],
  );
  const remake = await withoutIndexes(client, 'documents');
  await client.query(
    `INSERT INTO documents (id, endpoint_id, folder_id, name, path, sha256, type, size, priority, state, due, attempts, replays,
                            answered, answer_lost, odd_answers, twin, known_at, created_at, updated_at, status, response)
     SELECT $1::bigint + n, $2::bigint, ($3::bigint[])[n % cardinality($3::bigint[]) + 1],
            path || '-' || left(hash, 12), path || '.jpg', hash, 'jpeg', 1000000, ${BACKLOG},
            CASE WHEN done THEN 'accepted' ELSE 'queued' END, at, done::int, 0, done::int, 0, 0, 0, CASE WHEN done THEN 1 END,
            at, at, CASE WHEN done THEN 'PROCESSING' END, CASE WHEN done THEN $5::text END
       FROM (SELECT n, n <= $4::bigint AS done, 'SCAN' || lpad(n::text, 8, '0') AS path, encode(sha256(n::text::bytea), 'hex') AS hash,
                    (extract(epoch FROM now()) * 1000)::bigint - ($6::bigint - n) * 100 AS at
               FROM generate_series(1, $6::bigint) n) drawn`,
    [first, endpoint, places.map(({ id }) => id), accepted, RESPONSE, total],
  );
  for (const statement of remake) await client.query(statement);
  await client.query(
    `INSERT INTO counts (endpoint_id, folder_id, state, agent, n)
     SELECT endpoint_id, folder_id, state, 0, count(*) FROM documents GROUP BY 1, 2, 3`,
  );
  await client.query('VACUUM (ANALYZE) documents');
  await client.query('CHECKPOINT');
  execFileSync('sync');
  await client.query('ALTER SYSTEM RESET fsync');
  await client.query('SELECT pg_reload_conf()');
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
