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

/** Pauses, and what the agent of that name met with. */
export const HOLDS_OF = `
SELECT scope, key, reason, message, since, until, demanded_until AS "demandedUntil" FROM holds
 WHERE agent_id = 0 OR agent_id = (SELECT id FROM agents WHERE name = :agent)
 ORDER BY since, scope, key, paused`;
