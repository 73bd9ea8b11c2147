/** What the service posted about documents. Rows are never deleted; erasure takes payload and names. */
export const MIGRATION_0004 = `
-- attempts: upload requests of the document by then. given_*: what payload or address say of the document.
CREATE TABLE results (
  id          INTEGER PRIMARY KEY,
  received_at INTEGER NOT NULL,
  document_id INTEGER REFERENCES documents (id),
  attempts    INTEGER,
  status      TEXT,
  sha256      TEXT NOT NULL,
  size        INTEGER NOT NULL,
  encoding    TEXT NOT NULL CHECK (encoding IN ('utf8', 'base64')),
  payload     TEXT,
  given_name  TEXT,
  given_uid   TEXT
) STRICT;
CREATE UNIQUE INDEX results_repeats ON results (coalesce(document_id, 0), sha256);
CREATE INDEX results_document ON results (document_id, id) WHERE document_id IS NOT NULL;
CREATE INDEX results_unmatched ON results (id) WHERE document_id IS NULL;
`;
