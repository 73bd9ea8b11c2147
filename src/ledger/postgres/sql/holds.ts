export const PUT_HOLD = `
INSERT INTO holds (scope, key, paused, agent_id, reason, message, since, until, demanded_until)
VALUES (:scope, :key, :paused, :agentId, :reason, :message, :since, :until, :demandedUntil)
ON CONFLICT (scope, key, paused, agent_id)
DO UPDATE SET reason = excluded.reason, message = excluded.message, since = excluded.since, until = excluded.until,
              demanded_until = excluded.demanded_until`;

export const CLEAR_PAUSE = `DELETE FROM holds WHERE scope = :scope AND key = :key AND paused = 1`;

/** What this agent met with, and no person did; without a reason any of it. */
export const CLEAR_HOLD = `
DELETE FROM holds
 WHERE scope = :scope AND key = :key AND paused = 0 AND agent_id = :agentId
   AND (:reason::text IS NULL OR reason = :reason::text)`;

/** Pauses, what the agent of that name met with, and for how long the service has asked other agents to wait. */
export const HOLDS_OF = `
SELECT h.scope, h.key, h.reason, h.message, h.since, h.until, h.demanded_until AS "demandedUntil", NULL AS agent
  FROM holds h
 WHERE h.agent_id = 0 OR h.agent_id = (SELECT id FROM agents WHERE name = :agent)
UNION ALL
SELECT o.* FROM (
  SELECT DISTINCT ON (h.scope, h.key) h.scope, h.key, h.reason, h.message, h.since, h.demanded_until, h.demanded_until, a.name
    FROM holds h JOIN agents a ON a.id = h.agent_id
   WHERE a.name <> :agent AND h.demanded_until > extract(epoch FROM clock_timestamp()) * 1000
   ORDER BY h.scope, h.key, h.demanded_until DESC) AS o
 ORDER BY 5, 1, 2`;
