import { execFileSync } from 'node:child_process';
import type { Client } from 'pg';
import { BACKLOG } from '../../src/core/messages.ts';
import { SPAN_MS } from '../../src/ledger/schema.ts';
import { CHAIN, endpointIdOf, folderIdOf } from '../../src/ledger/entries.ts';
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
  const { rows } = await client.query<{ id: number }>('SELECT min(id) AS id FROM agents');
  // Rows have the numbers of entries that this agent never wrote.
  const first = (rows[0]?.id ?? 0) * CHAIN;
  const services = Array.from({ length: endpoints }, (_, n) => {
    const uid = n === 0 ? ENDPOINT : `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`;
    return { id: endpointIdOf({ baseUrl, uid }), uid };
  });
  const places = Array.from({ length: folders }, (_, n) => {
    const owner = `share:s${n}`;
    return { id: folderIdOf({ owner, path: '' }), owner };
  });
  await client.query(
    'INSERT INTO endpoints (id, base_url, uid, seq) SELECT id, $1, uid, 0 FROM unnest($2::bigint[], $3::text[]) AS e (id, uid)',
    [baseUrl, services.map(({ id }) => id), services.map(({ uid }) => uid)],
  );
  await client.query(
    `INSERT INTO folders (id, owner, path) SELECT id, owner, '' FROM unnest($1::bigint[], $2::text[]) AS f (id, owner)`,
    [places.map(({ id }) => id), places.map(({ owner }) => owner)],
  );
  const tables = isWhole ? ['documents', 'attempts', 'files', 'results'] : ['documents'];
  const remake: string[] = [];
  for (const table of tables) remake.push(...(await withoutIndexes(client, table)));
  await client.query(
    `INSERT INTO documents (id, endpoint_id, folder_id, name, path, sha256, type, size, priority, state, due, attempts, replays,
                            answered, answer_lost, server_errors, twin, known_at, created_at, updated_at, status, response)
     SELECT $1::bigint + n, ($2::bigint[])[(n % cardinality($3::bigint[])) % cardinality($2::bigint[]) + 1], ($3::bigint[])[n % cardinality($3::bigint[]) + 1],
            path || '-' || left(hash, 12), path || '.jpg', hash, 'jpeg', 1000000, ${BACKLOG},
            CASE WHEN done THEN 'accepted' ELSE 'queued' END, at, done::int, 0, done::int, 0, 0, 0, CASE WHEN done THEN 1 END,
            at, at, CASE WHEN done THEN 'PROCESSING' END, CASE WHEN done THEN $5::text END
       FROM (SELECT n, n <= $4::bigint AS done, 'SCAN' || lpad(n::text, 8, '0') AS path, encode(sha256(n::text::bytea), 'hex') AS hash,
                    (extract(epoch FROM now()) * 1000)::bigint - ($6::bigint - n) * 100 AS at
               FROM generate_series(1, $6::bigint) n) drawn`,
    [first, services.map(({ id }) => id), places.map(({ id }) => id), accepted, RESPONSE, total],
  );
  if (isWhole) for (const statement of REST) await client.query(statement, [total]);
  for (const statement of remake) await client.query(statement);
  await client.query(
    `INSERT INTO counts (endpoint_id, folder_id, state, agent, n)
     SELECT endpoint_id, folder_id, state, 0, count(*) FROM documents GROUP BY 1, 2, 3`,
  );
  if (isWhole) for (const statement of COUNTS) await client.query(statement);
  for (const table of tables) await client.query(`VACUUM (ANALYZE) ${table}`);
  await client.query('CHECKPOINT');
  execFileSync('sync');
  await client.query('ALTER SYSTEM RESET fsync');
  await client.query('SELECT pg_reload_conf()');
}

/** Adds the files of documents, upload requests, and a posted result for every fifth document. */
const REST = [
  `INSERT INTO files (id, folder_id, dir, name, size, identity, verdict, endpoint_id, document_id, sha256, seen_at, updated_at)
   SELECT id + CASE WHEN copy THEN $1::bigint ELSE 0 END, folder_id, '', CASE WHEN copy THEN 'copy of ' ELSE '' END || path, size,
          created_at * 1000000 || ' ' || created_at * 1000000 || ' ' || id, CASE WHEN copy THEN 'duplicate' ELSE 'document' END,
          endpoint_id, id, sha256, created_at, created_at
     FROM documents, (VALUES (false), (true)) AS c (copy) WHERE NOT copy OR id % 20 = 0`,
  `INSERT INTO attempts (id, document_id, endpoint_id, began_at, ended_at, outcome, http, bytes)
   SELECT id + 2 * $1::bigint, id, endpoint_id, created_at + 100, created_at + 600, 'accepted', 200, size
     FROM documents WHERE state = 'accepted'`,
  `INSERT INTO results (id, received_at, document_id, attempts, status, sha256, size, encoding, words, fields)
   SELECT id + 3 * $1::bigint, created_at + 60000, id, 1, 'DONE', sha256, 300, 'utf8',
          E'hotel adler\\n' || total || E'\\n' || replace(total, '.', ','), '{"/merchant":"Hotel Adler","/total":' || total || '}'
     FROM (SELECT *, (id % 997)::text || '.50' AS total FROM documents WHERE state = 'accepted' AND id % 5 = 0) d`,
];

const COUNTS = [
  `INSERT INTO counts (endpoint_id, folder_id, state, agent, n)
   SELECT endpoint_id, folder_id, verdict, 0, count(*) FROM files WHERE verdict = 'duplicate' GROUP BY 1, 2, 3`,
  `INSERT INTO requests (endpoint_id, span, n)
   SELECT endpoint_id, began_at - began_at % ${SPAN_MS}, count(*) FROM attempts GROUP BY 1, 2`,
];

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
