import type { FolderKey } from '../../core/messages.ts';
import type { EndpointKey } from '../../core/domain/document.ts';
import { endpointIdOf, folderIdOf } from '../entries.ts';
import { columnsOf, pathOf, splitPath, type DocumentRow, type FileRow } from '../schema.ts';
import type { Work } from '../work.ts';

const BY_BYTES = `{one endpoint:int sha256:text} SELECT ${columnsOf('documents', 't')} FROM documents t
  WHERE t.endpoint_id = r.endpoint AND t.sha256 = r.sha256 ORDER BY t.twin`;
const BY_NAME = `{one endpoint:int name:text} SELECT ${columnsOf('documents', 't')} FROM documents t
  WHERE t.endpoint_id = r.endpoint AND t.name = r.name`;
const CURRENT = `{one folder:int dir:text name:text} SELECT ${columnsOf('files', 't')} FROM files t
  WHERE t.folder_id = r.folder AND t.dir = r.dir AND t.name = r.name AND t.gone_at IS NULL`;
const PAGES = `{one file:int dir:text name:text} SELECT ${columnsOf('files', 't')} FROM files t
  WHERE t.file_id = r.file AND t.dir = r.dir AND t.name = r.name`;

/** Looks up these endpoints and folders, and makes those that are new. Locks endpoints: no other agent names anything in them meanwhile. */
export async function makePlaces(
  work: Work,
  items: readonly { readonly endpoint?: EndpointKey; readonly folder?: FolderKey; readonly at: number }[],
): Promise<void> {
  await work.loadAll({
    endpoints: items.flatMap(({ endpoint }) => (endpoint ? endpointIdOf(endpoint) : [])),
    folders: items.flatMap(({ folder }) => (folder ? folderIdOf(folder) : [])),
  });
  for (const { endpoint, folder, at } of items) {
    if (endpoint && !work.rows.endpoints.has(endpointIdOf(endpoint)))
      work.add(
        { kind: 'endpoint', endpoint: endpointIdOf(endpoint), baseUrl: endpoint.baseUrl, uid: endpoint.uid },
        at,
      );
    if (folder && !work.rows.folders.has(folderIdOf(folder)))
      work.add({ kind: 'folder', folder: folderIdOf(folder), owner: folder.owner, place: folder.path }, at);
  }
}

const ENDPOINTS_OF = 'SELECT DISTINCT d.endpoint_id AS id FROM {rows id:int} documents d WHERE d.id = r.id';

/** The endpoints of these documents, which are not locked by that. */
export async function endpointsOf(
  work: Work,
  documents: readonly { readonly id: number }[],
): Promise<number[]> {
  return (await work.ask<{ readonly id: number }>(ENDPOINTS_OF, documents)).map(({ id }) => id);
}

/**
 * Before several steps of an agent of a fleet: locks the endpoints that any of them will lock. Each step locks endpoints before documents, but a later one
 * would lock them behind the documents of an earlier one, and agents would wait for each other.
 */
export async function lockEndpoints(work: Work, items: readonly object[]): Promise<void> {
  const keys = items.flatMap((item) => ('endpoint' in item ? [item.endpoint as EndpointKey] : []));
  const begun = items.flatMap((item) =>
    'bytes' in item && 'document' in item ? [item.document as number] : [],
  );
  const ids = await endpointsOf(
    work,
    begun.map((id) => ({ id })),
  );
  await work.load('endpoints', [...keys.map(endpointIdOf), ...ids]);
}

/** Documents by the bytes and names of an endpoint, those that the batch adds included. */
export class KnownDocuments {
  readonly #work: Work;
  readonly #byBytes = new Map<string, DocumentRow>();
  readonly #byName = new Map<string, DocumentRow>();

  constructor(work: Work) {
    this.#work = work;
  }

  add(document: DocumentRow): void {
    const bytes = `${document.endpoint_id} ${document.sha256}`;
    if (document.twin === 0 || !this.#byBytes.has(bytes)) this.#byBytes.set(bytes, document);
    this.#byName.set(`${document.endpoint_id} ${document.name}`, document);
  }

  withBytes(endpoint: number, sha256: string): DocumentRow | undefined {
    return this.#byBytes.get(`${endpoint} ${sha256}`);
  }

  /** Only of names that were looked up. */
  hasName(endpoint: number, name: string): boolean {
    return this.#byName.has(`${endpoint} ${name}`);
  }

  async findBytes(batch: readonly { readonly endpoint: number; readonly sha256: string }[]): Promise<void> {
    for (const document of await this.#work.find('documents', BY_BYTES, batch)) this.add(document);
  }

  async findNames(batch: readonly { readonly endpoint: number; readonly name: string }[]): Promise<void> {
    for (const document of await this.#work.find('documents', BY_NAME, batch)) this.add(document);
  }
}

interface StepPlace {
  readonly folder: FolderKey;
  readonly path: string;
  /** The file of which it is a page. */
  readonly page?: number | undefined;
}

/** The current files at these paths, or the pages of these files; up to date within the batch. */
export class CurrentFiles {
  readonly #work: Work;
  readonly #files = new Map<string, FileRow>();

  constructor(work: Work) {
    this.#work = work;
  }

  async find(items: readonly StepPlace[]): Promise<void> {
    const of = (item: StepPlace) => ({
      folder: folderIdOf(item.folder),
      file: item.page ?? null,
      ...splitPath(item.path),
    });
    const [files, pages] = await Promise.all([
      this.#work.find('files', CURRENT, items.filter(({ page }) => page === undefined).map(of)),
      this.#work.find('files', PAGES, items.filter(({ page }) => page !== undefined).map(of)),
    ]);
    for (const file of files) this.#files.set(`${file.folder_id} ${pathOf(file)}`, file);
    for (const page of pages) this.#files.set(`page ${page.file_id} ${pathOf(page)}`, page);
  }

  at(item: StepPlace): FileRow | undefined {
    return this.#files.get(keyOf(item));
  }

  set(item: StepPlace, id: number): void {
    this.#files.set(keyOf(item), this.#work.get('files', id));
  }
}

function keyOf({ folder, path, page }: StepPlace): string {
  return page === undefined ? `${folderIdOf(folder)} ${path}` : `page ${page} ${path}`;
}
