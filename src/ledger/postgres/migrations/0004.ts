/** What a search compares, as domain/search.ts folds it; NULL where `lower` of ASCII does the same. */
export const MIGRATION_0004 = `
ALTER TABLE documents ADD COLUMN folded_name text, ADD COLUMN folded_path text;
ALTER TABLE sightings ADD COLUMN folded_path text;
`;
