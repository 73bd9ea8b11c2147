PRAGMA application_id = 1919119476;
PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE migrations (
  version    INTEGER PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT;
INSERT INTO migrations VALUES(1,1795335423091);
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
) STRICT;
INSERT INTO folders VALUES(1,'/srv/scans',1795335423106);
INSERT INTO folders VALUES(2,'/srv/post',1795335423107);
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
INSERT INTO documents VALUES(1,1,1,'Kopie – été.bmp','Kopie – été-2005c65f18b7','2005c65f18b796ae0cab6625debdb04f8ecdfc32a2e2054f923374342636f8b1','bmp',246,'fresh','accepted',1,0,NULL,NULL,1,0,0,1795335423218,1795335423372,'PROCESSING','{"name":"Kopie – été-2005c65f18b7","endpointUid":"11111111-1111-4111-8111-111111111111","status":"PROCESSING","uid":"1a4ad7d1-b2ea-4595-8fbd-f7ec98f08677","companyUid":"5a4db0c5-0000-4000-8000-000000000001","createdAt":"2026-11-22T08:17:03.357+00:00","updatedAt":"2026-11-22T08:17:03.357+00:00","pages":null,"analysis":{"requested":["merchant","total","vat"],"priority":{"class":"standard","weight":1},"note":"Beleg wird geprüft – 領収書 🧾"},"links":[],"sequence":9007199254740993,"cost":0.10}');
INSERT INTO documents VALUES(2,1,1,'SCAN0002.bmp','SCAN0002-05da67776649','05da67776649f90f3fc059cf3e7e6073b72f7a239d8b135660f0e15a1dc25e6c','bmp',246,'fresh','accepted',2,0,NULL,NULL,1,0,0,1795335423219,1795335423395,'PROCESSING','{"name":"SCAN0002-05da67776649","endpointUid":"11111111-1111-4111-8111-111111111111","status":"PROCESSING","uid":"de491695-0d73-4485-8e81-cfa7ada5307f","companyUid":"5a4db0c5-0000-4000-8000-000000000001","createdAt":"2026-11-22T08:17:03.357+00:00","updatedAt":"2026-11-22T08:17:03.357+00:00","pages":null,"analysis":{"requested":["merchant","total","vat"],"priority":{"class":"standard","weight":1},"note":"Beleg wird geprüft – 領収書 🧾"},"links":[],"sequence":9007199254740993,"cost":0.10}');
INSERT INTO documents VALUES(3,1,1,'SCAN0003.bmp','SCAN0003-1f3ad7eb0d8d','1f3ad7eb0d8d3b393676546491b8471c9c4ef62ad8cef99dcfb5cf77c23f7a68','bmp',246,'fresh','failed',3,0,'HTTP_422','The service refused the document: "too blurred".',1,0,0,1795335426068,1795335426168,NULL,NULL);
INSERT INTO documents VALUES(4,1,1,'SCAN0004.bmp','SCAN0004-986d9129287b','986d9129287b8fed7fff3fa5469b3202aa1f608d8be9b77d2ecd74b44be3d625','bmp',246,'fresh','queued',4,0,NULL,NULL,0,0,0,1795335428045,1795335428045,NULL,NULL);
INSERT INTO documents VALUES(5,2,2,'letter.bmp','letter-add3e1cfdc76','add3e1cfdc76f6601abd642a3b13af5c822cc8f211931ac3a490d74ada12cf8f','bmp',246,'fresh','queued',1,0,'HTTP_404','The service does not know this endpoint: "{"error":"unknown_endpoint","message":"there is no such endpoint"}".',2,0,0,1795335428926,1795335429694,NULL,NULL);
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
INSERT INTO attempts VALUES(1,1,1,1795335423273,1795335423372,'accepted',200,246,NULL);
INSERT INTO attempts VALUES(2,2,1,1795335423273,1795335423395,'accepted',200,246,NULL);
INSERT INTO attempts VALUES(3,3,1,1795335426149,1795335426168,'refused',422,246,'The service refused the document: "too blurred".');
INSERT INTO attempts VALUES(4,5,2,1795335428954,1795335428966,'refused',404,246,'The service does not know this endpoint: "{"error":"unknown_endpoint","message":"there is no such endpoint"}".');
INSERT INTO attempts VALUES(5,5,2,1795335429687,1795335429694,'refused',404,246,'The service does not know this endpoint: "{"error":"unknown_endpoint","message":"there is no such endpoint"}".');
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
INSERT INTO sightings VALUES(1,1,'','Kopie – été.bmp',246,1795335421318169526,1795335421318169526,13,'document',1,'2005c65f18b796ae0cab6625debdb04f8ecdfc32a2e2054f923374342636f8b1',NULL,NULL,NULL,1795335423218,1795335423218,NULL,NULL,NULL);
INSERT INTO sightings VALUES(2,1,'','SCAN0001.bmp',246,1795335420886169508,1795335420886169508,11,'duplicate',1,'2005c65f18b796ae0cab6625debdb04f8ecdfc32a2e2054f923374342636f8b1',NULL,NULL,NULL,1795335423219,1795335423219,NULL,NULL,NULL);
INSERT INTO sightings VALUES(3,1,'','SCAN0002.bmp',246,1795335421150169519,1795335421150169519,12,'document',2,'05da67776649f90f3fc059cf3e7e6073b72f7a239d8b135660f0e15a1dc25e6c',NULL,NULL,NULL,1795335423219,1795335429731,1795335429731,NULL,NULL);
INSERT INTO sightings VALUES(4,1,'','half.bmp',100,1795335421466169532,1795335421466169532,15,'incomplete',NULL,NULL,NULL,'INCOMPLETE','Incomplete: the BMP has 100 bytes of 246 bytes. It is looked at again when it changes.',1795335423418,1795335423418,NULL,NULL,NULL);
INSERT INTO sightings VALUES(5,1,'','notes.txt',9,1795335421333586495,1795335421333586495,14,'rejected',NULL,NULL,'accept=bmp,gif,heic,jpeg,png,tiff,webp;maxFileSize=50000000','NOT_AN_IMAGE','Not an image: too short to say what it is (9 bytes).',1795335423424,1795335423424,NULL,NULL,NULL);
INSERT INTO sightings VALUES(6,1,'','SCAN0003.bmp',246,1795335424378169655,1795335424378169655,29,'document',3,'1f3ad7eb0d8d3b393676546491b8471c9c4ef62ad8cef99dcfb5cf77c23f7a68',NULL,NULL,NULL,1795335426068,1795335426068,NULL,NULL,NULL);
INSERT INTO sightings VALUES(7,1,'','SCAN0004.bmp',246,1795335427362169781,1795335427362169781,34,'document',4,'986d9129287b8fed7fff3fa5469b3202aa1f608d8be9b77d2ecd74b44be3d625',NULL,NULL,NULL,1795335428045,1795335428045,NULL,NULL,NULL);
INSERT INTO sightings VALUES(8,2,'','letter.bmp',246,1795335428150169814,1795335428150169814,37,'document',5,'add3e1cfdc76f6601abd642a3b13af5c822cc8f211931ac3a490d74ada12cf8f',NULL,NULL,NULL,1795335428926,1795335428926,NULL,NULL,NULL);
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
INSERT INTO holds VALUES('endpoint','http://127.0.0.1:8699#11111111-1111-4111-8111-111111111111',1,'PAUSED','Paused by root; `receiptd resume` lets it go on.',1795335427283,NULL);
INSERT INTO holds VALUES('endpoint','http://127.0.0.1:8699#22222222-2222-4222-8222-222222222222',0,'HTTP_404','The service does not know this endpoint: "{"error":"unknown_endpoint","message":"there is no such endpoint"}".',1795335429697,1795335466799);
CREATE TABLE acts (
  id     INTEGER PRIMARY KEY,
  at     INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  by     TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
INSERT INTO acts VALUES(1,1795335427284,'pause','root','office');
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
COMMIT;
