/**
 * Every metric of the agent, as listed in docs/metrics.md (a test compares the two). Names and units follow the Prometheus
 * conventions: base units, `_total` for counters.
 */
export const METRICS = {
  receiptd_info: { type: 'gauge', labels: ['version'], help: 'Always 1; the version is a label.' },
  receiptd_upload_requests_total: {
    type: 'counter',
    labels: ['endpoint', 'status'],
    help: 'Completed upload requests, by HTTP status; none if there was no answer.',
  },
  receiptd_upload_seconds: {
    type: 'histogram',
    labels: ['endpoint'],
    help: 'Duration of upload requests, from the first byte to the end of the answer.',
  },
  receiptd_upload_bytes_total: {
    type: 'counter',
    labels: ['endpoint'],
    help: 'Bytes of images in upload requests that were answered.',
  },
  receiptd_attempts_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Upload requests whose outcome was recorded: accepted, refused, limited, trouble, unknown, notSent.',
  },
  receiptd_files_total: {
    type: 'counter',
    labels: ['folder', 'verdict'],
    help: 'Files by verdict: document, duplicate, rejected, skipped, incomplete, unreadable.',
  },
  receiptd_acceptance_seconds: {
    type: 'histogram',
    labels: [],
    help: 'Time from naming a document to its acceptance.',
  },
  receiptd_ledger_write_seconds: {
    type: 'histogram',
    labels: [],
    help: 'Time until a ledger change was durable.',
  },
  receiptd_documents: {
    type: 'gauge',
    labels: ['endpoint', 'folder', 'state'],
    help: 'Documents and other files in the ledger, by state; endpoint is empty for files that are not documents.',
  },
  receiptd_needs_person: {
    type: 'gauge',
    labels: ['folder', 'state', 'reason'],
    help: 'Documents and files that need a person and were not dismissed, by state; reason is set for files that were not sent.',
  },
  receiptd_oldest_waiting_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Age of the document that has waited longest; 0 if none is waiting.',
  },
  receiptd_uploads_in_flight: { type: 'gauge', labels: [], help: 'Upload requests in progress.' },
  receiptd_holds: {
    type: 'gauge',
    labels: ['scope', 'reason'],
    help: 'What is keeping documents waiting: service, credentials, endpoints and folders on hold or paused.',
  },
  receiptd_incidents: { type: 'gauge', labels: ['code'], help: 'Open incidents, by error code.' },
  receiptd_folder_watched: {
    type: 'gauge',
    labels: ['folder'],
    help: '1 while the folder is watched, including by another agent (standby); 0 while it is missing, unreadable, unreachable or paused.',
  },
  receiptd_spool_bytes: { type: 'gauge', labels: [], help: 'Size of the copies in the spool, in bytes.' },
  receiptd_spool_limit_bytes: { type: 'gauge', labels: [], help: 'Maximum size of the spool, in bytes.' },
} as const;

export type MetricName = keyof typeof METRICS;
