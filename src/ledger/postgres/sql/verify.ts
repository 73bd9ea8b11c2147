export { MISCOUNTED } from './reports.ts';

export const CHAINS = `
SELECT id, name, chain AS ledger, head_seq AS seq, head_hash AS hash FROM agents WHERE head_seq > 0 ORDER BY name`;

export const HEAD_OF = `SELECT head_seq AS seq, head_hash AS hash FROM agents WHERE id = :id`;

export const LINES = `
SELECT seq, entry, hash, personal FROM history
 WHERE agent_id = :id AND seq > :after ORDER BY seq LIMIT :limit::integer`;

export const NAMED_OTHERWISE = `
SELECT named.id, d.id IS NOT NULL AS "isThere"
  FROM unnest(:ids::bigint[], :names::text[], :hashes::text[]) AS named (id, name, sha256)
  LEFT JOIN documents d ON d.id = named.id
 WHERE d.id IS NULL OR d.name <> named.name OR d.sha256 <> named.sha256
 ORDER BY named.id LIMIT 20`;

export const COUNT = `SELECT count(*) AS count FROM documents`;

/** The archived end of a chain, which the rest continues. */
export const ARCHIVED = `
SELECT to_seq AS seq, to_hash AS hash, file FROM archives WHERE agent_id = :id ORDER BY to_seq DESC LIMIT 1`;

/** Whether the history here may lack some documents. */
export const MAY_BE_SILENT = `
SELECT 1 AS one WHERE EXISTS (SELECT FROM archives)
    OR EXISTS (SELECT FROM history WHERE document_id IS NULL AND sighting_id IS NULL AND entry LIKE '%"kind":"imported"%')`;

export const STATES = `
SELECT id, state FROM documents WHERE id > :after ORDER BY id LIMIT :limit::integer`;

export const ENTRIES_OF = `
SELECT document_id AS "documentId", agent_id AS "agentId", seq, entry FROM history
 WHERE document_id = ANY (:ids::bigint[]) ORDER BY document_id, agent_id, seq`;

/** Entries about several documents at once. */
export const MOVED_TOGETHER = `
SELECT agent_id AS "agentId", seq, entry FROM history
 WHERE document_id IS NULL AND sighting_id IS NULL AND entry LIKE '%"kind":"moved"%'
   AND (agent_id, seq) > (:agent::integer, :seq::bigint)
 ORDER BY agent_id, seq LIMIT :limit::integer`;
