import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccountOf } from '../../core/domain/account.ts';
import { UNDECIDED_STATES } from '../../core/domain/needsPerson.ts';
import type { Hold } from '../../core/ports/hold.ts';
import type { Attention, ListOrder } from '../../core/ports/ledgerReports.ts';
import type { ListedDocument, ListedFile } from '../listing/listedRows.ts';
import { isPartOfHash, statesNamed, valueNeedles, type Needle } from '../listing/needles.ts';
import {
  type Along,
  type Conditions,
  type ListSource,
  type ReadRows,
  type TalliedRow,
} from '../listing/source.ts';
import { isInside, type Position } from '../listing/walk.ts';
import { MOST_POSTED } from '../payload.ts';
import { isListed, needsAttention, type DocumentRow } from '../schema.ts';
import { DOCUMENT, type DocumentColumns, type View } from './view.ts';
import { endpointIdOf } from '../entries.ts';

const texts = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');

/** What a list reads, filters and sorts by: documents, those that are not accepted, and files that did not become one. */
interface Source {
  readonly from: string;
  /** Of an index by time. */
  readonly only: string;
  readonly isListed: string;
  readonly select: string;
  readonly at: string;
  readonly id: string;
  readonly state: string;
  /** With a zero: only the index by time says in which order. */
  readonly endpoint: string;
  readonly folder: string;
  readonly document: string;
  readonly sha256: string;
  /** Texts that a search compares; of those to be folded here, the ones that are not ASCII can only be compared by the list itself. */
  readonly folded: string;
  readonly plain: readonly string[];
  readonly attention: Readonly<Record<Attention, string>>;
}

const posted = (
  document: string,
): string => `(SELECT '[' || string_agg(n.fields, ',' ORDER BY n.id DESC) || ']' FROM (
    SELECT s.id, s.fields FROM results s WHERE s.document_id = ${document} AND s.fields IS NOT NULL ORDER BY s.id DESC LIMIT ${MOST_POSTED}) n) AS posted`;

const DOCUMENTS: Source = {
  from: 'documents d',
  only: '1 = 1',
  isListed: '1 = 1',
  select: `${DOCUMENT}, d.dismissed_at AS "dismissedAt", d.dismissed_by AS "dismissedBy", ${posted('d.id')},
    (SELECT f.archived_to FROM files f WHERE f.document_id = d.id AND f.verdict = 'document' AND f.archived_to IS NOT NULL
      ORDER BY f.id + 0 DESC LIMIT 1) AS "archivedTo"`,
  at: 'd.created_at',
  id: 'd.id',
  state: 'd.state',
  endpoint: 'd.endpoint_id',
  folder: 'd.folder_id',
  document: 'd.id',
  sha256: 'd.sha256',
  folded: `coalesce(d.folded, lower(d.name || '/' || d.path))`,
  plain: ['d.status', 'd.message'],
  attention: {
    needed: 'd.dismissed_at IS NULL',
    dismissed: 'd.dismissed_at IS NOT NULL',
    none: `(d.dismissed_at IS NOT NULL OR d.state NOT IN (${texts(UNDECIDED_STATES)}))`,
  },
};

const SOURCES: Readonly<Record<Along, Source>> = {
  documents: DOCUMENTS,
  unsettled: { ...DOCUMENTS, only: `d.state <> 'accepted'` },
  files: {
    from: 'files f LEFT JOIN documents d ON d.id = f.document_id',
    only: `f.verdict <> 'document'`,
    isListed: isListed('f.'),
    select: `f.id, f.endpoint_id, f.folder_id, f.dir, f.name, f.verdict, f.size, f.sha256, f.reason, f.message, f.archived_to AS "archivedTo",
      f.seen_at AS "createdAt", f.updated_at AS "updatedAt", f.gone_at AS "goneAt", f.dismissed_at AS "dismissedAt", f.dismissed_by AS "dismissedBy",
      f.document_id AS "documentId", d.name AS "documentName", d.type, d.status AS "serviceStatus", ${posted('f.document_id')}`,
    at: 'f.seen_at',
    id: 'f.id',
    state: 'f.verdict',
    endpoint: 'f.endpoint_id',
    folder: 'f.folder_id',
    document: 'f.document_id',
    sha256: 'f.sha256',
    folded: `coalesce(f.folded, lower(f.dir || '/' || f.name))`,
    plain: ['d.name', 'd.status', 'f.message'],
    attention: {
      needed: needsAttention('f.'),
      dismissed: 'f.gone_at IS NULL AND f.dismissed_at IS NOT NULL',
      none: `CASE WHEN ${needsAttention('f.')} THEN 0 ELSE 1 END = 1`,
    },
  },
};

/** The comparisons and the direction of what comes later in an order. */
const LATER: Readonly<Record<ListOrder, readonly [later: string, until: string, direction: string]>> = {
  oldest: ['>', '<=', 'ASC'],
  newest: ['<', '>=', 'DESC'],
};

function behind({ only, at, id }: Source, order: ListOrder): string {
  return `${only} AND (${at}, ${id}) ${LATER[order][0]} (:at, :id)`;
}

function ordered({ at, id }: Source, order: ListOrder): string {
  const [, , direction] = LATER[order];
  return `ORDER BY ${at} ${direction}, ${id} ${direction}`;
}

/** The last row of a window. */
function windowEnd(source: Source, order: ListOrder): string {
  const table = source.from.replace(/ LEFT JOIN .*/, '');
  return `SELECT ${source.at} AS at, ${source.id} AS id FROM ${table} WHERE ${behind(source, order)} ${ordered(source, order)} LIMIT 1 OFFSET :skip`;
}

/** The times, too: PostgreSQL estimates nothing by a comparison of pairs, and would read the whole table. */
function inWindow(source: Source, order: ListOrder): string {
  const { at, id, isListed } = source;
  const times = order === 'oldest' ? ':at AND :lastAt' : ':lastAt AND :at';
  return `${isListed} AND ${behind(source, order)} AND (${at}, ${id}) ${LATER[order][1]} (:lastAt, :lastId) AND ${at} BETWEEN ${times}`;
}

/** Conditions with their parameters. */
class Filter {
  readonly params: Record<string, string | number> = {};
  readonly #source: Source;
  readonly #all: string[] = [];
  /** Where a row passes that only the list itself can judge. */
  readonly #sure: string[] = [];

  constructor(source: Source, conditions: Conditions, folderId: (folder: string) => number) {
    this.#source = source;
    const { states, statuses, folder, endpoint, needles, values, attention } = conditions;
    // Not plainly: the index of what is not accepted has no times.
    if (states) this.#all.push(`coalesce(${source.state}, '') IN (${texts(states)})`);
    // Not plainly: PostgreSQL would begin with all documents of that status.
    if (statuses) this.#all.push(this.#oneOf(`coalesce(d.status, '')`, 'status', statuses));
    if (folder !== null) this.#all.push(`${source.folder} + 0 = ${this.#param('folder', folderId(folder))}`);
    if (endpoint)
      this.#all.push(`${source.endpoint} + 0 = ${this.#param('endpoint', endpointIdOf(endpoint))}`);
    if (attention !== null) this.#all.push(source.attention[attention]);
    needles.forEach((needle, n) => this.#search(needle, n));
    values.forEach((value, n) => {
      const { key, word, from, to } = valueNeedles(value);
      const has = [`s.fields LIKE ${this.#part(`key${n}`, key)}`];
      // A text may lie within the bounds, too; and not every key can be asked for in SQLite.
      const isBounded = from > -Number.MAX_VALUE || to < Number.MAX_VALUE;
      if (isBounded && !/["\\[\]$]/.test(value.pointer)) {
        const number = `{number s.fields ${this.#param(`pointer${n}`, value.pointer)}}`;
        const bounds = `${this.#param(`from${n}`, from)} AND ${this.#param(`to${n}`, to)}`;
        has.push(`coalesce(${number} BETWEEN ${bounds}, 1 = 1)`);
      }
      if (word !== null) has.push(`s.words LIKE ${this.#part(`word${n}`, word)}`);
      this.#all.push(this.#hasResult(has.join(' AND ')));
    });
  }

  get where(): string {
    return this.#all.map((condition) => ` AND ${condition}`).join('');
  }

  /** 1 if a row that passes must be read to tell. */
  get isUnsure(): string {
    return this.#sure.length === 0 ? '0' : `CASE WHEN ${this.#sure.join(' AND ')} THEN 0 ELSE 1 END`;
  }

  #search({ text, folders, ofHeld }: Needle, n: number): void {
    const { folded, plain, folder, state, sha256 } = this.#source;
    const needle = this.#part(`needle${n}`, text);
    const named = [...statesNamed(text), ...(ofHeld ? (['queued'] as const) : [])];
    const found = [
      `${folded} LIKE ${needle}`,
      ...plain.map((column) => `lower(${column}) LIKE ${needle}`),
      ...(folders.length > 0 ? [this.#oneOf(folder, `folder${n}_`, folders)] : []),
      ...(named.length > 0 ? [`${state} IN (${texts(named)})`] : []),
      ...(isPartOfHash(text) ? [`${sha256} LIKE ${needle}`] : []),
      this.#hasResult(`s.words LIKE ${needle}`),
    ];
    const mayHold = plain.map((column) => `octet_length(${column}) > length(${column})`);
    this.#all.push(`(${[...found, ...mayHold].join(' OR ')})`);
    this.#sure.push(`(${found.join(' OR ')})`);
  }

  /** OFFSET keeps PostgreSQL from reading all results rather than this document's. */
  #hasResult(condition: string): string {
    return `EXISTS (SELECT 1 FROM results s WHERE s.document_id = ${this.#source.document} AND ${condition} LIMIT 1 OFFSET 0)`;
  }

  #param(name: string, value: string | number): string {
    this.params[name] = value;
    return `:${name}`;
  }

  #part(name: string, text: string): string {
    return `${this.#param(name, `%${text.replace(/[!%_]/g, '!$&')}%`)} ESCAPE '!'`;
  }

  #oneOf(column: string, name: string, values: readonly (string | number)[]): string {
    return `${column} IN (${values.map((value, n) => this.#param(`${name}${n}`, value)).join(', ')})`;
  }
}

type Placed = Pick<DocumentRow, 'endpoint_id' | 'folder_id'>;
/** As `select` and the tally name columns; endpoints and folders by number. */
type ListedDocumentColumns = DocumentColumns &
  Pick<ListedDocument, 'dismissedAt' | 'dismissedBy' | 'archivedTo' | 'posted'>;
type ListedFileColumns = Placed & Omit<ListedFile, 'folder' | 'baseUrl' | 'uid'>;
type TallyColumns = Placed & Omit<TalliedRow, 'folder' | 'baseUrl' | 'uid'>;

/** What lists are made of: windows along an index by time. */
export function listSource(
  view: View,
  holds: () => Promise<readonly Hold[]>,
  accountOf: AccountOf,
): ListSource {
  let turn = Promise.resolve();
  /** One window for each turn of the event loop, for all callers together, so that nothing else waits for two. */
  const ownTurn = (): Promise<void> => (turn = turn.then(() => nextTurn()));

  /** @param question about what is in the window */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the question names the columns
  const windows = <Columns extends Placed, Row>(
    along: Along,
    conditions: Conditions,
    question: (source: Source, filter: Filter, where: string, order: string) => string,
    toRow: (row: Columns) => Row,
  ): ReadRows<Row> => {
    const source = SOURCES[along];
    const filter = new Filter(source, conditions, (folder) => view.folderId(folder));
    return async (wanted) => {
      await ownTurn();
      const { order, start, size, end } = wanted;
      const { at, id } = start;
      const found = await view.one<Position>(windowEnd(source, order), { at, id, skip: size - 1 });
      const looked = isInside(found, wanted) ? { at: found.at, id: found.id } : null;
      const last = looked ?? end;
      const text = question(source, filter, inWindow(source, order) + filter.where, ordered(source, order));
      const bounds = { at, id, lastAt: last.at, lastId: last.id };
      const rows = await view.all<Columns>(text, { ...bounds, ...filter.params });
      await view.know(rows);
      return { rows: rows.map(toRow), looked };
    };
  };

  const rows: Parameters<typeof windows>[2] = ({ from, select }, _, where, order) =>
    `SELECT ${select} FROM ${from} WHERE ${where} ${order}`;

  const placeOf = ({ endpoint_id, folder_id }: Placed) => {
    const endpoint = view.endpoint(endpoint_id);
    return {
      folder: view.path(folder_id),
      baseUrl: endpoint?.baseUrl ?? null,
      uid: endpoint?.uid ?? null,
    };
  };
  const toDocument = (row: ListedDocumentColumns): ListedDocument => {
    const { dismissedAt, dismissedBy, archivedTo, posted: results } = row;
    return { ...view.document(row), dismissedAt, dismissedBy, archivedTo, posted: results };
  };
  const toFile = (row: ListedFileColumns): ListedFile => ({ ...row, ...placeOf(row) });

  return {
    accountOf,
    holds,
    folders: async () => [...(await view.folders())].map(([id, { path }]) => ({ id, path })),
    documents: (along, conditions) => windows(along, conditions, rows, toDocument),
    files: (conditions) => windows('files', conditions, rows, toFile),
    tallies: (along, conditions, spanMs) =>
      windows(
        along,
        conditions,
        ({ from, folder, endpoint, state, at }, { isUnsure }, where) =>
          `SELECT n.folder_id, n.endpoint_id, n.state, n.status, n.span, count(*) AS count, max(n.unsure) AS "isUnsure" FROM (
  SELECT ${folder} AS folder_id, ${endpoint} AS endpoint_id, ${state} AS state, d.status, ${at} / ${spanMs} AS span, ${isUnsure} AS unsure
    FROM ${from} WHERE ${where}) n
 GROUP BY n.folder_id, n.endpoint_id, n.state, n.status, n.span`,
        (row: TallyColumns): TalliedRow => ({ ...row, ...placeOf(row) }),
      ),
  };
}
