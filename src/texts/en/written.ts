/** What stands in files that receiptd writes and in answers to programs: in English for everybody, as their keys are. */

/** `HELP` of each metric. */
export const metricHelp = {
  receiptd_info: 'Always 1; the version is a label.',
  receiptd_upload_requests_total: 'Completed upload requests, by HTTP status; none if there was no answer.',
  receiptd_upload_seconds: 'Duration of upload requests, from the first byte to the end of the answer.',
  receiptd_upload_bytes_total: 'Bytes of images in upload requests that were answered.',
  receiptd_attempts_total:
    'Upload requests whose outcome was recorded: accepted, refused, limited, trouble, unknown, notSent.',
  receiptd_files_total: 'Files by verdict: document, duplicate, rejected, skipped, incomplete, unreadable.',
  receiptd_acceptance_seconds: 'Time from naming a document to its acceptance.',
  receiptd_ledger_write_seconds: 'Time until a ledger change was durable.',
  receiptd_documents:
    'Documents and other files in the ledger, by state; endpoint is empty for files that are not documents.',
  receiptd_needs_person:
    'Documents and files that need a person and were not dismissed, by state; reason is set for files that were not sent.',
  receiptd_oldest_waiting_seconds: 'Age of the document that has waited longest; 0 if none is waiting.',
  receiptd_uploads_in_flight: 'Upload requests in progress.',
  receiptd_holds:
    'What is keeping documents waiting: service, credentials, endpoints and folders on hold or paused.',
  receiptd_incidents: 'Open incidents, by error code.',
  receiptd_folder_watched:
    '1 while the folder is watched, including by another agent (standby); 0 while it is missing, unreadable, unreachable or paused.',
  receiptd_spool_bytes: 'Size of the copies in the spool, in bytes.',
  receiptd_spool_limit_bytes: 'Maximum size of the spool, in bytes.',
};

/** Comments of a configuration file. */
export const configComments = {
  introduction:
    'receiptd configuration. A line that starts with # and no space is a setting with its default: remove ' +
    'the # to change it. `receiptd check` checks this file. docs/configuration.md describes every key.',
  short:
    'Written by `receiptd setup`; run it again to make changes. To see all settings: `receiptd init --config example.yaml`.',
};

/** What service managers show, and the comments of their files. */
export const serviceTexts = {
  description: 'receiptd: uploads scanned receipts',
  /** Followed by the hash. `isEdited` finds the line by it, also in files of earlier versions. */
  mark: 'Made by `receiptd service install` from the configuration; sha256 of the rest:',
  packaged: `# Of the package, for folders that are only read. One that fits the configuration, where originals are archived or deleted
# or people are shown what needs attention, is put into /etc/systemd/system by \`receiptd service install\`; so is one for a
# delivery.grace of more than 30 seconds, which TimeoutStopSec has to exceed.
`,
};

/** In the files of `doctor --bundle`, in place of what can't or must not be shown. */
export const bundleTexts = {
  late: (seconds: number) => `Not available: it took longer than ${seconds} s.`,
  failed: (detail: string) => `Not available: ${detail}`,
  noEntry: (characters: number) => `a line of ${characters} characters that is no entry`,
  noJson: (characters: number) => `a line of ${characters} characters that is no JSON`,
  noYaml: (lines: number) => `The file is no YAML; it has ${lines} lines.`,
  program: (count: number) => `[a program with ${count} arguments]`,
  ownFile: 'who ran doctor',
  foreignFile: 'another user',
  hidden: '[not shown]',
};

/** Of `npm run generate`. */
export const staleFiles = (files: readonly string[]): string =>
  `Not as src/config/schema.ts, src/control/protocol/protocol and src/features/os-service say: ${files.join(', ')}. Run \`npm run generate\`.`;
