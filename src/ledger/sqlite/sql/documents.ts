import { MOVED } from '../../../core/domain/document.ts';

/** CROSS JOIN keeps `documents` outermost, so that a condition on it decides which index is used. */
export const SELECT_DOCUMENT = `
SELECT d.id, e.base_url AS baseUrl, e.uid, f.path AS folder, d.path, d.name, d.sha256, d.type, d.size, d.lane,
       d.state, d.reason, d.message, d.service_status AS serviceStatus, d.attempts,
       d.server_errors AS serverErrors, d.answer_lost AS answerLost, d.not_before AS notBefore,
       d.created_at AS createdAt, d.updated_at AS updatedAt
  FROM documents d
  CROSS JOIN endpoints e ON e.id = d.endpoint_id
  CROSS JOIN folders f ON f.id = d.folder_id`;

export const DOCUMENT_BY_ID = `${SELECT_DOCUMENT} WHERE d.id = :id`;

export const DOCUMENTS_BY_ID = `${SELECT_DOCUMENT} WHERE d.id IN (SELECT value FROM json_each(:ids))`;

export const DOCUMENTS_BY_NAME = `${SELECT_DOCUMENT}
 WHERE d.id IN (SELECT n.id FROM endpoints ne CROSS JOIN documents n ON n.endpoint_id = ne.id AND n.name = :name)
 ORDER BY d.id`;

export const DOCUMENT_BY_BYTES = `${SELECT_DOCUMENT}
 WHERE d.endpoint_id = :endpointId AND d.sha256 = :sha256`;

export const DOCUMENT_MORE = `
SELECT response, dismissed_at AS dismissedAt, dismissed_by AS dismissedBy FROM documents WHERE id = :id`;

/** Rows are never deleted, so an id is never reused. */
export const NEXT_DOCUMENT_ID = `SELECT coalesce(max(id), 0) + 1 AS id FROM documents`;

export const IS_NAME_TAKEN = `
SELECT 1 AS taken FROM documents WHERE endpoint_id = :endpointId AND name = :name`;

export const INSERT_DOCUMENT = `
INSERT INTO documents (id, endpoint_id, folder_id, path, name, folded_path, folded_name, sha256, type, size, lane, line,
                       created_at, updated_at)
VALUES (:id, :endpointId, :folderId, :path, :name, :foldedPath, :foldedName, :sha256, :type, :size, :lane, :line, :at, :at)`;

/** A person's retry: the document keeps its place in the queue. */
export const QUEUE_AGAIN = `
UPDATE documents
   SET state = 'queued', not_before = 0, server_errors = 0, reason = NULL, message = NULL, updated_at = :at,
       dismissed_at = NULL, dismissed_by = NULL
 WHERE id = :id`;

/** A new sighting of a failed or lost image: a new arrival. */
export const QUEUE_AS_ARRIVED = `
UPDATE documents
   SET state = 'queued', not_before = 0, server_errors = 0, reason = NULL, message = NULL,
       lane = :lane, line = :line, updated_at = :at, dismissed_at = NULL, dismissed_by = NULL
 WHERE id = :id`;

/** Leaves `updated_at` unchanged: the retention of the image's copy counts from there. */
export const DISMISS = `UPDATE documents SET dismissed_at = :at, dismissed_by = :by WHERE id = :id`;

/** Those of the ids that a person can dismiss; with `undo`, those that were dismissed. */
export const DISMISSIBLE = `
SELECT id FROM documents
 WHERE id IN (SELECT value FROM json_each(:ids)) AND state IN ('failed', 'unconfirmed', 'lost')
   AND (dismissed_at IS NULL) <> :undo
 ORDER BY id`;

/** Documents that a person may move to another endpoint. */
export const MOVABLE = `
SELECT id FROM documents
 WHERE id IN (SELECT value FROM json_each(:ids)) AND state IN ('queued', 'failed', 'unconfirmed', 'lost')
   AND reason IS NOT '${MOVED}'
 ORDER BY id`;

const RETRIABLE = `(state IN ('failed', 'unconfirmed', 'lost') OR (state = 'queued' AND not_before > :at))`;

export const RETRIABLE_ONE = `SELECT id FROM documents WHERE id = :id AND ${RETRIABLE}`;

/** Uses the index of documents that are not accepted: walking by row id would pass through all accepted ones. */
export const RETRIABLE_AFTER = `
SELECT id FROM documents
 WHERE state <> 'accepted' AND +id > :afterId AND ${RETRIABLE} AND reason IS NOT '${MOVED}' ORDER BY id LIMIT :limit`;

/** A result may arrive after everything else was erased. */
export const HOLDS_PERSONAL_DATA = `(erased_at IS NULL
  OR EXISTS (SELECT 1 FROM results r WHERE r.document_id = documents.id AND r.payload IS NOT NULL))`;

/** Only settled documents: waiting ones still need their data. */
export const ERASABLE_ONE = `
SELECT id FROM documents WHERE id = :id AND ${HOLDS_PERSONAL_DATA} AND state NOT IN ('queued', 'uploading')`;

export const ERASE_DOCUMENT = `
UPDATE documents
   SET path = '', folded_path = NULL, message = NULL, response = NULL, erased_at = :at, updated_at = :at
 WHERE id = :id`;

export const ERASE_ATTEMPTS = `UPDATE attempts SET message = NULL WHERE document_id = :id`;

/** If the file is still there, it is found and sighted again. */
const BLANK_SIGHTINGS = `
UPDATE sightings
   SET dir = '', name = '', folded_path = NULL, mtime_ns = 0, ctime_ns = 0, inode = 0, message = NULL, archived_to = NULL,
       gone_at = coalesce(gone_at, :at), updated_at = :at`;

export const ERASE_SIGHTINGS = `${BLANK_SIGHTINGS} WHERE document_id = :id`;

export const ERASE_SIGHTING = `${BLANK_SIGHTINGS} WHERE id = :id`;
