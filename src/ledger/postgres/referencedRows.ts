import type { EndpointKey } from '../../core/domain/document.ts';
import type { Places } from './places.ts';
import type { Params, Sql } from './statements.ts';

/** Checks first: an INSERT would wait for a transaction that is changing the row, which may itself wait for this one. */
const ENSURE_FOLDER = `
INSERT INTO folders (place, path)
SELECT :place, :folder WHERE NOT EXISTS (SELECT FROM folders WHERE place = :place AND path = :folder)
ON CONFLICT (place, path) DO NOTHING`;
const ENSURE_ENDPOINT = `
INSERT INTO endpoints (base_url, uid)
SELECT :baseUrl, :uid WHERE NOT EXISTS (SELECT FROM endpoints WHERE base_url = :baseUrl AND uid = :uid)
ON CONFLICT (base_url, uid) DO NOTHING`;

/** Creates rows that others refer to, outside of any transaction: unused ones do no harm. */
export class ReferencedRows {
  readonly #places: Places;
  readonly #read: (work: (sql: Sql) => Promise<unknown>) => Promise<unknown>;
  readonly #known = new Set<string>();

  constructor(places: Places, read: (work: (sql: Sql) => Promise<unknown>) => Promise<unknown>) {
    this.#places = places;
    this.#read = read;
  }

  async ensureFolder(folder: string): Promise<void> {
    const params = this.#places.ofFolder(folder);
    await this.#ensure(`${params.place} ${params.folder}`, ENSURE_FOLDER, params);
  }

  async ensureEndpoint({ baseUrl, uid }: EndpointKey): Promise<void> {
    await this.#ensure(`${baseUrl}#${uid}`, ENSURE_ENDPOINT, { baseUrl, uid });
  }

  /** After a failover, the new server may lack the last rows of the old one. */
  forget(): void {
    this.#known.clear();
  }

  async #ensure(key: string, text: string, params: Params): Promise<void> {
    if (this.#known.has(key)) return;
    await this.#read((sql) => sql.run(text, params));
    this.#known.add(key);
  }
}
