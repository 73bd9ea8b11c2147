export const PUT_HOLD = `
INSERT INTO holds (scope, key, paused, reason, message, since, until, demanded_until)
VALUES (:scope, :key, :paused, :reason, :message, :since, :until, :demandedUntil)
ON CONFLICT (scope, key, paused)
DO UPDATE SET reason = :reason, message = :message, since = :since, until = :until,
              demanded_until = :demandedUntil`;

/** Without a reason: clears everything but pauses, which only people set. */
export const CLEAR_HOLD = `
DELETE FROM holds
 WHERE scope = :scope AND key = :key AND (reason = :reason OR (:reason IS NULL AND paused = 0))`;

export const ALL_HOLDS = `
SELECT scope, key, reason, message, since, until, demanded_until AS "demandedUntil" FROM holds ORDER BY since, scope, key, paused`;
