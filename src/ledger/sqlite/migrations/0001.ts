/**
 * Times are wall-clock milliseconds; `*_ns` and `inode` are the 64 bits that `lstat` gave. Documents,
 * attempts and sightings are never deleted, so a name that was issued once stays taken for ever.
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

CREATE TABLE folders (
  id         INTEGER PRIMARY KEY,
  path       TEXT NOT NULL UNIQUE,
  watched_at INTEGER
) STRICT;

-- line: place in the endpoint's line. not_before: 0 once the document is due.
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
  UNIQUE (endpoint_id, sha256),
  UNIQUE (endpoint_id, name)
) STRICT;
CREATE INDEX documents_due ON documents (endpoint_id, lane, folder_id, line)
  WHERE state = 'queued' AND not_before = 0;
CREATE INDEX documents_waiting ON documents (endpoint_id, not_before)
  WHERE state = 'queued' AND not_before > 0;
CREATE INDEX documents_state ON documents (state, endpoint_id, folder_id);
CREATE INDEX documents_created ON documents (created_at);

CREATE TABLE attempts (
  id          INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL REFERENCES documents (id),
  endpoint_id INTEGER NOT NULL REFERENCES endpoints (id),
  started_at  INTEGER NOT NULL,
  finished_at INTEGER,
  outcome     TEXT CHECK (outcome IN ('accepted', 'refused', 'trouble', 'unknown', 'notSent')),
  http_status INTEGER,
  bytes       INTEGER NOT NULL,
  message     TEXT
) STRICT;
CREATE INDEX attempts_document ON attempts (document_id);
CREATE INDEX attempts_started ON attempts (endpoint_id, started_at);
CREATE UNIQUE INDEX attempts_open ON attempts (document_id) WHERE finished_at IS NULL;

-- A sighting is current until gone_at: its bytes left the path, or others took their place.
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
              CHECK (verdict IN ('document', 'duplicate', 'rejected', 'skipped', 'incomplete', 'unreadable')),
  document_id INTEGER REFERENCES documents (id),
  sha256      TEXT,
  policy      TEXT,
  reason      TEXT,
  message     TEXT,
  seen_at     INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  gone_at     INTEGER,
  disposed    TEXT CHECK (disposed IN ('archived', 'deleted', 'kept')),
  archived_to TEXT,
  CHECK ((document_id IS NOT NULL) = (verdict IN ('document', 'duplicate')))
) STRICT;
CREATE UNIQUE INDEX sightings_current ON sightings (folder_id, dir, name) WHERE gone_at IS NULL;
CREATE INDEX sightings_document ON sightings (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX sightings_bytes ON sightings (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX sightings_disposable ON sightings (folder_id, id)
  WHERE gone_at IS NULL AND disposed IS NULL AND document_id IS NOT NULL;
CREATE INDEX sightings_listed ON sightings (seen_at) WHERE verdict <> 'document';

-- A pause and one hold for another reason may lie on the same thing.
CREATE TABLE holds (
  scope      TEXT NOT NULL CHECK (scope IN ('service', 'credentials', 'endpoint', 'folder')),
  key        TEXT NOT NULL,
  paused     INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  message    TEXT NOT NULL,
  since      INTEGER NOT NULL,
  until      INTEGER,
  PRIMARY KEY (scope, key, paused)
) STRICT, WITHOUT ROWID;

CREATE TABLE acts (
  id     INTEGER PRIMARY KEY,
  at     INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  by     TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
`;
