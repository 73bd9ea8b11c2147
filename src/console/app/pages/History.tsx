import { useState } from 'preact/hooks';
import type { HistoryBucket } from '../../../control/protocol/documents.ts';
import { call } from '../api.ts';
import { bytes, duration, moment, number } from '../format.ts';
import { Button } from '../parts/Button.tsx';
import { Chart, type Series } from '../parts/Chart.tsx';
import { useAsk, useNow } from '../parts/hooks.ts';
import { Failure, Loading } from '../parts/Notice.tsx';
import { Section } from '../parts/Page.tsx';
import { Table, type Column } from '../parts/Table.tsx';
import { t } from '../texts.ts';

const SPANS = { hour: 60, day: 1440 } as const;
type Span = keyof typeof SPANS;

const THROUGHPUT: readonly Series[] = [
  { name: t.history.accepted, class: 'accepted', value: ({ accepted }) => accepted },
  { name: t.history.refused, class: 'refused', value: ({ refused }) => refused },
  { name: t.history.limited, class: 'limited', value: ({ limited }) => limited },
  { name: t.history.trouble, class: 'trouble', value: ({ trouble }) => trouble },
];
const LATENCY: readonly Series[] = [
  { name: t.history.median, class: 'median', value: ({ medianMs }) => medianMs },
  { name: t.history.slowest, class: 'slowest', value: ({ slowestMs }) => slowestMs },
];
const REFRESH_MS = 15_000;

export function History() {
  const [span, setSpan] = useState<Span>('hour');
  const minutes = SPANS[span];
  const { data, error, again } = useAsk(
    (signal) => call('history', { minutes }, signal),
    span,
    useNow(REFRESH_MS),
  );
  return (
    <Section
      title={t.history.title}
      id="history"
      actions={
        <div class="segments" role="group" aria-label={t.history.span}>
          {(['hour', 'day'] as const).map((each) => (
            <Button key={each} aria-pressed={each === span} onClick={() => setSpan(each)}>
              {t.history.spans[each]}
            </Button>
          ))}
        </div>
      }
    >
      <Failure error={error} again={again} />
      {data === null ? error === null && <Loading /> : <Charts span={span} buckets={data.buckets} />}
    </Section>
  );
}

function Charts({ span, buckets }: { readonly span: Span; readonly buckets: readonly HistoryBucket[] }) {
  const total = (key: 'accepted' | 'refused' | 'limited' | 'trouble' | 'bytes') =>
    buckets.reduce((sum, bucket) => sum + bucket[key], 0);
  const ended = {
    accepted: total('accepted'),
    refused: total('refused'),
    limited: total('limited'),
    trouble: total('trouble'),
  };
  const slowest = Math.max(0, ...buckets.map(({ slowestMs }) => slowestMs ?? 0));
  return (
    <>
      <div class="charts">
        <div>
          <h3>{t.history.throughput}</h3>
          <Chart
            kind="bars"
            buckets={buckets}
            series={THROUGHPUT}
            summary={t.history.throughputSummary(t.history.spans[span], ended, bytes(total('bytes')))}
            describe={(bucket) => t.history.throughputOf(moment(bucket.at), bucket)}
          />
        </div>
        <div>
          <h3>{t.history.latency}</h3>
          <Chart
            kind="lines"
            buckets={buckets}
            series={LATENCY}
            unit={(value) => (value < 1000 ? `${Math.round(value)} ms` : `${number(value / 1000)} s`)}
            summary={
              slowest === 0
                ? t.history.noLatency(t.history.spans[span])
                : t.history.latencySummary(t.history.spans[span], duration(slowest))
            }
            describe={({ at, medianMs, slowestMs }) =>
              t.history.latencyOf(moment(at), milliseconds(medianMs), milliseconds(slowestMs))
            }
          />
        </div>
      </div>
      <details>
        <summary>{t.history.asTable}</summary>
        <div class="scroll" role="region" aria-label={t.history.asTable} tabIndex={0}>
          <Table
            caption={t.history.title}
            columns={COLUMNS}
            rows={buckets.filter(({ requests, accepted }) => requests + accepted > 0).toReversed()}
            rowKey={({ at }) => at}
          />
        </div>
      </details>
    </>
  );
}

const milliseconds = (value: number | null): string =>
  value === null ? '–' : `${number(Math.round(value))} ms`;

const COLUMNS: readonly Column<HistoryBucket>[] = [
  { head: t.history.from, cell: ({ at }) => moment(at) },
  { head: t.history.accepted, numeric: true, cell: ({ accepted }) => number(accepted) },
  { head: t.history.refused, numeric: true, cell: ({ refused }) => number(refused) },
  { head: t.history.limited, numeric: true, cell: ({ limited }) => number(limited) },
  { head: t.history.trouble, numeric: true, cell: ({ trouble }) => number(trouble) },
  { head: t.history.volume, numeric: true, cell: (bucket) => bytes(bucket.bytes) },
  { head: t.history.median, numeric: true, cell: ({ medianMs }) => milliseconds(medianMs) },
  { head: t.history.slowest, numeric: true, cell: ({ slowestMs }) => milliseconds(slowestMs) },
];
