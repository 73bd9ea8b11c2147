/**
 * Times are wall-clock milliseconds; `*_ns` and `inode` are the 64 bits that `lstat` gave. Documents,
 * attempts and sightings are never deleted, so a name that was issued once stays taken forever.
 */
export const MIGRATION_0001 = `
CREATE TABLE migrations (
  version    INTEGER PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE endpoints (
  id         INTEGER PRIMARY KEY,
  base_url   TEXT NOT NULL,
  uid        TEXT NOT NULL,
  next_seq   INTEGER NOT NULL DEFAULT 1,
  next_line  INTEGER NOT NULL DEFAULT 1,
  name       TEXT,
  record     TEXT,
  created_at INTEGER,
  UNIQUE (base_url, uid)
) STRICT;

-- mark: the file system that the folder lay on when its known files were last seen.
CREATE TABLE folders (
  id         INTEGER PRIMARY KEY,
  path       TEXT NOT NULL UNIQUE,
  watched_at INTEGER,
  mark       TEXT
) STRICT;

-- What is done with originals; files seen up to the sighting 'stays' are left alone.
CREATE TABLE originals (
  folder_id INTEGER PRIMARY KEY REFERENCES folders (id),
  rule      TEXT NOT NULL,
  stays     INTEGER NOT NULL
) STRICT;

-- line: place in the endpoint's line. not_before: 0 once the document is due.
-- folded_*: what a search compares, as domain/search.ts folds it; NULL where lower() does the same. dismissed_*: it needs no person until the document or the file changes.
CREATE TABLE documents (
  id             INTEGER PRIMARY KEY,
  endpoint_id    INTEGER NOT NULL REFERENCES endpoints (id),
  folder_id      INTEGER NOT NULL REFERENCES folders (id),
  path           TEXT NOT NULL,
  name           TEXT NOT NULL,
  sha256         TEXT NOT NULL,
  type           TEXT NOT NULL,
  size           INTEGER NOT NULL,
  lane           TEXT NOT NULL CHECK (lane IN ('fresh', 'backlog')),
  state          TEXT NOT NULL DEFAULT 'queued'
                 CHECK (state IN ('queued', 'uploading', 'accepted', 'failed', 'unconfirmed', 'lost')),
  line           INTEGER NOT NULL,
  not_before     INTEGER NOT NULL DEFAULT 0,
  reason         TEXT,
  message        TEXT,
  attempts       INTEGER NOT NULL DEFAULT 0,
  server_errors  INTEGER NOT NULL DEFAULT 0,
  answer_lost    INTEGER NOT NULL DEFAULT 0,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  service_status TEXT,
  response       TEXT,
  erased_at      INTEGER,
  dismissed_at   INTEGER,
  dismissed_by   TEXT,
  folded_name    TEXT,
  folded_path    TEXT,
  UNIQUE (endpoint_id, sha256),
  UNIQUE (endpoint_id, name)
) STRICT;
CREATE INDEX documents_due ON documents (endpoint_id, lane, folder_id, line)
  WHERE state = 'queued' AND not_before = 0;
CREATE INDEX documents_waiting ON documents (endpoint_id, not_before)
  WHERE state = 'queued' AND not_before > 0;
CREATE INDEX documents_state ON documents (state, endpoint_id, folder_id);
CREATE INDEX documents_created ON documents (created_at);
CREATE INDEX documents_unsettled ON documents (created_at) WHERE state <> 'accepted';
CREATE INDEX documents_dismissed ON documents (endpoint_id, folder_id, state) WHERE dismissed_at IS NOT NULL;

CREATE TABLE attempts (
  id          INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL REFERENCES documents (id),
  endpoint_id INTEGER NOT NULL REFERENCES endpoints (id),
  started_at  INTEGER NOT NULL,
  finished_at INTEGER,
  outcome     TEXT CHECK (outcome IN ('accepted', 'refused', 'limited', 'trouble', 'unknown', 'notSent')),
  http_status INTEGER,
  bytes       INTEGER NOT NULL,
  message     TEXT
) STRICT;
CREATE INDEX attempts_document ON attempts (document_id);
CREATE INDEX attempts_started ON attempts (endpoint_id, started_at);

-- A sighting is current until gone_at: its bytes left the path, or others took their place. file_id: it is a page of that file; such a
-- one is never current. split_into: the endpoint of a file that is being taken apart.
CREATE TABLE sightings (
  id          INTEGER PRIMARY KEY,
  folder_id   INTEGER NOT NULL REFERENCES folders (id),
  dir         TEXT NOT NULL,
  name        TEXT NOT NULL,
  size        INTEGER NOT NULL,
  mtime_ns    INTEGER NOT NULL,
  ctime_ns    INTEGER NOT NULL,
  inode       INTEGER NOT NULL,
  verdict     TEXT NOT NULL
              CHECK (verdict IN ('document', 'duplicate', 'split', 'rejected', 'skipped', 'incomplete', 'unreadable')),
  document_id INTEGER REFERENCES documents (id),
  sha256      TEXT,
  policy      TEXT,
  reason      TEXT,
  message     TEXT,
  seen_at     INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  gone_at     INTEGER,
  disposing   TEXT CHECK (disposing IN ('archived', 'deleted')),
  disposed    TEXT CHECK (disposed IN ('archived', 'deleted', 'kept')),
  archived_to TEXT,
  folded_path TEXT,
  dismissed_at INTEGER,
  dismissed_by TEXT,
  file_id      INTEGER REFERENCES sightings (id),
  pages        INTEGER,
  split_into   INTEGER REFERENCES endpoints (id),
  CHECK ((document_id IS NOT NULL) = (verdict IN ('document', 'duplicate')))
) STRICT;
CREATE UNIQUE INDEX sightings_current ON sightings (folder_id, dir, name) WHERE gone_at IS NULL;
CREATE INDEX sightings_document ON sightings (document_id) WHERE document_id IS NOT NULL;
-- Of a document's files, the document has the bytes.
CREATE INDEX sightings_bytes ON sightings (sha256) WHERE sha256 IS NOT NULL AND document_id IS NULL;
CREATE INDEX sightings_disposable ON sightings (folder_id, id)
  WHERE gone_at IS NULL AND disposed IS NULL AND document_id IS NOT NULL;
CREATE INDEX sightings_disposable_split ON sightings (folder_id, id)
  WHERE gone_at IS NULL AND disposed IS NULL AND verdict = 'split' AND split_into IS NULL;
CREATE INDEX sightings_pages ON sightings (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX sightings_splitting ON sightings (id) WHERE split_into IS NOT NULL;
CREATE INDEX sightings_disposing ON sightings (folder_id, id) WHERE disposing IS NOT NULL;
CREATE INDEX sightings_listed ON sightings (seen_at) WHERE verdict <> 'document';
CREATE INDEX sightings_need_person ON sightings (folder_id, verdict, reason)
  WHERE gone_at IS NULL AND dismissed_at IS NULL
    AND (verdict IN ('incomplete', 'unreadable') OR (verdict = 'rejected' AND reason <> 'NOT_AN_IMAGE'));

-- A pause and one hold for another reason may lie on the same thing.
CREATE TABLE holds (
  scope      TEXT NOT NULL CHECK (scope IN ('service', 'credentials', 'endpoint', 'folder')),
  key        TEXT NOT NULL,
  paused     INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  message    TEXT NOT NULL,
  since      INTEGER NOT NULL,
  until      INTEGER,
  demanded_until INTEGER,
  PRIMARY KEY (scope, key, paused)
) STRICT, WITHOUT ROWID;

CREATE TABLE acts (
  id     INTEGER PRIMARY KEY,
  at     INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  by     TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

-- The last entry of the journal that this ledger holds.
CREATE TABLE journal (
  id     INTEGER PRIMARY KEY CHECK (id = 1),
  ledger TEXT NOT NULL,
  seq    INTEGER NOT NULL,
  hash   TEXT NOT NULL
) STRICT;
-- Erasures whose entries in the journal are not surely blank yet: ranges as JSON.
CREATE TABLE erasures (
  id      INTEGER PRIMARY KEY,
  entries TEXT NOT NULL
) STRICT;

-- What status and list ask of a long ledger, without going through all of it.
CREATE TABLE document_counts (
  endpoint_id INTEGER NOT NULL REFERENCES endpoints (id),
  folder_id   INTEGER NOT NULL REFERENCES folders (id),
  state       TEXT NOT NULL,
  count       INTEGER NOT NULL,
  PRIMARY KEY (endpoint_id, folder_id, state)
) STRICT, WITHOUT ROWID;

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

-- Files that are no document's own, as lists show them; endpoint_id is 0 for those of none.
CREATE TABLE file_counts (
  endpoint_id INTEGER NOT NULL,
  folder_id   INTEGER NOT NULL REFERENCES folders (id),
  verdict     TEXT NOT NULL,
  count       INTEGER NOT NULL,
  PRIMARY KEY (endpoint_id, folder_id, verdict)
) STRICT, WITHOUT ROWID;
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

-- What the service posted about documents. Rows are never deleted; erasure takes payload and names.
-- attempts: upload requests of the document by then. given_*: what payload or address say of the document. fields, words: values of the
-- payload by their JSON pointers, and as a search compares them; before the payload, so that it need not be read for them.
CREATE TABLE results (
  id          INTEGER PRIMARY KEY,
  received_at INTEGER NOT NULL,
  document_id INTEGER REFERENCES documents (id),
  attempts    INTEGER,
  status      TEXT,
  sha256      TEXT NOT NULL,
  size        INTEGER NOT NULL,
  encoding    TEXT NOT NULL CHECK (encoding IN ('utf8', 'base64')),
  words       TEXT,
  fields      TEXT,
  payload     TEXT,
  given_name  TEXT,
  given_uid   TEXT
) STRICT;
CREATE UNIQUE INDEX results_repeats ON results (coalesce(document_id, 0), sha256);
CREATE INDEX results_document ON results (document_id, id) WHERE document_id IS NOT NULL;
CREATE INDEX results_unmatched ON results (id) WHERE document_id IS NULL;
`;
