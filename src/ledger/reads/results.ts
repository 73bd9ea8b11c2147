import type { ResultReports, ResultRow, ResultsWanted } from '../../core/ports/results.ts';
import type { Row } from '../schema.ts';
import type { View } from './view.ts';

/** Most results that the view of one document shows. */
const MOST_SHOWN = 500;

type ResultColumns = Omit<Row<'results'>, 'attempts' | 'words' | 'fields' | 'payload'> & {
  readonly name: string | null;
  readonly endpoint_id: number | null;
};

const COLUMNS = `s.id, s.received_at, s.document_id, s.status, s.sha256, s.size, s.encoding, s.given_name, s.given_uid, s.turn, d.name, d.endpoint_id`;
const FROM = 'FROM results s LEFT JOIN documents d ON d.id = s.document_id';

const BY_ID = `SELECT ${COLUMNS}, s.payload ${FROM} WHERE s.id = :id`;

type Order = ResultsWanted['order'];
const inOrders = (condition: string, turn = 's.id'): Readonly<Record<Order, string>> => {
  const from = `SELECT ${COLUMNS} ${FROM} WHERE ${turn} > :after AND ${turn} < :before ${condition} ORDER BY ${turn}`;
  return { oldest: `${from} LIMIT :limit`, newest: `${from} DESC LIMIT :limit` };
};
const ALL = inOrders('');
const UNMATCHED = inOrders('AND s.document_id IS NULL');
const RECEIVED = inOrders('AND s.turn IS NULL');
/** Of agents that were retired. */
const PASSED = inOrders('', 's.turn');
const OF_DOCUMENT = inOrders('AND s.document_id = :document');

const COUNT = {
  all: 'SELECT count(*) AS n FROM results s',
  unmatched: 'SELECT count(*) AS n FROM results s WHERE s.document_id IS NULL',
} as const;
const LAST = `SELECT max(n.id) AS n FROM (
  SELECT max(s.id) AS id FROM results s WHERE s.id > :after AND s.id < :before
  UNION ALL
  SELECT max(p.turn) FROM results p WHERE p.turn > :after AND p.turn < :before) n`;

export function resultReports(view: View): ResultReports {
  return {
    async results({ of, order, after, limit }) {
      const all = of === 'received' ? view.own : { after: 0, before: Number.MAX_SAFE_INTEGER };
      const range =
        after === null
          ? all
          : order === 'oldest'
            ? { ...all, after: Math.max(after, all.after) }
            : { ...all, before: Math.min(after, all.before) };
      if (of === 'all') return rowsOf(view, ALL[order], { ...range, limit });
      if (of === 'received') {
        const [own, passed] = await Promise.all([
          rowsOf(view, RECEIVED[order], { ...range, limit }),
          rowsOf(view, PASSED[order], { ...range, limit }),
        ]);
        const sign = order === 'oldest' ? 1 : -1;
        return [...own, ...passed].sort((a, b) => sign * (a.turn - b.turn)).slice(0, limit);
      }
      if (of === 'unmatched') return rowsOf(view, UNMATCHED[order], { ...range, limit });
      return rowsOf(view, OF_DOCUMENT[order], { ...range, limit, document: of });
    },

    async result(id) {
      const row = await view.one<ResultColumns & Pick<Row<'results'>, 'payload'>>(BY_ID, { id });
      if (!row) return null;
      await view.know([{ endpoint_id: row.endpoint_id ?? 0 }]);
      return { ...toResultRow(view, row), payload: row.payload };
    },

    countResults: (of) => view.number(COUNT[of]),

    lastResult: () => view.number(LAST, view.own),
  };
}

/** Oldest first. */
export async function resultsOf(view: View, document: number): Promise<readonly ResultRow[]> {
  const of = { document, after: 0, before: Number.MAX_SAFE_INTEGER, limit: MOST_SHOWN };
  return (await rowsOf(view, OF_DOCUMENT.newest, of)).toReversed();
}

async function rowsOf(view: View, statement: string, params: object): Promise<readonly ResultRow[]> {
  const rows = await view.all<ResultColumns>(statement, params);
  await view.know(rows.map(({ endpoint_id }) => ({ endpoint_id: endpoint_id ?? 0 })));
  return rows.map((row) => toResultRow(view, row));
}

function toResultRow(view: View, row: ResultColumns): ResultRow {
  const { id, document_id: document, name, endpoint_id, status, sha256, size, encoding } = row;
  const endpoint = endpoint_id === null ? null : view.endpoint(endpoint_id);
  return {
    id,
    receivedAt: row.received_at,
    document:
      document === null || name === null || endpoint === null ? null : { id: document, name, endpoint },
    status,
    sha256,
    size,
    encoding,
    givenName: row.given_name,
    givenUid: row.given_uid,
    turn: row.turn ?? id,
  };
}
