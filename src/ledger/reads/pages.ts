import type { DocumentState } from '../../core/domain/document.ts';
import { pageOf } from '../../core/domain/pages.ts';
import type { LedgerPages, Split, SplitPage } from '../../core/ports/ledgerPages.ts';
import { identityOf, type Columns, type View } from './view.ts';
import { ofBytes, pathOf, select } from '../schema.ts';
import { endpointIdOf } from '../entries.ts';

const SPLIT_NAMES = 'id folder_id dir name sha256 size identity split_into';
type SplitColumns = Columns<'files', typeof SPLIT_NAMES>;

const OPEN = `SELECT ${select('f', SPLIT_NAMES)} FROM files f
 WHERE f.split_into IS NOT NULL AND f.verdict = 'split' AND f.id > :after ORDER BY f.id LIMIT :limit`;

const PAGE = 'p.id, p.dir, p.name, p.verdict, p.sha256, p.reason, d.state';
const PAGES = `SELECT ${PAGE} FROM files p LEFT JOIN documents d ON d.id = p.document_id WHERE p.file_id = :file`;
const PAGES_OF_BYTES = `SELECT ${PAGE} FROM (${ofBytes(':sha256')}) b
  JOIN files f ON f.id = b.id JOIN files p ON p.file_id = f.id JOIN documents d ON d.id = p.document_id
 WHERE f.pages IS NOT NULL AND d.endpoint_id = :endpoint`;

export function pageReads(view: View): Pick<LedgerPages, 'openSplits' | 'splitPages' | 'pagesOfBytes'> {
  return {
    async openSplits(afterId, limit) {
      const splits: Split[] = [];
      for (let after = afterId; splits.length < limit;) {
        const rows = await view.all<SplitColumns>(OPEN, { after, limit });
        await view.know(
          rows.map(({ folder_id, split_into }) => ({ folder_id, endpoint_id: split_into ?? 0 })),
        );
        splits.push(
          ...rows.filter(({ folder_id }) => view.reaches(folder_id)).flatMap((row) => toSplit(view, row)),
        );
        if (rows.length < limit) break;
        after = rows.at(-1)?.id ?? after;
      }
      return splits.slice(0, limit);
    },

    splitPages: async (file) => toPages(await view.all<PageRow>(PAGES, { file })),

    pagesOfBytes: async (endpoint, sha256) =>
      toPages(await view.all<PageRow>(PAGES_OF_BYTES, { endpoint: endpointIdOf(endpoint), sha256 })),
  };
}

function toSplit(view: View, row: SplitColumns): readonly Split[] {
  const { id, sha256, split_into } = row;
  const endpoint = view.endpoint(split_into ?? 0);
  if (endpoint === null || sha256 === null) return [];
  const file = { folder: view.path(row.folder_id), path: pathOf(row), identity: identityOf(row) };
  return [{ id, endpoint, file, sha256 }];
}

type PageRow = Columns<'files', 'id dir name sha256 reason'> & {
  readonly verdict: SplitPage['verdict'];
  readonly state: DocumentState | null;
};

/** The pages that were not erased, each with its latest verdict. */
function toPages(rows: readonly PageRow[]): SplitPage[] {
  const pages = new Map<number, SplitPage>();
  for (const row of rows.toSorted((a, b) => a.id - b.id)) {
    const page = pageOf(pathOf(row))?.page;
    const { verdict, sha256, state, reason } = row;
    if (page !== undefined) pages.set(page, { page, verdict, sha256, state, reason });
  }
  return [...pages.values()];
}
