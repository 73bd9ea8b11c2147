export const BEGIN_UPLOAD = `
UPDATE documents
   SET state = 'uploading', attempts = attempts + 1, updated_at = :at, claimed_by = :agentId, claimed_epoch = :epoch
 WHERE id = :id`;

export const INSERT_ATTEMPT = `
INSERT INTO attempts (id, document_id, endpoint_id, agent_id, epoch, started_at, bytes)
SELECT :attempt::bigint, id, endpoint_id, :agentId::integer, :epoch::bigint, :at::bigint, :bytes::bigint
  FROM documents WHERE id = :id`;

export const END_ATTEMPT = `
UPDATE attempts SET finished_at = :at, outcome = :outcome, http_status = :httpStatus, message = :message
 WHERE id = :id`;

/** What leaves the line, or takes its place there again, belongs to no agent. */
const FREE = `claimed_by = NULL, claimed_epoch = NULL`;

export const ACCEPT = `
UPDATE documents
   SET state = 'accepted', service_status = :serviceStatus, response = :response, not_before = 0, reason = NULL,
       message = NULL, updated_at = :at, ${FREE}
 WHERE id = ANY (:ids::bigint[])`;

export const SETTLE = `
UPDATE documents SET state = :state, reason = :reason, message = :message, not_before = 0, updated_at = :at, ${FREE}
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
