export const ENSURE_ENDPOINT = `
INSERT INTO endpoints (base_url, uid) VALUES (:baseUrl, :uid) ON CONFLICT (base_url, uid) DO NOTHING`;

export const ENDPOINT_BY_KEY = `SELECT id FROM endpoints WHERE base_url = :baseUrl AND uid = :uid`;

/** Numbers are never given out again, even if a journal is replayed. */
export const GAVE_SEQ = `UPDATE endpoints SET next_seq = max(next_seq, :seq + 1) WHERE id = :id`;

export const GAVE_LINE = `UPDATE endpoints SET next_line = max(next_line, :line + 1) WHERE id = :id`;

export const NEXT_NUMBERS = `SELECT next_seq AS seq, next_line AS line FROM endpoints WHERE id = :id`;

export const RECORD_ENDPOINT = `
INSERT INTO endpoints (base_url, uid, name, record, created_at) VALUES (:baseUrl, :uid, :name, :record, :at)
ON CONFLICT (base_url, uid) DO UPDATE SET name = :name, record = :record, created_at = :at`;

export const ALL_ENDPOINTS = `
SELECT id, base_url AS baseUrl, uid, name, created_at AS createdAt FROM endpoints ORDER BY id`;

export const INSERT_ACT = `INSERT INTO acts (at, kind, by, detail) VALUES (:at, :kind, :by, :detail)`;
