/** The tables of a SQLite ledger in the order of import, each in the order of its ids. */

type Kind = 'bigint' | 'integer' | 'smallint' | 'text';

export interface Column {
  readonly name: string;
  readonly type: Kind;
  /** The kind of row that the id refers to; it has another id here. */
  readonly of?: Numbered | 'endpoint' | 'folder';
  /** Serves only speed or the moment, and changes without a journal entry: updated at the end. */
  readonly ofTheMoment?: true;
}

/** Tables whose rows others refer to: their ids are shifted by a fixed distance. */
export type Numbered = 'documents' | 'attempts' | 'sightings' | 'results';

export interface Table {
  readonly name: Numbered | 'acts';
  /** What one row is, for people. */
  readonly what: string;
  /** The first one is `id`. */
  readonly columns: readonly Column[];
}

/** A value of either database, in a common notation. */
export type Value = string | null;
export type Row = readonly Value[];

const text = (name: string): Column => ({ name, type: 'text' });
const bigint = (name: string): Column => ({ name, type: 'bigint' });
const integer = (name: string): Column => ({ name, type: 'integer' });
const smallint = (name: string): Column => ({ name, type: 'smallint' });
const number = (name: string, of: Numbered): Column => ({ name, type: 'bigint', of });
const endpoint: Column = { name: 'endpoint_id', type: 'integer', of: 'endpoint' };
const folder: Column = { name: 'folder_id', type: 'integer', of: 'folder' };

/** In the order of their references. */
export const TABLES: readonly Table[] = [
  {
    name: 'documents',
    what: 'Document',
    columns: [
      number('id', 'documents'),
      endpoint,
      folder,
      ...['path', 'name', 'folded_path', 'folded_name', 'sha256', 'type'].map(text),
      bigint('size'),
      { ...text('lane'), ofTheMoment: true },
      text('state'),
      bigint('line'),
      { ...bigint('not_before'), ofTheMoment: true },
      ...['reason', 'message'].map(text),
      ...['attempts', 'server_errors'].map(integer),
      smallint('answer_lost'),
      ...['created_at', 'updated_at'].map(bigint),
      ...['service_status', 'response'].map(text),
      bigint('erased_at'),
      bigint('dismissed_at'),
      text('dismissed_by'),
    ],
  },
  {
    name: 'attempts',
    what: 'Upload request',
    columns: [
      number('id', 'attempts'),
      number('document_id', 'documents'),
      endpoint,
      ...['started_at', 'finished_at'].map(bigint),
      text('outcome'),
      integer('http_status'),
      bigint('bytes'),
      text('message'),
    ],
  },
  {
    name: 'sightings',
    what: 'File',
    columns: [
      number('id', 'sightings'),
      folder,
      ...['dir', 'name', 'folded_path'].map(text),
      ...['size', 'mtime_ns', 'ctime_ns', 'inode'].map(bigint),
      text('verdict'),
      number('document_id', 'documents'),
      ...['sha256', 'policy', 'reason', 'message'].map(text),
      ...['seen_at', 'updated_at', 'gone_at'].map(bigint),
      ...['disposing', 'disposed', 'archived_to'].map(text),
      bigint('dismissed_at'),
      text('dismissed_by'),
      number('file_id', 'sightings'),
      integer('pages'),
      { name: 'split_into', type: 'integer', of: 'endpoint' },
    ],
  },
  {
    name: 'results',
    what: 'Result',
    columns: [
      number('id', 'results'),
      bigint('received_at'),
      number('document_id', 'documents'),
      integer('attempts'),
      ...['status', 'sha256'].map(text),
      bigint('size'),
      ...['encoding', 'words', 'fields', 'payload', 'given_name', 'given_uid'].map(text),
    ],
  },
  {
    name: 'acts',
    what: 'Act',
    columns: [bigint('id'), bigint('at'), ...['kind', 'by', 'detail'].map(text)],
  },
];

/** How ids of the other ledger translate to ids here. */
export interface Mapping {
  readonly distances: Readonly<Record<Numbered, number>>;
  /** This database's ids of the other ledger's endpoints and folders. */
  readonly endpoints: ReadonlyMap<string, number>;
  readonly folders: ReadonlyMap<string, number>;
}

/** A row converted for this database. */
export function mapped(table: Table, row: Row, mapping: Mapping): Row {
  const values = row.map((value, index) => {
    const { of } = table.columns[index] ?? {};
    if (value === null || of === undefined) return value === null ? null : storable(value);
    if (of === 'endpoint') return String(mapping.endpoints.get(value) ?? 0);
    if (of === 'folder') return String(mapping.folders.get(value) ?? 0);
    return String(Number(value) + mapping.distances[of]);
  });
  return table.name === 'results' ? payloadAsBytes(table, row, values) : values;
}

/** PostgreSQL's text can't hold U+0000. */
export function storable(value: string): string {
  return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

/** Stores payloads byte for byte. */
function payloadAsBytes({ columns }: Table, row: Row, values: Value[]): Row {
  const [encoding, payload] = ['encoding', 'payload'].map((name) =>
    columns.findIndex((each) => each.name === name),
  );
  if (encoding === undefined || payload === undefined) return values;
  const text = row[payload];
  if (text?.includes('\0') !== true) return values;
  values[encoding] = 'base64';
  values[payload] = Buffer.from(text).toString('base64');
  return values;
}
