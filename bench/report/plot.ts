import { init } from 'echarts';
import type { Figure } from '../scenario.ts';

const WIDTH = 720;
const ROW = 34;
/** Generous, because the viewer's font is unknown. */
const LETTER = 7.5;
const OURS = '#2f81f7';
const THEIRS = '#8b949e';
const TARGET = '#d29922';
/** The picture has its own background, so that it is readable on any page. */
const STYLE = `<style>
svg { background: #ffffff; }
text { fill: #1f2328; stroke: none; }
@media (prefers-color-scheme: dark) { svg { background: #0d1117; } text { fill: #e6edf3; } }
</style>`;

/** Ratios as bars; shorter is better. Ours are highlighted, and a line marks the target. */
export function bars(title: string, ratios: readonly Figure[]): string {
  const chart = init(null, null, {
    renderer: 'svg',
    ssr: true,
    width: WIDTH,
    height: 78 + ROW * ratios.length,
  });
  try {
    const target = ratios.find((figure) => figure.target !== undefined)?.target;
    chart.setOption({
      animation: false,
      title: { text: title, left: 8, top: 8, textStyle: { fontSize: 15 } },
      grid: {
        left: 24 + LETTER * Math.max(...ratios.map(({ name }) => name.length)),
        right: 70,
        top: 66,
        bottom: 12,
      },
      xAxis: {
        type: 'value',
        show: false,
        min: 0,
        max: Math.max(target ?? 0, ...ratios.map(({ value }) => value)),
      },
      yAxis: {
        type: 'category',
        inverse: true,
        data: ratios.map(({ name }) => name),
        axisTick: { show: false },
        axisLine: { lineStyle: { color: THEIRS } },
      },
      series: {
        type: 'bar',
        silent: true,
        barWidth: ROW * 0.6,
        data: ratios.map(({ value, better }) => ({
          value,
          itemStyle: { color: better === null ? THEIRS : OURS },
          label: { show: true, position: 'right', formatter: `${Number(value.toPrecision(3))} ×` },
        })),
        ...(target !== undefined && {
          markLine: {
            silent: true,
            symbol: 'none',
            data: [{ xAxis: target }],
            lineStyle: { color: TARGET, width: 2, type: 'dashed' },
            label: { formatter: `target ${target} ×`, position: 'start', distance: 6 },
          },
        }),
      },
    });
    return `${withoutClasses(chart.renderToSVGString()).replace('>', `>\n${STYLE}`)}\n`;
  } finally {
    // Its timer would keep the process alive.
    chart.dispose();
  }
}

/** Removes classes used only for hovering, which are numbered across the pictures of a run and would cause diffs. */
function withoutClasses(svg: string): string {
  return svg.replaceAll(/ class="zr[^"]*"/g, '').replace(/<style >.*?<\/style>\n/s, '');
}
