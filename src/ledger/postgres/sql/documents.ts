import { MOVED } from '../../../core/domain/document.ts';

/** `Places.toFolder` converts `place` and the path to the port's folder. */
export const SELECT_DOCUMENT = `
SELECT d.id, e.base_url AS "baseUrl", e.uid, f.place, f.path AS folder, d.path, d.name, d.sha256, d.type, d.size, d.lane,
       d.state, d.reason, d.message, d.service_status AS "serviceStatus", d.attempts,
       d.server_errors AS "serverErrors", d.answer_lost AS "answerLost", d.not_before AS "notBefore",
       d.created_at AS "createdAt", d.updated_at AS "updatedAt"
  FROM documents d
  JOIN endpoints e ON e.id = d.endpoint_id
  JOIN folders f ON f.id = d.folder_id`;

export const DOCUMENT_BY_ID = `${SELECT_DOCUMENT} WHERE d.id = :id`;

export const DOCUMENTS_BY_ID = `${SELECT_DOCUMENT} WHERE d.id = ANY (:ids::bigint[])`;

/** Locks the document before its state decides what to write. */
export const LOCK_DOCUMENT = `SELECT state FROM documents WHERE id = :id FOR NO KEY UPDATE`;

/** Steps along an index, even if the statement was planned while the tables were small. */
const EACH_OF_ENDPOINT = (wanted: string, found: string): string => `
  FROM endpoints e CROSS JOIN unnest(:${wanted}::text[]) AS wanted (text) CROSS JOIN LATERAL (${found} LIMIT 1) f
 WHERE e.base_url = :baseUrl AND e.uid = :uid`;

/** If an import left several documents with the same bytes, finds the first. */
export const DOCUMENTS_BY_BYTES = `${SELECT_DOCUMENT}
 WHERE d.id = ANY (ARRAY(SELECT f.id ${EACH_OF_ENDPOINT(
   'sha256s',
   'SELECT b.id FROM documents b WHERE b.endpoint_id = e.id AND b.sha256 = wanted.text ORDER BY b.twin',
 )}))`;

/** Rows with `sha256`: names reserved for these bytes. Without: names that a document has. */
export const TAKEN_NAMES = `
SELECT f.name, f.sha256 ${EACH_OF_ENDPOINT(
  'names',
  `SELECT b.name, NULL AS sha256 FROM documents b WHERE b.endpoint_id = e.id AND b.name = wanted.text
   UNION ALL
   SELECT i.name, i.sha256 FROM issued i WHERE i.endpoint_id = e.id AND i.name = wanted.text`,
)}`;

/**
 * Names issued to these bytes before the database went back, and whether another image has the name now. Avoids
 * EXISTS, for which a plan may read all names.
 */
export const ISSUED = `
SELECT f.sha256, f.name, f.sent AS "isSent",
       (SELECT d.id FROM documents d WHERE d.endpoint_id = f.endpoint_id AND d.name = f.name LIMIT 1) IS NOT NULL AS "isTaken" ${EACH_OF_ENDPOINT(
         'sha256s',
         'SELECT b.* FROM issued b WHERE b.endpoint_id = e.id AND b.sha256 = wanted.text',
       )}`;

export const INSERT_DOCUMENTS = `
INSERT INTO documents (id, endpoint_id, folder_id, agent_id, path, name, folded_path, folded_name, sha256, type, size, lane, line,
                       created_at, updated_at)
SELECT n.id, e.id, f.id, :agentId::integer, n.path, n.name, n.folded_path, n.folded_name, n.sha256, n.type, n.size, n.lane, n.line,
       n.at, n.at
  FROM unnest(:ids::bigint[], :baseUrls::text[], :uids::text[], :places::text[], :folders::text[], :paths::text[],
              :names::text[], :foldedPaths::text[], :foldedNames::text[], :sha256s::text[], :types::text[],
              :sizes::bigint[], :lanes::text[], :lines::bigint[], :ats::bigint[])
       AS n (id, base_url, uid, place, folder, path, name, folded_path, folded_name, sha256, type, size, lane, line, at)
  JOIN endpoints e ON e.base_url = n.base_url AND e.uid = n.uid
  JOIN folders f ON f.place = n.place AND f.path = n.folder`;

/** For a document that an import left beside another because of its name alone, and that was never sent. */
export const RENAME = `UPDATE documents SET name = :name, folded_name = :foldedName, twin = 0, updated_at = :at WHERE id = :id`;

/** A person's retry: the document keeps its place in the queue. */
export const QUEUE_AGAIN = `
UPDATE documents
   SET state = 'queued', not_before = 0, server_errors = 0, reason = NULL, message = NULL, updated_at = :at,
       claimed_by = NULL, claimed_epoch = NULL, dismissed_at = NULL, dismissed_by = NULL
 WHERE id = ANY (:ids::bigint[])`;

/** A new sighting of a failed or lost image: a new arrival. */
export const QUEUE_AS_ARRIVED = `
UPDATE documents
   SET state = 'queued', not_before = 0, server_errors = 0, reason = NULL, message = NULL,
       lane = :lane, line = :line, updated_at = :at, claimed_by = NULL, claimed_epoch = NULL, only_agent = NULL,
       dismissed_at = NULL, dismissed_by = NULL
 WHERE id = ANY (:ids::bigint[])`;

/**
 * Assigns the document to this agent, which has the bytes now. If it can't reach the folder of the admission, the document
 * gets the folder in which the bytes were seen.
 */
export const TAKE_HOME = `
UPDATE documents d
   SET agent_id = :agentId,
       folder_id = CASE WHEN was.place = ANY (:reached::text[]) THEN d.folder_id ELSE seen.id END,
       path = CASE WHEN was.place = ANY (:reached::text[]) THEN d.path ELSE :path END,
       folded_path = CASE WHEN was.place = ANY (:reached::text[]) THEN d.folded_path ELSE :foldedPath END
  FROM folders was, folders seen
 WHERE d.id = :id AND was.id = d.folder_id AND seen.place = :place AND seen.path = :folder`;

/** Locks a waiting document in a folder that this agent does not reach and whose own agent is not running. */
export const IS_ABANDONED = `
SELECT true AS "isAbandoned"
  FROM documents d JOIN folders f ON f.id = d.folder_id
 WHERE d.id = :id AND d.state = 'queued' AND d.claimed_by IS NULL AND f.place <> ALL (:reached::text[])
   AND NOT EXISTS (SELECT 1 FROM agents a
                    WHERE f.place = 'agent:' || a.name AND a.running AND a.lease_until > clock_timestamp())
   FOR UPDATE OF d`;

export const ERASE_DOCUMENTS = `
UPDATE documents
   SET path = '', folded_path = NULL, message = NULL, response = NULL, erased_at = :at, updated_at = :at
 WHERE id = ANY (:ids::bigint[])`;

export const ERASE_ATTEMPTS = `UPDATE attempts SET message = NULL WHERE document_id = ANY (:ids::bigint[])`;

/** If the file is still there, it is found and sighted again. */
export const ERASE_SIGHTINGS = `
UPDATE sightings
   SET dir = '', name = '', folded_path = NULL, mtime_ns = 0, ctime_ns = 0, inode = 0, message = NULL, archived_to = NULL,
       gone_at = coalesce(gone_at, :at::bigint), updated_at = :at::bigint
 WHERE document_id = ANY (:ids::bigint[]) OR id = ANY (:sightings::bigint[])`;

/** A result may arrive after everything else was erased. */
const HOLDS_PERSONAL_DATA = `(d.erased_at IS NULL
  OR EXISTS (SELECT 1 FROM results r WHERE r.document_id = d.id AND r.payload IS NOT NULL))`;

/** Only settled documents: waiting ones still need their data. */
export const ERASABLE_AMONG = `
SELECT d.id FROM documents d
 WHERE d.id = ANY (:ids::bigint[]) AND ${HOLDS_PERSONAL_DATA} AND d.state NOT IN ('queued', 'uploading')
 ORDER BY d.id FOR NO KEY UPDATE OF d`;

/** Leaves `updated_at` unchanged: the retention of the image's copy counts from there. */
export const DISMISS = `
UPDATE documents SET dismissed_at = :at::bigint, dismissed_by = :by WHERE id = ANY (:ids::bigint[])`;

/** Those of the ids that a person can dismiss; with `undo`, those that were dismissed. */
export const DISMISSIBLE = `
SELECT id FROM documents
 WHERE id = ANY (:ids::bigint[]) AND state IN ('failed', 'unconfirmed', 'lost')
   AND (dismissed_at IS NULL) <> :undo::boolean
 ORDER BY id FOR NO KEY UPDATE`;

/** Documents that a person may move to another endpoint. */
export const MOVABLE = `
SELECT id FROM documents
 WHERE id = ANY (:ids::bigint[]) AND state IN ('queued', 'failed', 'unconfirmed', 'lost')
   AND reason IS DISTINCT FROM '${MOVED}'
 ORDER BY id FOR NO KEY UPDATE`;

/** The first condition matches an index. */
const RETRIABLE = `state <> 'accepted'
   AND (state IN ('failed', 'unconfirmed', 'lost') OR (state = 'queued' AND not_before > :at::bigint))`;

export const RETRIABLE_AMONG = `
SELECT id FROM documents WHERE id = ANY (:ids::bigint[]) AND ${RETRIABLE} ORDER BY id FOR NO KEY UPDATE`;

/** Uses the index of documents that are not accepted: walking by id would pass through all accepted ones. */
export const RETRIABLE_AFTER = `
SELECT id FROM (SELECT id FROM documents WHERE ${RETRIABLE} AND reason IS DISTINCT FROM '${MOVED}' OFFSET 0) AS retriable
 WHERE id > :afterId ORDER BY id LIMIT :limit`;

export const STATE_FOR_UPDATE = `SELECT name, state FROM documents WHERE id = :id FOR NO KEY UPDATE`;
