import { sameIdentity, type EndpointKey } from '../../core/domain/document.ts';
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
import { currentSightings, isOutdated, nextSightings, putSeen } from './sightings.ts';
import * as SQL from './sql/pages.ts';
import { REFRESH_IDENTITY } from './sql/sightings.ts';
import type { Store } from './store.ts';
import type { Transaction } from './transaction.ts';

export function createPages(store: Store): LedgerPages {
  const { places } = store;
  return {
    beginSplit: (plan) =>
      store.write(async (sql) => {
        await store.rows.ensureFolder(plan.file.folder);
        await store.rows.ensureEndpoint(plan.endpoint);
        return beginSplit(sql, plan);
      }),

    openSplits: (after, limit) =>
      store.read(async (sql) => {
        const params = { after, limit, reached: places.reached };
        const rows = await sql.all<SplitRow & { readonly place: string; readonly folder: string }>(
          SQL.OPEN_SPLITS,
          params,
        );
        return rows.map((row) => toSplit(row, places.toFolder(row.place, row.folder)));
      }),

    splitPages: (file) => store.read(async (sql) => toPages(await sql.all<PageRow>(SQL.PAGES, { file }))),

    pagesOfBytes: ({ baseUrl, uid }, sha256) =>
      store.read(async (sql) =>
        toPages(await sql.all<PageRow>(SQL.PAGES_OF_BYTES, { baseUrl, uid, sha256 })),
      ),

    notePage: (split, page, { reason, message, at }) =>
      store.write(async (sql) => {
        const { folder, path, identity } = split.file;
        const file = { folder, path: pagePath(path, page), identity };
        const before = await pageSighting(sql, split.id, file);
        if (before && before.verdict !== 'rejected') return;
        const noted = { verdict: 'rejected', documentId: null, sha256: null, policy: null } as const;
        await putPage(sql, split.id, file, { ...noted, reason, message, at }, before);
      }),

    endSplit: (split, end) =>
      store.write(async (sql) => {
        if (await sql.get(SQL.IS_OPEN, { id: split.id })) sql.emit(endOfSplit(split, end), end.at);
      }),
  };
}

interface CurrentSplit extends IdentityRow {
  readonly id: number;
  readonly sha256: string;
  readonly disposed: 'kept' | null;
  readonly baseUrl: string | null;
  readonly uid: string | null;
  readonly hasLost: boolean;
  readonly isThere: boolean;
}

async function beginSplit(sql: Transaction, plan: SplitPlan): Promise<Split | null> {
  const { endpoint, file, sha256, at } = plan;
  const { baseUrl, uid } = endpoint;
  // Queried first: in a folder shared by agents, this locks the folder.
  const [before, [free = 0]] = await Promise.all([
    currentSightings(sql, file.folder, [file.path]),
    nextSightings(sql, 1),
  ]);
  const place = { ...sql.places.ofFolder(file.folder), ...splitPath(file.path) };
  const known = before.get(file.path);
  const current = await sql.get<CurrentSplit>(SQL.CURRENT_SPLIT, { ...place, baseUrl, uid });
  if (current?.sha256 === sha256 && current.disposed === null && isIn(current, endpoint)) {
    if (!sameIdentity(toIdentity(current), file.identity) && !isOutdated(known, plan))
      sql.send(REFRESH_IDENTITY, { id: current.id, ...identityParams(file.identity), at });
    if (current.uid !== null) return { id: current.id, endpoint, file, sha256 };
    if (!current.hasLost) return null;
  }
  const sighted = { verdict: 'split', documentId: null, sha256, policy: null, reason: null } as const;
  const split = { pages: 0, into: { baseUrl, uid } };
  const message = splitMessage(0);
  const id = putSeen(sql, plan, { ...sighted, message, at }, known, free, split);
  return { id, endpoint, file, sha256 };
}

/** The file is being split into that endpoint, or its pages are already there. */
function isIn(current: CurrentSplit, { baseUrl, uid }: EndpointKey): boolean {
  return current.uid === null ? current.isThere : current.uid === uid && current.baseUrl === baseUrl;
}

/** Locks the file: no other agent decides about its pages until the transaction ends. */
export async function pageSighting(
  sql: Transaction,
  file: number,
  { path }: Pick<FileSeen, 'path'>,
): Promise<PageSighting | undefined> {
  await sql.get(SQL.LOCK_SPLIT, { id: file });
  return sql.get<PageSighting>(SQL.PAGE, { file, ...splitPath(path) });
}

/** Records the outcome of a page: history from the start, since no file exists at its path. */
export async function putPage(
  sql: Transaction,
  split: number,
  file: FileSeen,
  sighted: Sighted,
  before: PageSighting | undefined,
): Promise<void> {
  const id = before?.id ?? (await nextSightings(sql, 1))[0] ?? 0;
  sql.emit({ ...sightedEvent(id, file, sighted, before?.id ?? null), file: split }, sighted.at);
  if (!before) sql.emit({ kind: 'gone', sightings: [id] }, sighted.at);
}
