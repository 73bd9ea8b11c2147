import { UNDECIDED_STATES } from '../../core/domain/needsPerson.ts';
import { boundOf, type ValueWanted } from '../../core/domain/posted.ts';
import { heldBecause } from '../../core/domain/problem.ts';
import { fold, saidIn, searchWords } from '../../core/domain/search.ts';
import type { Hold } from '../../core/domain/hold.ts';
import { LIST_STATES, type Attention, type ListFilter } from '../../core/ports/ledgerReports.ts';
import { endpointIdOf } from '../entries.ts';
import { isListed, needsAttention } from '../schema.ts';

/** What a list reads, filters and sorts by. */
export interface RowSource {
  /** Of the table; columns without one are called alike everywhere. */
  readonly alias: 'd' | 'f';
  readonly from: string;
  /** Of an index by time. */
  readonly only: string;
  readonly isListed: string;
  readonly at: string;
  readonly state: string;
  /** Id of its document. */
  readonly document: string;
  /** Texts that a search compares; of those to be folded here, the ones that are not ASCII can only be compared by the list itself. */
  readonly folded: string;
  readonly plain: readonly string[];
  /** Of what it is made only `isFound` can tell from its codes. */
  readonly message: string;
  readonly attention: Readonly<Record<Attention, string>>;
}

const texts = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');

export const DOCUMENTS: RowSource = {
  alias: 'd',
  from: 'documents d',
  only: '1 = 1',
  isListed: '1 = 1',
  at: 'd.created_at',
  state: 'd.state',
  document: 'd.id',
  folded: `coalesce(d.folded, lower(d.name || '/' || d.path))`,
  plain: ['d.status'],
  message: 'd.message',
  attention: {
    needed: 'd.dismissed_at IS NULL',
    dismissed: 'd.dismissed_at IS NOT NULL',
    none: `(d.dismissed_at IS NOT NULL OR d.state NOT IN (${texts(UNDECIDED_STATES)}))`,
  },
};

/** Few, in most ledgers. */
export const UNSETTLED: RowSource = { ...DOCUMENTS, only: `d.state <> 'accepted'` };

/** That have no document of their own. */
export const FILES: RowSource = {
  alias: 'f',
  from: 'files f LEFT JOIN documents d ON d.id = f.document_id',
  only: `f.verdict <> 'document'`,
  isListed: isListed('f.'),
  at: 'f.seen_at',
  state: 'f.verdict',
  document: 'f.document_id',
  folded: `coalesce(f.folded, lower(f.dir || '/' || f.name))`,
  plain: ['d.name', 'd.status'],
  message: 'f.message',
  attention: {
    needed: needsAttention('f.'),
    dismissed: 'f.gone_at IS NULL AND f.dismissed_at IS NOT NULL',
    none: `CASE WHEN ${needsAttention('f.')} THEN 0 ELSE 1 END = 1`,
  },
};

interface KnownFilter {
  readonly holds: readonly Hold[];
  /** By number, with their absolute paths; null: not looked up, since nothing is searched for. */
  readonly folders: ReadonlyMap<number, { readonly path: string }> | null;
  folderId(folder: string): number;
}

/** Most words, or parts of words, that SQL searches for. A prepared statement is kept for each number of them. */
const MOST_NEEDLES = 6;

/** Whether SQL alone can decide about a search: words are found one by one, and within one column. */
export function isDecidedBySql({ search = '', values = [] }: ListFilter): boolean {
  const words = searchWords(search);
  return values.length === 0 && words.length <= MOST_NEEDLES && words.every((word) => !/[/\\]/.test(word));
}

/**
 * Conditions of a list, with their parameters. They pass every row that is meant, and some that are not: what a search and a value compare is decided by
 * the whole row (lists.ts).
 */
export class Filter {
  readonly params: Record<string, string | number> = {};
  readonly #source: RowSource;
  readonly #all: string[] = [];
  /** Where a row passes that only the list itself can judge. */
  readonly #sure: string[] = [];

  constructor(
    source: RowSource,
    { states, statuses, folder, endpoint, search = '', values = [], attention }: ListFilter,
    known: KnownFilter,
  ) {
    this.#source = source;
    const { alias } = source;
    // `held` is a queued document under a hold. Not plainly: the index of what is not accepted has no times.
    if (states)
      this.#all.push(
        `coalesce(${source.state}, '') IN (${texts(states.map((state) => (state === 'held' ? 'queued' : state)))})`,
      );
    // Not plainly: PostgreSQL would begin with all documents of that status.
    if (statuses) this.#all.push(this.#oneOf(`coalesce(d.status, '')`, 'status', statuses));
    // With a zero: only the index by time says in which order.
    if (folder !== undefined)
      this.#all.push(`${alias}.folder_id + 0 = ${this.#param('folder', known.folderId(folder))}`);
    if (endpoint)
      this.#all.push(`${alias}.endpoint_id + 0 = ${this.#param('endpoint', endpointIdOf(endpoint))}`);
    if (attention !== undefined) this.#all.push(source.attention[attention]);
    if (search !== '') this.#search(search, known);
    values.forEach((value, n) => this.#value(value, n));
  }

  get where(): string {
    return this.#all.map((condition) => ` AND ${condition}`).join('');
  }

  /** 1 if a row that passes must be read to tell. */
  get isUnsure(): string {
    return this.#sure.length === 0 ? '0' : `CASE WHEN ${this.#sure.join(' AND ')} THEN 0 ELSE 1 END`;
  }

  /** Parts without path separators lie entirely within the folder's path or the file's. The longest exclude most. */
  #search(search: string, { holds, folders }: KnownFilter): void {
    const { alias, folded, plain, message, state } = this.#source;
    const parts = searchWords(search).flatMap((word) => word.split(/[/\\]+/));
    const needles = [...new Set(parts.filter((part) => part !== ''))].sort((a, b) => b.length - a.length);
    const paths = [...(folders ?? [])].map(([id, { path }]) => ({ id, path: fold(path) }));
    const held =
      holds.length === 0 ? [] : ['held', ...holds.flatMap((hold) => saidIn(heldBecause(hold)).map(fold))];
    for (const [n, text] of needles.slice(0, MOST_NEEDLES).entries()) {
      const needle = this.#part(`needle${n}`, text);
      const under = paths.filter(({ path }) => path.includes(text)).map(({ id }) => id);
      const named = LIST_STATES.filter((each) => each.includes(text));
      const states = [...named, ...(held.some((said) => said.includes(text)) ? ['queued'] : [])];
      const found = [
        `${folded} LIKE ${needle}`,
        ...plain.map((column) => `lower(${column}) LIKE ${needle}`),
        ...(under.length > 0 ? [this.#oneOf(`${alias}.folder_id`, `folder${n}_`, under)] : []),
        ...(states.length > 0 ? [`${state} IN (${texts(states)})`] : []),
        // Most words can't be part of a hash, and searching for them takes most of the time.
        ...(/^[0-9a-f]{1,64}$/.test(text) ? [`${alias}.sha256 LIKE ${needle}`] : []),
        this.#hasResult(`s.words LIKE ${needle}`),
      ];
      const mayHold = [
        `lower(${message}) LIKE ${needle}`,
        ...[...plain, message].map((column) => `octet_length(${column}) > length(${column})`),
      ];
      this.#all.push(`(${[...found, ...mayHold].join(' OR ')})`);
      this.#sure.push(`(${found.join(' OR ')})`);
    }
  }

  #value({ pointer, contains = '', from = '', to = '' }: ValueWanted, n: number): void {
    const has = [`s.fields LIKE ${this.#part(`key${n}`, JSON.stringify(pointer))}`];
    const [least, most] = [boundOf(from), boundOf(to)];
    // A text may lie within the bounds, too; and not every key can be asked for in SQLite.
    if ((least !== null || most !== null) && !/["\\[\]$]/.test(pointer)) {
      const number = `{number s.fields ${this.#param(`pointer${n}`, pointer)}}`;
      const bounds = `${this.#param(`from${n}`, least ?? -Number.MAX_VALUE)} AND ${this.#param(`to${n}`, most ?? Number.MAX_VALUE)}`;
      has.push(`coalesce(${number} BETWEEN ${bounds}, 1 = 1)`);
    }
    const [word] = searchWords(contains).toSorted((a, b) => b.length - a.length);
    if (word !== undefined) has.push(`s.words LIKE ${this.#part(`word${n}`, word)}`);
    this.#all.push(this.#hasResult(has.join(' AND ')));
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
