/** By index: entries about a document, about sightings of it, and about files that have it as a page. */
const ABOUT = `(document_id = ANY (:ids::bigint[]) OR sighting_id = ANY (:sightings::bigint[])
   OR sighting_id = ANY (ARRAY(SELECT id FROM sightings WHERE document_id = ANY (:ids::bigint[]))))`;

const KEPT = `personal <> '' AND personal !~ '^ +$'`;

export const AGENTS_OF_PERSONAL = `
SELECT DISTINCT agent_id AS id FROM history WHERE ${ABOUT} AND ${KEPT}`;

export const HEADS_FOR_UPDATE = `
SELECT id, head_seq AS seq, head_hash AS hash FROM agents WHERE id = ANY (:ids::integer[]) ORDER BY id FOR UPDATE`;

/** Byte for byte, as in a journal file. */
export const BLANK_PERSONAL = `
UPDATE history SET personal = repeat(' ', octet_length(personal))
 WHERE ${ABOUT} AND ${KEPT} AND agent_id = ANY (:agents::integer[])
RETURNING agent_id AS "agentId", seq`;

const FILES = `SELECT file_id FROM sightings WHERE document_id = ANY (:ids::bigint[]) AND file_id IS NOT NULL`;

/** Files that have a page among these documents, and all sightings of their pages. */
export const FILES_OF_DOCUMENTS = `
SELECT id FROM sightings WHERE id = ANY (ARRAY(${FILES})) OR file_id = ANY (ARRAY(${FILES}))`;

/** Files without any page whose document stays. Excludes files being split. */
export const FILES_OF_ERASED = `
SELECT s.id FROM sightings s
 WHERE s.id = ANY (ARRAY(${FILES})) AND s.split_into IS NULL
   AND NOT EXISTS (SELECT 1 FROM sightings p JOIN documents d ON d.id = p.document_id
                    WHERE p.file_id = s.id AND d.erased_at IS NULL AND d.id <> ALL (:ids::bigint[]))
 ORDER BY s.id FOR NO KEY UPDATE`;

export const WITH_THEIR_PAGES = `
SELECT id FROM sightings WHERE id = ANY (:files::bigint[]) OR file_id = ANY (:files::bigint[]) ORDER BY id`;
