import { UNDECIDED_SQL } from '../../needing.ts';
import { HOLDS_PERSONAL_DATA, SELECT_DOCUMENT } from './documents.ts';
import { NEEDS_PERSON } from './sightings.ts';

/** A sighting that `list` shows beside the documents; waiting ones only while they are current. */
const LISTED = `s.verdict <> 'document' AND (s.gone_at IS NULL OR s.verdict NOT IN ('incomplete', 'unreadable'))`;

export type Order = 'oldest' | 'newest';

/** Along an index by the time of creation. */
export interface Walk {
  /** The last row of a window of `size` rows behind a row; none when fewer are left. */
  readonly windowEnd: string;
  /** What the window holds. NULL parameters filter nothing; of a search it may hold more than is found. */
  readonly rows: (needles: number) => string;
}

export type Walks = Readonly<Record<Order, Walk>>;

/** Comparison, and direction, of what comes later in an order. */
const LATER: Readonly<Record<Order, readonly [later: string, until: string, direction: string]>> = {
  oldest: ['>', '<=', 'ASC'],
  newest: ['<', '>=', 'DESC'],
};

function inBothOrders(walk: (order: Order) => Walk): Walks {
  return { oldest: walk('oldest'), newest: walk('newest') };
}

export const FOLDERS = `SELECT id, path FROM folders`;

/** Where others than ASCII are in it, `lower` does not fold it. */
const mayHold = (column: string, needle: string) =>
  `(instr(lower(${column}), ${needle}) > 0 OR length(CAST(${column} AS BLOB)) > length(${column}))`;

/** For each needle, by its number: somewhere in these. */
function findAll(needles: number, conditions: (needle: string, n: number) => readonly string[]): string {
  return Array.from(
    { length: needles },
    (_, n) => `
           AND (${conditions(`:needle${n}`, n).join('\n                OR ')})`,
  ).join('');
}

const documentHolds = (needle: string, n: number) => [
  `instr(coalesce(d.folded_name, lower(d.name)), ${needle}) > 0`,
  `instr(coalesce(d.folded_path, lower(d.path)), ${needle}) > 0`,
  `d.folder_id IN (SELECT value FROM json_each(:folders${n}))`,
  `instr(d.sha256, ${needle}) > 0 OR instr(d.state, ${needle}) > 0 OR (:held${n} AND +d.state = 'queued')`,
  `${mayHold('d.service_status', needle)} OR ${mayHold('d.message', needle)}`,
];

const sightingHolds = (needle: string, n: number) => [
  `instr(coalesce(s.folded_path, lower(iif(s.dir = '', '', s.dir || '/') || s.name)), ${needle}) > 0`,
  `instr(coalesce(d.folded_name, lower(d.name)), ${needle}) > 0`,
  `s.folder_id IN (SELECT value FROM json_each(:folders${n}))`,
  `instr(s.sha256, ${needle}) > 0 OR instr(s.verdict, ${needle}) > 0`,
  `${mayHold('d.service_status', needle)} OR ${mayHold('s.message', needle)}`,
];

/** The pluses keep the index the one that is walked. */
function documentsAlong(index: string, only: string): Walks {
  const select = SELECT_DOCUMENT.replace(
    /\n +FROM documents d/,
    `, d.dismissed_at AS dismissedAt, d.dismissed_by AS dismissedBy\n  FROM documents d INDEXED BY ${index}`,
  );
  return inBothOrders((order) => {
    const [later, until, direction] = LATER[order];
    const behind = `${only} AND (d.created_at, d.id) ${later} (:at, :id)`;
    return {
      windowEnd: `
SELECT d.created_at AS at, d.id FROM documents d INDEXED BY ${index}
 WHERE ${behind} ORDER BY d.created_at ${direction}, d.id ${direction} LIMIT 1 OFFSET :size - 1`,
      rows: (needles) => `
SELECT w.*,
       (SELECT s.archived_to FROM sightings s
         WHERE s.document_id = w.id AND s.verdict = 'document' AND s.archived_to IS NOT NULL
         ORDER BY s.id DESC LIMIT 1) AS archivedTo
  FROM (${select}
         WHERE ${behind} AND (d.created_at, d.id) ${until} (:lastAt, :lastId)
           AND (:states IS NULL OR +d.state IN (SELECT value FROM json_each(:states)))
           AND (:attention IS NULL OR CASE :attention
             WHEN 'none' THEN d.dismissed_at IS NOT NULL OR +d.state NOT IN (${UNDECIDED_SQL})
             ELSE (d.dismissed_at IS NULL) = (:attention = 'needed') END)
           AND (:folder IS NULL OR +f.path = :folder)
           AND (:baseUrl IS NULL OR (+e.base_url = :baseUrl AND +e.uid = :uid))${findAll(needles, documentHolds)}
       ) w
 ORDER BY w.createdAt ${direction}, w.id ${direction}`,
    };
  });
}

export const DOCUMENTS = documentsAlong('documents_created', 'TRUE');

/** Few in most ledgers, however long. */
export const UNSETTLED_DOCUMENTS = documentsAlong('documents_unsettled', `d.state <> 'accepted'`);

export const SIGHTINGS = inBothOrders((order): Walk => {
  const [later, until, direction] = LATER[order];
  const behind = `s.verdict <> 'document' AND (s.seen_at, s.id) ${later} (:at, :id)`;
  return {
    windowEnd: `
SELECT s.seen_at AS at, s.id FROM sightings s
 WHERE ${behind} ORDER BY s.seen_at ${direction}, s.id ${direction} LIMIT 1 OFFSET :size - 1`,
    rows: (needles) => `
SELECT s.id, f.path AS folder, s.dir, s.name, s.verdict, s.size, s.sha256, s.reason, s.message,
       s.archived_to AS archivedTo, s.seen_at AS createdAt, s.updated_at AS updatedAt, s.gone_at AS goneAt,
       s.dismissed_at AS dismissedAt, s.dismissed_by AS dismissedBy,
       d.id AS documentId, d.name AS documentName, d.type, d.service_status AS serviceStatus,
       e.base_url AS baseUrl, e.uid
  FROM sightings s
  CROSS JOIN folders f ON f.id = s.folder_id
  LEFT JOIN documents d ON d.id = s.document_id
  LEFT JOIN endpoints e ON e.id = d.endpoint_id
 WHERE ${LISTED} AND ${behind} AND (s.seen_at, s.id) ${until} (:lastAt, :lastId)
   AND (:states IS NULL OR s.verdict IN (SELECT value FROM json_each(:states)))
   AND (:attention IS NULL OR CASE :attention
         WHEN 'needed' THEN ${NEEDS_PERSON}
         WHEN 'none' THEN iif(${NEEDS_PERSON}, FALSE, TRUE)
         ELSE s.gone_at IS NULL AND s.dismissed_at IS NOT NULL END)
   AND (:folder IS NULL OR +f.path = :folder)
   AND (:baseUrl IS NULL OR (+e.base_url = :baseUrl AND +e.uid = :uid))${findAll(needles, sightingHolds)}
 ORDER BY s.seen_at ${direction}, s.id ${direction}`,
  };
});

export const COUNT_ACCEPTED = `
SELECT count(*) AS count
  FROM endpoints e CROSS JOIN attempts a ON a.endpoint_id = e.id
 WHERE a.started_at >= :from AND a.started_at < :to AND a.outcome = 'accepted'`;

/** Upload requests by when they began. */
export const UPLOADS = `
SELECT a.started_at AS startedAt, a.finished_at AS finishedAt, a.outcome, a.bytes
  FROM endpoints e CROSS JOIN attempts a ON a.endpoint_id = e.id
 WHERE a.started_at >= :from AND a.started_at < :to`;

export const COUNT_DOCUMENTS = `
SELECT e.base_url AS baseUrl, e.uid, f.path AS folder, c.state, c.count
  FROM document_counts c
  CROSS JOIN endpoints e ON e.id = c.endpoint_id
  CROSS JOIN folders f ON f.id = c.folder_id
 WHERE c.count > 0
 ORDER BY c.endpoint_id, c.folder_id, c.state`;

/** No row where triggers have counted as the rows are. */
export const MISCOUNTED = `
WITH counted AS (
       SELECT endpoint_id, folder_id, state, count FROM document_counts WHERE count <> 0
        UNION ALL
       SELECT endpoint_id, folder_id, verdict, count FROM file_counts WHERE count <> 0),
     there AS (
       SELECT endpoint_id, folder_id, state, count(*) FROM documents GROUP BY endpoint_id, folder_id, state
        UNION ALL
       SELECT coalesce(d.endpoint_id, 0), s.folder_id, s.verdict, count(*)
         FROM sightings s LEFT JOIN documents d ON d.id = s.document_id
        WHERE ${LISTED}
        GROUP BY 1, 2, 3)
SELECT 1 FROM (SELECT * FROM counted EXCEPT SELECT * FROM there)
 UNION ALL
SELECT 1 FROM (SELECT * FROM there EXCEPT SELECT * FROM counted)
 LIMIT 1`;

export const COUNT_FILES = `
SELECT e.base_url AS baseUrl, e.uid, f.path AS folder, c.verdict AS state, c.count
  FROM file_counts c
  CROSS JOIN folders f ON f.id = c.folder_id
  LEFT JOIN endpoints e ON e.id = c.endpoint_id
 WHERE c.count > 0
 ORDER BY c.endpoint_id, c.folder_id, c.verdict`;

export const COUNT_DISMISSED = `
SELECT e.base_url AS baseUrl, e.uid, f.path AS folder, c.state, c.count
  FROM (SELECT endpoint_id, folder_id, state, count(*) AS count FROM documents INDEXED BY documents_dismissed
         WHERE dismissed_at IS NOT NULL GROUP BY endpoint_id, folder_id, state) c
  CROSS JOIN endpoints e ON e.id = c.endpoint_id
  CROSS JOIN folders f ON f.id = c.folder_id`;

export const COUNT_NEEDING = `
SELECT f.path AS folder, c.verdict, c.reason, c.count
  FROM (SELECT s.folder_id, s.verdict, s.reason, count(*) AS count FROM sightings s INDEXED BY sightings_need_person
         WHERE ${NEEDS_PERSON} GROUP BY s.folder_id, s.verdict, s.reason) c
  CROSS JOIN folders f ON f.id = c.folder_id
 ORDER BY c.folder_id, c.verdict, c.reason`;

export const ATTEMPTS_OF = `
SELECT id, started_at AS startedAt, finished_at AS finishedAt, outcome, http_status AS httpStatus, bytes, message
  FROM attempts WHERE document_id = :id ORDER BY id`;

export const SIGHTINGS_OF = `
SELECT f.path AS folder, s.dir, s.name, s.verdict, s.size, s.seen_at AS seenAt, s.gone_at AS goneAt, s.disposed,
       s.archived_to AS archivedTo, s.message AS remark
  FROM sightings s CROSS JOIN folders f ON f.id = s.folder_id
 WHERE s.document_id = :id ORDER BY s.id`;

export const ERASABLE = `
SELECT id FROM documents
 WHERE created_at < :before AND ${HOLDS_PERSONAL_DATA} AND state NOT IN ('queued', 'uploading')
 ORDER BY id`;
