import { language } from '../language.ts';
import { paramsOf } from './documentFilter.ts';
import type { Chosen } from './manyActs.ts';

const DECIMAL_COMMA = (1.5).toLocaleString().includes(',');

/** Link to a file with everything selected. */
export function downloadHref(kind: 'csv' | 'json' | 'zip', chosen: Chosen): string {
  const params = new URLSearchParams(chosen.kind === 'filter' ? paramsOf(chosen.filter) : '');
  const ids =
    chosen.kind === 'rows'
      ? chosen.rows.flatMap((row) => (row.fileId === null ? (row.documentId ?? []) : []))
      : null;
  params.set('timeZone', Intl.DateTimeFormat().resolvedOptions().timeZone);
  if (kind === 'csv') forExcel(params);
  if (kind !== 'json') params.set('language', language);
  // Leave commas unescaped, because the length of a URL is limited.
  return `/v1/documents.${kind}?${ids === null ? '' : `ids=${ids.join(',')}&`}${params.toString()}`;
}

/** Adapts the file to the person's Excel, which expects semicolons if their locale has decimal commas. */
function forExcel(params: URLSearchParams): void {
  if (DECIMAL_COMMA) params.set('separator', ';');
  params.set('bom', '1');
}
