import { SELECT_DOCUMENT } from './documents.ts';

/** A sighting that `list` shows beside the documents; waiting ones only while they are current. */
const LISTED = `s.verdict <> 'document' AND (s.gone_at IS NULL OR s.verdict NOT IN ('incomplete', 'unreadable'))`;

/** The last row of a window of `size` rows after a row; none when fewer are left. */
export const DOCUMENTS_WINDOW = `
SELECT created_at AS at, id FROM documents
 WHERE (created_at, id) > (:at, :id) ORDER BY created_at, id LIMIT 1 OFFSET :size - 1`;

/** NULL parameters filter nothing. The plus keeps `created_at` the index that is walked. */
export const LIST_DOCUMENTS = `
SELECT w.*,
       (SELECT s.archived_to FROM sightings s
         WHERE s.document_id = w.id AND s.verdict = 'document' AND s.archived_to IS NOT NULL
         ORDER BY s.id DESC LIMIT 1) AS archivedTo
  FROM (${SELECT_DOCUMENT}
         WHERE (d.created_at, d.id) > (:at, :id) AND (d.created_at, d.id) <= (:lastAt, :lastId)
           AND (:states IS NULL OR +d.state IN (SELECT value FROM json_each(:states)))
           AND (:folder IS NULL OR +f.path = :folder)
           AND (:baseUrl IS NULL OR (+e.base_url = :baseUrl AND +e.uid = :uid))
       ) w
 ORDER BY w.createdAt, w.id`;

export const SIGHTINGS_WINDOW = `
SELECT seen_at AS at, id FROM sightings
 WHERE verdict <> 'document' AND (seen_at, id) > (:at, :id) ORDER BY seen_at, id LIMIT 1 OFFSET :size - 1`;

export const LIST_SIGHTINGS = `
SELECT s.id, f.path AS folder, s.dir, s.name, s.verdict, s.size, s.sha256, s.reason, s.message,
       s.archived_to AS archivedTo, s.seen_at AS createdAt, s.updated_at AS updatedAt,
       d.id AS documentId, d.name AS documentName, d.type, d.service_status AS serviceStatus,
       e.base_url AS baseUrl, e.uid
  FROM sightings s
  CROSS JOIN folders f ON f.id = s.folder_id
  LEFT JOIN documents d ON d.id = s.document_id
  LEFT JOIN endpoints e ON e.id = d.endpoint_id
 WHERE ${LISTED} AND (s.seen_at, s.id) > (:at, :id) AND (s.seen_at, s.id) <= (:lastAt, :lastId)
   AND (:states IS NULL OR s.verdict IN (SELECT value FROM json_each(:states)))
   AND (:folder IS NULL OR +f.path = :folder)
   AND (:baseUrl IS NULL OR (+e.base_url = :baseUrl AND +e.uid = :uid))
 ORDER BY s.seen_at, s.id`;

export const COUNT_DOCUMENTS = `
SELECT e.base_url AS baseUrl, e.uid, f.path AS folder, c.state, c.count
  FROM (SELECT state, endpoint_id, folder_id, count(*) AS count
          FROM documents GROUP BY state, endpoint_id, folder_id) c
  CROSS JOIN endpoints e ON e.id = c.endpoint_id
  CROSS JOIN folders f ON f.id = c.folder_id
 ORDER BY e.id, f.id, c.state`;

export const COUNT_SIGHTINGS = `
SELECT e.base_url AS baseUrl, e.uid, f.path AS folder, s.verdict AS state, count(*) AS count
  FROM sightings s
  CROSS JOIN folders f ON f.id = s.folder_id
  LEFT JOIN documents d ON d.id = s.document_id
  LEFT JOIN endpoints e ON e.id = d.endpoint_id
 WHERE ${LISTED}
 GROUP BY e.id, f.id, s.verdict
 ORDER BY e.id, f.id, s.verdict`;

export const ATTEMPTS_OF = `
SELECT id, started_at AS startedAt, finished_at AS finishedAt, outcome, http_status AS httpStatus, bytes, message
  FROM attempts WHERE document_id = :id ORDER BY id`;

export const SIGHTINGS_OF = `
SELECT f.path AS folder, s.dir, s.name, s.verdict, s.size, s.seen_at AS seenAt, s.gone_at AS goneAt, s.disposed,
       s.archived_to AS archivedTo
  FROM sightings s CROSS JOIN folders f ON f.id = s.folder_id
 WHERE s.document_id = :id ORDER BY s.id`;

export const ERASABLE = `
SELECT id FROM documents
 WHERE created_at < :before AND erased_at IS NULL AND state NOT IN ('queued', 'uploading')
 ORDER BY id`;
