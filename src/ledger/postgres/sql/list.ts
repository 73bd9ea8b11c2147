import type { ListOrder } from '../../../core/ports/ledgerReports.ts';
import type { Wanted } from '../../listing/source.ts';
import { LARGEST_WINDOW } from '../../listing/walk.ts';
import { UNDECIDED_SQL } from '../../needing.ts';
import { MOST_POSTED } from '../../resultRows.ts';
import { SELECT_DOCUMENT } from './documents.ts';
import { LISTED } from './reports.ts';
import { NEEDS_PERSON } from './sightings.ts';

/** The zero keeps the planner from walking the primary key to find the last row of one document. */
const ARCHIVED_TO = `
       (SELECT s.archived_to FROM sightings s
         WHERE s.document_id = d.id AND s.verdict = 'document' AND s.archived_to IS NOT NULL
         ORDER BY s.id + 0 DESC LIMIT 1) AS "archivedTo"`;

/** The latest results of a document, in the form that `toPosted` reads. */
const postedAbout = (document: string) => `
       (SELECT '[' || string_agg(p.fields, ',' ORDER BY p.id DESC) || ']'
          FROM (SELECT r.id, r.fields FROM results r WHERE r.document_id = ${document} AND r.fields IS NOT NULL
                 ORDER BY r.id DESC LIMIT ${MOST_POSTED}) p) AS posted`;

const DISMISSED = `
       d.dismissed_at AS "dismissedAt", d.dismissed_by AS "dismissedBy"`;

/** Queries along an index by creation time. */
export interface Walk {
  /** The last row of a window of `size` rows after a given row; no row if fewer are left. */
  readonly windowEnd: string;
  /** The rows of the window. NULL parameters filter nothing; a search may return more than actually matches. */
  readonly rows: (wanted: Wanted) => string;
  /** Counts of the same rows. */
  readonly tally: (wanted: Wanted) => string;
}

export type Walks = Readonly<Record<ListOrder, Walk>>;

/** The comparisons and the direction for what comes later in an order. */
const LATER: Readonly<Record<ListOrder, readonly [later: string, until: string, direction: string]>> = {
  oldest: ['>', '<=', 'ASC'],
  newest: ['<', '>=', 'DESC'],
};

/**
 * The planner can estimate the rows between two times, but not between two row values: without this, it would read the
 * whole table per window.
 */
const between = (time: string, order: ListOrder) =>
  order === 'oldest'
    ? `${time} BETWEEN :at::bigint AND :lastAt::bigint`
    : `${time} BETWEEN :lastAt::bigint AND :at::bigint`;

function inBothOrders(walk: (order: ListOrder) => Walk): Walks {
  return { oldest: walk('oldest'), newest: walk('newest') };
}

export const FOLDERS = `SELECT id, place, path FROM folders`;

/** Independent of the database's locale: lowers ASCII only. */
const lowered = (text: string) => `lower((${text}) COLLATE "C")`;

const holds = (column: string, needle: string) => `strpos(${lowered(column)}, ${needle}) > 0`;

/** Non-ASCII text, which `lowered` does not fold. */
const mayHold = (column: string) => `octet_length(${column}) > length(${column})`;

/** Whether a document has such a result. OFFSET keeps the planner from reading all results instead of this document's. */
const hasResult = (document: string, which: string) =>
  `EXISTS (SELECT 1 FROM results r WHERE r.document_id = ${document} AND ${which} OFFSET 0)`;

/**
 * The same for a window of documents, whose results are read once. Not if the window's ids lie far apart, as in a ledger
 * into which others were moved: then those between them are other documents'.
 */
const hasResultOfWindow = (document: string, which: string) =>
  `CASE WHEN (SELECT last - first < ${10 * LARGEST_WINDOW} FROM outermost)
        THEN ${document} IN (SELECT r.document_id FROM results r
                       WHERE ${which}
                         AND r.document_id BETWEEN (SELECT first FROM outermost) AND (SELECT last FROM outermost))
        ELSE ${hasResult(document, which)} END`;

type HasResult = typeof hasResult;

const wordsHold = (needle: string) => `strpos(r.words, ${needle}) > 0`;

/** Conditions under which a needle is found, and under which only the row itself can tell. */
interface Matching {
  readonly found: (needle: string, n: number) => readonly string[];
  readonly unsure: readonly string[];
}

const OF_DOCUMENTS: Matching = {
  found: (needle, n) => [
    `strpos(coalesce(d.folded_name, ${lowered('d.name')}), ${needle}) > 0`,
    `strpos(coalesce(d.folded_path, ${lowered('d.path')}), ${needle}) > 0`,
    `d.folder_id = ANY (:folders${n}::integer[])`,
    `strpos(d.sha256, :hash${n}::text) > 0 OR d.state = ANY (:named${n}::text[]) OR (:held${n}::boolean AND d.state = 'queued')`,
    `${holds('d.service_status', needle)} OR ${holds('d.message', needle)}`,
    hasResultOfWindow('d.id', wordsHold(needle)),
  ],
  unsure: [mayHold('d.service_status'), mayHold('d.message')],
};

const OF_SIGHTINGS: Matching = {
  found: (needle, n) => [
    `strpos(coalesce(s.folded_path, ${lowered(`s.dir || '/' || s.name`)}), ${needle}) > 0`,
    `strpos(coalesce(d.folded_name, ${lowered('d.name')}), ${needle}) > 0`,
    `s.folder_id = ANY (:folders${n}::integer[])`,
    `strpos(s.sha256, :hash${n}::text) > 0 OR s.verdict = ANY (:named${n}::text[])`,
    `${holds('d.service_status', needle)} OR ${holds('s.message', needle)}`,
    hasResult('s.document_id', wordsHold(needle)),
  ],
  unsure: [mayHold('d.service_status'), mayHold('s.message')],
};

const each = (count: number, text: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => text(n)).join('');

/** Each needle (by number) must be found in one of these. For each value, some result must have it and possibly match. */
function findAll(
  { needles, values }: Wanted,
  document: string,
  { found, unsure }: Matching,
  has: HasResult = hasResult,
): string {
  return [
    each(
      needles,
      (n) => `
   AND (${[...unsure, ...found(`:needle${n}::text`, n)].join('\n        OR ')})`,
    ),
    each(
      values,
      (n) => `
   AND ${has(
     document,
     `strpos(r.fields, :pointer${n}::text) > 0
                  AND (:word${n}::text IS NULL OR strpos(r.words, :word${n}::text) > 0)
                  AND CASE WHEN jsonb_typeof(r.fields::jsonb -> :at${n}::text) = 'number'
                           THEN (r.fields::jsonb ->> :at${n}::text)::numeric BETWEEN :from${n}::numeric AND :to${n}::numeric
                           ELSE TRUE END`,
   )}`,
    ),
  ].join('');
}

/** Whether `findAll` passes a row without being sure that it matches. */
function isUnsure({ needles }: Wanted, { found, unsure }: Matching): string {
  if (needles === 0) return 'FALSE';
  const sure = each(
    needles,
    (n) => `
       AND coalesce(${found(`:needle${n}::text`, n).join('\n            OR ')}, FALSE)`,
  );
  return `(${unsure.join(' OR ')}) AND NOT (TRUE ${sure})`;
}

/**
 * Counts the matches, which are read once: the planner expects one row, and would read them again for each endpoint and
 * folder.
 */
const COUNTED = `
SELECT f.place, f.path AS folder, e.base_url AS "baseUrl", e.uid, found.state, found.status, found.span,
       count(*) AS count, bool_or(found.unsure) AS "isUnsure"
  FROM found
  JOIN folders f ON f.id = found.folder_id
  LEFT JOIN endpoints e ON e.id = found.endpoint_id
 GROUP BY f.id, e.id, found.state, found.status, found.span`;

/** The document of a sighting. OFFSET keeps the planner from reading all documents instead. */
const ITS_DOCUMENT = `
  LEFT JOIN LATERAL (SELECT * FROM documents WHERE id = s.document_id OFFSET 0) d ON TRUE`;

/**
 * Without `coalesce`, the planner would assume that files without a document never match, and begin with all documents of
 * that status.
 */
const ofFolderAndEndpoint = (folderId: string) => `
   AND (:folder::text IS NULL
        OR ${folderId} IN (SELECT id FROM folders WHERE place = :place::text AND path = :folder::text))
   AND (:baseUrl::text IS NULL
        OR coalesce(d.endpoint_id IN (SELECT id FROM endpoints WHERE base_url = :baseUrl::text AND uid = :uid::text), FALSE))
   AND (:statuses::text[] IS NULL OR coalesce(d.service_status = ANY (:statuses::text[]), FALSE))`;

function documentsWhere(only: string): Walks {
  return inBothOrders((order) => {
    const [later, until, direction] = LATER[order];
    const behind = `${only} AND (d.created_at, d.id) ${later} (:at::bigint, :id::bigint)`;
    const within = `${behind} AND (d.created_at, d.id) ${until} (:lastAt::bigint, :lastId::bigint)
   AND ${between('d.created_at', order)}`;
    // Results, too, are read only for documents of the window. The zero keeps the planner from walking the primary key.
    const outermost = `
WITH outermost AS MATERIALIZED (
  SELECT min(d.id + 0) AS first, max(d.id + 0) AS last FROM documents d WHERE ${within})`;
    const meant = (wanted: Wanted) => `${within}
   AND (:states::text[] IS NULL OR d.state = ANY (:states::text[]))${ofFolderAndEndpoint('d.folder_id')}
   AND (:attention::text IS NULL OR CASE :attention::text
         WHEN 'none' THEN d.dismissed_at IS NOT NULL OR d.state NOT IN (${UNDECIDED_SQL})
         ELSE (d.dismissed_at IS NULL) = (:attention::text = 'needed') END)${findAll(wanted, 'd.id', OF_DOCUMENTS, hasResultOfWindow)}`;
    return {
      windowEnd: `
SELECT d.created_at AS at, d.id FROM documents d
 WHERE ${behind} ORDER BY d.created_at ${direction}, d.id ${direction} LIMIT 1 OFFSET :size::integer - 1`,
      rows: (
        wanted,
      ) => `${outermost}${SELECT_DOCUMENT.replace(/\n\s*FROM documents d\n/, `,${ARCHIVED_TO},${postedAbout('d.id')},${DISMISSED}\n  FROM documents d\n`)}
 WHERE ${meant(wanted)}
 ORDER BY d.created_at ${direction}, d.id ${direction}`,
      tally: (wanted) => `${outermost},
found AS MATERIALIZED (
  SELECT d.folder_id, d.endpoint_id, d.state, d.service_status AS status, d.created_at / ${wanted.spanMs} AS span,
         ${isUnsure(wanted, OF_DOCUMENTS)} AS unsure
    FROM documents d
   WHERE ${meant(wanted)})${COUNTED}`,
    };
  });
}

export const DOCUMENTS = documentsWhere('TRUE');

/** Few in most ledgers, however large. */
export const UNSETTLED_DOCUMENTS = documentsWhere(`d.state <> 'accepted'`);

export const SIGHTINGS = inBothOrders((order): Walk => {
  const [later, until, direction] = LATER[order];
  const behind = `s.verdict <> 'document' AND (s.seen_at, s.id) ${later} (:at::bigint, :id::bigint)`;
  const meant = (
    wanted: Wanted,
  ) => `${LISTED} AND ${behind} AND (s.seen_at, s.id) ${until} (:lastAt::bigint, :lastId::bigint)
   AND ${between('s.seen_at', order)}
   AND (:states::text[] IS NULL OR s.verdict = ANY (:states::text[]))${ofFolderAndEndpoint('s.folder_id')}
   AND (:attention::text IS NULL
        OR CASE :attention::text
             WHEN 'needed' THEN ${NEEDS_PERSON}
             WHEN 'none' THEN CASE WHEN ${NEEDS_PERSON} THEN FALSE ELSE TRUE END
             ELSE s.gone_at IS NULL AND s.dismissed_at IS NOT NULL END)${findAll(wanted, 's.document_id', OF_SIGHTINGS)}`;
  return {
    windowEnd: `
SELECT s.seen_at AS at, s.id FROM sightings s
 WHERE ${behind} ORDER BY s.seen_at ${direction}, s.id ${direction} LIMIT 1 OFFSET :size::integer - 1`,
    // Filtered before the joins: the planner expects few rows, and would read all endpoints for each.
    rows: (wanted) => `
WITH found AS MATERIALIZED (
  SELECT s.*, d.name AS document_name, d.type, d.service_status, d.endpoint_id
    FROM sightings s${ITS_DOCUMENT}
   WHERE ${meant(wanted)})
SELECT s.id, f.place, f.path AS folder, s.dir, s.name, s.verdict, s.size, s.sha256, s.reason, s.message,
       s.archived_to AS "archivedTo", s.seen_at AS "createdAt", s.updated_at AS "updatedAt", s.gone_at AS "goneAt",
       s.dismissed_at AS "dismissedAt", s.dismissed_by AS "dismissedBy",
       s.document_id AS "documentId", s.document_name AS "documentName", s.type, s.service_status AS "serviceStatus",
       e.base_url AS "baseUrl", e.uid,${postedAbout('s.document_id')}
  FROM found s
  JOIN folders f ON f.id = s.folder_id
  LEFT JOIN endpoints e ON e.id = s.endpoint_id
 ORDER BY s.seen_at ${direction}, s.id ${direction}`,
    tally: (wanted) => `
WITH found AS MATERIALIZED (
  SELECT s.folder_id, d.endpoint_id, s.verdict AS state, d.service_status AS status, s.seen_at / ${wanted.spanMs} AS span,
         ${isUnsure(wanted, OF_SIGHTINGS)} AS unsure
    FROM sightings s${ITS_DOCUMENT}
   WHERE ${meant(wanted)})${COUNTED}`,
  };
});
