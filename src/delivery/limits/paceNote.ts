import { BUDGET_LIMITS, dateText, type Spent } from '../../core/domain/limits.ts';
import { counted } from '../../core/domain/words.ts';
import type { Reduced } from './pace.ts';

const CAUSES: Record<Reduced['cause'], string> = {
  refused: 'because the service asked to slow down (HTTP 429 or 402)',
  slow: 'because its answers take much longer than before',
  outage: 'because they restart step by step after a hold',
};

/** For `status`: what is less than configured, and why, in one plain sentence. */
export function paceNote(alias: string, { cause, atOnce, configured, spacingMs }: Reduced): string {
  const less = [
    ...(atOnce < configured ? [`${atOnce} of ${configured} uploads at once`] : []),
    ...(spacingMs > 0 ? [`one upload every ${seconds(spacingMs)} s`] : []),
  ];
  return `Uploads to endpoint ${alias} are slowed down to ${less.join(' and ')}, ${CAUSES[cause]}. The pace recovers by itself.`;
}

/** The same of a budget that is spent. `alias`: '' for all endpoints together. */
export function spentNote(alias: string, { period, limit, untilAt }: Spent): string {
  const uploads = counted(limit, 'upload');
  const key = BUDGET_LIMITS[period];
  const used =
    alias === ''
      ? `All endpoints together have used their ${uploads} of this ${period} (\`delivery.${key}\`)`
      : `Endpoint ${alias} has used its ${uploads} of this ${period} (\`${key}\`)`;
  return `${used}. Uploads start again on ${dateText('day', untilAt)}.`;
}

function seconds(ms: number): string {
  return ms >= 9_950 ? String(Math.round(ms / 1_000)) : (ms / 1_000).toFixed(ms >= 95 ? 1 : 2);
}
