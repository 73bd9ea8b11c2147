import { useState } from 'preact/hooks';
import type { HistoryBucket } from '../../../control/protocol/documents.ts';
import { bytes, duration, moment, number } from '../format.ts';
import { Segments } from '../parts/Button.tsx';
import { Chart, type Series } from '../parts/Chart.tsx';
import { useCall, useNow } from '../parts/hooks.ts';
import { Answer } from '../parts/Notice.tsx';
import { Section } from '../parts/Page.tsx';
import { Table, type TableColumn } from '../parts/Table.tsx';
import { t } from '../texts.ts';

const SPANS = { hour: 60, day: 1440 } as const;
type HistorySpan = keyof typeof SPANS;

const OUTCOMES = ['accepted', 'refused', 'limited', 'trouble'] as const;
const THROUGHPUT = OUTCOMES.map((outcome): Series => ({
  name: t.history[outcome],
  class: outcome,
  value: (bucket) => bucket[outcome],
}));
const LATENCY: readonly Series[] = [
  { name: t.history.median, class: 'median', value: ({ medianMs }) => medianMs },
  { name: t.history.slowest, class: 'slowest', value: ({ slowestMs }) => slowestMs },
];
const REFRESH_MS = 15_000;

export function History() {
  const [span, setSpan] = useState<HistorySpan>('hour');
  const history = useCall('history', { minutes: SPANS[span] }, useNow(REFRESH_MS));
  return (
    <Section
      title={t.history.title}
      id="history"
      actions={
        <Segments
          label={t.history.span}
          texts={t.history.spans}
          options={['hour', 'day']}
          chosen={span}
          onChosen={setSpan}
        />
      }
    >
      <Answer asked={history}>{({ buckets }) => <Charts span={span} buckets={buckets} />}</Answer>
    </Section>
  );
}

function Charts({
  span,
  buckets,
}: {
  readonly span: HistorySpan;
  readonly buckets: readonly HistoryBucket[];
}) {
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

const COLUMNS: readonly TableColumn<HistoryBucket>[] = [
  { head: t.history.from, cell: ({ at }) => moment(at) },
  ...OUTCOMES.map((outcome): TableColumn<HistoryBucket> => ({
    head: t.history[outcome],
    numeric: true,
    cell: (bucket) => number(bucket[outcome]),
  })),
  { head: t.history.volume, numeric: true, cell: (bucket) => bytes(bucket.bytes) },
  { head: t.history.median, numeric: true, cell: ({ medianMs }) => milliseconds(medianMs) },
  { head: t.history.slowest, numeric: true, cell: ({ slowestMs }) => milliseconds(slowestMs) },
];
