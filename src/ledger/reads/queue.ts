import { BYTES_ELSEWHERE, MOVED, type EndpointKey } from '../../core/domain/document.ts';
import { BACKLOG, FRESH } from '../../core/messages.ts';
import type { HeadsWanted, LedgerQueue, QueueHead } from '../../core/ports/ledgerQueue.ts';
import { CHAIN, endpointIdOf } from '../entries.ts';
import { isUnsettled, ofBytes, pathOf, select } from '../schema.ts';
import { DOCUMENT, identityOf, type Columns, type DocumentColumns, type View } from './view.ts';

/** A request leaves once its start is committed, which a slow disk may delay; after this time, no request leaves any more. */
const SENT_WITHIN_MS = 10 * 60_000;
/** Most places in which bytes are searched for. */
const MOST_SOURCES = 100;

const ANY = Number.MAX_SAFE_INTEGER;

/** Folders with something queued: few, however long their queues are. */
const FOLDERS = `SELECT folder_id FROM counts WHERE endpoint_id = :endpoint AND state = 'queued' GROUP BY folder_id HAVING sum(n) > 0`;

const QUEUED = `d.endpoint_id = :endpoint AND d.priority = r.priority AND d.folder_id = r.folder AND d.state = 'queued'`;

/** What another agent gave back to the one that may have its bytes, only that one takes. */
const IS_MEANT = `(d.reason IS DISTINCT FROM '${BYTES_ELSEWHERE}' OR d.due > d.updated_at OR (d.id > :own AND d.id < :others))`;

/** `+ 0`: PostgreSQL must not look for them by the time of their creation, where it would read the whole queue and sort it. */
const HEADS = `SELECT w.* FROM {rows priority:int folder:int first:int last:int since:int before:int wait:int} {lateral} (
  SELECT ${DOCUMENT} FROM documents d
   WHERE ${QUEUED} AND d.due >= r.first AND d.due <= r.last AND d.created_at + 0 >= r.since AND d.created_at + 0 < r.before AND d.due - d.updated_at <= r.wait AND ${IS_MEANT}
   ORDER BY d.due, d.id LIMIT :limit) w`;

const NEXT_DUE = `SELECT w.* FROM {rows priority:int folder:int} {lateral} (
  SELECT d.due FROM documents d WHERE ${QUEUED} AND d.due > :now ORDER BY d.due LIMIT 1) w`;

const CREATED_LATER =
  'SELECT d.id FROM documents d WHERE d.created_at > :now ORDER BY d.created_at, d.id LIMIT 1';

/** A part of a queue that is read from its beginning. */
interface QueueSpan {
  readonly first: number;
  readonly last: number;
  readonly since: number;
  readonly before: number;
  /** How long after its latest change a document may be due. */
  readonly wait: number;
}

/** The heads of the queues of an endpoint, read along the index: a queue of millions costs no more than a short one. */
export async function heads(view: View, wanted: HeadsWanted): Promise<readonly QueueHead[]> {
  const { priority, now, limit } = wanted;
  const endpoint = endpointIdOf(wanted.endpoint);
  const folders = await queues(view, endpoint, wanted);
  if (folders.length === 0) return [];
  const isBehind = (await view.one(CREATED_LATER, { now })) !== undefined;
  const spans = spansOf(wanted, isBehind);
  const { after, before } = view.own;
  const batch = folders.flatMap((folder) => spans.map((span) => ({ priority, folder, ...span })));
  const rows = await view.each<DocumentColumns>(HEADS, batch, {
    endpoint,
    limit,
    own: after,
    others: before,
  });
  await view.know(rows);
  return folders.flatMap((folder) => {
    const own = rows
      .filter(({ folder_id }) => folder_id === folder)
      .sort((a, b) => a.due - b.due || a.id - b.id);
    const documents = own.slice(0, limit).map((row) => view.document(row));
    return documents.length === 0 ? [] : [{ folder: view.path(folder), documents }];
  });
}

/** Folders with something queued in an endpoint. */
async function queues(
  view: View,
  endpoint: number,
  { exceptFolders = [] }: Pick<HeadsWanted, 'exceptFolders'>,
): Promise<readonly number[]> {
  const rows = await view.all<{ readonly folder_id: number }>(FOLDERS, { endpoint });
  await view.know(rows);
  const except = new Set(exceptFolders.map((path) => view.folderId(path)));
  return rows.map(({ folder_id }) => folder_id).filter((id) => view.reaches(id) && !except.has(id));
}

/** @param isBehind the clock was ahead before: what is due later only because it was admitted then is due now */
function spansOf(
  { now, latest, createdSince, createdBefore }: HeadsWanted,
  isBehind: boolean,
): readonly QueueSpan[] {
  const all = { since: -ANY, before: ANY, wait: ANY };
  const due: readonly QueueSpan[] = [
    { ...all, first: -ANY, last: now },
    { ...all, first: latest + 1, last: ANY },
    ...(isBehind ? [{ ...all, first: now + 1, last: latest, wait: 0 }] : []),
  ];
  // Nothing is due before it was created, unless the clock went back: then it counts as older. So each part begins where what is meant begins.
  const parts = due.flatMap((span): readonly QueueSpan[] => {
    if (createdSince !== undefined)
      return [{ ...span, first: Math.max(span.first, createdSince), since: createdSince }];
    if (createdBefore === undefined) return [span];
    return [
      { ...span, last: Math.min(span.last, createdBefore - 1) },
      { ...span, first: Math.max(span.first, createdBefore), before: createdBefore },
    ];
  });
  return parts.filter(({ first, last }) => first <= last);
}

const WAITING = `SELECT ${DOCUMENT} FROM documents d WHERE ${isUnsettled('d.')} AND d.state IN ('queued', 'uploading') AND d.id > :after AND d.id < :before
 ORDER BY d.id LIMIT :limit`;

const RETRIABLE = `SELECT d.id FROM documents d WHERE ${isUnsettled('d.')} AND d.id > :after
   AND (d.state IN ('failed', 'unconfirmed', 'lost') OR (d.state = 'queued' AND d.due > :at)) AND d.reason IS DISTINCT FROM '${MOVED}'
 ORDER BY d.id LIMIT :limit`;

const WANTED = `SELECT w.* FROM {rows endpoint:int sha256:text} {lateral} (
  SELECT d.sha256 FROM documents d WHERE d.endpoint_id = r.endpoint AND d.sha256 = r.sha256
     AND (d.state IN ('queued', 'uploading', 'lost') OR (d.state <> 'accepted' AND d.updated_at >= :failedSince)) ORDER BY d.twin LIMIT 1) w`;
const SPLITTING = `SELECT w.* FROM {rows sha256:text} {lateral} (
  SELECT f.sha256 FROM files f WHERE f.sha256 = r.sha256 AND f.document_id IS NULL AND f.split_into IS NOT NULL AND f.verdict = 'split' LIMIT 1) w`;

const SOURCE_NAMES = 'id folder_id dir name size identity seen_at';
/** Includes files that are gone, since one may be back before the next listing. A page has the location of its file. */
const SOURCES = `SELECT ${select('f', SOURCE_NAMES)}, coalesce(f.archived_to, o.archived_to || '//' || f.name) AS archived_to
  FROM (${ofBytes(':sha256')}) b JOIN files f ON f.id = b.id LEFT JOIN files o ON o.id = f.file_id
 WHERE f.disposed IS DISTINCT FROM 'deleted' AND o.disposed IS DISTINCT FROM 'deleted'
 ORDER BY f.seen_at DESC, f.id DESC LIMIT ${10 * MOST_SOURCES}`;
type SourceColumns = Columns<'files', `${typeof SOURCE_NAMES} archived_to`>;

const FILES_WITH = `SELECT count(*) AS n FROM files f WHERE f.id IN (${ofBytes(':sha256')})`;

/** The zeros keep to the index of the time: those of an endpoint or of an agent go back to the beginning. */
const REQUESTS_OF = {
  endpoint: 'a.endpoint_id + 0 = :endpoint',
  agent: 'a.id + 0 > :after AND a.id + 0 < :before',
} as const;
/** A request leaves some time after it is recorded (connecting takes a while), at the latest when it ends. */
const attemptTimes = (whose: string): string =>
  `SELECT CASE WHEN a.ended_at > a.began_at THEN a.ended_at ELSE a.began_at END AS sent FROM attempts a
 WHERE a.began_at > :since AND ${whose} ORDER BY a.began_at DESC LIMIT :limit`;
const countAttempts = (whose: string): string => `SELECT count(*) AS n FROM attempts a
 WHERE a.began_at > :since AND ${whose} AND a.outcome IS DISTINCT FROM 'notSent' AND (a.began_at > :sent OR coalesce(a.ended_at, :now) > :sent)
   AND (a.began_at <= :now OR NOT EXISTS (
     SELECT 1 FROM attempts b WHERE b.id > a.id AND b.id < a.id - a.id % ${CHAIN} + ${CHAIN} AND b.endpoint_id + 0 = a.endpoint_id AND b.began_at + 0 <= :sent))`;

export function queueReads(
  view: View,
): Pick<
  LedgerQueue,
  | 'heads'
  | 'waiting'
  | 'retriable'
  | 'wanted'
  | 'nextDue'
  | 'sources'
  | 'filesWith'
  | 'attemptTimes'
  | 'countAttempts'
> {
  const requestsOf = (endpoint: EndpointKey | null, since: number) => ({
    whose: endpoint === null ? REQUESTS_OF.agent : REQUESTS_OF.endpoint,
    params: {
      since: since - SENT_WITHIN_MS,
      endpoint: endpoint === null ? null : endpointIdOf(endpoint),
      ...view.own,
    },
  });
  return {
    heads: (wanted) => heads(view, wanted),

    // Those of this agent: their copies are in its spool.
    async waiting(afterId, limit) {
      const { after, before } = view.own;
      const of = { after: Math.max(afterId, after), before, limit };
      return view.documents(await view.all<DocumentColumns>(WAITING, of));
    },

    retriable: (after, limit, at) => view.ids(RETRIABLE, { after, limit, at }),

    async wanted(sha256s, failedSince) {
      const endpoints = [...(await view.endpoints()).keys()];
      const hashes = sha256s.map((sha256) => ({ sha256 }));
      const [documents, files] = await Promise.all([
        view.each<{ readonly sha256: string }>(
          WANTED,
          endpoints.flatMap((endpoint) => hashes.map((hash) => ({ endpoint, ...hash }))),
          { failedSince },
        ),
        view.each<{ readonly sha256: string }>(SPLITTING, hashes),
      ]);
      return new Set([...documents, ...files].map(({ sha256 }) => sha256));
    },

    async nextDue(key, now) {
      const endpoint = endpointIdOf(key);
      const folders = await queues(view, endpoint, {});
      const batch = folders.flatMap((folder) => [FRESH, BACKLOG].map((priority) => ({ priority, folder })));
      const rows = await view.each<{ readonly due: number }>(NEXT_DUE, batch, { endpoint, now });
      return rows.length === 0 ? null : Math.min(...rows.map(({ due }) => due));
    },

    filesWith: async (sha256) => (await view.one<{ readonly n: number }>(FILES_WITH, { sha256 }))?.n ?? 0,

    async sources(sha256) {
      const rows = await view.all<SourceColumns>(SOURCES, { sha256 });
      await view.know(rows);
      return rows
        .filter(({ folder_id }) => view.reaches(folder_id))
        .toSorted(newestFirst)
        .slice(0, MOST_SOURCES)
        .map((row) => ({
          fileId: row.id,
          folder: view.path(row.folder_id),
          path: pathOf(row),
          identity: identityOf(row),
          archivedTo: row.archived_to,
        }));
    },

    async attemptTimes(endpoint, since, limit) {
      const { whose, params } = requestsOf(endpoint, since);
      const rows = await view.all<{ readonly sent: number }>(attemptTimes(whose), { ...params, limit });
      return rows
        .map(({ sent }) => sent)
        .filter((sent) => sent > since)
        .sort((a, b) => b - a);
    },

    async countAttempts(endpoint, since, now) {
      const { whose, params } = requestsOf(endpoint, since);
      return view.number(countAttempts(whose), { ...params, sent: since, now });
    },
  };
}

/** Within a chain the order of entries tells which is newer, between chains the time. */
function newestFirst(a: SourceColumns, b: SourceColumns): number {
  const isOneChain = Math.floor(a.id / CHAIN) === Math.floor(b.id / CHAIN);
  return (isOneChain ? 0 : b.seen_at - a.seen_at) || b.id - a.id;
}
