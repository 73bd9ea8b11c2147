import { paramsOf } from './documentFilter.ts';
import type { Chosen } from './manyActs.ts';

const DECIMAL_COMMA = (1.5).toLocaleString().includes(',');

/** A file with all of what is chosen. */
export function downloadHref(kind: 'csv' | 'json' | 'zip', chosen: Chosen): string {
  const params = new URLSearchParams(chosen.kind === 'filter' ? paramsOf(chosen.filter) : '');
  const ids =
    chosen.kind === 'rows'
      ? chosen.rows.flatMap((row) => (row.sightingId === null ? (row.documentId ?? []) : []))
      : null;
  if (kind === 'csv') forExcel(params);
  // Commas as they are: what stands in an address has its limit.
  return `/v1/documents.${kind}?${ids === null ? '' : `ids=${ids.join(',')}&`}${params.toString()}`;
}

/** As that of this person expects it: a semicolon where numbers have a comma. */
function forExcel(params: URLSearchParams): void {
  if (DECIMAL_COMMA) params.set('separator', ';');
  params.set('bom', '1');
}
