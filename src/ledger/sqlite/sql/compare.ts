/**
 * What both journal and ledger record. Omits what serves only speed or the moment: queue positions, back-offs, a file's
 * times and inode, the time of a row's last change.
 */
export const COMPARISONS: readonly { readonly what: string; readonly columns: (schema: string) => string }[] =
  [
    {
      what: 'Document',
      columns: (
        s,
      ) => `d.id, e.base_url, e.uid, f.path AS folder, d.path, d.name, d.sha256, d.type, d.size, d.state,
       d.attempts, d.answer_lost, d.created_at, d.service_status, d.response,
       d.dismissed_at, d.dismissed_by
  FROM ${s}.documents d JOIN ${s}.endpoints e ON e.id = d.endpoint_id JOIN ${s}.folders f ON f.id = d.folder_id`,
    },
    {
      what: 'Upload request',
      columns: (s) =>
        `id, document_id, started_at, finished_at, outcome, http_status, bytes, message FROM ${s}.attempts`,
    },
    {
      what: 'File',
      columns: (
        s,
      ) => `s.id, f.path AS folder, s.dir, s.name, s.verdict, s.document_id, s.sha256, s.reason, s.seen_at,
       s.gone_at, s.disposed, s.archived_to, s.dismissed_at, s.dismissed_by, s.file_id, s.pages,
       s.split_into IS NOT NULL AS is_split_open
  FROM ${s}.sightings s JOIN ${s}.folders f ON f.id = s.folder_id`,
    },
    {
      what: 'Result',
      columns: (s) =>
        `id, received_at, document_id, attempts, status, sha256, size, encoding, payload, given_name, given_uid FROM ${s}.results`,
    },
    {
      what: 'Rule for originals of',
      columns: (s) =>
        `f.path AS id, o.rule, o.stays
  FROM ${s}.originals o JOIN ${s}.folders f ON f.id = o.folder_id`,
    },
    { what: 'Act', columns: (s) => `id, at, kind, by, detail FROM ${s}.acts` },
  ];
