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

export const DOCUMENTS_BY_NAME = `${SELECT_DOCUMENT}
 WHERE d.id IN (SELECT n.id FROM endpoints ne CROSS JOIN documents n ON n.endpoint_id = ne.id AND n.name = :name)
 ORDER BY d.id`;

export const DOCUMENT_BY_BYTES = `${SELECT_DOCUMENT}
 WHERE d.endpoint_id = (SELECT id FROM endpoints WHERE base_url = :baseUrl AND uid = :uid)
   AND d.sha256 = :sha256`;

export const DOCUMENT_RESPONSE = `SELECT response FROM documents WHERE id = :id`;

export const IS_NAME_TAKEN = `
SELECT 1 AS taken FROM documents
 WHERE endpoint_id = (SELECT id FROM endpoints WHERE base_url = :baseUrl AND uid = :uid) AND name = :name`;

export const INSERT_DOCUMENT = `
INSERT INTO documents (endpoint_id, folder_id, path, name, sha256, type, size, lane, line, created_at, updated_at)
SELECT :endpointId, id, :path, :name, :sha256, :type, :size, :lane, :line, :at, :at
  FROM folders WHERE path = :folder`;

/** A person's retry: the document keeps its place in line. */
export const QUEUE_AGAIN = `
UPDATE documents
   SET state = 'queued', not_before = 0, server_errors = 0, reason = NULL, message = NULL, updated_at = :at
 WHERE id = :id`;

/** A new sighting of a failed or lost image: a new arrival. */
export const QUEUE_AS_ARRIVED = `
UPDATE documents
   SET state = 'queued', not_before = 0, server_errors = 0, reason = NULL, message = NULL,
       lane = :lane, line = :line, updated_at = :at
 WHERE id = :id`;

const RETRIABLE = `(state IN ('failed', 'unconfirmed', 'lost') OR (state = 'queued' AND not_before > :at))`;

export const RETRIABLE_ONE = `SELECT id FROM documents WHERE id = :id AND ${RETRIABLE}`;

export const RETRY_ALL = `
UPDATE documents
   SET state = 'queued', not_before = 0, server_errors = 0, reason = NULL, message = NULL, updated_at = :at
 WHERE ${RETRIABLE}`;
