/** What `status` and `list` ask of a long ledger, without going through all of it. */
export const MIGRATION_0003 = `
CREATE TABLE document_counts (
  endpoint_id INTEGER NOT NULL REFERENCES endpoints (id),
  folder_id   INTEGER NOT NULL REFERENCES folders (id),
  state       TEXT NOT NULL,
  count       INTEGER NOT NULL,
  PRIMARY KEY (endpoint_id, folder_id, state)
) STRICT, WITHOUT ROWID;
INSERT INTO document_counts
SELECT endpoint_id, folder_id, state, count(*) FROM documents GROUP BY endpoint_id, folder_id, state;

-- Documents are never deleted, and stay with their endpoint and folder.
CREATE TRIGGER documents_named AFTER INSERT ON documents BEGIN
  INSERT INTO document_counts VALUES (new.endpoint_id, new.folder_id, new.state, 1)
      ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER documents_moved AFTER UPDATE OF state ON documents WHEN new.state <> old.state BEGIN
  UPDATE document_counts SET count = count - 1
   WHERE endpoint_id = old.endpoint_id AND folder_id = old.folder_id AND state = old.state;
  INSERT INTO document_counts VALUES (new.endpoint_id, new.folder_id, new.state, 1)
      ON CONFLICT DO UPDATE SET count = count + 1;
END;

CREATE INDEX documents_unsettled ON documents (created_at) WHERE state <> 'accepted';
`;
