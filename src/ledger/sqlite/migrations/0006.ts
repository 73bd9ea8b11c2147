/** Since when originals are archived or deleted, so that what was accepted before can be left alone. */
export const MIGRATION_0006 = `
-- stays: the sighting up to which files stay.
CREATE TABLE originals (
  folder_id INTEGER PRIMARY KEY REFERENCES folders (id),
  rule      TEXT NOT NULL,
  stays     INTEGER NOT NULL
) STRICT;
`;
