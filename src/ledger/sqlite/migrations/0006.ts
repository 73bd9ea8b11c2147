/** Since when originals are archived or deleted, so that what was accepted before can be left alone; what people dismissed; counts of files. */
export const MIGRATION_0006 = `
-- stays: the sighting up to which files stay.
CREATE TABLE originals (
  folder_id INTEGER PRIMARY KEY REFERENCES folders (id),
  rule      TEXT NOT NULL,
  stays     INTEGER NOT NULL
) STRICT;

-- Until the document or the file changes, it needs no person.
ALTER TABLE documents ADD COLUMN dismissed_at INTEGER;
ALTER TABLE documents ADD COLUMN dismissed_by TEXT;
ALTER TABLE sightings ADD COLUMN dismissed_at INTEGER;
ALTER TABLE sightings ADD COLUMN dismissed_by TEXT;
CREATE INDEX documents_dismissed ON documents (endpoint_id, folder_id, state) WHERE dismissed_at IS NOT NULL;
CREATE INDEX sightings_need_person ON sightings (folder_id, verdict, reason)
  WHERE gone_at IS NULL AND dismissed_at IS NULL
    AND (verdict IN ('incomplete', 'unreadable') OR (verdict = 'rejected' AND reason <> 'NOT_AN_IMAGE'));

-- Files that are no document's own, as lists show them; endpoint_id is 0 for those of none.
CREATE TABLE file_counts (
  endpoint_id INTEGER NOT NULL,
  folder_id   INTEGER NOT NULL REFERENCES folders (id),
  verdict     TEXT NOT NULL,
  count       INTEGER NOT NULL,
  PRIMARY KEY (endpoint_id, folder_id, verdict)
) STRICT, WITHOUT ROWID;
INSERT INTO file_counts
SELECT coalesce(d.endpoint_id, 0), s.folder_id, s.verdict, count(*)
  FROM sightings s LEFT JOIN documents d ON d.id = s.document_id
 WHERE s.verdict <> 'document' AND (s.gone_at IS NULL OR s.verdict NOT IN ('incomplete', 'unreadable'))
 GROUP BY 1, 2, 3;
CREATE TRIGGER sightings_noted AFTER INSERT ON sightings
  WHEN new.verdict <> 'document' AND (new.gone_at IS NULL OR new.verdict NOT IN ('incomplete', 'unreadable')) BEGIN
  INSERT INTO file_counts
  VALUES (coalesce((SELECT endpoint_id FROM documents WHERE id = new.document_id), 0), new.folder_id, new.verdict, 1)
      ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER sightings_left AFTER UPDATE OF verdict, document_id, gone_at ON sightings
  WHEN old.verdict <> 'document' AND (old.gone_at IS NULL OR old.verdict NOT IN ('incomplete', 'unreadable')) BEGIN
  UPDATE file_counts SET count = count - 1
   WHERE endpoint_id = coalesce((SELECT endpoint_id FROM documents WHERE id = old.document_id), 0)
     AND folder_id = old.folder_id AND verdict = old.verdict;
END;
CREATE TRIGGER sightings_judged AFTER UPDATE OF verdict, document_id, gone_at ON sightings
  WHEN new.verdict <> 'document' AND (new.gone_at IS NULL OR new.verdict NOT IN ('incomplete', 'unreadable')) BEGIN
  INSERT INTO file_counts
  VALUES (coalesce((SELECT endpoint_id FROM documents WHERE id = new.document_id), 0), new.folder_id, new.verdict, 1)
      ON CONFLICT DO UPDATE SET count = count + 1;
END;
`;
