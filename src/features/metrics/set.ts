/**
 * Every metric of the agent's own, as docs/metrics.md lists them (a test holds the two together). Names and units follow
 * the Prometheus conventions: base units, `_total` for counters.
 */
export const METRICS = {
  receiptd_info: { type: 'gauge', labels: ['version'], help: 'Always 1; the version is a label.' },
  receiptd_upload_requests_total: {
    type: 'counter',
    labels: ['endpoint', 'status'],
    help: 'Upload requests that ended, by HTTP status; none where no answer came.',
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
    help: 'Files that were judged: document, duplicate, rejected, skipped, incomplete, unreadable.',
  },
  receiptd_acceptance_seconds: {
    type: 'histogram',
    labels: [],
    help: 'From the naming of a document to its acceptance.',
  },
  receiptd_ledger_write_seconds: {
    type: 'histogram',
    labels: [],
    help: 'Until a change of the ledger was durable.',
  },
  receiptd_documents: {
    type: 'gauge',
    labels: ['endpoint', 'folder', 'state'],
    help: 'Documents and other files in the ledger, by state; endpoint is empty for files that are no documents.',
  },
  receiptd_needs_person: {
    type: 'gauge',
    labels: ['folder', 'state', 'reason'],
    help: 'Documents and files that need a person and were not dismissed, by state; reason of files that were not sent.',
  },
  receiptd_oldest_waiting_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Age of the document that has waited longest; 0 where none waits.',
  },
  receiptd_uploads_in_flight: { type: 'gauge', labels: [], help: 'Upload requests under way.' },
  receiptd_holds: {
    type: 'gauge',
    labels: ['scope', 'reason'],
    help: 'What keeps documents waiting: service, credentials, endpoints and folders on hold or paused.',
  },
  receiptd_incidents: { type: 'gauge', labels: ['code'], help: 'Open incidents, by error code.' },
  receiptd_folder_watched: {
    type: 'gauge',
    labels: ['folder'],
    help: '1 while the folder is watched, be it by another agent (standby); 0 while it is missing, unreadable, unreachable or paused.',
  },
  receiptd_spool_bytes: { type: 'gauge', labels: [], help: 'Bytes of copies in the spool.' },
  receiptd_spool_limit_bytes: { type: 'gauge', labels: [], help: 'Most bytes that the spool may have.' },
} as const;

export type MetricName = keyof typeof METRICS;
