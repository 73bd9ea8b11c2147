import type { LedgerDisposals } from '../../core/ports/ledgerDisposals.ts';
import type { LedgerReports } from '../../core/ports/ledgerReports.ts';
import type { Range } from '../entries.ts';

import { identityOf, type Columns, type View } from './view.ts';
import { ofBytes, pathOf, select } from '../schema.ts';

const NAMES = 'id dir name sha256 size identity';
type OriginalColumns = Columns<'files', typeof NAMES>;

const RULE = 'SELECT rule, stays FROM folders WHERE id = :folder';
const COLUMNS = select('f', NAMES);
const BEGUN = `SELECT ${COLUMNS}, f.disposing FROM files f WHERE f.folder_id = :folder AND f.disposing IS NOT NULL ORDER BY f.id`;

const HERE = 'f.folder_id = :folder AND f.gone_at IS NULL AND f.disposed IS NULL';

/** Any of as many ranges or texts; of none, nothing. */
const anyOf = (count: number, text: (n: number) => string): string =>
  count === 0 ? '1 = 0' : `(${Array.from({ length: count }, (_, n) => text(n)).join(' OR ')})`;

/**
 * Files in place whose document is accepted, and split files of which every page is, but for blank ones. Each has two questions about it: whether the
 * document ever had one of these statuses, even if it has another one now, and whether the image lay somewhere before the rule was set: a renamed or
 * returned file, or one in a folder that has another path now, is seen again but is not new.
 */
const KINDS = [
  (isReached: string, lay: string) => ({
    where: `files f CROSS JOIN documents d WHERE d.id = f.document_id AND ${HERE} AND f.document_id IS NOT NULL AND d.state = 'accepted' AND ${isReached}`,
    isOld: `EXISTS (SELECT 1 FROM files o WHERE o.document_id = f.document_id AND ${lay})`,
  }),
  (isReached: string, lay: string) => ({
    where: `files f WHERE ${HERE} AND f.verdict = 'split' AND f.split_into IS NULL AND NOT EXISTS (
      SELECT 1 FROM files p LEFT JOIN documents d ON d.id = p.document_id
       WHERE p.file_id = f.id AND NOT (p.verdict = 'rejected' AND p.reason = 'BLANK') AND (d.state IS DISTINCT FROM 'accepted' OR NOT ${isReached}))`,
    isOld: `EXISTS (SELECT 1 FROM (${ofBytes('f.sha256')}) o WHERE ${lay})`,
  }),
] as const;

/** For so many ranges of files that stay, and statuses; null: acceptance is enough. */
function questionsOf(ranges: number, statuses: number | null) {
  const status = (of: string): string => anyOf(statuses ?? 0, (n) => `${of} = :status${n}`);
  const isReached =
    statuses === null
      ? '1 = 1'
      : `(coalesce(${status('d.status')}, 1 = 0) OR EXISTS (SELECT 1 FROM results s WHERE s.document_id = d.id AND ${status('s.status')}))`;
  const lay = anyOf(ranges, (n) => `o.id BETWEEN :from${n} AND :to${n}`);
  return KINDS.map((kind) => kind(isReached, lay));
}

function paramsOf(ranges: readonly Range[], statuses: readonly string[]): Record<string, number | string> {
  return Object.fromEntries([
    ...ranges.flatMap(([from, to], n) => [[`from${n}`, from] as const, [`to${n}`, to] as const]),
    ...statuses.map((status, n) => [`status${n}`, status] as const),
  ]);
}

/** Of a folder: files that are older than its rule, which stay. The port has one number for them, 0 for none. */
async function ruleOf(view: View, folder: string) {
  const row = await view.one<Columns<'folders', 'rule stays'>>(RULE, { folder: view.folderId(folder) });
  // Written by the fold.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const all = JSON.parse(row?.stays ?? '[]') as readonly Range[];
  const ranges = all.filter(([from, to]) => from <= to).toSorted(([a], [b]) => a - b);
  return { rule: row?.rule ?? null, ranges, stays: Math.max(0, ...ranges.map(([, to]) => to)) };
}

export function originalReads(view: View): Pick<LedgerDisposals, 'toDispose' | 'begunDisposals'> {
  const toDisposal = (folder: string, row: OriginalColumns) => ({
    fileId: row.id,
    file: { folder, path: pathOf(row), identity: identityOf(row) },
    sha256: row.sha256 ?? '',
  });
  return {
    async toDispose(folder, { afterFileId, limit, stays, statuses }) {
      const ranges = stays === 0 ? [] : (await ruleOf(view, folder)).ranges;
      // Passes over them at once: there may be many.
      const after = ranges.reduce((id, [from, to]) => (from <= id + 1 ? Math.max(id, to) : id), afterFileId);
      const params = { folder: view.folderId(folder), after, limit, ...paramsOf(ranges, statuses ?? []) };
      const rows = await Promise.all(
        questionsOf(ranges.length, statuses?.length ?? null).map(({ where, isOld }) =>
          view.all<OriginalColumns>(
            `SELECT ${COLUMNS} FROM ${where} AND f.id > :after AND NOT ${isOld} ORDER BY f.id LIMIT :limit`,
            params,
          ),
        ),
      );
      return rows
        .flat()
        .sort((a, b) => a.id - b.id)
        .slice(0, limit)
        .map((row) => toDisposal(folder, row));
    },

    async begunDisposals(folder) {
      const of = { folder: view.folderId(folder) };
      const rows = await view.all<OriginalColumns & Columns<'files', 'disposing'>>(BEGUN, of);
      return rows.flatMap(({ disposing: how, ...row }) =>
        how === null ? [] : { ...toDisposal(folder, row), how },
      );
    },
  };
}

export function originalReports(view: View): Pick<LedgerReports, 'originalsRule' | 'acceptedOriginals'> {
  return {
    async originalsRule(folder) {
      const { rule, stays } = await ruleOf(view, folder);
      return rule === null ? null : { rule, stays };
    },

    async acceptedOriginals(folder, stays) {
      const ranges = stays === null || stays === 0 ? [] : (await ruleOf(view, folder)).ranges;
      const params = { folder: view.folderId(folder), ...paramsOf(ranges, []) };
      const counts = await Promise.all(
        questionsOf(ranges.length, null).map(({ where, isOld }) =>
          view.number(`SELECT count(*) AS n FROM ${where} ${stays === null ? '' : `AND ${isOld}`}`, params),
        ),
      );
      return counts.reduce((sum, n) => sum + n, 0);
    },
  };
}
