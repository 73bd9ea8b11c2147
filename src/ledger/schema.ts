import { DOCUMENT_STATES, type DocumentState, type Verdict } from '../core/domain/document.ts';
import type { ImageType } from '../core/domain/imageType.ts';
import type { HoldScope } from '../core/domain/hold.ts';
import type { PayloadEncoding } from '../core/ports/results.ts';

/**
 * The tables, once, as data: columns, what of them is personal, what a step reads, and indexes. Creating the tables, writing rows, snapshots and
 * erasure follow from here. No row is ever deleted, so a name that was issued stays taken. There are no foreign keys: only the fold writes, and it
 * names rows that an earlier entry made.
 *
 * A kind is `id`, `ref` (another row's id that an entry made; 0: none), `int` or `text`, with `?` where a value may be missing and `!` where erasure takes it.
 */
export const TABLES = {
  /** seq: the last number that `{seq}` took. */
  endpoints: {
    id: 'id',
    base_url: 'text',
    uid: 'text',
    seq: 'int',
    name: 'text?',
    record: 'text?!',
    created_at: 'int?',
  },

  /**
   * owner: the share that it is on, or the agent that alone sees it. mark: the file system that its known files are on. rule: what becomes of
   * originals. stays: files that are older than the rule, as ranges of ids in JSON.
   */
  folders: {
    id: 'id',
    owner: 'text',
    path: 'text',
    watched_at: 'int?',
    mark: 'text?',
    rule: 'text?',
    stays: 'text?',
  },

  /**
   * due: position in the queue and earliest time in one number, in milliseconds; equal ones go by id. attempt: the request in progress. replays: 1 if
   * that request repeats one that was answered with 401. Numbers of attempts made by then: `result_at`, when the latest result arrived; `status_at`,
   * when the latest status did; `known_at`, when the service was first known to have the document. answered: 1 once an answer accepted it. twin: 0, or the
   * document's own id if it came from another ledger and has the bytes or the name of a document that was here.
   */
  documents: {
    id: 'id',
    endpoint_id: 'int',
    folder_id: 'int',
    name: 'text',
    path: 'text!',
    folded: 'text?!',
    sha256: 'text',
    type: 'text',
    size: 'int',
    priority: 'int',
    state: 'text',
    due: 'int',
    reason: 'text?',
    message: 'text?!',
    attempts: 'int',
    attempt: 'ref?',
    replays: 'int',
    result_at: 'int?',
    status_at: 'int?',
    known_at: 'int?',
    answered: 'int',
    answer_lost: 'int',
    odd_answers: 'int',
    status: 'text?',
    response: 'text?!',
    twin: 'ref',
    created_at: 'int',
    updated_at: 'int',
    erased_at: 'int?',
    dismissed_at: 'int?',
    dismissed_by: 'text?',
  },

  /**
   * A version of a file, current until `gone_at`. identity: times and inode, compared for equality only. file_id: it is a page of that file, which no
   * real file has the path of. split_into: the endpoint of a file that is being split.
   */
  files: {
    id: 'id',
    folder_id: 'int',
    dir: 'text!',
    name: 'text!',
    folded: 'text?!',
    size: 'int',
    identity: 'text!',
    verdict: 'text',
    endpoint_id: 'int',
    document_id: 'ref?',
    sha256: 'text?',
    policy: 'text?',
    reason: 'text?',
    message: 'text?!',
    seen_at: 'int',
    updated_at: 'int',
    gone_at: 'int?',
    disposing: 'text?',
    disposed: 'text?',
    archived_to: 'text?!',
    dismissed_at: 'int?',
    dismissed_by: 'text?',
    file_id: 'ref?',
    pages: 'int?',
    split_into: 'int?',
  },

  /** By the ledger's clock, which the rate windows and budgets of all agents go by. */
  attempts: {
    id: 'id',
    document_id: 'ref',
    endpoint_id: 'int',
    began_at: 'int',
    ended_at: 'int?',
    outcome: 'text?',
    http: 'int?',
    bytes: 'int',
    message: 'text?!',
  },

  /** paused: a person's. shared_until: until then it holds the other agents too, by the ledger's clock. open: 0 once it was released. */
  holds: {
    id: 'id',
    scope: 'text',
    key: 'text',
    agent: 'int',
    paused: 'int',
    shared_until: 'int?',
    open: 'int',
    reason: 'text',
    message: 'text?',
    since: 'int',
    until: 'int?',
    demanded_until: 'int?',
  },

  /** words, fields: values of the payload as a search compares them, and by their JSON pointers. turn: its place among those of the agent
   * that hands it on instead of the one that received it. */
  results: {
    id: 'id',
    document_id: 'ref?',
    received_at: 'int',
    attempts: 'int?',
    status: 'text?',
    sha256: 'text',
    size: 'int',
    encoding: 'text',
    given_name: 'text?!',
    given_uid: 'text?!',
    words: 'text?!',
    fields: 'text?!',
    payload: 'text?!',
    turn: 'ref?',
  },
} as const;

export type Table = keyof typeof TABLES;

/** In the order in which they are written, which is also the order in which agents lock rows. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const TABLE_NAMES = Object.keys(TABLES) as readonly Table[];

export function byTable<T>(make: (table: Table) => T): Record<Table, T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all of them
  return Object.fromEntries(TABLE_NAMES.map((table) => [table, make(table)])) as Record<Table, T>;
}

type ValueOf<Kind extends string> = Kind extends `text${string}` ? string : number;
type CellOf<Kind extends string> = Kind extends `${string}?${string}` ? ValueOf<Kind> | null : ValueOf<Kind>;

/** Texts of which the core knows all values. */
interface Known {
  readonly state: DocumentState;
  readonly type: ImageType;
  readonly verdict: Verdict;
  readonly scope: HoldScope;
  readonly encoding: PayloadEncoding;
  readonly disposing: 'archived' | 'deleted' | null;
  readonly disposed: 'archived' | 'deleted' | 'kept' | null;
}

/** A row of the table, as steps and the fold see it. A row that was looked up has the columns of `LOADED`. */
export type Row<Name extends Table> = {
  -readonly [Column in keyof (typeof TABLES)[Name]]: Column extends keyof Known
    ? Known[Column]
    : (typeof TABLES)[Name][Column] extends string
      ? CellOf<(typeof TABLES)[Name][Column]>
      : never;
};

/** Their ids are hashes of what they are called. */
export const NAMED: ReadonlySet<Table> = new Set(['endpoints', 'folders', 'holds']);

export type Cell = string | number | null;
/** A row of any table. */
export type Cells = Record<string, Cell>;

/** How many are in each state, a row for each agent that counted, so that agents don't wait for each other's commits. */
export const COUNTS = {
  endpoint_id: 'int',
  folder_id: 'int',
  state: 'text',
  agent: 'int',
  n: 'int',
} as const;

/**
 * How many requests each endpoint got in each quarter of an hour, by which days and months begin in every time zone. What was not sent does not count.
 * So a budget is added up from few rows, whatever was sent.
 */
export const REQUESTS = { endpoint_id: 'int', span: 'int', n: 'int' } as const;
export const SPAN_MS = 15 * 60_000;

/** Tables of counts, with their columns. Rows are added to. */
export const COUNTED = { counts: COUNTS, requests: REQUESTS } as const;

/** The columns that steps decide by, that the fold reads, and that are counted: no others are read of a row that exists. */
export const LOADED: Readonly<Record<Table, string>> = {
  endpoints: 'id base_url uid seq',
  folders: 'id owner path watched_at mark rule stays',
  documents:
    'id endpoint_id folder_id name path sha256 type size priority state due reason attempts attempt replays result_at status_at known_at answered answer_lost odd_answers status created_at updated_at erased_at dismissed_at twin',
  files:
    'id folder_id dir name size identity verdict endpoint_id document_id sha256 policy reason gone_at disposing disposed dismissed_at file_id pages split_into',
  attempts: 'id document_id endpoint_id began_at outcome ended_at',
  holds: 'id scope key agent paused shared_until open reason until',
  results: 'id document_id sha256',
};

/** Columns of a table that has this alias. */
export function select(alias: string, names: string): string {
  return names.replace(/\w+/g, `${alias}.$&`).replaceAll(' ', ', ');
}

/** The columns of `LOADED`. */
export function columnsOf(table: Table, alias: string): string {
  return select(alias, LOADED[table]);
}

/** Until when a hold holds others that was over for them, although it lasts: no longer, even if it is put again. */
export const OWN = 0;

/** The end of an attempt that has not ended. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** Files that came to nothing are listed, and counted, only while they are there. */
export const FLEETING = ['incomplete', 'unreadable'] as const;

/** Condition on documents that are not accepted. It names the states, so that it is not that of another index. @param d prefix of the columns, such as `d.` */
export function isUnsettled(d: string): string {
  const states = DOCUMENT_STATES.filter((state) => state !== 'accepted');
  return `${d}state IN (${states.map((state) => `'${state}'`).join(', ')})`;
}

/** Condition on files that are listed in their own right, and counted. @param f prefix of the columns, such as `f.` */
export function isListed(f: string): string {
  return `${f}verdict <> 'document' AND (${f}gone_at IS NULL OR ${f}verdict NOT IN (${FLEETING.map((each) => `'${each}'`).join(', ')}))`;
}

/** The same of a row. */
export function isListedRow({ verdict, gone_at }: Pick<Row<'files'>, 'verdict' | 'gone_at'>): boolean {
  return verdict !== 'document' && (gone_at === null || !FLEETING.some((each) => each === verdict));
}

/** Condition on files that a person should look at. @param f prefix of the columns, such as `f.` */
export function needsAttention(f: string): string {
  return `${f}gone_at IS NULL AND ${f}dismissed_at IS NULL
  AND (${f}verdict IN ('incomplete', 'unreadable') OR (${f}verdict = 'rejected' AND ${f}reason <> 'NOT_AN_IMAGE'))`;
}

const INDEXES = `
CREATE UNIQUE INDEX documents_bytes ON documents (endpoint_id, sha256, twin);
CREATE UNIQUE INDEX documents_name ON documents (endpoint_id, name, twin);
CREATE INDEX documents_queue ON documents (endpoint_id, priority, folder_id, due, id) WHERE state = 'queued';
CREATE INDEX documents_uploading ON documents (id) WHERE state = 'uploading';
CREATE INDEX documents_unsettled ON documents (id) WHERE ${isUnsettled('')};
CREATE INDEX documents_open ON documents (created_at, id) WHERE state <> 'accepted';
CREATE INDEX documents_created ON documents (created_at, id);
CREATE INDEX documents_dismissed ON documents (endpoint_id, folder_id, state) WHERE dismissed_at IS NOT NULL;
CREATE UNIQUE INDEX files_current ON files (folder_id, dir, name) WHERE gone_at IS NULL;
CREATE INDEX files_document ON files (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX files_bytes ON files (sha256) WHERE sha256 IS NOT NULL AND document_id IS NULL;
CREATE INDEX files_listed ON files (seen_at, id) WHERE verdict <> 'document';
CREATE INDEX files_disposing ON files (folder_id, id) WHERE disposing IS NOT NULL;
CREATE INDEX files_disposable ON files (folder_id, id) WHERE gone_at IS NULL AND disposed IS NULL AND document_id IS NOT NULL;
CREATE INDEX files_disposable_split ON files (folder_id, id) WHERE gone_at IS NULL AND disposed IS NULL AND verdict = 'split' AND split_into IS NULL;
CREATE INDEX files_pages ON files (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX files_splitting ON files (id) WHERE split_into IS NOT NULL;
CREATE INDEX files_attention ON files (folder_id, verdict, reason) WHERE ${needsAttention('')};
CREATE INDEX attempts_document ON attempts (document_id);
CREATE INDEX attempts_window ON attempts (endpoint_id, coalesce(ended_at, ${NEVER}));
CREATE INDEX attempts_began ON attempts (began_at);
CREATE INDEX holds_open ON holds (id) WHERE open = 1;
CREATE UNIQUE INDEX results_repeats ON results (coalesce(document_id, 0), sha256);
CREATE INDEX results_document ON results (document_id, id) WHERE document_id IS NOT NULL;
CREATE INDEX results_passed ON results (turn) WHERE turn IS NOT NULL;
CREATE INDEX results_unmatched ON results (id) WHERE document_id IS NULL;
`;

/** What an engine calls a column's kind. */
export type ColumnTypes = Readonly<Record<'id' | 'int' | 'text', string>>;

export function kindOf(kind: string): 'id' | 'int' | 'text' {
  const bare = kind.replace(/[?!]/g, '');
  if (bare === 'ref') return 'int';
  return bare === 'id' || bare === 'int' ? bare : 'text';
}

/** What a column has for nothing. */
export function emptyCell(kind: string): Cell {
  if (kind.includes('?')) return null;
  return kindOf(kind) === 'text' ? '' : 0;
}

/** What erasure leaves of the columns that it takes. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- columns of the table
export const ERASED = byTable((table) =>
  Object.fromEntries(
    Object.entries<string>(TABLES[table]).flatMap(([name, kind]) =>
      kind.endsWith('!') ? [[name, emptyCell(kind)]] : [],
    ),
  ),
) as { readonly [Name in Table]: Partial<Row<Name>> };

/** @param behind what follows each table's columns, such as `STRICT` */
export function createTables(types: ColumnTypes, behind = ''): string {
  const columns = (table: Readonly<Record<string, string>>): string[] =>
    Object.entries(table).map(
      ([name, kind]) =>
        `${name} ${types[kindOf(kind)]}${kind.includes('?') || kind === 'id' ? '' : ' NOT NULL'}`,
    );
  return [
    ...TABLE_NAMES.map((name) => `CREATE TABLE ${name} (${columns(TABLES[name]).join(', ')}) ${behind};`),
    `CREATE TABLE counts (${columns(COUNTS).join(', ')}, PRIMARY KEY (endpoint_id, folder_id, state, agent)) ${behind};`,
    `CREATE TABLE requests (${columns(REQUESTS).join(', ')}, PRIMARY KEY (endpoint_id, span)) ${behind};`,
    INDEXES,
  ].join('\n');
}

export type DocumentRow = Row<'documents'>;
export type FileRow = Row<'files'>;

const STATES = `SELECT d.endpoint_id, d.folder_id, d.state, count(*) AS n FROM documents d GROUP BY d.endpoint_id, d.folder_id, d.state
    UNION ALL
    SELECT f.endpoint_id, f.folder_id, f.verdict, count(*) FROM files f
     WHERE ${isListed('f.')} GROUP BY f.endpoint_id, f.folder_id, f.verdict`;
const REQUESTED = `SELECT a.endpoint_id, a.began_at - a.began_at % ${SPAN_MS} AS span, count(*) AS n FROM attempts a
     WHERE a.outcome IS DISTINCT FROM 'notSent' GROUP BY a.endpoint_id, a.began_at - a.began_at % ${SPAN_MS}`;

/** Rows if the counts are not those of the rows. */
export const MISCOUNTED = `WITH counted AS (
    SELECT c.endpoint_id, c.folder_id, c.state, sum(c.n) AS n FROM counts c GROUP BY c.endpoint_id, c.folder_id, c.state HAVING sum(c.n) <> 0),
  there AS (${STATES}),
  spans AS (SELECT q.endpoint_id, q.span, q.n FROM requests q WHERE q.n <> 0),
  requested AS (${REQUESTED})
  SELECT 1 AS wrong FROM (SELECT * FROM counted EXCEPT SELECT * FROM there) a
  UNION ALL
  SELECT 1 AS wrong FROM (SELECT * FROM there EXCEPT SELECT * FROM counted) b
  UNION ALL
  SELECT 1 AS wrong FROM (SELECT * FROM spans EXCEPT SELECT * FROM requested) c
  UNION ALL
  SELECT 1 AS wrong FROM (SELECT * FROM requested EXCEPT SELECT * FROM spans) d`;

/** Of a ledger with one agent. */
export const COUNT_ANEW = `DELETE FROM counts; INSERT INTO counts (endpoint_id, folder_id, state, agent, n) SELECT s.endpoint_id, s.folder_id, s.state, 0, s.n FROM (${STATES}) s;
  DELETE FROM requests; INSERT INTO requests (endpoint_id, span, n) ${REQUESTED}`;

export function splitPath(path: string): Pick<FileRow, 'dir' | 'name'> {
  const cut = path.lastIndexOf('/');
  return cut < 0 ? { dir: '', name: path } : { dir: path.slice(0, cut), name: path.slice(cut + 1) };
}

export function pathOf({ dir, name }: Pick<FileRow, 'dir' | 'name'>): string {
  return dir === '' ? name : `${dir}/${name}`;
}

/** Files with these bytes; those of a document are found by the document. CROSS JOIN has SQLite begin with the endpoints. */
export function ofBytes(sha256: string): string {
  return `SELECT b.id FROM files b WHERE b.sha256 = ${sha256} AND b.document_id IS NULL
    UNION ALL
    SELECT bf.id FROM endpoints be CROSS JOIN documents bd CROSS JOIN files bf
     WHERE bd.endpoint_id = be.id AND bd.sha256 = ${sha256} AND bf.document_id = bd.id`;
}
