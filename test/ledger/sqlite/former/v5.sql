PRAGMA application_id = 1919119476;
PRAGMA user_version = 5;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE migrations (
  version    INTEGER PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT;
INSERT INTO migrations VALUES(1,1795335452169);
INSERT INTO migrations VALUES(2,1795335452169);
INSERT INTO migrations VALUES(3,1795335452169);
INSERT INTO migrations VALUES(4,1795335452169);
INSERT INTO migrations VALUES(5,1795335999000);
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
INSERT INTO endpoints VALUES(1,'http://127.0.0.1:8699','11111111-1111-4111-8111-111111111111',1,5,NULL,NULL,NULL);
INSERT INTO endpoints VALUES(2,'http://127.0.0.1:8699','22222222-2222-4222-8222-222222222222',1,2,NULL,NULL,NULL);
CREATE TABLE folders (
  id         INTEGER PRIMARY KEY,
  path       TEXT NOT NULL UNIQUE,
  watched_at INTEGER
, mark TEXT) STRICT;
INSERT INTO folders VALUES(1,'/srv/scans',1795335452264,'tmpfs 51');
INSERT INTO folders VALUES(2,'/srv/post',1795335452255,'tmpfs 51');
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
  response       TEXT, erased_at INTEGER, folded_name TEXT, folded_path TEXT,
  UNIQUE (endpoint_id, sha256),
  UNIQUE (endpoint_id, name)
) STRICT;
INSERT INTO documents VALUES(1,1,1,'Kopie – été.bmp','Kopie – été-2005c65f18b7','2005c65f18b796ae0cab6625debdb04f8ecdfc32a2e2054f923374342636f8b1','bmp',246,'fresh','accepted',1,0,NULL,NULL,1,0,0,1795335452292,1795335452341,'PROCESSING','{"name":"Kopie – été-2005c65f18b7","endpointUid":"11111111-1111-4111-8111-111111111111","status":"PROCESSING","uid":"567ad4f2-0718-477d-8a8d-0121a0b4fae7","companyUid":"5a4db0c5-0000-4000-8000-000000000001","createdAt":"2026-11-22T08:17:32.336+00:00","updatedAt":"2026-11-22T08:17:32.336+00:00","pages":null,"analysis":{"requested":["merchant","total","vat"],"priority":{"class":"standard","weight":1},"note":"Beleg wird geprüft – 領収書 🧾"},"links":[],"sequence":9007199254740993,"cost":0.10}',NULL,NULL,NULL);
INSERT INTO documents VALUES(2,1,1,'SCAN0002.bmp','SCAN0002-05da67776649','05da67776649f90f3fc059cf3e7e6073b72f7a239d8b135660f0e15a1dc25e6c','bmp',246,'fresh','accepted',2,0,NULL,NULL,1,0,0,1795335452293,1795335452345,'PROCESSING','{"name":"SCAN0002-05da67776649","endpointUid":"11111111-1111-4111-8111-111111111111","status":"PROCESSING","uid":"9aca1f09-4492-49a7-9ae1-a40d6edfac45","companyUid":"5a4db0c5-0000-4000-8000-000000000001","createdAt":"2026-11-22T08:17:32.338+00:00","updatedAt":"2026-11-22T08:17:32.338+00:00","pages":null,"analysis":{"requested":["merchant","total","vat"],"priority":{"class":"standard","weight":1},"note":"Beleg wird geprüft – 領収書 🧾"},"links":[],"sequence":9007199254740993,"cost":0.10}',NULL,NULL,NULL);
INSERT INTO documents VALUES(3,1,1,'SCAN0003.bmp','SCAN0003-1f3ad7eb0d8d','1f3ad7eb0d8d3b393676546491b8471c9c4ef62ad8cef99dcfb5cf77c23f7a68','bmp',246,'fresh','failed',3,0,'HTTP_422','The service refused the document: "too blurred".',1,0,0,1795335453125,1795335453157,NULL,NULL,NULL,NULL,NULL);
INSERT INTO documents VALUES(4,1,1,'SCAN0004.bmp','SCAN0004-986d9129287b','986d9129287b8fed7fff3fa5469b3202aa1f608d8be9b77d2ecd74b44be3d625','bmp',246,'fresh','queued',4,0,NULL,NULL,0,0,0,1795335454125,1795335454125,NULL,NULL,NULL,NULL,NULL);
INSERT INTO documents VALUES(5,2,2,'letter.bmp','letter-add3e1cfdc76','add3e1cfdc76f6601abd642a3b13af5c822cc8f211931ac3a490d74ada12cf8f','bmp',246,'fresh','queued',1,0,'HTTP_404','The service does not know this endpoint: "{"error":"unknown_endpoint","message":"there is no such endpoint"}".',2,0,0,1795335454680,1795335455216,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO attempts VALUES(1,1,1,1795335452327,1795335452341,'accepted',200,246,NULL);
INSERT INTO attempts VALUES(2,2,1,1795335452327,1795335452345,'accepted',200,246,NULL);
INSERT INTO attempts VALUES(3,3,1,1795335453150,1795335453157,'refused',422,246,'The service refused the document: "too blurred".');
INSERT INTO attempts VALUES(4,5,2,1795335454710,1795335454714,'refused',404,246,'The service does not know this endpoint: "{"error":"unknown_endpoint","message":"there is no such endpoint"}".');
INSERT INTO attempts VALUES(5,5,2,1795335455205,1795335455216,'refused',404,246,'The service does not know this endpoint: "{"error":"unknown_endpoint","message":"there is no such endpoint"}".');
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
  archived_to TEXT, disposing TEXT CHECK (disposing IN ('archived', 'deleted')), folded_path TEXT,
  CHECK ((document_id IS NOT NULL) = (verdict IN ('document', 'duplicate')))
) STRICT;
INSERT INTO sightings VALUES(1,1,'','Kopie – été.bmp',246,1795335451670170806,1795335451670170806,13,'document',1,'2005c65f18b796ae0cab6625debdb04f8ecdfc32a2e2054f923374342636f8b1',NULL,NULL,NULL,1795335452292,1795335452292,NULL,NULL,NULL,NULL,NULL);
INSERT INTO sightings VALUES(2,1,'','SCAN0001.bmp',246,1795335451502170799,1795335451502170799,11,'duplicate',1,'2005c65f18b796ae0cab6625debdb04f8ecdfc32a2e2054f923374342636f8b1',NULL,NULL,NULL,1795335452293,1795335452293,NULL,NULL,NULL,NULL,NULL);
INSERT INTO sightings VALUES(3,1,'','SCAN0002.bmp',246,1795335451586170803,1795335451586170803,12,'document',2,'05da67776649f90f3fc059cf3e7e6073b72f7a239d8b135660f0e15a1dc25e6c',NULL,NULL,NULL,1795335452293,1795335455273,1795335455273,NULL,NULL,NULL,NULL);
INSERT INTO sightings VALUES(4,1,'','half.bmp',100,1795335451830170813,1795335451830170813,15,'incomplete',NULL,NULL,NULL,'INCOMPLETE','Incomplete: the BMP has 100 bytes of 246 bytes. It is looked at again when it changes.',1795335452472,1795335452472,NULL,NULL,NULL,NULL,NULL);
INSERT INTO sightings VALUES(5,1,'','notes.txt',9,1795335451680630363,1795335451680630363,14,'rejected',NULL,NULL,'accept=bmp,gif,heic,jpeg,png,tiff,webp;maxFileSize=50000000','NOT_AN_IMAGE','Not an image: it is too short to say what it is (9 bytes).',1795335452472,1795335452472,NULL,NULL,NULL,NULL,NULL);
INSERT INTO sightings VALUES(6,1,'','SCAN0003.bmp',246,1795335452802170854,1795335452802170854,36,'document',3,'1f3ad7eb0d8d3b393676546491b8471c9c4ef62ad8cef99dcfb5cf77c23f7a68',NULL,NULL,NULL,1795335453125,1795335453125,NULL,NULL,NULL,NULL,NULL);
INSERT INTO sightings VALUES(7,1,'','SCAN0004.bmp',246,1795335453718170893,1795335453718170893,45,'document',4,'986d9129287b8fed7fff3fa5469b3202aa1f608d8be9b77d2ecd74b44be3d625',NULL,NULL,NULL,1795335454125,1795335454125,NULL,NULL,NULL,NULL,NULL);
INSERT INTO sightings VALUES(8,2,'','letter.bmp',246,1795335454238170915,1795335454238170915,53,'document',5,'add3e1cfdc76f6601abd642a3b13af5c822cc8f211931ac3a490d74ada12cf8f',NULL,NULL,NULL,1795335454680,1795335454680,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE holds (
  scope      TEXT NOT NULL CHECK (scope IN ('service', 'credentials', 'endpoint', 'folder')),
  key        TEXT NOT NULL,
  paused     INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  message    TEXT NOT NULL,
  since      INTEGER NOT NULL,
  until      INTEGER, demanded INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, key, paused)
) STRICT, WITHOUT ROWID;
INSERT INTO holds VALUES('endpoint','http://127.0.0.1:8699#11111111-1111-4111-8111-111111111111',1,'PAUSED','Paused by root; `receiptd resume` lets it go on.',1795335453606,NULL,0);
INSERT INTO holds VALUES('endpoint','http://127.0.0.1:8699#22222222-2222-4222-8222-222222222222',0,'HTTP_404','The service does not know this endpoint: "{"error":"unknown_endpoint","message":"there is no such endpoint"}".',1795335454716,1795335510472,0);
CREATE TABLE acts (
  id     INTEGER PRIMARY KEY,
  at     INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  by     TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
INSERT INTO acts VALUES(1,1795335453608,'pause','root','office');
CREATE TABLE journal (
  id     INTEGER PRIMARY KEY CHECK (id = 1),
  ledger TEXT NOT NULL,
  seq    INTEGER NOT NULL,
  hash   TEXT NOT NULL
) STRICT;
INSERT INTO journal VALUES(1,'7be98437-0e5e-443c-aa81-e17512faa71d',36,'d30e93f9562876841a332800e2088165333239b112599fcdaa7eab55359bb1f6');
CREATE TABLE erasures (
  id      INTEGER PRIMARY KEY,
  entries TEXT NOT NULL
) STRICT;
CREATE TABLE document_counts (
  endpoint_id INTEGER NOT NULL REFERENCES endpoints (id),
  folder_id   INTEGER NOT NULL REFERENCES folders (id),
  state       TEXT NOT NULL,
  count       INTEGER NOT NULL,
  PRIMARY KEY (endpoint_id, folder_id, state)
) STRICT, WITHOUT ROWID;
INSERT INTO document_counts VALUES(1,1,'accepted',2);
INSERT INTO document_counts VALUES(1,1,'failed',1);
INSERT INTO document_counts VALUES(1,1,'queued',1);
INSERT INTO document_counts VALUES(1,1,'uploading',0);
INSERT INTO document_counts VALUES(2,2,'queued',1);
INSERT INTO document_counts VALUES(2,2,'uploading',0);
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
CREATE INDEX documents_due ON documents (endpoint_id, lane, folder_id, line)
  WHERE state = 'queued' AND not_before = 0;
CREATE INDEX documents_waiting ON documents (endpoint_id, not_before)
  WHERE state = 'queued' AND not_before > 0;
CREATE INDEX documents_state ON documents (state, endpoint_id, folder_id);
CREATE INDEX documents_created ON documents (created_at);
CREATE INDEX attempts_document ON attempts (document_id);
CREATE INDEX attempts_started ON attempts (endpoint_id, started_at);
CREATE UNIQUE INDEX attempts_open ON attempts (document_id) WHERE finished_at IS NULL;
CREATE UNIQUE INDEX sightings_current ON sightings (folder_id, dir, name) WHERE gone_at IS NULL;
CREATE INDEX sightings_document ON sightings (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX sightings_bytes ON sightings (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX sightings_disposable ON sightings (folder_id, id)
  WHERE gone_at IS NULL AND disposed IS NULL AND document_id IS NOT NULL;
CREATE INDEX sightings_listed ON sightings (seen_at) WHERE verdict <> 'document';
CREATE INDEX sightings_disposing ON sightings (folder_id, id) WHERE disposing IS NOT NULL;
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
CREATE UNIQUE INDEX results_repeats ON results (coalesce(document_id, 0), sha256);
CREATE INDEX results_document ON results (document_id, id) WHERE document_id IS NOT NULL;
CREATE INDEX results_unmatched ON results (id) WHERE document_id IS NULL;
COMMIT;
