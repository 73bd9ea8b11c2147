import { SELECT_DOCUMENT } from './documents.ts';

export const BEGIN_UPLOADS = `
UPDATE documents d
   SET state = 'uploading', attempts = d.attempts + 1, updated_at = b.at, claimed_by = :agentId, claimed_epoch = :epoch
  FROM unnest(:ids::bigint[], :ats::bigint[]) AS b (id, at)
 WHERE d.id = b.id`;

export const INSERT_ATTEMPTS = `
INSERT INTO attempts (id, document_id, endpoint_id, agent_id, epoch, started_at, bytes)
SELECT b.attempt, d.id, d.endpoint_id, :agentId::integer, :epoch::bigint, b.at, b.bytes
  FROM unnest(:attempts::bigint[], :ids::bigint[], :ats::bigint[], :bytes::bigint[]) AS b (attempt, id, at, bytes)
  JOIN documents d ON d.id = b.id`;

export const END_ATTEMPTS = `
UPDATE attempts a
   SET finished_at = e.at, outcome = e.outcome, http_status = e.http_status, message = e.message
  FROM unnest(:ids::bigint[], :ats::bigint[], :outcomes::text[], :httpStatuses::integer[], :messages::text[])
       AS e (id, at, outcome, http_status, message)
 WHERE a.id = e.id`;

/** A document that leaves the queue, or returns to its position, is claimed by no agent. */
const FREE = `claimed_by = NULL, claimed_epoch = NULL`;

export const ACCEPT = `
UPDATE documents d
   SET state = 'accepted', service_status = a.status, response = a.response, not_before = 0, reason = NULL,
       message = NULL, updated_at = a.at, dismissed_at = NULL, dismissed_by = NULL, ${FREE}
  FROM unnest(:ids::bigint[], :statuses::text[], :responses::text[], :ats::bigint[]) AS a (id, status, response, at)
 WHERE d.id = a.id`;

export const SETTLE = `
UPDATE documents
   SET state = :state, reason = :reason, message = :message, not_before = 0, updated_at = :at,
       dismissed_at = NULL, dismissed_by = NULL, ${FREE}
 WHERE id = ANY (:ids::bigint[])`;

export const QUEUE_LATER = `
UPDATE documents
   SET state = 'queued', not_before = :notBefore, reason = :reason, message = :message,
       answer_lost = greatest(answer_lost, :answerLost::smallint), server_errors = server_errors + :serverError::integer,
       updated_at = :at, ${FREE}
 WHERE id = ANY (:ids::bigint[])`;

export const QUEUE_AT_END = `
UPDATE documents
   SET state = 'queued', not_before = 0, line = :line, reason = :reason, message = :message, updated_at = :at, ${FREE}
 WHERE id = ANY (:ids::bigint[])`;

/** A query's part per folder: each is a step along one of the indexes `documents_due` and `documents_waiting`. */
const REACHED = `
  FROM folders f CROSS JOIN endpoints e
 CROSS JOIN LATERAL (SELECT d.id, d.created_at, d.not_before FROM documents d
                      WHERE d.endpoint_id = e.id AND d.folder_id = f.id`;
const OF_ENDPOINT = `WHERE f.place = ANY (:reached::text[]) AND e.base_url = :baseUrl AND e.uid = :uid`;
const WAITING = `d.state = 'queued' AND d.not_before > 0`;
const DUE = `d.state = 'queued' AND d.not_before = 0 AND d.claimed_by IS NULL`;

/**
 * Updates those documents of `found` that still meet the condition, and skips rows that another transaction has locked.
 * In separate steps, because a single plan reads whole queues if the statistics are outdated.
 */
const updating = (change: string, condition: string, found: string): string => `
WITH found AS MATERIALIZED (${found}),
     locked AS MATERIALIZED (
       SELECT d.id, d.state, d.lane, d.not_before, d.claimed_by FROM documents d
        WHERE d.id = ANY (ARRAY(SELECT id FROM found)) FOR NO KEY UPDATE SKIP LOCKED)
UPDATE documents SET ${change} WHERE id = ANY (ARRAY(SELECT d.id FROM locked d WHERE ${condition}))`;

/**
 * Also, whatever their time, documents that this agent admitted and whose bytes others looked for while it was away: it has
 * them, or knows that they are lost.
 */
export const MAKE_DUE = updating(
  `not_before = 0`,
  WAITING,
  `
     (SELECT d.id, 0 AS not_before FROM documents d
       WHERE d.agent_id = :agentId AND d.reason = 'BYTES_ELSEWHERE' AND ${WAITING} LIMIT :limit)
     UNION ALL
     SELECT w.id, w.not_before ${REACHED} AND ${WAITING} AND d.not_before <= :now
                      ORDER BY d.not_before LIMIT :limit) w ${OF_ENDPOINT}
     UNION ALL
     SELECT w.id, w.not_before ${REACHED} AND ${WAITING} AND d.not_before > :latest
                      ORDER BY d.not_before LIMIT :limit) w ${OF_ENDPOINT}
     ORDER BY not_before LIMIT :limit`,
);

/** Reads only the head of each queue: documents further back are younger. */
export const STALE_TO_BACKLOG = updating(
  `lane = 'backlog'`,
  `d.lane = 'fresh' AND ${DUE}`,
  `
     SELECT w.id FROM (
       SELECT w.id, w.created_at ${REACHED} AND d.lane = 'fresh' AND ${DUE}
                      ORDER BY d.line LIMIT :limit) w ${OF_ENDPOINT}) w
      WHERE w.created_at < :freshSince`,
);

export const CLAIM = `
SELECT document, folder
  FROM claim_documents(:agentId, :epoch, :baseUrl, :uid, :lane, :limit, :served, :reached, :exceptPlaces, :exceptPaths)`;

export const RELEASE = `
UPDATE documents SET claimed_by = NULL, claimed_epoch = NULL
 WHERE id = ANY (:ids::bigint[]) AND claimed_by = :agentId AND state = 'queued'`;

/** Releases claims that this agent does not know of, for example after a lost answer. */
export const RELEASE_OTHERS = `
UPDATE documents SET claimed_by = NULL, claimed_epoch = NULL
 WHERE claimed_by = :agentId AND state = 'queued' AND id <> ALL (:ids::bigint[])`;

export const NEXT_DUE_TIME = `
SELECT min(w.not_before) AS "notBefore" ${REACHED} AND ${WAITING} AND d.not_before > :now
                      ORDER BY d.not_before LIMIT 1) w ${OF_ENDPOINT}`;

/** Only documents that this agent admitted: their copies are in its spool. */
export const WAITING_DOCUMENTS = `
${SELECT_DOCUMENT}
 WHERE d.id IN (SELECT id FROM documents WHERE state IN ('queued', 'uploading') AND id > :afterId AND agent_id = :agentId
                 ORDER BY id LIMIT :limit)
 ORDER BY d.id`;

/**
 * Steps along the index of bytes for each hash, which the ORDER BY enforces: after an outage, nearly everything may be
 * unsettled.
 */
export const WANTED = `
SELECT DISTINCT f.sha256
  FROM endpoints e CROSS JOIN unnest(:sha256s::text[]) AS wanted (sha256)
 CROSS JOIN LATERAL (
   SELECT d.sha256 FROM documents d
    WHERE d.endpoint_id = e.id AND d.sha256 = wanted.sha256
      AND (d.state IN ('queued', 'uploading', 'lost') OR (d.state <> 'accepted' AND d.updated_at >= :failedSince))
    ORDER BY d.twin LIMIT 1) f`;

/**
 * Files that are being split. The last condition is written so that no index matches it: the planner would otherwise
 * walk the index of all listed files.
 */
export const WANTED_FILES = `
SELECT DISTINCT s.sha256 FROM sightings s
 WHERE s.split_into IS NOT NULL AND s.sha256 = ANY (:sha256s::text[]) AND coalesce(s.verdict, '') = 'split'`;

/** Locks the rows, so that decisions based on them hold until the transaction ends. */
export const STANDINGS = `
SELECT d.id, d.name, d.sha256, d.state, d.endpoint_id AS "endpointId", e.base_url AS "baseUrl", e.uid, d.agent_id AS "agentId",
       d.claimed_by AS "claimedBy"
  FROM documents d JOIN endpoints e ON e.id = d.endpoint_id
 WHERE d.id = ANY (:ids::bigint[]) ORDER BY d.id FOR NO KEY UPDATE OF d`;

/** Queried after locking, since the lock may have been waited for. */
export const OPEN_ATTEMPTS_OF = `
SELECT document_id AS "documentId" FROM attempts WHERE document_id = ANY (:ids::bigint[]) AND finished_at IS NULL`;

export const ATTEMPT_STANDINGS = `
SELECT a.id, d.id AS "documentId", d.name, d.state, a.agent_id AS "agentId", a.epoch, a.finished_at AS "finishedAt"
  FROM attempts a JOIN documents d ON d.id = a.document_id
 WHERE a.id = ANY (:ids::bigint[]) ORDER BY d.id FOR NO KEY UPDATE OF d`;

/** Queried after locking, too. */
export const WITH_RESULTS = `
SELECT DISTINCT r.document_id AS "documentId"
  FROM attempts a JOIN results r ON r.document_id = a.document_id WHERE a.id = ANY (:ids::bigint[])`;

export const LOCK_UPLOADING = `
SELECT d.id FROM documents d WHERE d.claimed_by = :agentId AND d.state = 'uploading' ORDER BY d.id FOR NO KEY UPDATE`;

export const UPLOADING = `
SELECT d.id, a.id AS "attemptId", EXISTS (SELECT 1 FROM results r WHERE r.document_id = d.id) AS "hasResults"
  FROM documents d LEFT JOIN attempts a ON a.document_id = d.id AND a.finished_at IS NULL
 WHERE d.claimed_by = :agentId AND d.state = 'uploading' ORDER BY d.id`;

/** Releases what an agent had claimed and not begun to send. */
export const END_CLAIMS = `
UPDATE documents SET claimed_by = NULL, claimed_epoch = NULL WHERE claimed_by = :agentId AND state = 'queued'`;

export const GIVE_BACK = `UPDATE documents SET only_agent = agent_id WHERE id = :id`;

export const IS_RUNNING = `
SELECT running AND coalesce(lease_until > clock_timestamp(), false) AS "isRunning" FROM agents WHERE id = :id`;

/** Documents given back to an agent that is not running: other agents may find their bytes later. */
export const LET_OTHERS_LOOK = `
UPDATE documents SET only_agent = NULL
 WHERE state IN ('queued', 'uploading') AND agent_id = :agentId AND only_agent IS NOT NULL`;

/** Without an endpoint: this agent's own requests to all endpoints, for its overall limits. */
const REQUESTS_OF = `
  FROM endpoints e
 CROSS JOIN LATERAL (SELECT a.* FROM attempts a
                      WHERE a.endpoint_id = e.id AND a.started_at > :since
                        AND (:baseUrl::text IS NOT NULL OR a.agent_id = :agentId)`;
const OF_KEY = `WHERE :baseUrl::text IS NULL OR (e.base_url = :baseUrl AND e.uid = :uid)`;

/** A request leaves some time after it is recorded (connecting takes a while), at the latest when it ends. */
export const ATTEMPT_TIMES = `
SELECT greatest(a.started_at, a.finished_at) AS "sentBy" ${REQUESTS_OF}
                      ORDER BY a.started_at DESC LIMIT :limit) a ${OF_KEY}`;

/** Ids are reserved by agents in blocks: their order is meaningful within one agent only. */
export const COUNT_ATTEMPTS = `
SELECT count(*) AS count ${REQUESTS_OF}
                        AND a.outcome IS DISTINCT FROM 'notSent'
                        AND greatest(a.started_at, coalesce(a.finished_at, :now)) > :sentSince
                        AND (a.started_at <= :now
                             OR NOT EXISTS (SELECT 1 FROM attempts b
                                             WHERE b.endpoint_id = a.endpoint_id AND b.agent_id = a.agent_id
                                               AND b.id > a.id AND b.started_at <= :sentSince))) a ${OF_KEY}`;
