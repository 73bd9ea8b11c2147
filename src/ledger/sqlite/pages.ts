import { sameIdentity } from '../../core/domain/document.ts';
import { pagePath } from '../../core/domain/pages.ts';
import type { FileSeen } from '../../core/ports/ledgerIntake.ts';
import type { LedgerPages, Split, SplitPlan } from '../../core/ports/ledgerPages.ts';
import {
  endOfSplit,
  splitMessage,
  toPages,
  toSplit,
  type PageRow,
  type PageSighting,
  type SplitRow,
} from '../pageRows.ts';
import { identityParams, splitPath, toIdentity, type IdentityRow } from '../rows.ts';
import { sightedEvent, type Sighted } from '../sighted.ts';
import type { Transaction } from './commit.ts';
import { endpointIdOf, ensureEndpoint, folderIdOf } from './ids.ts';
import { nextId } from './numbers.ts';
import { currentSighting, putSighting } from './sightings.ts';
import * as SQL from './sql/pages.ts';
import { REFRESH_IDENTITY } from './sql/sightings.ts';
import type { Sql } from './statements.ts';
import type { Store } from './store.ts';

export function createPages(store: Store): LedgerPages {
  return {
    beginSplit: (plan) => store.write((sql) => beginSplit(sql, plan)),

    openSplits: (after, limit) =>
      store.read((sql) => {
        const rows = sql.all<SplitRow & { readonly folder: string }>(SQL.OPEN_SPLITS, { after, limit });
        return rows.map((row) => toSplit(row, row.folder));
      }),

    splitPages: (file) => store.read((sql) => toPages(sql.all<PageRow>(SQL.PAGES, { file }))),

    pagesOfBytes: (endpoint, sha256) =>
      store.read((sql) => {
        const endpointId = endpointIdOf(sql, endpoint);
        if (endpointId === undefined) return [];
        return toPages(sql.all<PageRow>(SQL.PAGES_OF_BYTES, { endpointId, sha256 }));
      }),

    notePage: (split, page, { reason, message, at }) =>
      store.write((sql) => {
        const { folder, path, identity } = split.file;
        const file = { folder, path: pagePath(path, page), identity };
        const before = pageSighting(sql, split.id, file);
        if (before && before.verdict !== 'rejected') return;
        const noted = { verdict: 'rejected', documentId: null, sha256: null, policy: null } as const;
        putPage(sql, split.id, file, { ...noted, reason, message, at }, before);
      }),

    endSplit: (split, end) =>
      store.write((sql) => {
        if (sql.get(SQL.IS_OPEN, { id: split.id })) sql.emit(endOfSplit(split, end), end.at);
      }),
  };
}

interface CurrentSplit extends IdentityRow {
  readonly id: number;
  readonly sha256: string;
  readonly disposed: 'kept' | null;
  readonly baseUrl: string | null;
  readonly uid: string | null;
  readonly hasLost: number;
  readonly isThere: number;
}

function beginSplit(
  sql: Transaction,
  { endpoint, file, sha256, at, isElsewhere = false }: SplitPlan,
): Split | null {
  const endpointId = ensureEndpoint(sql, endpoint);
  const folderId = folderIdOf(sql, file.folder);
  const place = splitPath(file.path);
  const current =
    folderId === undefined
      ? undefined
      : sql.get<CurrentSplit>(SQL.CURRENT_SPLIT, { folderId, endpointId, ...place });
  if (current?.sha256 === sha256 && current.disposed === null && isIn(current, endpoint)) {
    if (!sameIdentity(toIdentity(current), file.identity))
      sql.run(REFRESH_IDENTITY, { id: current.id, ...identityParams(file.identity), at });
    if (current.uid !== null) return { id: current.id, endpoint, file, sha256 };
    if (current.hasLost === 0) return null;
  }
  const sighted = { verdict: 'split', documentId: null, sha256, policy: null, reason: null } as const;
  const split = { pages: 0, into: endpoint };
  const id = putSighting(
    sql,
    file,
    { ...sighted, message: splitMessage(0), at },
    currentSighting(sql, file),
    split,
  );
  if (isElsewhere) sql.emit({ kind: 'gone', sightings: [id] }, at);
  return { id, endpoint, file, sha256 };
}

/** The file is being split into that endpoint, or its pages are already there. */
function isIn(current: CurrentSplit, { baseUrl, uid }: SplitPlan['endpoint']): boolean {
  return current.uid === null ? current.isThere === 1 : current.uid === uid && current.baseUrl === baseUrl;
}

export function pageSighting(
  sql: Sql,
  file: number,
  { path }: Pick<FileSeen, 'path'>,
): PageSighting | undefined {
  return sql.get<PageSighting>(SQL.PAGE, { file, ...splitPath(path) });
}

/** Records the outcome of a page: history from the start, since no file exists at its path. */
export function putPage(
  sql: Transaction,
  split: number,
  file: FileSeen,
  sighted: Sighted,
  before: PageSighting | undefined,
): void {
  const id = before?.id ?? nextId(sql, 'sightings');
  sql.emit({ ...sightedEvent(id, file, sighted, before?.id ?? null), file: split }, sighted.at);
  if (!before) sql.emit({ kind: 'gone', sightings: [id] }, sighted.at);
}
