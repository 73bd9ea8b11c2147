/** What a search compares, as domain/search.ts folds it; NULL where `lower` does the same. */
export const MIGRATION_0005 = `
ALTER TABLE documents ADD COLUMN folded_name TEXT;
ALTER TABLE documents ADD COLUMN folded_path TEXT;
ALTER TABLE sightings ADD COLUMN folded_path TEXT;
`;
