import { useRef, useState } from 'preact/hooks';
import type { HistoryBucket } from '../../daemon/control/protocol/documents.ts';
import { clockTime, compact } from '../format.ts';
import { useWidth } from './hooks.ts';

export interface Series {
  readonly name: string;
  readonly class: string;
  /** Null: nothing is known of that time. */
  readonly value: (bucket: HistoryBucket) => number | null;
}

interface ChartProps {
  readonly kind: 'bars' | 'lines';
  readonly buckets: readonly HistoryBucket[];
  readonly series: readonly Series[];
  /** Says the whole in words: the picture is not for everybody. */
  readonly summary: string;
  readonly unit?: (value: number) => string;
  readonly describe: (bucket: HistoryBucket) => string;
}

const HEIGHT = 148;
const LEFT = 44;
const BOTTOM = 20;
const TOP = 8;
const RIGHT = 6;

export function Chart({ kind, buckets, series, summary, unit = compact, describe }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [over, setOver] = useState<number | null>(null);
  const high = ceiling(Math.max(0, ...buckets.map((bucket) => highest(kind, series, bucket))));
  const step = Math.max(0, width - LEFT - RIGHT) / Math.max(1, buckets.length);
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / high);
  const pointed = over === null ? undefined : buckets[over];
  return (
    <figure class="chart">
      <div class="legend" aria-hidden="true">
        {series.map(({ name, class: look }) => (
          <span key={name} class={`key ${look}`}>
            {name}
          </span>
        ))}
      </div>
      <div ref={box}>
        <svg
          role="img"
          aria-label={summary}
          width={width}
          height={HEIGHT}
          onPointerMove={({ offsetX }) => {
            const index = Math.floor((offsetX - LEFT) / step);
            setOver(index >= 0 && index < buckets.length ? index : null);
          }}
          onPointerLeave={() => setOver(null)}
        >
          {[0, 0.5, 1].map((part) => (
            <g key={part}>
              <line class="grid" x1={LEFT} x2={width - RIGHT} y1={y(high * part)} y2={y(high * part)} />
              <text class="tick" x={LEFT - 6} y={y(high * part) + 4} text-anchor="end">
                {unit(high * part)}
              </text>
            </g>
          ))}
          {over !== null && (
            <rect class="over" x={LEFT + step * over} y={TOP} width={step} height={HEIGHT - TOP - BOTTOM} />
          )}
          {width > 0 && (kind === 'bars' ? bars(buckets, series, step, y) : lines(buckets, series, step, y))}
          {times(buckets, step)}
        </svg>
      </div>
      <figcaption class="pointed">{pointed === undefined ? summary : describe(pointed)}</figcaption>
    </figure>
  );
}

function highest(kind: 'bars' | 'lines', series: readonly Series[], bucket: HistoryBucket): number {
  const values = series.map(({ value }) => value(bucket) ?? 0);
  return kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
}

/** A round number at the top of the scale, whose half is round as well. */
function ceiling(value: number): number {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 4, 6, 8, 10].find((each) => each * power >= value) ?? 10);
}

type Scale = (value: number) => number;

function bars(buckets: readonly HistoryBucket[], series: readonly Series[], step: number, y: Scale) {
  const gap = step > 4 ? 1 : 0;
  return buckets.map((bucket, index) => {
    let below = 0;
    return series.map(({ name, class: look, value }) => {
      const its = value(bucket) ?? 0;
      if (its === 0) return null;
      const from = y(below);
      below += its;
      const to = y(below);
      return (
        <rect
          key={`${index} ${name}`}
          class={look}
          x={LEFT + step * index}
          y={to}
          width={Math.max(1, step - gap)}
          height={Math.max(1, from - to)}
        />
      );
    });
  });
}

function lines(buckets: readonly HistoryBucket[], series: readonly Series[], step: number, y: Scale) {
  return series.map(({ name, class: look, value }) => {
    let path = '';
    let pen = false;
    for (const [index, bucket] of buckets.entries()) {
      const its = value(bucket);
      const x = LEFT + step * (index + 0.5);
      // A point between two gaps would not be seen: it becomes a short dash.
      if (its !== null) path += pen ? `L${x} ${y(its)}` : `M${x - 1} ${y(its)}L${x + 1} ${y(its)}`;
      pen = its !== null;
    }
    return <path key={name} class={`line ${look}`} d={path} />;
  });
}

function times(buckets: readonly HistoryBucket[], step: number) {
  const apart = Math.max(1, Math.ceil(96 / Math.max(step, 0.1)));
  return buckets.map(({ at }, index) =>
    index % apart === 0 && step * (buckets.length - index) > 44 ? (
      <text key={at} class="tick" x={LEFT + step * index} y={HEIGHT - 5}>
        {clockTime(at)}
      </text>
    ) : null,
  );
}
