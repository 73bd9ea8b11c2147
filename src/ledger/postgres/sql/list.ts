import type { ListOrder } from '../../../core/ports/ledgerReports.ts';
import type { Wanted } from '../../listing/source.ts';
import { UNDECIDED_SQL } from '../../needing.ts';
import { MOST_POSTED } from '../../resultRows.ts';
import { SELECT_DOCUMENT } from './documents.ts';
import { LISTED } from './reports.ts';
import { NEEDS_PERSON } from './sightings.ts';

/** The zero keeps the primary key from being walked for the last of one document's. */
const ARCHIVED_TO = `
       (SELECT s.archived_to FROM sightings s
         WHERE s.document_id = d.id AND s.verdict = 'document' AND s.archived_to IS NOT NULL
         ORDER BY s.id + 0 DESC LIMIT 1) AS "archivedTo"`;

/** The last results of a document, as `toPosted` reads them. */
const postedAbout = (document: string) => `
       (SELECT '[' || string_agg(p.fields, ',' ORDER BY p.id DESC) || ']'
          FROM (SELECT r.id, r.fields FROM results r WHERE r.document_id = ${document} AND r.fields IS NOT NULL
                 ORDER BY r.id DESC LIMIT ${MOST_POSTED}) p) AS posted`;

const DISMISSED = `
       d.dismissed_at AS "dismissedAt", d.dismissed_by AS "dismissedBy"`;

/** Along an index by the time of creation. */
export interface Walk {
  /** The last row of a window of `size` rows behind a row; none when fewer are left. */
  readonly windowEnd: string;
  /** What the window holds. NULL parameters filter nothing; of a search it may hold more than is found. */
  readonly rows: (wanted: Wanted) => string;
  /** The same, counted. */
  readonly tally: (wanted: Wanted) => string;
}

export type Walks = Readonly<Record<ListOrder, Walk>>;

/** Comparison, and direction, of what comes later in an order. */
const LATER: Readonly<Record<ListOrder, readonly [later: string, until: string, direction: string]>> = {
  oldest: ['>', '<=', 'ASC'],
  newest: ['<', '>=', 'DESC'],
};

/** The planner knows how few rows lie between two times, and not between two rows: it would read the whole table for each window. */
const between = (time: string, order: ListOrder) =>
  order === 'oldest'
    ? `${time} BETWEEN :at::bigint AND :lastAt::bigint`
    : `${time} BETWEEN :lastAt::bigint AND :at::bigint`;

function inBothOrders(walk: (order: ListOrder) => Walk): Walks {
  return { oldest: walk('oldest'), newest: walk('newest') };
}

export const FOLDERS = `SELECT id, place, path FROM folders`;

/** The same in every database: of ASCII alone. */
const lowered = (text: string) => `lower((${text}) COLLATE "C")`;

const holds = (column: string, needle: string) => `strpos(${lowered(column)}, ${needle}) > 0`;

/** Where others than ASCII are in it, that does not fold it. */
const mayHold = (column: string) => `octet_length(${column}) > length(${column})`;

/**
 * Whether a document has such a result. `only` bounds them to those of a window, which are then looked through once; the planner would
 * rather ask for each document, of which it expects few.
 */
const hasResult = (document: string, which: string, only = '') =>
  only === ''
    ? `EXISTS (SELECT 1 FROM results r WHERE r.document_id = ${document} AND ${which})`
    : `${document} IN (SELECT r.document_id FROM results r WHERE ${which}${only})`;

const postedHolds = (document: string, needle: string, only = '') =>
  hasResult(document, `strpos(r.words, ${needle}) > 0`, only);

/** Where a needle is found, and where only the row itself says whether it is. */
interface Places {
  readonly found: (needle: string, n: number) => readonly string[];
  readonly unsure: readonly string[];
}

const ofDocuments = (only: string): Places => ({
  found: (needle, n) => [
    `strpos(coalesce(d.folded_name, ${lowered('d.name')}), ${needle}) > 0`,
    `strpos(coalesce(d.folded_path, ${lowered('d.path')}), ${needle}) > 0`,
    `d.folder_id = ANY (:folders${n}::integer[])`,
    `strpos(d.sha256, :hash${n}::text) > 0 OR d.state = ANY (:named${n}::text[]) OR (:held${n}::boolean AND d.state = 'queued')`,
    `${holds('d.service_status', needle)} OR ${holds('d.message', needle)}`,
    postedHolds('d.id', needle, only),
  ],
  unsure: [mayHold('d.service_status'), mayHold('d.message')],
});

const OF_SIGHTINGS: Places = {
  found: (needle, n) => [
    `strpos(coalesce(s.folded_path, ${lowered(`s.dir || '/' || s.name`)}), ${needle}) > 0`,
    `strpos(coalesce(d.folded_name, ${lowered('d.name')}), ${needle}) > 0`,
    `s.folder_id = ANY (:folders${n}::integer[])`,
    `strpos(s.sha256, :hash${n}::text) > 0 OR s.verdict = ANY (:named${n}::text[])`,
    `${holds('d.service_status', needle)} OR ${holds('s.message', needle)}`,
    postedHolds('s.document_id', needle),
  ],
  unsure: [mayHold('d.service_status'), mayHold('s.message')],
};

const each = (count: number, text: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => text(n)).join('');

/** For each needle, by its number: somewhere in these. For each value: a result has it, and it may be one that is meant. */
function findAll(
  { needles, values }: Wanted,
  document: string,
  { found, unsure }: Places,
  only = '',
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
   AND ${hasResult(
     document,
     `strpos(r.fields, :pointer${n}::text) > 0
                  AND (:word${n}::text IS NULL OR strpos(r.words, :word${n}::text) > 0)
                  AND CASE WHEN jsonb_typeof(r.fields::jsonb -> :at${n}::text) = 'number'
                           THEN (r.fields::jsonb ->> :at${n}::text)::numeric BETWEEN :from${n}::numeric AND :to${n}::numeric
                           ELSE TRUE END`,
     only,
   )}`,
    ),
  ].join('');
}

/** Whether `findAll` lets a row pass without being sure of it. */
function isUnsure({ needles }: Wanted, { found, unsure }: Places): string {
  if (needles === 0) return 'FALSE';
  const sure = each(
    needles,
    (n) => `
       AND coalesce(${found(`:needle${n}::text`, n).join('\n            OR ')}, FALSE)`,
  );
  return `(${unsure.join(' OR ')}) AND NOT (TRUE ${sure})`;
}

/** Counts what was found, which is read once: the planner expects a row of it, and would read it again for each endpoint and folder. */
const COUNTED = `
SELECT f.place, f.path AS folder, e.base_url AS "baseUrl", e.uid, found.state, found.status, found.span,
       count(*) AS count, bool_or(found.unsure) AS "isUnsure"
  FROM found
  JOIN folders f ON f.id = found.folder_id
  LEFT JOIN endpoints e ON e.id = found.endpoint_id
 GROUP BY f.id, e.id, found.state, found.status, found.span`;

/** Without `coalesce` the planner takes files for those of a document, and begins with all documents of that status. */
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
    // Of results, too, only those of a window are looked through. The zero keeps the primary key from being walked.
    const outermost = `
WITH outermost AS MATERIALIZED (
  SELECT min(d.id + 0) AS first, max(d.id + 0) AS last FROM documents d WHERE ${within})`;
    const ofWindow = ` AND r.document_id BETWEEN (SELECT first FROM outermost) AND (SELECT last FROM outermost)`;
    const places = ofDocuments(ofWindow);
    const meant = (wanted: Wanted) => `${within}
   AND (:states::text[] IS NULL OR d.state = ANY (:states::text[]))${ofFolderAndEndpoint('d.folder_id')}
   AND (:attention::text IS NULL OR CASE :attention::text
         WHEN 'none' THEN d.dismissed_at IS NOT NULL OR d.state NOT IN (${UNDECIDED_SQL})
         ELSE (d.dismissed_at IS NULL) = (:attention::text = 'needed') END)${findAll(wanted, 'd.id', places, ofWindow)}`;
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
         ${isUnsure(wanted, places)} AS unsure
    FROM documents d
   WHERE ${meant(wanted)})${COUNTED}`,
    };
  });
}

export const DOCUMENTS = documentsWhere('TRUE');

/** Few in most ledgers, however long. */
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
    rows: (wanted) => `
SELECT s.id, f.place, f.path AS folder, s.dir, s.name, s.verdict, s.size, s.sha256, s.reason, s.message,
       s.archived_to AS "archivedTo", s.seen_at AS "createdAt", s.updated_at AS "updatedAt", s.gone_at AS "goneAt",
       s.dismissed_at AS "dismissedAt", s.dismissed_by AS "dismissedBy",
       d.id AS "documentId", d.name AS "documentName", d.type, d.service_status AS "serviceStatus",
       e.base_url AS "baseUrl", e.uid,${postedAbout('s.document_id')}
  FROM sightings s
  JOIN folders f ON f.id = s.folder_id
  LEFT JOIN documents d ON d.id = s.document_id
  LEFT JOIN endpoints e ON e.id = d.endpoint_id
 WHERE ${meant(wanted)}
 ORDER BY s.seen_at ${direction}, s.id ${direction}`,
    tally: (wanted) => `
WITH found AS MATERIALIZED (
  SELECT s.folder_id, d.endpoint_id, s.verdict AS state, d.service_status AS status, s.seen_at / ${wanted.spanMs} AS span,
         ${isUnsure(wanted, OF_SIGHTINGS)} AS unsure
    FROM sightings s
    LEFT JOIN documents d ON d.id = s.document_id
   WHERE ${meant(wanted)})${COUNTED}`,
  };
});
