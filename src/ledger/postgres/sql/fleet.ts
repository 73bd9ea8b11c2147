export const PAUSED_BY = `SELECT paused_by AS "pausedBy" FROM agents WHERE id = :agentId`;

/** Sessions also do this when they begin. */
export const MAKE_PARTITIONS = `SELECT make_history_partitions()`;

/** Skips locked rows: agents that are writing are alive. The lock also keeps out claims. */
export const OVERDUE = `
SELECT id, name FROM agents
 WHERE lease_until <= clock_timestamp() AND id <> :agentId ORDER BY id FOR UPDATE SKIP LOCKED`;

/**
 * The shares in which these agents leave documents to others: what they had claimed or kept to themselves, and what waits
 * for a time, which may be one that they had set.
 */
export const PLACES_LEFT = `
SELECT f.place FROM folders f
 WHERE f.place LIKE 'share:%' AND f.id IN (
       SELECT d.folder_id FROM documents d WHERE d.claimed_by = ANY (:agentIds::integer[])
       UNION ALL
       SELECT d.folder_id FROM documents d
        WHERE d.state IN ('queued', 'uploading') AND d.agent_id = ANY (:agentIds::integer[]) AND d.only_agent IS NOT NULL
       UNION ALL
       SELECT d.folder_id FROM documents d WHERE d.state = 'queued' AND d.not_before > 0)`;

/** Clears the lease, so that it can't expire again; an agent that did not report stopping still counts as running. */
export const FENCE = `UPDATE agents SET epoch = epoch + 1, lease_until = NULL WHERE id = :agentId`;

/** Succeeds if the lead is free, already this agent's, or from an epoch that is over. */
export const LEAD = `
INSERT INTO leads (folder_id, agent_id, epoch)
SELECT id, :agentId::integer, :epoch::bigint FROM folders WHERE place = :place AND path = :folder
ON CONFLICT (folder_id) DO UPDATE
   SET agent_id = excluded.agent_id, epoch = excluded.epoch, since = clock_timestamp()
 WHERE leads.agent_id = excluded.agent_id
    OR NOT EXISTS (SELECT 1 FROM agents a WHERE a.id = leads.agent_id AND a.epoch = leads.epoch)`;

export const END_LEAD = `
DELETE FROM leads
 WHERE agent_id = :agentId AND folder_id IN (SELECT id FROM folders WHERE place = :place AND path = :folder)`;

export const ENTER = `
SELECT enter_request(:baseUrl, :uid, :count, :atMost, :intervalMs, :dates, :nextDates, :begins, :limits) AS wait`;

/** Only for agents that `AGENTS` shows. */
export const SET_PAUSED = `
UPDATE agents
   SET paused_by = :by, paused_at = CASE WHEN :by::text IS NULL THEN NULL ELSE coalesce(paused_at, clock_timestamp()) END
 WHERE name = :name AND started_at IS NOT NULL`;

export const TELL = `SELECT pg_notify('receiptd', :signal)`;

const milliseconds = (column: string): string => `floor(extract(epoch FROM ${column}) * 1000)::bigint`;

/** Excludes agents for which only commands have acted. */
export const AGENTS = `
SELECT a.id, a.name, a.host, a.version,
       CASE WHEN NOT a.running THEN 'stopped' WHEN a.lease_until > clock_timestamp() THEN 'running' ELSE 'silent' END AS state,
       ${milliseconds('a.started_at')} AS "startedAt", ${milliseconds('a.seen_at')} AS "lastSeenAt",
       a.paused_by AS "pausedBy", ${milliseconds('a.paused_at')} AS "pausedAt",
       coalesce(open.queued, 0) AS queued,
       (SELECT count(*) FROM documents d WHERE d.claimed_by = a.id AND d.state = 'uploading') AS uploading,
       ARRAY(SELECT f.place FROM leads l JOIN folders f ON f.id = l.folder_id
              WHERE l.agent_id = a.id AND l.epoch = a.epoch ORDER BY f.place) AS leads
  FROM agents a
  LEFT JOIN (SELECT agent_id, count(*) FILTER (WHERE state = 'queued') AS queued FROM documents
              WHERE state IN ('queued', 'uploading') GROUP BY agent_id) open ON open.agent_id = a.id
 WHERE a.started_at IS NOT NULL
 ORDER BY a.name COLLATE "C"`;

export const HOLDS_OF_AGENTS = `
SELECT agent_id AS "agentId", scope, key, reason, message, since, until, demanded_until AS "demandedUntil"
  FROM holds WHERE agent_id > 0 ORDER BY since, scope, key`;

/** Condition on an agent `a`. */
export const IS_RUNNING = `a.running AND a.lease_until > clock_timestamp()`;
/** Agents that `AGENTS` shows as silent. */
export const IS_SILENT = `a.running AND a.started_at IS NOT NULL AND coalesce(a.lease_until <= clock_timestamp(), true)`;

export const SILENT = `
SELECT a.name, a.host, ${milliseconds('a.seen_at')} AS "lastSeenAt",
       ${milliseconds("'epoch'::timestamptz + (clock_timestamp() - a.seen_at)")} AS "silentMs"
  FROM agents a
 WHERE ${IS_SILENT} AND a.name <> :name
   AND a.seen_at BETWEEN clock_timestamp() - make_interval(secs => :atMostMs / 1000.0)
                     AND clock_timestamp() - make_interval(secs => :atLeastMs / 1000.0)
 ORDER BY a.name COLLATE "C"`;

export const WAITING_FOR = `
SELECT count(*) AS count
  FROM documents d JOIN folders f ON f.id = d.folder_id JOIN agents a ON a.name = :name
 WHERE d.state = 'queued'
   AND (f.place = 'agent:' || a.name OR d.only_agent = a.id)`;

/** Locked, so that the agent can't return meanwhile. */
export const STANDING_OF = `
SELECT id, handed, running AND coalesce(lease_until > clock_timestamp(), false) AS "isRunning"
  FROM agents WHERE name = :name FOR UPDATE`;

/** Leaves the row as if only commands had acted for the agent. */
export const RETIRE = `
UPDATE agents SET epoch = epoch + 1, lease_until = NULL, running = false, started_at = NULL, paused_by = NULL, paused_at = NULL
 WHERE id = :agentId`;

/** Notifies agents that have the share, so that they can take the lead. */
export const END_LEADS = `
WITH ended AS (DELETE FROM leads WHERE agent_id = :agentId RETURNING folder_id)
SELECT pg_notify('receiptd', 'agents ' || f.place) FROM folders f WHERE f.id IN (SELECT folder_id FROM ended)`;

/** Notifies other agents, which may be able to send the documents queued in these places, no matter who queued them. */
export const TELL_QUEUES = `SELECT pg_notify('receiptd', 'queue ' || place) FROM unnest(:places::text[]) AS told (place)`;

export const END_HOLDS_OF = `DELETE FROM holds WHERE agent_id = :agentId`;

export const HANDED = `UPDATE agents SET handed = :turn WHERE id = :agentId`;

/** Passes on documents even if their bytes may be gone: the agent that takes one over finds out. */
export const PASS_ON = `
UPDATE documents d SET agent_id = :own::integer, only_agent = NULL
 WHERE d.id = ANY (ARRAY(
   SELECT w.id FROM documents w JOIN folders f ON f.id = w.folder_id
    WHERE w.state IN ('queued', 'uploading') AND w.agent_id = :agentId::integer AND f.place LIKE 'share:%'
    LIMIT :limit::integer))`;

/** Locks queued documents of the agent's own folders. */
export const LEFT_BY = `
SELECT d.id FROM documents d JOIN folders f ON f.id = d.folder_id
 WHERE d.state = 'queued' AND f.place = 'agent:' || :name::text
 ORDER BY d.id LIMIT :limit::integer FOR NO KEY UPDATE OF d`;

/** In the order in which they came, after this agent's own results. */
export const TAKE_RESULTS = `
UPDATE results r SET agent_id = :own::integer, turn = t.turn
  FROM (SELECT id, nextval('results_id_seq') AS turn
          FROM (SELECT id FROM results WHERE agent_id = :agentId::integer AND coalesce(turn, id) > :handed::bigint
                 ORDER BY coalesce(turn, id)) w) t
 WHERE r.id = t.id`;

export const MISSING_FOR = `
SELECT DISTINCT a.name COLLATE "C" AS name
  FROM documents d JOIN folders f ON f.id = d.folder_id
  JOIN agents a ON f.place = 'agent:' || a.name OR a.id = d.only_agent
 WHERE d.id = ANY (:ids::bigint[]) AND d.state = 'queued'
   AND NOT (a.running AND coalesce(a.lease_until > clock_timestamp(), false))
 ORDER BY 1`;
