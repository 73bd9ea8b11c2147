import { SELECT_DOCUMENT } from './documents.ts';

/** Must match the conditions of the partial indexes `documents_due` and `documents_waiting` literally. */
const DUE = `state = 'queued' AND not_before = 0`;
const WAITING = `state = 'queued' AND not_before > 0`;

/** Steps from one folder to the next along the index. */
export const NEXT_DUE_FOLDER = `
SELECT folder_id AS folderId FROM documents
 WHERE endpoint_id = :endpointId AND lane = :lane AND folder_id > :after AND ${DUE}
 ORDER BY folder_id LIMIT 1`;

export const DUE_IN_FOLDER = `
SELECT id FROM documents
 WHERE endpoint_id = :endpointId AND lane = :lane AND folder_id = :folderId AND ${DUE}
 ORDER BY line LIMIT :limit`;

export const FALLEN_DUE = `
SELECT id FROM documents
 WHERE endpoint_id = :endpointId AND ${WAITING} AND (not_before <= :now OR not_before > :latest)
 ORDER BY not_before LIMIT :limit`;

export const MAKE_DUE = `UPDATE documents SET not_before = 0 
 WHERE id = :id AND ${WAITING} AND (not_before <= :now OR not_before > :latest)`;

/** Reads only the head of the queue: documents further back are younger. */
export const STALE_IN_FOLDER = `
SELECT id
  FROM (SELECT id, created_at FROM documents
         WHERE endpoint_id = :endpointId AND lane = 'fresh' AND folder_id = :folderId AND ${DUE}
         ORDER BY line LIMIT 1000)
 WHERE created_at < :freshSince`;

export const TO_BACKLOG = `UPDATE documents SET lane = 'backlog' WHERE id = :id AND ${DUE}`;

export const WAITING_DOCUMENTS = `${SELECT_DOCUMENT}
 WHERE d.id IN (SELECT id FROM documents WHERE state IN ('queued', 'uploading') AND id > :afterId ORDER BY id LIMIT :limit)
 ORDER BY d.id`;

export const WANTED = `
SELECT DISTINCT h.value AS sha256
  FROM json_each(:sha256s) h CROSS JOIN endpoints e
  CROSS JOIN documents d ON d.endpoint_id = e.id AND d.sha256 = h.value
 WHERE d.state IN ('queued', 'uploading', 'lost') OR (d.state <> 'accepted' AND d.updated_at >= :failedSince)`;

/** Files that are being split. */
export const WANTED_FILES = `
SELECT s.sha256 FROM json_each(:sha256s) wanted CROSS JOIN sightings s
 WHERE s.sha256 = wanted.value AND s.document_id IS NULL AND s.split_into IS NOT NULL AND s.verdict = 'split'`;

export const NEXT_DUE_TIME = `
SELECT not_before AS notBefore FROM documents
 WHERE endpoint_id = :endpointId AND ${WAITING} AND not_before > :now
 ORDER BY not_before LIMIT 1`;

/** Rows are never deleted, so an id is never reused. */
export const NEXT_ATTEMPT_ID = `SELECT coalesce(max(id), 0) + 1 AS id FROM attempts`;

export const DOCUMENT_STANDING = `
SELECT d.name, d.sha256, d.state, d.endpoint_id AS endpointId,
       EXISTS (SELECT 1 FROM attempts a WHERE a.document_id = d.id AND a.finished_at IS NULL) AS attemptOpen
  FROM documents d WHERE d.id = :id`;

export const INSERT_ATTEMPT = `
INSERT INTO attempts (id, document_id, endpoint_id, started_at, bytes)
SELECT :attempt, id, endpoint_id, :at, :bytes FROM documents WHERE id = :id`;

export const BEGIN_UPLOAD = `
UPDATE documents SET state = 'uploading', attempts = attempts + 1, updated_at = :at WHERE id = :id`;

export const OPEN_ATTEMPT = `
SELECT document_id AS documentId, EXISTS (SELECT 1 FROM results r WHERE r.document_id = a.document_id) AS hasResults
  FROM attempts a WHERE id = :id AND finished_at IS NULL`;

export const END_ATTEMPT = `
UPDATE attempts SET finished_at = :at, outcome = :outcome, http_status = :httpStatus, message = :message
 WHERE id = :id`;

export const ACCEPT = `
UPDATE documents
   SET state = 'accepted', service_status = :serviceStatus, response = :response, not_before = 0, reason = NULL,
       message = NULL, updated_at = :at, dismissed_at = NULL, dismissed_by = NULL
 WHERE id = :id`;

export const SETTLE = `
UPDATE documents
   SET state = :state, reason = :reason, message = :message, not_before = 0, updated_at = :at, dismissed_at = NULL, dismissed_by = NULL
 WHERE id = :id`;

export const QUEUE_LATER = `
UPDATE documents
   SET state = 'queued', not_before = :notBefore, reason = :reason, message = :message,
       answer_lost = max(answer_lost, :answerLost), server_errors = server_errors + :serverError, updated_at = :at
 WHERE id = :id`;

export const QUEUE_AT_END = `
UPDATE documents
   SET state = 'queued', not_before = 0, line = :line, reason = :reason, message = :message, updated_at = :at
 WHERE id = :id`;

export const UPLOADING = `
SELECT d.id, a.id AS attemptId
  FROM documents d LEFT JOIN attempts a ON a.document_id = d.id AND a.finished_at IS NULL
 WHERE d.state = 'uploading'`;

/** A request leaves some time after it is recorded (connecting takes a while), at the latest when it ends. */
export const ATTEMPT_TIMES = `
SELECT max(started_at, coalesce(finished_at, started_at)) AS sentBy FROM attempts
 WHERE endpoint_id = :endpointId AND started_at > :since
 ORDER BY started_at DESC LIMIT :limit`;

export const COUNT_ATTEMPTS = `
SELECT count(*) AS count FROM attempts
 WHERE endpoint_id = :endpointId AND started_at > :since AND outcome IS NOT 'notSent'
   AND max(started_at, coalesce(finished_at, :now)) > :sentSince
   AND (started_at <= :now
        OR id > (SELECT coalesce(max(id), 0) FROM attempts
                  WHERE endpoint_id = :endpointId AND started_at <= :sentSince))`;
