/**
 * What has to be decided and done in one step, without an answer in between. They walk `documents_due` folder by folder: a
 * plan that reads anything else has to be sorted by a line that may hold millions.
 */
export const MIGRATION_0002 = `
-- Claims due documents for an agent, each folder's in order of arrival and the folders in turn, behind the one that was served
-- last. What another transaction has in hand is stepped over. A claim is no event, and lost without harm.
CREATE FUNCTION claim_documents(agent integer, agent_epoch bigint, of_base_url text, of_uid text, of_lane text, most integer,
                                served_last integer, reached text[], except_places text[], except_paths text[])
RETURNS TABLE (document bigint, folder integer) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  endpoint integer;
  folders  integer[];
  still    integer[];
  quota    integer;
  found_in integer;
  taken    integer := 0;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Whoever takes over the work of an agent holds its row for update meanwhile.
  PERFORM 1 FROM agents a WHERE a.id = agent AND a.epoch = agent_epoch FOR KEY SHARE;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT e.id INTO endpoint FROM endpoints e WHERE e.base_url = of_base_url AND e.uid = of_uid;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT coalesce(array_agg(f.id ORDER BY f.id <= served_last, f.id), '{}') INTO folders
    FROM folders f
   WHERE f.place = ANY (reached)
     AND NOT EXISTS (SELECT 1 FROM unnest(except_places, except_paths) AS x (place, path)
                      WHERE x.place = f.place AND x.path = f.path)
     -- Not EXISTS, for which a plan may read all of the lane.
     AND (SELECT d.id FROM documents d
           WHERE d.endpoint_id = endpoint AND d.lane = of_lane AND d.folder_id = f.id
             AND d.state = 'queued' AND d.not_before = 0 AND d.claimed_by IS NULL
           ORDER BY d.line LIMIT 1) IS NOT NULL;
  WHILE taken < most AND cardinality(folders) > 0 LOOP
    -- No more is locked than is taken: others would step over it.
    quota := greatest(1, (most - taken) / cardinality(folders));
    still := '{}';
    FOREACH folder IN ARRAY folders LOOP
      EXIT WHEN taken >= most;
      found_in := 0;
      FOR document IN
        WITH due AS MATERIALIZED (
          SELECT d.id FROM documents d
           WHERE d.endpoint_id = endpoint AND d.lane = of_lane AND d.folder_id = folder
             AND d.state = 'queued' AND d.not_before = 0 AND d.claimed_by IS NULL
             AND (d.only_agent IS NULL OR d.only_agent = agent)
           ORDER BY d.line LIMIT quota FOR NO KEY UPDATE SKIP LOCKED
        ), claimed AS (
          UPDATE documents d SET claimed_by = agent, claimed_epoch = agent_epoch
           WHERE d.id = ANY (ARRAY(SELECT due.id FROM due)) RETURNING d.id, d.line
        )
        SELECT c.id FROM claimed c ORDER BY c.line
      LOOP
        found_in := found_in + 1;
        RETURN NEXT;
      END LOOP;
      taken := taken + found_in;
      IF found_in = quota THEN still := still || folder; END IF;
    END LOOP;
    folders := still;
  END LOOP;
END $$;

-- Milliseconds until a request fits into an endpoint's window of at most that many; 0: now.
CREATE FUNCTION request_wait(endpoint integer, at_most bigint, interval_ms double precision)
RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
  newest bigint;
  freed  timestamptz;
BEGIN
  SELECT s.n INTO newest FROM starts s WHERE s.endpoint_id = endpoint ORDER BY s.n DESC LIMIT 1;
  SELECT s.at INTO freed FROM starts s WHERE s.endpoint_id = endpoint AND s.n = newest - at_most + 1;
  IF NOT FOUND THEN RETURN 0; END IF;
  -- A clock that was set back keeps nobody waiting for longer than the window.
  RETURN greatest(0, least(interval_ms, ceil(interval_ms - extract(epoch FROM clock_timestamp() - freed) * 1000)));
END $$;

-- Enters one upload request into the window and the budgets of an endpoint, which its agents keep together. Returns 0 when it is
-- entered; milliseconds to wait; or -1 and -2 where the budget of that day or month is spent. at_most: of rate_count, without
-- what is kept for fresh scans. Dates are the agent's own, which knows the time zone: of now, of the period after that, and when
-- that of now began, in milliseconds.
CREATE FUNCTION enter_request(of_base_url text, of_uid text, rate_count bigint, at_most bigint, interval_ms double precision,
                              dates text[], next_dates text[], begins bigint[], budget_limits bigint[])
RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
  periods  text[] := ARRAY['day', 'month'];
  counting text[] := ARRAY[NULL, NULL];
  endpoint integer;
  wait     double precision := 0;
  newest   bigint;
  so_far   bigint;
BEGIN
  SELECT e.id INTO STRICT endpoint FROM endpoints e WHERE e.base_url = of_base_url AND e.uid = of_uid;
  IF rate_count IS NOT NULL THEN
    -- Those who have to wait anyway keep nobody else waiting.
    wait := request_wait(endpoint, at_most, interval_ms);
    IF wait > 0 THEN RETURN wait; END IF;
  END IF;
  PERFORM pg_advisory_xact_lock(7267341, endpoint);
  IF rate_count IS NOT NULL THEN
    IF NOT EXISTS (SELECT 1 FROM starts s WHERE s.endpoint_id = endpoint) THEN
      -- As in a ledger that was moved here a moment ago.
      INSERT INTO starts (endpoint_id, n, at)
      SELECT endpoint, row_number() OVER (ORDER BY a.sent_at), to_timestamp(a.sent_at / 1000.0)
        FROM (SELECT coalesce(finished_at, started_at) AS sent_at FROM attempts
               WHERE endpoint_id = endpoint AND finished_at IS NOT NULL
                 AND started_at > extract(epoch FROM clock_timestamp()) * 1000 - interval_ms
               ORDER BY started_at DESC LIMIT rate_count) a;
    END IF;
    wait := request_wait(endpoint, at_most, interval_ms);
    IF wait > 0 THEN RETURN wait; END IF;
  END IF;
  FOR i IN 1..2 LOOP
    CONTINUE WHEN budget_limits[i] IS NULL;
    -- An agent whose clock is behind opens no second budget for a day that is over elsewhere.
    counting[i] := (SELECT max(b.date) FROM budgets b
                     WHERE b.endpoint_id = endpoint AND b.period = periods[i] AND b.date BETWEEN dates[i] AND next_dates[i]);
    IF counting[i] IS NULL THEN
      counting[i] := dates[i];
      -- Those under way are entered by whoever sends them.
      INSERT INTO budgets (endpoint_id, period, date, used)
      SELECT endpoint, periods[i], dates[i], count(*) FROM attempts a
       WHERE a.endpoint_id = endpoint AND a.started_at >= begins[i] AND a.finished_at IS NOT NULL;
    END IF;
    SELECT b.used INTO so_far FROM budgets b
     WHERE b.endpoint_id = endpoint AND b.period = periods[i] AND b.date = counting[i];
    IF so_far >= budget_limits[i] THEN RETURN -i; END IF;
  END LOOP;
  UPDATE budgets b SET used = b.used + 1
   WHERE b.endpoint_id = endpoint
     AND ((b.period = 'day' AND b.date = counting[1]) OR (b.period = 'month' AND b.date = counting[2]));
  IF rate_count IS NOT NULL THEN
    SELECT coalesce(max(s.n), 0) + 1 INTO newest FROM starts s WHERE s.endpoint_id = endpoint;
    INSERT INTO starts (endpoint_id, n, at) VALUES (endpoint, newest, clock_timestamp());
    DELETE FROM starts s WHERE s.endpoint_id = endpoint AND s.n <= newest - rate_count;
  END IF;
  RETURN 0;
END $$;
`;
