/**
 * Locked until the transaction ends: one agent at a time gives out names, numbers and queue positions. Rows that refer
 * to the endpoint, such as attempts, can still be inserted.
 */
export const ENDPOINT_FOR_UPDATE = `
SELECT id, next_seq AS "nextSeq", next_line AS "nextLine" FROM endpoints
 WHERE base_url = :baseUrl AND uid = :uid FOR NO KEY UPDATE`;

export const ENDPOINT_BY_KEY = `
SELECT id, next_seq AS "nextSeq", next_line AS "nextLine" FROM endpoints WHERE base_url = :baseUrl AND uid = :uid`;

/** Numbers are never given out again. */
export const GAVE = `
UPDATE endpoints SET next_line = greatest(next_line, :line::bigint + 1), next_seq = greatest(next_seq, :seq::bigint + 1)
 WHERE base_url = :baseUrl AND uid = :uid`;

export const GAVE_LINE_OF = `
UPDATE endpoints SET next_line = greatest(next_line, :line::bigint + 1)
 WHERE id IN (SELECT endpoint_id FROM documents WHERE id = ANY (:ids::bigint[]))`;

/** Locked, like `ENDPOINT_FOR_UPDATE`. */
export const NEXT_LINE = `SELECT next_line AS line FROM endpoints WHERE id = :id FOR NO KEY UPDATE`;

export const RECORD_ENDPOINT = `
INSERT INTO endpoints (base_url, uid, name, record, created_at) VALUES (:baseUrl, :uid, :name, :record, :at)
ON CONFLICT (base_url, uid) DO UPDATE SET name = :name, record = :record, created_at = :at`;

export const ALL_ENDPOINTS = `
SELECT id, base_url AS "baseUrl", uid, name, created_at AS "createdAt" FROM endpoints ORDER BY id`;

export const INSERT_ACT = `
INSERT INTO acts (agent_id, at, kind, by, detail) VALUES (:agentId, :at, :kind, :by, :detail)`;
