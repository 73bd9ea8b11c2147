import { join } from 'node:path';
import { DEFAULT_ACCOUNT, type AccountOf } from '../../core/domain/account.ts';
import { DOCUMENT_STATES, type Attempt, type Verdict } from '../../core/domain/document.ts';
import { UNDECIDED_STATES } from '../../core/domain/needsPerson.ts';
import { pageOf } from '../../core/domain/pages.ts';
import type { Hold } from '../../core/domain/hold.ts';
import type {
  LedgerReports,
  ListState,
  DocumentFile,
  Standing,
  StateCount,
  UploadRow,
} from '../../core/ports/ledgerReports.ts';
import { isListed, needsAttention, type DocumentRow, pathOf, splitPath, select } from '../schema.ts';
import { holdOver, holdsOf, isHeld, type Others } from './holds.ts';
import { listReads } from './lists.ts';
import { originalReports } from './originals.ts';
import { resultReports, resultsOf } from './results.ts';
import { DOCUMENT, identityOf, type Columns, type DocumentColumns, type View } from './view.ts';
import { endpointIdOf } from '../entries.ts';

const STANDINGS_AT_ONCE = 1_000;
const FOREVER = Number.MAX_SAFE_INTEGER;

const BY_ID = `SELECT ${DOCUMENT}, d.response, d.dismissed_at, d.dismissed_by FROM documents d WHERE d.id = :id`;
const BY_BYTES = `SELECT ${DOCUMENT} FROM documents d WHERE d.endpoint_id = :endpoint AND d.sha256 = :sha256 ORDER BY d.twin LIMIT 1`;
const BY_NAME = `SELECT w.* FROM {rows endpoint:int} {lateral} (
  SELECT ${DOCUMENT} FROM documents d WHERE d.endpoint_id = r.endpoint AND d.name = :name ORDER BY d.twin LIMIT 100) w`;

const ATTEMPT = 'a.began_at AS "startedAt", a.ended_at AS "finishedAt", a.outcome, a.bytes';
const ATTEMPTS_OF = `SELECT a.id, ${ATTEMPT}, a.http AS "httpStatus", a.message FROM attempts a WHERE a.document_id = :id ORDER BY a.id`;
const UPLOADS = `SELECT ${ATTEMPT} FROM attempts a WHERE a.began_at >= :from AND a.began_at < :to`;
const ACCEPTED = `SELECT count(*) AS n FROM attempts a WHERE a.began_at >= :from AND a.began_at < :to AND a.outcome = 'accepted'`;

const FILE_NAMES = 'folder_id dir name verdict size seen_at gone_at disposed archived_to message';
type ReportedFile = Columns<'files', typeof FILE_NAMES>;
const FILES_OF = `SELECT ${select('f', FILE_NAMES)} FROM files f WHERE f.document_id = :id ORDER BY f.id`;

const WATCHED = 'SELECT watched_at FROM folders WHERE id = :folder';
const SEQ = 'SELECT seq FROM endpoints WHERE id = :endpoint';
const ENDPOINTS = 'SELECT base_url, uid, name, created_at FROM endpoints ORDER BY base_url, uid';

const COUNTS = `SELECT endpoint_id, folder_id, state, CAST(sum(n) AS bigint) AS n FROM counts
 GROUP BY endpoint_id, folder_id, state ORDER BY endpoint_id, folder_id, state`;
const DISMISSED = `SELECT d.endpoint_id, d.folder_id, d.state, count(*) AS n FROM documents d WHERE d.dismissed_at IS NOT NULL
 GROUP BY d.endpoint_id, d.folder_id, d.state`;
const NEEDING = `SELECT f.endpoint_id, f.folder_id, f.verdict AS state, f.reason, count(*) AS n FROM files f WHERE ${needsAttention('f.')}
 GROUP BY f.endpoint_id, f.folder_id, f.verdict, f.reason`;

/** An image that went away and came back counts once, although it was seen twice. A file that went away before it was stable was never an image. */
const SEEN = `SELECT f.folder_id, CASE f.verdict WHEN 'document' THEN d.state ELSE f.verdict END AS state,
       CASE WHEN (f.verdict = 'document' AND d.dismissed_at IS NULL AND d.state IN (${UNDECIDED_STATES.map((each) => `'${each}'`).join(', ')}))
              OR (${needsAttention('f.')}) THEN 1 ELSE 0 END AS needs,
       max(f.seen_at) AS newest,
       count(DISTINCT CASE f.verdict WHEN 'document' THEN f.document_id ELSE -f.id END) AS n
  FROM files f LEFT JOIN documents d ON d.id = f.document_id
 WHERE f.seen_at >= :since AND f.seen_at < :until AND (f.verdict = 'document' OR (${isListed('f.')}))
 GROUP BY f.folder_id, 2, 3`;
/** Documents by when they were admitted, other files by when they were seen: both have an index. */
const ARRIVED = `SELECT n.folder_id, n.at - n.at % :every AS at, count(*) AS n FROM (
  SELECT d.folder_id, d.created_at AS at FROM documents d WHERE d.created_at >= :from AND d.created_at < :to
  UNION ALL
  SELECT f.folder_id, f.seen_at AS at FROM files f
   WHERE f.verdict <> 'document' AND f.seen_at >= :from AND f.seen_at < :to AND f.verdict NOT IN ('skipped', 'split')) n
 GROUP BY n.folder_id, 2`;

const STANDING = 'f.id, f.dir, f.name, f.size, f.identity, f.verdict, d.state, d.name AS document_name';
const FILE_STANDING = `${STANDING}, f.policy, f.reason, f.message, f.updated_at, f.dismissed_at,
  d.reason AS document_reason, d.message AS document_message, d.updated_at AS document_updated_at, d.dismissed_at AS document_dismissed_at`;
const STANDINGS = `SELECT ${STANDING} FROM files f LEFT JOIN documents d ON d.id = f.document_id
 WHERE f.folder_id = :folder AND f.gone_at IS NULL AND (f.dir, f.name) > (:dir, :name) ORDER BY f.dir, f.name LIMIT :limit`;
const STANDING_OF = `SELECT ${FILE_STANDING} FROM files f LEFT JOIN documents d ON d.id = f.document_id
 WHERE f.folder_id = :folder AND f.dir = :dir AND f.name = :name AND f.gone_at IS NULL`;
/** Of a page, while its file is there. */
const STANDING_OF_PAGE = `SELECT ${FILE_STANDING} FROM files o JOIN files f ON f.file_id = o.id LEFT JOIN documents d ON d.id = f.document_id
 WHERE o.folder_id = :folder AND o.dir = :fileDir AND o.name = :fileName AND o.gone_at IS NULL AND f.dir = :dir AND f.name = :name`;

/** A result may arrive after everything else was erased. */
const ERASABLE = `SELECT d.id FROM documents d
 WHERE d.id > :after AND d.created_at < :before AND d.state NOT IN ('queued', 'uploading')
   AND (d.erased_at IS NULL OR EXISTS (SELECT 1 FROM results s WHERE s.document_id = d.id AND s.payload IS NOT NULL LIMIT 1 OFFSET 0))
 ORDER BY d.id LIMIT :limit`;

interface Counted {
  readonly endpoint_id: number;
  readonly folder_id: number;
  readonly state: ListState;
  readonly n: number;
}

interface StandingColumns extends Columns<'files', 'id dir name size identity'> {
  readonly verdict: Verdict;
  readonly state: DocumentRow['state'] | null;
  readonly document_name: string | null;
}

interface FileStandingColumns
  extends StandingColumns, Columns<'files', 'policy reason message updated_at dismissed_at'> {
  readonly document_reason: string | null;
  readonly document_message: string | null;
  readonly document_updated_at: number | null;
  readonly document_dismissed_at: number | null;
}

/** Everything that people ask a ledger. The engine knows its head, and a fleet its agents. */
export function createReports(
  view: View,
  accountOf: AccountOf = DEFAULT_ACCOUNT,
  others: Others | null = null,
): Omit<LedgerReports, 'fleet' | 'head'> {
  const holds = (): Promise<readonly Hold[]> => holdsOf(view, others);

  /** Documents and files that need a person are split off; sums are unchanged. */
  const counts = async (isMeant: (state: ListState) => boolean): Promise<readonly StateCount[]> => {
    const [held, all, dismissed, needing] = await Promise.all([
      holds(),
      view.all<Counted>(COUNTS),
      view.all<Counted>(DISMISSED),
      view.all<Counted & Columns<'files', 'reason'>>(NEEDING),
    ]);
    await view.know(all);
    const keyOf = (row: Counted): string => `${row.endpoint_id} ${row.folder_id} ${row.state}`;
    const resolved = new Map(dismissed.map((row) => [keyOf(row), row.n]));
    const rows = all
      .filter(({ state }) => isMeant(state))
      .flatMap((row): StateCount[] => {
        const { endpoint_id, folder_id, state, n } = row;
        const endpoint = view.endpoint(endpoint_id);
        const folder = view.path(folder_id);
        const isOnHold =
          state === 'queued' && endpoint !== null && isHeld(holdOver(held, endpoint, folder, accountOf));
        const of = { endpoint, folder, state: isOnHold ? 'held' : state };
        const cases: StateCount[] = UNDECIDED_STATES.some((each) => each === state)
          ? [{ ...of, count: n - (resolved.get(keyOf(row)) ?? 0), needsPerson: true }]
          : needing
              .filter((each) => keyOf(each) === keyOf(row))
              .map(({ reason, n: count }) => ({ ...of, count, needsPerson: true, reason: reason ?? '' }));
        return [...cases, { ...of, count: n - cases.reduce((sum, { count }) => sum + count, 0) }];
      });
    return byFolder(
      rows.filter(({ count }) => count > 0),
      ({ endpoint, state, needsPerson, reason }) =>
        `${endpoint?.baseUrl ?? ''}#${endpoint?.uid ?? ''} ${state} ${needsPerson} ${reason}`,
    );
  };

  return {
    ...resultReports(view),
    ...originalReports(view),

    ...listReads(view, holds, accountOf),

    uploads: (from, to) => view.all<UploadRow>(UPLOADS, { from, to }),
    countAccepted: (from, to) => view.number(ACCEPTED, { from, to }),

    async find(name) {
      const endpoints = [...(await view.endpoints()).keys()];
      const rows = await view.each<DocumentColumns>(
        BY_NAME,
        endpoints.map((endpoint) => ({ endpoint })),
        { name },
      );
      return view.documents(rows.toSorted((a, b) => a.id - b.id));
    },

    document: async (id) => (await view.documents(await view.all<DocumentColumns>(BY_ID, { id })))[0] ?? null,

    async detail(id) {
      type More = Columns<'documents', 'response dismissed_at dismissed_by'>;
      const [row, attempts, files, results] = await Promise.all([
        view.one<DocumentColumns & More>(BY_ID, { id }),
        view.all<Attempt>(ATTEMPTS_OF, { id }),
        view.all<ReportedFile>(FILES_OF, { id }),
        resultsOf(view, id),
      ]);
      if (!row) return null;
      await view.know([row, ...files]);
      const { response, dismissed_at: at, dismissed_by: by } = row;
      return {
        document: view.document(row),
        response,
        dismissed: at === null ? null : { by: by ?? '', at },
        attempts: attempts.map((attempt) => ({ ...attempt })),
        files: files.map((file) => toFile(view, file)),
        results,
      };
    },

    async isFirstWatch(folder) {
      const of = { folder: view.folderId(folder) };
      return ((await view.one<Columns<'folders', 'watched_at'>>(WATCHED, of))?.watched_at ?? null) === null;
    },

    async bySha256(endpoint, sha256) {
      const rows = await view.all<DocumentColumns>(BY_BYTES, { endpoint: endpointIdOf(endpoint), sha256 });
      return (await view.documents(rows))[0] ?? null;
    },

    isNameTaken: async (endpoint, name) =>
      (await view.each(BY_NAME, [{ endpoint: endpointIdOf(endpoint) }], { name })).length > 0,

    async nextSeq(endpoint) {
      const of = { endpoint: endpointIdOf(endpoint) };
      return ((await view.one<Columns<'endpoints', 'seq'>>(SEQ, of))?.seq ?? 0) + 1;
    },

    counts: () => counts(() => true),
    documentCounts: () => counts((state) => DOCUMENT_STATES.some((each) => each === state)),

    holds,

    endpoints: async () =>
      (await view.all<Columns<'endpoints', 'base_url uid name created_at'>>(ENDPOINTS)).map(
        ({ base_url: baseUrl, uid, name, created_at }) => ({
          endpoint: { baseUrl, uid },
          name,
          createdAt: created_at,
        }),
      ),

    async seenCounts(since, until) {
      type Columns = Omit<Counted, 'endpoint_id'> & { readonly needs: number; readonly newest: number };
      const rows = await view.all<Columns>(SEEN, {
        since: since ?? -FOREVER,
        until: until ?? FOREVER,
      });
      await view.know(rows);
      return byFolder(
        rows
          // Of rows that are merged, the last one's time remains.
          .toSorted((a, b) => a.newest - b.newest)
          .map(({ folder_id, state, needs, newest, n: count }) => ({
            folder: view.path(folder_id),
            state,
            ...(needs === 1 && { needsPerson: true as const }),
            count,
            newest,
          })),
        ({ state, needsPerson }) => `${state} ${needsPerson}`,
      );
    },

    async arrivals(from, to, every) {
      type Columns = { readonly folder_id: number; readonly at: number; readonly n: number };
      const rows = await view.all<Columns>(ARRIVED, { from, to, every });
      await view.know(rows);
      return byFolder(
        rows
          .map(({ folder_id, at, n: count }) => ({ folder: view.path(folder_id), at, count }))
          .sort((a, b) => a.at - b.at || (a.folder < b.folder ? -1 : 1)),
        ({ at }) => `${at}`,
      );
    },

    async *standings(folder) {
      const of = { folder: view.folderId(folder), limit: STANDINGS_AT_ONCE };
      for (let after = { dir: '', name: '' }; ;) {
        const rows = await view.all<StandingColumns>(STANDINGS, { ...of, ...after });
        const last = rows.at(-1);
        if (!last) return;
        yield new Map(rows.map((row) => [pathOf(row), toStanding(row)]));
        after = { dir: last.dir, name: last.name };
      }
    },

    async standing({ folder, path }) {
      const of = { folder: view.folderId(folder), ...splitPath(path) };
      const page = pageOf(path);
      const file = page && splitPath(page.file);
      const row = await (file
        ? view.one<FileStandingColumns>(STANDING_OF_PAGE, { ...of, fileDir: file.dir, fileName: file.name })
        : view.one<FileStandingColumns>(STANDING_OF, of));
      if (!row) return null;
      const isDocument = row.verdict === 'document';
      return {
        ...toStanding(row),
        fileId: row.id,
        isDismissed: (isDocument ? row.document_dismissed_at : row.dismissed_at) !== null,
        reason: isDocument ? row.document_reason : row.reason,
        message: isDocument ? row.document_message : row.message,
        policy: row.policy,
        at: (isDocument ? row.document_updated_at : null) ?? row.updated_at,
      };
    },

    erasable: (before, limit = FOREVER, after = 0) => view.ids(ERASABLE, { before, limit, after }),
  };
}

function toFile(view: View, file: ReportedFile): DocumentFile {
  return {
    path: join(view.path(file.folder_id), pathOf(file)),
    verdict: file.verdict,
    size: file.size,
    seenAt: file.seen_at,
    goneAt: file.gone_at,
    disposed: file.disposed,
    archivedTo: file.archived_to,
    remark: file.message,
  };
}

function toStanding(row: StandingColumns): Standing {
  const { verdict, state } = row;
  return {
    identity: identityOf(row),
    state: verdict === 'document' ? (state ?? 'lost') : verdict,
    name: row.document_name,
  };
}

/** Merges rows of one folder: one that was shared later has two numbers. */
function byFolder<Counts extends { readonly folder: string; readonly count: number }>(
  rows: readonly Counts[],
  kindOf: (row: Counts) => string,
): Counts[] {
  const found = new Map<string, Counts>();
  for (const row of rows) {
    const key = `${kindOf(row)} ${row.folder}`;
    found.set(key, { ...row, count: row.count + (found.get(key)?.count ?? 0) });
  }
  return [...found.values()];
}
