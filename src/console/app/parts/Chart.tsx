import { useRef, useState } from 'preact/hooks';
import type { HistoryBucket } from '../../../control/protocol/documents.ts';
import { clockTime, compact } from '../format.ts';
import { useWidth } from './hooks.ts';

export interface Series {
  readonly name: string;
  readonly class: string;
  /** Null if no data exists for that time. */
  readonly value: (bucket: HistoryBucket) => number | null;
}

interface ChartProps {
  readonly kind: 'bars' | 'lines';
  readonly buckets: readonly HistoryBucket[];
  readonly series: readonly Series[];
  /** Text alternative for the chart. */
  readonly summary: string;
  readonly unit?: (value: number) => string;
  readonly describe: (bucket: HistoryBucket) => string;
}

const HEIGHT = 148;
/** Maximum width of a label's letter. */
const LETTER = 6.6;
const BOTTOM = 20;
const TOP = 8;
const RIGHT = 6;

export function Chart({ kind, buckets, series, summary, unit = compact, describe }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [over, setOver] = useState<number | null>(null);
  const high = ceiling(Math.max(0, ...buckets.map((bucket) => highest(kind, series, bucket))));
  const ticks = [0, 0.5, 1].map((part) => ({ value: high * part, label: unit(high * part) }));
  const left = Math.max(44, 10 + LETTER * Math.max(...ticks.map(({ label }) => label.length)));
  const step = Math.max(0, width - left - RIGHT) / Math.max(1, buckets.length);
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
            const index = Math.floor((offsetX - left) / step);
            setOver(index >= 0 && index < buckets.length ? index : null);
          }}
          onPointerLeave={() => setOver(null)}
        >
          {ticks.map(({ value, label }) => (
            <g key={value}>
              <line class="grid" x1={left} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
              <text class="tick" x={left - 6} y={y(value) + 4} text-anchor="end">
                {label}
              </text>
            </g>
          ))}
          {over !== null && (
            <rect class="over" x={left + step * over} y={TOP} width={step} height={HEIGHT - TOP - BOTTOM} />
          )}
          {width > 0 && (kind === 'bars' ? bars : lines)(buckets, series, { left, step, y })}
          {width > 0 && times(buckets, { left, step, width })}
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

/** Top of the scale: a round number whose half is round too. */
function ceiling(value: number): number {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 4, 6, 8, 10].find((each) => each * power >= value) ?? 10);
}

interface Scale {
  readonly left: number;
  readonly step: number;
  readonly y: (value: number) => number;
}

function bars(buckets: readonly HistoryBucket[], series: readonly Series[], { left, step, y }: Scale) {
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
          x={left + step * index}
          y={to}
          width={Math.max(1, step - gap)}
          height={Math.max(1, from - to)}
        />
      );
    });
  });
}

function lines(buckets: readonly HistoryBucket[], series: readonly Series[], { left, step, y }: Scale) {
  return series.map(({ name, class: look, value }) => {
    let path = '';
    let pen = false;
    for (const [index, bucket] of buckets.entries()) {
      const its = value(bucket);
      const x = left + step * (index + 0.5);
      // A single point between gaps would be invisible, so draw a short dash.
      if (its !== null) path += pen ? `L${x} ${y(its)}` : `M${x - 1} ${y(its)}L${x + 1} ${y(its)}`;
      pen = its !== null;
    }
    return <path key={name} class={`line ${look}`} d={path} />;
  });
}

/** Time labels, as many as fit without being cut off at the edge. */
function times(
  buckets: readonly HistoryBucket[],
  { left, step, width }: { readonly left: number; readonly step: number; readonly width: number },
) {
  const labels = buckets.map(({ at }) => clockTime(at));
  const widest = LETTER * Math.max(0, ...labels.map(({ length }) => length));
  const apart = Math.max(1, Math.ceil((widest + 60) / Math.max(step, 0.1)));
  return labels.map((label, index) => {
    const x = left + step * index;
    return index % apart === 0 && x + widest <= width ? (
      <text key={buckets[index]?.at} class="tick" x={x} y={HEIGHT - 5}>
        {label}
      </text>
    ) : null;
  });
}
