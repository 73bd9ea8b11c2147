/** Ledgers that were SQLite's before, and what of the history lies in files. */
export const MIGRATION_0003 = `
-- twin: 0, or the document's own number where an import brought it into an endpoint that had its bytes or its name from
-- another ledger already. Such a one is kept as it was, beside the other.
ALTER TABLE documents
  ADD COLUMN twin bigint NOT NULL DEFAULT 0,
  DROP CONSTRAINT documents_endpoint_id_sha256_key,
  DROP CONSTRAINT documents_endpoint_id_name_key,
  ADD CONSTRAINT documents_bytes UNIQUE (endpoint_id, sha256, twin),
  ADD CONSTRAINT documents_name UNIQUE (endpoint_id, name, twin);
CREATE INDEX documents_twins ON documents (id) WHERE twin <> 0;

-- A SQLite ledger that is being moved here, or was: how far that is. copy_*: the head of the copy whose rows are taken over;
-- seq, hash: the last entry of its journal that is here.
CREATE TABLE imports (
  ledger      text PRIMARY KEY,
  agent_id    integer NOT NULL UNIQUE REFERENCES agents (id),
  copy_seq    bigint NOT NULL,
  copy_hash   text NOT NULL,
  seq         bigint NOT NULL,
  hash        text NOT NULL,
  documents   bigint NOT NULL,
  attempts    bigint NOT NULL,
  sightings   bigint NOT NULL,
  results     bigint NOT NULL,
  reserved    bigint NOT NULL,
  -- The table and the last row of it that is here; null once all of the copy is.
  part        text,
  position    bigint NOT NULL DEFAULT 0,
  started_at  timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz
);

-- Up to which entry an agent's chain lies in files.
CREATE TABLE archives (
  agent_id    integer NOT NULL REFERENCES agents (id),
  to_seq      bigint NOT NULL,
  to_hash     text NOT NULL,
  file        text NOT NULL,
  archived_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (agent_id, to_seq)
);

-- The last number given out before the block; the numbers behind it, so many of them, are the caller's.
CREATE FUNCTION reserve_ids(kind text, size bigint) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = receiptd, pg_temp AS $$
DECLARE
  sequence text := kind || '_id_seq';
  given    bigint;
BEGIN
  IF kind NOT IN ('documents', 'attempts', 'sightings', 'results') OR size < 0 THEN
    RAISE EXCEPTION 'no such numbers: %', kind;
  END IF;
  -- Keeps everybody else from taking one until this transaction ends.
  EXECUTE format('ALTER SEQUENCE receiptd.%I NO CYCLE', sequence);
  EXECUTE format('SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM receiptd.%I', sequence) INTO given;
  PERFORM setval(format('receiptd.%I', sequence)::regclass, given + greatest(size, 1));
  RETURN given;
END $$;
`;
