import type { Wanted } from '../../listing/source.ts';
import { UNDECIDED_SQL } from '../../needing.ts';
import { MOST_POSTED } from '../../resultRows.ts';
import { SELECT_DOCUMENT } from './documents.ts';
import { LISTED } from './reports.ts';
import { NEEDS_PERSON } from './sightings.ts';

export type Order = 'oldest' | 'newest';

/** Queries along an index by creation time. */
export interface Walk {
  /** The last row of a window of `size` rows after a given row; no row if fewer are left. */
  readonly windowEnd: string;
  /** The rows of the window. NULL parameters filter nothing; a search may return more than actually matches. */
  readonly rows: (wanted: Wanted) => string;
  /** Counts of the same rows. */
  readonly tally: (wanted: Wanted) => string;
}

export type Walks = Readonly<Record<Order, Walk>>;

/** The comparisons and the direction for what comes later in an order. */
const LATER: Readonly<Record<Order, readonly [later: string, until: string, direction: string]>> = {
  oldest: ['>', '<=', 'ASC'],
  newest: ['<', '>=', 'DESC'],
};

function inBothOrders(walk: (order: Order) => Walk): Walks {
  return { oldest: walk('oldest'), newest: walk('newest') };
}

export const FOLDERS = `SELECT id, path FROM folders`;

/** `lower` folds ASCII only: for other text, `fold` is search.ts's own function (connection.ts). */
const holds = (column: string, needle: string) =>
  `${column} IS NOT NULL AND instr(iif(octet_length(${column}) > length(${column}), fold(${column}), lower(${column})), ${needle}) > 0`;

/** Most words match no folder's path, and can't be part of a hash or state: the column is not examined then. */
const isOneOf = (column: string, list: string) =>
  `(${list} IS NOT NULL AND ${column} IN (SELECT value FROM json_each(${list})))`;
const hashHolds = (column: string, n: number) =>
  `(:hash${n} IS NOT NULL AND instr(${column}, :hash${n}) > 0)`;

/** Each needle (by number) must be found in one of these. For each value, some result must have it and possibly match. */
function findAll(
  { needles, values }: Wanted,
  document: string,
  conditions: (needle: string, n: number) => readonly string[],
): string {
  const found = Array.from(
    { length: needles },
    (_, n) => `
           AND (${conditions(`:needle${n}`, n).join('\n                OR ')})`,
  );
  const meant = Array.from(
    { length: values },
    (_, n) => `
           AND EXISTS (SELECT 1 FROM results r
                        WHERE r.document_id = ${document} AND instr(r.fields, :pointer${n}) > 0
                          AND (:word${n} IS NULL OR instr(r.words, :word${n}) > 0)
                          AND CASE WHEN json_type(r.fields, :at${n}) IN ('integer', 'real')
                                   THEN json_extract(r.fields, :at${n}) BETWEEN :from${n} AND :to${n} ELSE TRUE END)`,
  );
  return [...found, ...meant].join('');
}

/** The latest results of a document, in the form that `toPosted` reads. */
const postedAbout = (document: string) => `
       (SELECT '[' || group_concat(p.fields) || ']'
          FROM (SELECT r.fields FROM results r WHERE r.document_id = ${document} AND r.fields IS NOT NULL
                 ORDER BY r.id DESC LIMIT ${MOST_POSTED}) p) AS posted`;

const postedHolds = (document: string, needle: string) =>
  `EXISTS (SELECT 1 FROM results r WHERE r.document_id = ${document} AND instr(r.words, ${needle}) > 0)`;

const documentHolds = (needle: string, n: number) => [
  `instr(coalesce(d.folded_name, lower(d.name)), ${needle}) > 0`,
  `instr(coalesce(d.folded_path, lower(d.path)), ${needle}) > 0`,
  isOneOf('d.folder_id', `:folders${n}`),
  `${hashHolds('d.sha256', n)} OR ${isOneOf('+d.state', `:named${n}`)} OR (:held${n} AND +d.state = 'queued')`,
  `${holds('d.service_status', needle)} OR ${holds('d.message', needle)}`,
  postedHolds('d.id', needle),
];

const sightingHolds = (needle: string, n: number) => [
  `instr(coalesce(s.folded_path, lower(iif(s.dir = '', '', s.dir || '/') || s.name)), ${needle}) > 0`,
  `instr(coalesce(d.folded_name, lower(d.name)), ${needle}) > 0`,
  isOneOf('s.folder_id', `:folders${n}`),
  `${hashHolds('s.sha256', n)} OR ${isOneOf('s.verdict', `:named${n}`)}`,
  `${holds('d.service_status', needle)} OR ${holds('s.message', needle)}`,
  postedHolds('s.document_id', needle),
];

/** Filters by folder and endpoint. The unary pluses keep SQLite from using another index than the one walked. */
const placed = (folderId: string, endpointId: string) => `
           AND (:folder IS NULL OR +${folderId} = (SELECT id FROM folders WHERE path = :folder))
           AND (:baseUrl IS NULL OR +${endpointId} = (SELECT id FROM endpoints WHERE base_url = :baseUrl AND uid = :uid))
           AND (:statuses IS NULL OR +d.service_status IN (SELECT value FROM json_each(:statuses)))`;

const documentsMeant = (wanted: Wanted) => `
           AND (:states IS NULL OR +d.state IN (SELECT value FROM json_each(:states)))
           AND (:attention IS NULL OR CASE :attention
             WHEN 'none' THEN d.dismissed_at IS NOT NULL OR +d.state NOT IN (${UNDECIDED_SQL})
             ELSE (d.dismissed_at IS NULL) = (:attention = 'needed') END)${placed('d.folder_id', 'd.endpoint_id')}${findAll(wanted, 'd.id', documentHolds)}`;

const sightingsMeant = (wanted: Wanted) => `
           AND (:states IS NULL OR s.verdict IN (SELECT value FROM json_each(:states)))
           AND (:attention IS NULL OR CASE :attention
             WHEN 'needed' THEN ${NEEDS_PERSON}
             WHEN 'none' THEN iif(${NEEDS_PERSON}, FALSE, TRUE)
             ELSE s.gone_at IS NULL AND s.dismissed_at IS NOT NULL END)${placed('s.folder_id', 'd.endpoint_id')}${findAll(wanted, 's.document_id', sightingHolds)}`;

function documentsAlong(index: string, only: string): Walks {
  const select = SELECT_DOCUMENT.replace(
    /\n +FROM documents d/,
    `, d.dismissed_at AS dismissedAt, d.dismissed_by AS dismissedBy\n  FROM documents d INDEXED BY ${index}`,
  );
  return inBothOrders((order) => {
    const [later, until, direction] = LATER[order];
    const behind = `${only} AND (d.created_at, d.id) ${later} (:at, :id)`;
    const within = `${behind} AND (d.created_at, d.id) ${until} (:lastAt, :lastId)`;
    return {
      windowEnd: `
SELECT d.created_at AS at, d.id FROM documents d INDEXED BY ${index}
 WHERE ${behind} ORDER BY d.created_at ${direction}, d.id ${direction} LIMIT 1 OFFSET :size - 1`,
      rows: (wanted) => `
SELECT w.*,
       (SELECT s.archived_to FROM sightings s
         WHERE s.document_id = w.id AND s.verdict = 'document' AND s.archived_to IS NOT NULL
         ORDER BY s.id DESC LIMIT 1) AS archivedTo,${postedAbout('w.id')}
  FROM (${select}
         WHERE ${within} ${documentsMeant(wanted)}
       ) w
 ORDER BY w.createdAt ${direction}, w.id ${direction}`,
      tally: (wanted) => `
SELECT f.path AS folder, e.base_url AS baseUrl, e.uid, g.state, g.status, g.span, g.count, FALSE AS isUnsure
  FROM (SELECT d.created_at / ${wanted.spanMs} AS span, d.folder_id, d.endpoint_id, d.state, d.service_status AS status,
               count(*) AS count
          FROM documents d INDEXED BY ${index}
         WHERE ${within} ${documentsMeant(wanted)}
         GROUP BY 1, 2, 3, 4, 5) g
  CROSS JOIN folders f ON f.id = g.folder_id
  CROSS JOIN endpoints e ON e.id = g.endpoint_id`,
    };
  });
}

export const DOCUMENTS = documentsAlong('documents_created', 'TRUE');

/** Few in most ledgers, however large. */
export const UNSETTLED_DOCUMENTS = documentsAlong('documents_unsettled', `d.state <> 'accepted'`);

export const SIGHTINGS = inBothOrders((order): Walk => {
  const [later, until, direction] = LATER[order];
  const behind = `s.verdict <> 'document' AND (s.seen_at, s.id) ${later} (:at, :id)`;
  const within = `${LISTED} AND ${behind} AND (s.seen_at, s.id) ${until} (:lastAt, :lastId)`;
  return {
    windowEnd: `
SELECT s.seen_at AS at, s.id FROM sightings s
 WHERE ${behind} ORDER BY s.seen_at ${direction}, s.id ${direction} LIMIT 1 OFFSET :size - 1`,
    rows: (wanted) => `
SELECT s.id, f.path AS folder, s.dir, s.name, s.verdict, s.size, s.sha256, s.reason, s.message,
       s.archived_to AS archivedTo, s.seen_at AS createdAt, s.updated_at AS updatedAt, s.gone_at AS goneAt,
       s.dismissed_at AS dismissedAt, s.dismissed_by AS dismissedBy,
       d.id AS documentId, d.name AS documentName, d.type, d.service_status AS serviceStatus,
       e.base_url AS baseUrl, e.uid,${postedAbout('s.document_id')}
  FROM sightings s
  CROSS JOIN folders f ON f.id = s.folder_id
  LEFT JOIN documents d ON d.id = s.document_id
  LEFT JOIN endpoints e ON e.id = d.endpoint_id
 WHERE ${within} ${sightingsMeant(wanted)}
 ORDER BY s.seen_at ${direction}, s.id ${direction}`,
    tally: (wanted) => `
SELECT f.path AS folder, e.base_url AS baseUrl, e.uid, g.state, g.status, g.span, g.count, FALSE AS isUnsure
  FROM (SELECT s.seen_at / ${wanted.spanMs} AS span, s.folder_id, d.endpoint_id, s.verdict AS state,
               d.service_status AS status, count(*) AS count
          FROM sightings s
          LEFT JOIN documents d ON d.id = s.document_id
         WHERE ${within} ${sightingsMeant(wanted)}
         GROUP BY 1, 2, 3, 4, 5) g
  CROSS JOIN folders f ON f.id = g.folder_id
  LEFT JOIN endpoints e ON e.id = g.endpoint_id`,
  };
});
