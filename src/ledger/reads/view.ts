import type { Document, EndpointKey, FileIdentity } from '../../core/domain/document.ts';
import { FRESH, type FolderKey } from '../../core/messages.ts';
import { CHAIN, folderIdOf } from '../entries.ts';
import type { Reader } from '../engine.ts';
import { select, type FileRow, type Row, type Table } from '../schema.ts';

/** What this machine calls a folder, and what rows do. */
export interface Places {
  keyOf(folder: string): FolderKey;
  /** Absolute; of a folder that this machine lacks, a name for people. */
  pathOf(key: FolderKey): string;
  /** Whether this agent can read files there. */
  reaches(key: FolderKey): boolean;
}

/** A ledger with one agent calls folders what they are. */
export const ONE_AGENT: Places = {
  keyOf: (path) => ({ owner: '', path }),
  pathOf: ({ path }) => path,
  reaches: () => true,
};

interface Folder {
  readonly key: FolderKey;
  /** As this machine calls it. */
  readonly path: string;
}

const ENDPOINTS = 'SELECT id, base_url, uid FROM endpoints';
const FOLDERS = 'SELECT id, owner, path FROM folders';

/** Rows name endpoints and folders by number; 0 is none. */
interface Placed {
  readonly endpoint_id?: number;
  readonly folder_id?: number;
}

/**
 * The ledger as this machine sees it. The numbers of endpoints and folders are made of what they are called, so they never change; and there are few. So
 * they are looked up here, once, rather than joined in every statement.
 */
export class View {
  readonly reader: Reader;
  readonly places: Places;
  readonly #agent: () => number;
  readonly #endpoints = new Map<number, EndpointKey>();
  readonly #folders = new Map<number, Folder>();

  /** @param agent the number of this one, which a fleet gives it when it joins */
  constructor(reader: Reader, places: Places = ONE_AGENT, agent: () => number = () => 0) {
    this.reader = reader;
    this.places = places;
    this.#agent = agent;
  }

  get agent(): number {
    return this.#agent();
  }

  /** Ids of what this agent recorded lie between these. */
  get own(): { readonly after: number; readonly before: number } {
    const base = this.agent * CHAIN;
    return { after: base, before: base + CHAIN };
  }

  async all<Found>(statement: string, params: object = {}): Promise<readonly Found[]> {
    return this.reader.each<Found>(statement, null, params);
  }

  async one<Found>(statement: string, params: object = {}): Promise<Found | undefined> {
    return (await this.all<Found>(statement, params))[0];
  }

  /** The column `n` of the only row; 0 if there is none. */
  async number(statement: string, params: object = {}): Promise<number> {
    return (await this.one<{ readonly n: number | null }>(statement, params))?.n ?? 0;
  }

  async ids(statement: string, params: object): Promise<readonly number[]> {
    return (await this.all<{ readonly id: number }>(statement, params)).map(({ id }) => id);
  }

  async each<Found>(
    statement: string,
    batch: readonly object[],
    params: object = {},
  ): Promise<readonly Found[]> {
    return batch.length === 0 ? [] : this.reader.each<Found>(statement, batch, params);
  }

  folderId(folder: string): number {
    return folderIdOf(this.places.keyOf(folder));
  }

  /** All of them, by number. */
  async endpoints(): Promise<ReadonlyMap<number, EndpointKey>> {
    const rows = await this.all<Columns<'endpoints', 'id base_url uid'>>(ENDPOINTS);
    for (const { id, base_url: baseUrl, uid } of rows) this.#endpoints.set(id, { baseUrl, uid });
    return this.#endpoints;
  }

  /** All of them, by number. */
  async folders(): Promise<ReadonlyMap<number, Folder>> {
    const rows = await this.all<Columns<'folders', 'id owner path'>>(FOLDERS);
    for (const { id, owner, path } of rows)
      this.#folders.set(id, { key: { owner, path }, path: this.places.pathOf({ owner, path }) });
    return this.#folders;
  }

  /** Before `endpoint`, `path` and `reaches` are asked about these rows. */
  async know(rows: readonly Placed[]): Promise<void> {
    const isNew = (known: ReadonlyMap<number, unknown>, id = 0): boolean => id !== 0 && !known.has(id);
    if (rows.some(({ endpoint_id: id }) => isNew(this.#endpoints, id))) await this.endpoints();
    if (rows.some(({ folder_id: id }) => isNew(this.#folders, id))) await this.folders();
  }

  endpoint(id: number): EndpointKey | null {
    return this.#endpoints.get(id) ?? null;
  }

  path(id: number): string {
    return this.#folders.get(id)?.path ?? '';
  }

  reaches(id: number): boolean {
    const folder = this.#folders.get(id);
    return folder !== undefined && this.places.reaches(folder.key);
  }

  async documents(rows: readonly DocumentColumns[]): Promise<Document[]> {
    await this.know(rows);
    return rows.map((row) => this.document(row));
  }

  /** Field by field: to spread an object that SQLite's binding made takes longer than the query. */
  document(row: DocumentColumns): Document {
    return {
      id: row.id,
      endpoint: this.endpoint(row.endpoint_id) ?? { baseUrl: '', uid: '' },
      folder: this.path(row.folder_id),
      path: row.path,
      name: row.name,
      sha256: row.sha256,
      type: row.type,
      size: row.size,
      lane: row.priority === FRESH ? 'fresh' : 'backlog',
      state: row.state,
      reason: row.reason,
      message: row.message,
      serviceStatus: row.status,
      attempts: row.attempts,
      oddAnswers: row.odd_answers,
      answerLost: row.answer_lost === 1,
      notBefore: row.state === 'queued' && row.due > row.updated_at ? row.due : 0,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    };
  }
}

type WordsOf<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | WordsOf<Rest>
  : Text;

/** Rows with the named columns of a table, as `select` writes them. */
export type Columns<Name extends Table, Names extends string> =
  WordsOf<Names> extends keyof Row<Name> ? Pick<Row<Name>, WordsOf<Names>> : never;

const DOCUMENT_NAMES =
  'id endpoint_id folder_id path name sha256 type size priority state reason message status attempts odd_answers answer_lost due created_at updated_at';
/** What `View.document` reads, of the table `d`. */
export const DOCUMENT = select('d', DOCUMENT_NAMES);
export type DocumentColumns = Columns<'documents', typeof DOCUMENT_NAMES>;

/** A file's times and inode in one text; an inode above 2^63 wraps, as in Node's own `lstat`. */
export function identityText({ mtimeNs, ctimeNs, inode }: Omit<FileIdentity, 'size'>): string {
  return `${mtimeNs} ${ctimeNs} ${BigInt.asIntN(64, inode)}`;
}

/** The way back; zeros for what was erased. */
export function identityOf({ size, identity }: Pick<FileRow, 'size' | 'identity'>): FileIdentity {
  const [mtime = '', ctime = '', inode = ''] = identity.split(' ');
  return { size, mtimeNs: BigInt(mtime), ctimeNs: BigInt(ctime), inode: BigInt(inode) };
}
