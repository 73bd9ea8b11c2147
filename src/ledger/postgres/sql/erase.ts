/** Two indexes: by the document, and by the files that were seen of it. */
const ABOUT = `(document_id = ANY (:ids::bigint[])
   OR sighting_id = ANY (ARRAY(SELECT id FROM sightings WHERE document_id = ANY (:ids::bigint[]))))`;

const KEPT = `personal <> '' AND personal !~ '^ +$'`;

export const AGENTS_OF_PERSONAL = `
SELECT DISTINCT agent_id AS id FROM history WHERE ${ABOUT} AND ${KEPT}`;

export const HEADS_FOR_UPDATE = `
SELECT id, head_seq AS seq, head_hash AS hash FROM agents WHERE id = ANY (:ids::integer[]) ORDER BY id FOR NO KEY UPDATE`;

/** Byte for byte, as in a journal's file. */
export const BLANK_PERSONAL = `
UPDATE history SET personal = repeat(' ', octet_length(personal))
 WHERE ${ABOUT} AND ${KEPT} AND agent_id = ANY (:agents::integer[])
RETURNING agent_id AS "agentId", seq`;
