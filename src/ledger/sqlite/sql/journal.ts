export const HEAD = `SELECT ledger, seq, hash FROM journal`;
export const PENDING_ERASURES = `SELECT entries FROM erasures ORDER BY id`;
export const ADD_ERASURE = `INSERT INTO erasures (entries) VALUES (:entries)`;
export const END_ERASURE = `DELETE FROM erasures WHERE entries = :entries`;

export const SIGHTINGS_OF_DOCUMENTS = `
SELECT id FROM sightings WHERE document_id IN (SELECT value FROM json_each(:documents))`;

/** Files without any page whose document stays, and all sightings of their pages. Excludes files being split. */
export const FILES_OF_ERASED = `
WITH erased AS (SELECT value AS id FROM json_each(:documents)),
     files AS (
       SELECT s.id FROM sightings s
        WHERE s.id IN (SELECT p.file_id FROM sightings p WHERE p.document_id IN (SELECT id FROM erased)) AND s.split_into IS NULL
          AND NOT EXISTS (SELECT 1 FROM sightings p CROSS JOIN documents d ON d.id = p.document_id
                           WHERE p.file_id = s.id AND d.erased_at IS NULL AND d.id NOT IN (SELECT id FROM erased)))
SELECT id FROM files UNION ALL SELECT p.id FROM files CROSS JOIN sightings p ON p.file_id = files.id`;

export const SET_HEAD = `
INSERT INTO journal (id, ledger, seq, hash) VALUES (1, :ledger, :seq, :hash)
ON CONFLICT (id) DO UPDATE SET ledger = :ledger, seq = :seq, hash = :hash`;

export const HOLDS_SOMETHING = `
SELECT 1 AS something
 WHERE EXISTS (SELECT 1 FROM documents) OR EXISTS (SELECT 1 FROM sightings) OR EXISTS (SELECT 1 FROM acts)
    OR EXISTS (SELECT 1 FROM results)`;
