/**
 * Every metric of the agent, as listed in docs/metrics.md (a test compares the two). Names and units follow the Prometheus
 * conventions: base units, `_total` for counters.
 */
export const METRICS = {
  receiptd_info: { type: 'gauge', labels: ['version'] },
  receiptd_upload_requests_total: { type: 'counter', labels: ['endpoint', 'status'] },
  receiptd_upload_seconds: { type: 'histogram', labels: ['endpoint'] },
  receiptd_upload_bytes_total: { type: 'counter', labels: ['endpoint'] },
  receiptd_attempts_total: { type: 'counter', labels: ['outcome'] },
  receiptd_files_total: { type: 'counter', labels: ['folder', 'verdict'] },
  receiptd_acceptance_seconds: { type: 'histogram', labels: [] },
  receiptd_ledger_write_seconds: { type: 'histogram', labels: [] },
  receiptd_documents: { type: 'gauge', labels: ['endpoint', 'folder', 'state'] },
  receiptd_needs_person: { type: 'gauge', labels: ['folder', 'state', 'reason'] },
  receiptd_oldest_waiting_seconds: { type: 'gauge', labels: [] },
  receiptd_uploads_in_flight: { type: 'gauge', labels: [] },
  receiptd_holds: { type: 'gauge', labels: ['scope', 'reason'] },
  receiptd_incidents: { type: 'gauge', labels: ['code'] },
  receiptd_folder_watched: { type: 'gauge', labels: ['folder'] },
  receiptd_spool_bytes: { type: 'gauge', labels: [] },
  receiptd_spool_limit_bytes: { type: 'gauge', labels: [] },
} as const;

export type MetricName = keyof typeof METRICS;
