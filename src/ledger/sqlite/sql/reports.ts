import { HOLDS_PERSONAL_DATA } from './documents.ts';
import { NEEDS_PERSON } from './sightings.ts';

/** A sighting that `list` shows beside the documents; incomplete and unreadable ones only while they are current. */
export const LISTED = `s.verdict <> 'document' AND (s.gone_at IS NULL OR s.verdict NOT IN ('incomplete', 'unreadable'))`;

export const COUNT_ACCEPTED = `
SELECT count(*) AS count
  FROM endpoints e CROSS JOIN attempts a ON a.endpoint_id = e.id
 WHERE a.started_at >= :from AND a.started_at < :to AND a.outcome = 'accepted'`;

/** Upload requests, by start time. */
export const UPLOADS = `
SELECT a.started_at AS startedAt, a.finished_at AS finishedAt, a.outcome, a.bytes
  FROM endpoints e CROSS JOIN attempts a ON a.endpoint_id = e.id
 WHERE a.started_at >= :from AND a.started_at < :to`;

export const COUNT_DOCUMENTS = `
SELECT e.base_url AS baseUrl, e.uid, f.path AS folder, c.state, c.count
  FROM document_counts c
  CROSS JOIN endpoints e ON e.id = c.endpoint_id
  CROSS JOIN folders f ON f.id = c.folder_id
 WHERE c.count > 0
 ORDER BY c.endpoint_id, c.folder_id, c.state`;

/** Returns no row if the triggers' counts match the rows. */
export const MISCOUNTED = `
WITH counted AS (
       SELECT endpoint_id, folder_id, state, count FROM document_counts WHERE count <> 0
        UNION ALL
       SELECT endpoint_id, folder_id, verdict, count FROM file_counts WHERE count <> 0),
     there AS (
       SELECT endpoint_id, folder_id, state, count(*) FROM documents GROUP BY endpoint_id, folder_id, state
        UNION ALL
       SELECT coalesce(d.endpoint_id, 0), s.folder_id, s.verdict, count(*)
         FROM sightings s LEFT JOIN documents d ON d.id = s.document_id
        WHERE ${LISTED}
        GROUP BY 1, 2, 3)
SELECT 1 FROM (SELECT * FROM counted EXCEPT SELECT * FROM there)
 UNION ALL
SELECT 1 FROM (SELECT * FROM there EXCEPT SELECT * FROM counted)
 LIMIT 1`;

export const COUNT_FILES = `
SELECT e.base_url AS baseUrl, e.uid, f.path AS folder, c.verdict AS state, c.count
  FROM file_counts c
  CROSS JOIN folders f ON f.id = c.folder_id
  LEFT JOIN endpoints e ON e.id = c.endpoint_id
 WHERE c.count > 0
 ORDER BY c.endpoint_id, c.folder_id, c.verdict`;

export const COUNT_DISMISSED = `
SELECT e.base_url AS baseUrl, e.uid, f.path AS folder, c.state, c.count
  FROM (SELECT endpoint_id, folder_id, state, count(*) AS count FROM documents INDEXED BY documents_dismissed
         WHERE dismissed_at IS NOT NULL GROUP BY endpoint_id, folder_id, state) c
  CROSS JOIN endpoints e ON e.id = c.endpoint_id
  CROSS JOIN folders f ON f.id = c.folder_id`;

export const COUNT_NEEDING = `
SELECT f.path AS folder, c.verdict, c.reason, c.count
  FROM (SELECT s.folder_id, s.verdict, s.reason, count(*) AS count FROM sightings s INDEXED BY sightings_need_person
         WHERE ${NEEDS_PERSON} GROUP BY s.folder_id, s.verdict, s.reason) c
  CROSS JOIN folders f ON f.id = c.folder_id
 ORDER BY c.folder_id, c.verdict, c.reason`;

export const ATTEMPTS_OF = `
SELECT id, started_at AS startedAt, finished_at AS finishedAt, outcome, http_status AS httpStatus, bytes, message
  FROM attempts WHERE document_id = :id ORDER BY id`;

export const SIGHTINGS_OF = `
SELECT f.path AS folder, s.dir, s.name, s.verdict, s.size, s.seen_at AS seenAt, s.gone_at AS goneAt, s.disposed,
       s.archived_to AS archivedTo, s.message AS remark
  FROM sightings s CROSS JOIN folders f ON f.id = s.folder_id
 WHERE s.document_id = :id ORDER BY s.id`;

export const ERASABLE = `
SELECT id FROM documents
 WHERE created_at < :before AND ${HOLDS_PERSONAL_DATA} AND state NOT IN ('queued', 'uploading')
 ORDER BY id`;
