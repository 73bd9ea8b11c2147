export const PUT_HOLD = `
INSERT INTO holds (scope, key, paused, agent_id, reason, message, since, until, demanded_until, shared_until)
VALUES (:scope, :key, :paused, :agentId, :reason, :message, :since, :until, :demandedUntil,
        clock_timestamp() + make_interval(secs => :sharedMs / 1000.0))
ON CONFLICT (scope, key, paused, agent_id)
DO UPDATE SET reason = excluded.reason, message = excluded.message, since = excluded.since, until = excluded.until,
              demanded_until = excluded.demanded_until,
              shared_until = CASE WHEN holds.is_own AND excluded.demanded_until IS NULL THEN NULL ELSE excluded.shared_until END`;

export const CLEAR_PAUSE = `DELETE FROM holds WHERE scope = :scope AND key = :key AND paused = 1`;

/** Clears this agent's own holds, except pauses; without a reason, all of them. */
export const CLEAR_HOLD = `
DELETE FROM holds
 WHERE scope = :scope AND key = :key AND paused = 0 AND agent_id = :agentId
   AND (:reason::text IS NULL OR reason = :reason::text)`;

/** This agent found the trouble over: the hold no longer applies to agents other than the one that reported it. */
export const PASSED_ELSEWHERE = `
UPDATE holds SET shared_until = NULL, is_own = true
 WHERE scope = :scope AND key = :key AND paused = 0 AND agent_id <> :agentId AND shared_until <= clock_timestamp()`;

export const END_SHARED = `DELETE FROM holds WHERE paused = 0 AND scope IN ('service', 'endpoint')`;

/** Those of the documents whose service or endpoint another agent has found in trouble. */
export const HELD_AMONG = `
SELECT DISTINCT d.id
  FROM holds h
  JOIN endpoints e ON h.key = CASE h.scope WHEN 'service' THEN e.base_url WHEN 'endpoint' THEN e.base_url || '#' || e.uid END
  JOIN documents d ON d.endpoint_id = e.id
 WHERE h.shared_until IS NOT NULL AND h.shared_until > clock_timestamp() AND h.agent_id <> :agentId
   AND d.id = ANY (:ids::bigint[])`;

/** How long other agents still see an expired shared hold, so that the agent that reported it may try first. */
const REMEMBERED = `interval '10 s'`;

/** Pauses, holds of the named agent, and holds that other agents share with everyone. */
export const HOLDS_OF = `
SELECT h.scope, h.key, h.reason, h.message, h.since, h.until, h.demanded_until AS "demandedUntil", NULL AS agent,
       NULL::double precision AS "leftMs"
  FROM holds h
 WHERE h.agent_id = 0 OR h.agent_id = (SELECT id FROM agents WHERE name = :agent)
UNION ALL
SELECT o.* FROM (
  SELECT DISTINCT ON (h.scope, h.key) h.scope, h.key, h.reason, h.message, h.since,
         floor(extract(epoch FROM h.shared_until) * 1000)::bigint, h.demanded_until, a.name,
         (extract(epoch FROM h.shared_until - clock_timestamp()) * 1000)::double precision
    FROM holds h JOIN agents a ON a.id = h.agent_id
   WHERE a.name <> :agent AND h.shared_until IS NOT NULL AND h.shared_until > clock_timestamp() - ${REMEMBERED}
   ORDER BY h.scope, h.key, h.shared_until DESC) AS o
 ORDER BY 5, 1, 2`;
