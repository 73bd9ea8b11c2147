/** What the promises need when things go wrong: the journal's head, file systems, begun disposals, erasure. */
export const MIGRATION_0002 = `
-- mark: the file system that the folder lay on when its known files were last seen.
ALTER TABLE folders ADD COLUMN mark TEXT;
ALTER TABLE holds ADD COLUMN demanded INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN erased_at INTEGER;
ALTER TABLE sightings ADD COLUMN disposing TEXT CHECK (disposing IN ('archived', 'deleted'));
CREATE INDEX sightings_disposing ON sightings (folder_id, id) WHERE disposing IS NOT NULL;
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
`;
