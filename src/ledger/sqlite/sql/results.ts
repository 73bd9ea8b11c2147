/** Rows are never deleted, so an id is never reused. */
export const LAST_RESULT_ID = `SELECT coalesce(max(id), 0) AS id FROM results`;
export const NEXT_RESULT_ID = `SELECT coalesce(max(id), 0) + 1 AS id FROM results`;

/** Must match the expression of the index `results_repeats` literally. */
export const REPEATED = `SELECT id FROM results WHERE coalesce(document_id, 0) = :documentId AND sha256 = :sha256`;

const MATCH = `
SELECT d.id, d.state, d.attempts, d.answer_lost AS answerLost, d.service_status AS serviceStatus, d.response,
       EXISTS (SELECT 1 FROM attempts a WHERE a.document_id = d.id AND a.outcome = 'accepted')
         OR EXISTS (SELECT 1 FROM results r WHERE r.document_id = d.id) AS wasThere
  FROM endpoints e CROSS JOIN documents d ON d.endpoint_id = e.id AND d.name = :name
 WHERE e.base_url = :baseUrl`;

export const MATCH_IN_ENDPOINT = `${MATCH} AND e.uid = :uid`;

/** Two rows are enough to see that the name is ambiguous. */
export const MATCH_BY_NAME = `${MATCH} LIMIT 2`;

export const INSERT_RESULT = `
INSERT INTO results (id, received_at, document_id, attempts, status, sha256, size, encoding, words, fields,
                     payload, given_name, given_uid)
VALUES (:id, :at, :documentId, :attempts, :status, :sha256, :size, :encoding, :words, :fields, :payload, :givenName, :givenUid)`;

export const SET_STATUS = `UPDATE documents SET service_status = :status, updated_at = :at WHERE id = :id`;

/**
 * `results`: results since the document's last upload request began. `ofReplay`: those, plus results since the request
 * began that was answered with 401 and replayed. `statuses`: those of `results` that brought a status; all that ever
 * did, as long as no request before the last one was accepted. `wasThere`: the service was known to have the document
 * before all that.
 */
export const SINCE_LAST_ATTEMPT = `
SELECT d.service_status AS serviceStatus, d.response, d.answer_lost AS answerLost,
       coalesce(sum(r.attempts = d.attempts), 0) AS results,
       coalesce(sum(r.attempts >= d.since), 0) AS ofReplay,
       coalesce(sum(r.attempts < d.since), 0) > 0
         OR EXISTS (SELECT 1 FROM attempts a WHERE a.document_id = d.id AND a.outcome = 'accepted') AS wasThere,
       coalesce(sum(r.status IS NOT NULL AND (r.attempts = d.attempts OR NOT EXISTS (
         SELECT 1 FROM attempts a
          WHERE a.document_id = d.id AND a.outcome = 'accepted'
            AND a.id < (SELECT max(id) FROM attempts WHERE document_id = d.id)))), 0) AS statuses
  FROM (SELECT *, attempts - coalesce((
                    SELECT a.http_status = 401 FROM attempts a WHERE a.document_id = documents.id ORDER BY a.id DESC LIMIT 1 OFFSET 1
                  ), 0) AS since
          FROM documents WHERE id = :id) d
  CROSS JOIN results r ON r.document_id = d.id
 WHERE d.attempts > 0`;

export const ERASE_RESULTS = `
UPDATE results SET payload = NULL, fields = NULL, words = NULL, given_name = NULL, given_uid = NULL WHERE document_id = :id`;

export const COUNT_RESULTS = {
  all: 'SELECT count(*) AS count FROM results',
  unmatched: 'SELECT count(*) AS count FROM results WHERE document_id IS NULL',
};

const COLUMNS = `r.id, r.received_at AS receivedAt, r.document_id AS documentId, d.name, e.base_url AS baseUrl, e.uid,
       r.status, r.sha256, r.size, r.encoding, r.given_name AS givenName, r.given_uid AS givenUid, r.id AS turn`;
const FROM = `
  FROM results r
  LEFT JOIN documents d ON d.id = r.document_id
  LEFT JOIN endpoints e ON e.id = d.endpoint_id`;

export const RESULT_BY_ID = `SELECT ${COLUMNS}, r.payload ${FROM} WHERE r.id = :id`;

function inBothOrders(condition: string): Readonly<Record<'oldest' | 'newest', string>> {
  const rows = `SELECT ${COLUMNS} ${FROM} WHERE ${condition}`;
  return {
    oldest: `${rows} AND r.id > :after ORDER BY r.id LIMIT :limit`,
    newest: `${rows} AND r.id < :after ORDER BY r.id DESC LIMIT :limit`,
  };
}

export const ALL_RESULTS = inBothOrders('TRUE');
export const UNMATCHED_RESULTS = inBothOrders('r.document_id IS NULL');
export const RESULTS_OF = inBothOrders('r.document_id = :documentId');
