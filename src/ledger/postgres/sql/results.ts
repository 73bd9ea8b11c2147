export const INSERT_RESULT = `
INSERT INTO results (id, received_at, document_id, attempts, status, sha256, size, encoding, payload, given_name, given_uid)
VALUES (:id, :at, :documentId, :attempts, :status, :sha256, :size, :encoding, :payload, :givenName, :givenUid)`;

export const SET_STATUS = `UPDATE documents SET service_status = :status, updated_at = :at WHERE id = :id`;

export const ERASE_RESULTS = `
UPDATE results SET payload = NULL, given_name = NULL, given_uid = NULL WHERE document_id = ANY (:ids::bigint[])`;
