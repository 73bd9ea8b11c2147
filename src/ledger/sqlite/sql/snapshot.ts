/** Each query reads the rows with ids from `:from` to `:to`, in order. */
export const ENDPOINTS = `
SELECT id, base_url AS baseUrl, uid, name, record, created_at AS createdAt
  FROM endpoints WHERE id BETWEEN :from AND :to ORDER BY id`;

export const FOLDERS = `
SELECT id, path AS folder, watched_at AS watchedAt, mark FROM folders WHERE id BETWEEN :from AND :to ORDER BY id`;

export const HAS_ORIGINALS = `SELECT 1 AS there FROM sqlite_master WHERE type = 'table' AND name = 'originals'`;

export const ORIGINALS = `
SELECT f.path AS folder, o.rule, o.stays FROM originals o JOIN folders f ON f.id = o.folder_id`;

export const DOCUMENTS = `
SELECT d.id, e.base_url AS baseUrl, e.uid, f.path AS folder, d.path, d.name, d.sha256, d.type, d.size, d.lane,
       d.line, d.state, d.reason, d.message, d.service_status AS serviceStatus, d.response, d.attempts,
       d.server_errors AS serverErrors, d.answer_lost AS answerLost, d.not_before AS notBefore,
       d.created_at AS createdAt, d.updated_at AS updatedAt, d.erased_at AS erasedAt,
       d.dismissed_at AS dismissedAt, d.dismissed_by AS dismissedBy,
       CASE WHEN d.id = (SELECT max(l.id) FROM documents l WHERE l.endpoint_id = d.endpoint_id)
            THEN e.next_seq END AS lastSeq
  FROM documents d
  JOIN endpoints e ON e.id = d.endpoint_id
  JOIN folders f ON f.id = d.folder_id
 WHERE d.id BETWEEN :from AND :to ORDER BY d.id`;

export const ATTEMPTS_OF = `
SELECT id, started_at AS startedAt, finished_at AS finishedAt, outcome, http_status AS httpStatus, bytes, message
  FROM attempts WHERE document_id = :id ORDER BY id`;

const RESULTS = `
SELECT id, received_at AS receivedAt, document_id AS document, attempts, status, sha256, size, encoding, payload,
       given_name AS givenName, given_uid AS givenUid
  FROM results`;

export const HAS_RESULTS = `SELECT 1 AS there FROM sqlite_master WHERE type = 'table' AND name = 'results'`;

export const RESULTS_OF = `${RESULTS} WHERE document_id = :id ORDER BY id`;

export const UNMATCHED_RESULTS = `${RESULTS} WHERE id BETWEEN :from AND :to AND document_id IS NULL ORDER BY id`;

export const SIGHTINGS = `
SELECT s.id, f.path AS folder, s.dir, s.name, s.verdict, s.document_id AS documentId, s.sha256, s.policy, s.reason,
       s.message, s.size, CAST(s.mtime_ns AS TEXT) AS mtimeNs, CAST(s.ctime_ns AS TEXT) AS ctimeNs,
       CAST(s.inode AS TEXT) AS inode, s.seen_at AS seenAt, s.updated_at AS updatedAt, s.gone_at AS goneAt,
       s.disposing, s.disposed, s.archived_to AS archivedTo, s.dismissed_at AS dismissedAt, s.dismissed_by AS dismissedBy,
       s.file_id AS fileId, s.pages, e.base_url AS baseUrl, e.uid
  FROM sightings s JOIN folders f ON f.id = s.folder_id LEFT JOIN endpoints e ON e.id = s.split_into
 WHERE s.id BETWEEN :from AND :to ORDER BY s.id`;

export const ACTS = `SELECT id, at, kind, by, detail FROM acts WHERE id BETWEEN :from AND :to ORDER BY id`;

export const PAUSES = `SELECT scope, key, message, since FROM holds WHERE paused = 1`;
