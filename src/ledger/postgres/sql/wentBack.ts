/** The agent as this database knows it. */
export const KNOWN = `SELECT id, chain FROM agents WHERE name = :name`;

/** The last of these entries that still exists, in the history or in the archives. */
export const LAST_HERE = `
SELECT max(w.seq) AS seq FROM unnest(:seqs::bigint[], :hashes::text[]) AS w (seq, hash)
 WHERE EXISTS (SELECT FROM history h WHERE h.agent_id = :agentId AND h.seq = w.seq AND h.hash = w.hash)
    OR w.seq <= (SELECT max(to_seq) FROM archives WHERE agent_id = :agentId)`;

export const ENSURE_ENDPOINTS = `
INSERT INTO endpoints (base_url, uid)
SELECT DISTINCT base_url, uid FROM unnest(:baseUrls::text[], :uids::text[]) AS e (base_url, uid) ORDER BY base_url, uid
ON CONFLICT (base_url, uid) DO NOTHING`;

export const REMEMBER = `
INSERT INTO issued (endpoint_id, sha256, name, sent)
SELECT e.id, i.sha256, i.name, i.sent
  FROM unnest(:baseUrls::text[], :uids::text[], :sha256s::text[], :names::text[], :sents::boolean[]) AS i (base_url, uid, sha256, name, sent)
  JOIN endpoints e ON e.base_url = i.base_url AND e.uid = i.uid
 ORDER BY e.id, i.sha256
ON CONFLICT (endpoint_id, sha256) DO UPDATE SET sent = issued.sent OR excluded.sent`;

/** Keeps issued numbers from being given to other images. */
export const GAVE_SEQS = `
UPDATE endpoints e SET next_seq = greatest(e.next_seq, g.seq + 1)
  FROM (SELECT base_url, uid, max(seq) AS seq FROM unnest(:baseUrls::text[], :uids::text[], :seqs::bigint[]) AS i (base_url, uid, seq)
         GROUP BY base_url, uid) g
 WHERE e.base_url = g.base_url AND e.uid = g.uid AND g.seq IS NOT NULL`;

/** Agents that were running in the state that the database returned to, and have not been heard from since. */
export const UNHEARD = `
SELECT 1 AS one FROM agents WHERE id <> :agentId AND running AND started_at IS NOT NULL AND seen_at < :since::timestamptz LIMIT 1`;

export const NOW = `SELECT clock_timestamp()::text AS now`;

/** Locks those of these images that are queued although a request for them was begun. */
export const WAITING_AMONG = `
SELECT d.id
  FROM unnest(:baseUrls::text[], :uids::text[], :sha256s::text[]) AS i (base_url, uid, sha256)
  JOIN endpoints e ON e.base_url = i.base_url AND e.uid = i.uid
  JOIN documents d ON d.endpoint_id = e.id AND d.sha256 = i.sha256
 WHERE d.state = 'queued' ORDER BY d.id FOR NO KEY UPDATE OF d`;
