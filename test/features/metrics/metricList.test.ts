import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../../src/features/metrics/metricList.ts';
import { metricHelp } from '../../../src/texts/en/written.ts';

const text = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

/** Without the suffixes of a histogram. */
function named(content: string): string[] {
  const names = [...content.matchAll(/\breceiptd_[a-z_]+/g)].map(([name]) => name);
  const base = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '');
  return [...new Set(names.map((name) => (Object.hasOwn(METRICS, name) ? name : base(name))))];
}

describe('the metrics', () => {
  it.each(['config/prometheus-alerts.yaml', 'config/grafana-dashboard.json', 'docs/metrics.md'])(
    'include every metric that %s mentions',
    (file) => {
      const unknown = named(text(file)).filter((name) => !Object.hasOwn(METRICS, name));
      expect(unknown).toEqual([]);
      expect(named(text(file)).length).toBeGreaterThan(5);
    },
  );

  it('are all documented, with their labels and meanings', () => {
    const lines = text('docs/metrics.md').split('\n');
    for (const [name, { type, labels }] of Object.entries(METRICS)) {
      const help = metricHelp[name as keyof typeof METRICS];
      const row = lines.find((line) => line.startsWith(`| \`${name}\``)) ?? '';
      const cells = row.split('|').map((cell) => cell.trim());
      expect(cells.slice(1, -1), name).toEqual([
        `\`${name}\``,
        type,
        labels.map((label) => `\`${label}\``).join(', '),
        help,
      ]);
    }
  });
});
