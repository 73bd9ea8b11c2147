import type { ResultJson } from '../../../control/protocol/results.ts';
import { bytes, instant } from '../format.ts';
import { useCall } from '../parts/hooks.ts';
import { Answer } from '../parts/Notice.tsx';
import { Page } from '../parts/Page.tsx';
import { Wrapped } from '../parts/Wrapped.tsx';
import { Table, type TableColumn } from '../parts/Table.tsx';
import { href, type Route } from '../router.ts';
import { t } from '../texts.ts';
import { Payload } from './Payload.tsx';
import { heads } from './rowParts.tsx';

const AT_ONCE = 50;

/** All results that the service posted, including those that match no document. */
export function ResultsPage({ route }: { readonly route: Route }) {
  const unmatched = route.query.has('unmatched');
  const before = Number(route.query.get('before')) || undefined;
  const asked = useCall('results', { unmatched, limit: AT_ONCE, ...(before && { before }) });
  const at = (only: boolean, next?: number) =>
    href(['results'], { unmatched: only ? '1' : '', before: next === undefined ? '' : String(next) });
  const columns: readonly TableColumn<ResultJson>[] = [
    { head: t.results.received, cell: ({ receivedAt }) => instant(receivedAt) },
    { head: t.results.document, class: 'name', cell: (row) => <About row={row} /> },
    { head: heads.status, cell: ({ status }) => status ?? '–' },
    { head: heads.size, numeric: true, cell: ({ size }) => bytes(size) },
    {
      head: t.results.payload,
      cell: ({ id }) => <Payload id={id} />,
    },
  ];
  return (
    <Page
      title={t.results.title}
      back={{ href: href(['documents']), text: t.documents.title }}
      actions={
        <a class="button" href={at(!unmatched)}>
          {unmatched ? t.results.all : t.results.unmatched}
        </a>
      }
    >
      <Answer asked={asked}>
        {({ results, total, next }) => (
          <>
            {typeof total === 'number' && total > results.length && (
              <p class="muted">{t.documents.total(total, true)}</p>
            )}
            {results.length === 0 ? (
              <p class="muted">{t.results.none}</p>
            ) : (
              <Table
                caption={t.results.title}
                columns={columns}
                rows={results}
                rowKey={({ id }) => String(id)}
              />
            )}
            {typeof next === 'number' && (
              <nav class="pages" aria-label={t.documents.pages}>
                <a class="button" href={at(unmatched, next)} rel="next">
                  {t.documents.next} →
                </a>
              </nav>
            )}
          </>
        )}
      </Answer>
    </Page>
  );
}

function About({ row: { document, givenName } }: { readonly row: ResultJson }) {
  if (document === null)
    return (
      <>
        {givenName !== null && <Wrapped text={givenName} />}
        <p class="muted small">{t.results.unknown}</p>
      </>
    );
  return (
    <a href={href(['documents', String(document.id)])}>
      <Wrapped text={document.name} />
    </a>
  );
}
