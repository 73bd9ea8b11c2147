export const PUT_HOLD = `
INSERT INTO holds (scope, key, paused, agent_id, reason, message, since, until, demanded)
VALUES (:scope, :key, :paused, :agentId, :reason, :message, :since, :until, :demanded)
ON CONFLICT (scope, key, paused, agent_id)
DO UPDATE SET reason = excluded.reason, message = excluded.message, since = excluded.since, until = excluded.until,
              demanded = excluded.demanded`;

export const CLEAR_PAUSE = `DELETE FROM holds WHERE scope = :scope AND key = :key AND paused = 1`;
