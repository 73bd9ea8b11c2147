const AGENT = `SELECT id FROM agents WHERE name = :agent`;

/** Held until the transaction ends: results become visible in the order of their ids, so that none is skipped. */
export const LOCK_RESULTS = `SELECT pg_advisory_xact_lock(7267341)`;

export const NEXT_RESULT_ID = `SELECT nextval('results_id_seq') AS id`;
export const LAST_RESULT_ID = `
SELECT greatest((SELECT max(id) FROM results), (SELECT max(coalesce(turn, id)) FROM results WHERE agent_id = (${AGENT})), 0) AS id`;

/** Must match the expression of the index `results_repeats` literally. */
export const REPEATED = `
SELECT id FROM results WHERE coalesce(document_id, 0) = :documentId::bigint AND sha256 = :sha256`;

const MATCH = `
SELECT d.id, d.state, d.attempts, d.answer_lost AS "answerLost", d.service_status AS "serviceStatus", d.response,
       EXISTS (SELECT 1 FROM attempts a WHERE a.document_id = d.id AND a.outcome = 'accepted')
         OR EXISTS (SELECT 1 FROM results r WHERE r.document_id = d.id) AS "wasThere"
  FROM documents d
 WHERE d.name = :name`;

export const MATCH_IN_ENDPOINT = `${MATCH}
   AND d.endpoint_id = (SELECT id FROM endpoints WHERE base_url = :baseUrl AND uid = :uid) FOR NO KEY UPDATE OF d`;

/** Two rows are enough to see that the name is ambiguous. */
export const MATCH_BY_NAME = `${MATCH}
   AND d.endpoint_id = ANY (ARRAY(SELECT id FROM endpoints WHERE base_url = :baseUrl)) LIMIT 2 FOR NO KEY UPDATE OF d`;

export const INSERT_RESULT = `
INSERT INTO results (id, agent_id, received_at, document_id, attempts, status, sha256, size, encoding, words,
                     fields, payload, given_name, given_uid)
VALUES (:id, :agentId, :at, :documentId, :attempts, :status, :sha256, :size, :encoding, :words, :fields, :payload, :givenName,
        :givenUid)`;

export const SET_STATUS = `UPDATE documents SET service_status = :status, updated_at = :at WHERE id = :id`;

export const ERASE_RESULTS = `
UPDATE results SET payload = NULL, fields = NULL, words = NULL, given_name = NULL, given_uid = NULL
 WHERE document_id = ANY (:ids::bigint[])`;

/**
 * `results`: results since the document's last upload request began. `ofReplay`: those, plus results since the request
 * began that was answered with 401 and replayed. `statuses`: those of `results` that brought a status; all that ever
 * did, as long as no request before the last one was accepted. `wasThere`: the service was known to have the document
 * before all that.
 */
export const SINCE_LAST_ATTEMPT = `
SELECT d.service_status AS "serviceStatus", d.response, d.answer_lost AS "answerLost",
       count(*) FILTER (WHERE r.attempts = d.attempts) AS results,
       count(*) FILTER (WHERE r.attempts >= s.since) AS "ofReplay",
       (count(*) FILTER (WHERE r.attempts < s.since) > 0
         OR EXISTS (SELECT 1 FROM attempts a WHERE a.document_id = d.id AND a.outcome = 'accepted'))::int AS "wasThere",
       count(*) FILTER (WHERE r.status IS NOT NULL AND (r.attempts = d.attempts OR NOT EXISTS (
         SELECT 1 FROM attempts a
          WHERE a.document_id = d.id AND a.outcome = 'accepted'
            AND a.id < (SELECT max(l.id) FROM attempts l WHERE l.document_id = d.id)))) AS statuses
  FROM documents d
  CROSS JOIN LATERAL (
    SELECT d.attempts - coalesce((
             SELECT (a.http_status = 401)::int FROM attempts a WHERE a.document_id = d.id ORDER BY a.id DESC LIMIT 1 OFFSET 1
           ), 0) AS since) s
  JOIN results r ON r.document_id = d.id
 WHERE d.id = :id AND d.attempts > 0
 GROUP BY d.id`;

export const COUNT_RESULTS = {
  all: 'SELECT count(*) AS count FROM results',
  unmatched: 'SELECT count(*) AS count FROM results WHERE document_id IS NULL',
};

const COLUMNS = `r.id, r.received_at AS "receivedAt", r.document_id AS "documentId", d.name, e.base_url AS "baseUrl", e.uid,
       r.status, r.sha256, r.size, r.encoding, r.given_name AS "givenName", r.given_uid AS "givenUid", coalesce(r.turn, r.id) AS turn`;
const FROM = `
  FROM results r
  LEFT JOIN documents d ON d.id = r.document_id
  LEFT JOIN endpoints e ON e.id = d.endpoint_id`;

export const RESULT_BY_ID = `SELECT ${COLUMNS}, r.payload ${FROM} WHERE r.id = :id`;

function inBothOrders(condition: string, by = 'r.id'): Readonly<Record<'oldest' | 'newest', string>> {
  const rows = `SELECT ${COLUMNS} ${FROM} WHERE ${condition}`;
  return {
    oldest: `${rows} AND ${by} > :after::bigint ORDER BY ${by} LIMIT :limit::integer`,
    newest: `${rows} AND ${by} < :after::bigint ORDER BY ${by} DESC LIMIT :limit::integer`,
  };
}

export const ALL_RESULTS = inBothOrders('TRUE');
/** In the order in which they are passed to the program. */
export const RECEIVED_RESULTS = inBothOrders(`r.agent_id = (${AGENT})`, 'coalesce(r.turn, r.id)');
export const UNMATCHED_RESULTS = inBothOrders('r.document_id IS NULL');
export const RESULTS_OF = inBothOrders('r.document_id = :documentId');
