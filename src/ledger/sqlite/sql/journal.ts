export const HEAD = `SELECT ledger, seq, hash FROM journal`;
export const PENDING_ERASURES = `SELECT entries FROM erasures ORDER BY id`;
export const ADD_ERASURE = `INSERT INTO erasures (entries) VALUES (:entries)`;
export const END_ERASURE = `DELETE FROM erasures WHERE entries = :entries`;

export const SIGHTINGS_OF_DOCUMENTS = `
SELECT id FROM sightings WHERE document_id IN (SELECT value FROM json_each(:documents))`;

export const SET_HEAD = `
INSERT INTO journal (id, ledger, seq, hash) VALUES (1, :ledger, :seq, :hash)
ON CONFLICT (id) DO UPDATE SET ledger = :ledger, seq = :seq, hash = :hash`;

export const HOLDS_SOMETHING = `
SELECT 1 AS something
 WHERE EXISTS (SELECT 1 FROM documents) OR EXISTS (SELECT 1 FROM sightings) OR EXISTS (SELECT 1 FROM acts)
    OR EXISTS (SELECT 1 FROM results)`;
