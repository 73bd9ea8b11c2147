/** The words for a setting, used by the console, the reference and the template. */
export interface SettingText {
  readonly label: string;
  /** Makes sense without the label. */
  readonly help: string;
  /** Names of its values. */
  readonly options?: Readonly<Record<string, string>>;
}

/** By key of the table of settings (src/config/schema.ts). */
const english = {
  'service.baseUrl': {
    label: 'Address',
    help: 'Address of the receipt analysis service, without /v2. Document names are unique per address and endpoint, so changing the address starts a new series.',
  },
  'service.allowInsecureHttp': {
    label: 'Allow unencrypted connections',
    help: 'Allows http:// to hosts other than this machine. Credentials and receipts are then sent unencrypted.',
  },
  'service.uploadContentType': {
    label: 'Content type of uploads',
    help: 'Content-Type of uploads: auto, or a media type such as application/octet-stream. The API does not specify one; auto sends the type of the image, such as image/jpeg.',
  },
  'service.proxy': {
    label: 'Proxy',
    help: 'How to reach the service: auto uses HTTPS_PROXY, HTTP_PROXY and NO_PROXY from the environment, direct uses no proxy, and a URL uses that proxy for everything. A user name and password in the URL are sent only to the proxy.',
  },
  'service.ca': {
    label: 'Certificate authorities',
    help: 'File with additional certificate authorities to trust (PEM), such as that of a proxy that inspects traffic, or none.',
  },
  'service.answerLimit': {
    label: 'Keep per answer',
    help: 'How much of each upload answer the ledger keeps. For a larger answer, it keeps the beginning, the length and the SHA-256.',
  },
  'service.timeouts.connect': {
    label: 'For a connection',
    help: 'Longest time to wait for a connection.',
  },
  'service.timeouts.progress': {
    label: 'For upload progress',
    help: 'Longest time an upload may make no progress.',
  },
  'service.timeouts.headers': {
    label: 'For the start of an answer',
    help: 'Longest time to wait for the answer to begin once the image has been sent.',
  },
  'service.timeouts.body': {
    label: 'For the complete answer',
    help: 'Longest time to wait for the complete answer.',
  },
  'credentials.store': {
    label: 'Store of the credentials',
    help: 'Where to read the client identifier and secret from. auto uses the first of environment, systemd, file and keychain that has them.',
  },
  'credentials.file': {
    label: 'Credentials file',
    help: 'Credentials file for store file, readable only by its owner.',
  },
  'accounts.*.store': {
    label: 'Store of the account',
    help: 'Where to read its client identifier and secret from. Same as `credentials.store`, but each account has its own names in the stores.',
  },
  'accounts.*.file': {
    label: 'Credentials file of the account',
    help: 'Its credentials file for store file, readable only by its owner.',
  },
  'endpoints.*.uid': {
    label: 'Uid',
    help: 'The uid that the service assigned to the endpoint; `receiptd endpoint create` prints it.',
  },
  'endpoints.*.account': {
    label: 'Account',
    help: 'Name of the account (`accounts`) whose credentials are used for this endpoint; none uses `credentials`.',
    options: { none: 'the default account' },
  },
  'endpoints.*.concurrency': {
    label: 'Uploads at once',
    help: 'Maximum number of concurrent uploads to this endpoint. Defaults to the limit for all endpoints.',
  },
  'endpoints.*.rate': {
    label: 'Rate',
    help: 'Maximum number of upload requests in any second, minute or hour, including retries: N/s, N/min or N/h, such as 120/min, or unlimited; a number alone is per minute. A restart does not reset the window.',
  },
  'endpoints.*.perDay': {
    label: 'Uploads a day',
    help: 'Maximum number of upload requests per calendar day, local time; or unlimited.',
  },
  'endpoints.*.perMonth': {
    label: 'Uploads a month',
    help: 'Maximum number of upload requests per calendar month, local time; or unlimited.',
  },
  'folders[].path': {
    label: 'Path',
    help: 'The folder to watch: absolute, or relative to the configuration file. If it is missing, the agent waits for it.',
  },
  'folders[].endpoint': {
    label: 'Endpoint',
    help: 'Name of the endpoint to send the images to. Optional if there is only one.',
    options: { '': 'Choose an endpoint …' },
  },
  'folders[].recursive': { label: 'Watch subfolders too', help: 'Watches all folders inside this one, too.' },
  'folders[].watch': {
    label: 'How new files are noticed',
    help: 'How to detect new files: auto uses events on local disks and lists network shares at intervals (`intake.pollEvery`); poll always lists at intervals.',
    options: { auto: 'auto: at once where possible', poll: 'poll: at intervals' },
  },
  'folders[].share': {
    label: 'Shared name',
    help: 'Name of this folder among the agents that share the ledger (`ledger.kind`). Use the same name on every agent, even if the path differs, so that only one of them sends each image. none: no other agent watches this folder.',
  },
  'folders[].name': {
    label: 'Name template',
    help: 'Template for document names. Fields: {folder} {path} {stem} {ext} {date} {time} {captured} {hash} {seq} {page} {pages} {host} {endpoint}, with formats as in {date:YYYY-MM-DD}, {hash:12} and {seq:5}. Changes apply to new documents only.',
  },
  'folders[].nameMaxBytes': {
    label: 'Longest name',
    help: 'Maximum length of document names, in bytes of UTF-8.',
  },
  'folders[].existing': {
    label: 'Files already in the folder',
    help: 'What to do with files that are already in the folder when it is first watched: send them, skip them, or send only those changed since a given day (since YYYY-MM-DD). Uploads count against your quota.',
    options: {
      skip: 'Leave them, and send only new ones',
      since: 'Send those changed since',
      send: 'Send all of them',
    },
  },
  'folders[].accept': {
    label: 'Types to send',
    help: 'File types to send, determined by content, not by name. The API speaks of images; add pdf only for `pages: whole`.',
  },
  'folders[].maxFileSize': {
    label: 'Largest file',
    help: 'Larger files are rejected. The API states no limit.',
  },
  'folders[].include': {
    label: 'Only these files',
    help: 'Only files that match one of these patterns are picked up. A pattern with / matches the path relative to the folder; a pattern without / matches a name at any depth, such as `*.jpg`. Case is ignored.',
  },
  'folders[].ignore': {
    label: 'Ignore these files',
    help: 'Files and directories that match one of these patterns are ignored, in addition to the built-in list.',
  },
  'folders[].builtInIgnores': {
    label: 'Ignore temporary, hidden and partly downloaded files',
    help: 'Ignores temporary, partly downloaded, hidden, NAS and thumbnail files. docs/configuration.md lists the patterns.',
  },
  'folders[].pages': {
    label: 'Multi-page PDFs and TIFFs',
    help: 'What to do with PDFs and multi-page TIFFs: split sends an image of each page as a separate document, and converts HEIC to JPEG unless `accept` contains heic; whole sends the file unchanged, which for PDFs requires pdf in `accept`.',
    options: { split: 'send each page as a separate image', whole: 'send the file unchanged' },
  },
  'folders[].pageResolution': {
    label: 'Resolution',
    help: 'Resolution in dots per inch for PDF pages that have to be rendered. A page that consists of a single JPEG, as scanners create it, is sent as that JPEG, byte for byte.',
  },
  'folders[].qualityCheck': {
    label: 'Check images before sending',
    help: 'Checks whether each image is blank, too dark, blurred, too small to read, or shows a receipt that was scanned before. warn sends it with a warning; hold waits until a person decides. Both skip blank pages in multi-page files. Takes about 0.1 s of processor time per image.',
    options: { off: 'no', warn: 'send them with a warning', hold: 'hold them back' },
  },
  'folders[].upright': {
    label: 'Rotate sideways photos upright',
    help: 'Rotates a JPEG upright if its EXIF orientation says that it is sideways or upside down. Such a JPEG is re-encoded; all others are sent byte for byte.',
  },
  'folders[].afterUpload': {
    label: 'The original',
    help: 'What to do with the original file once its acceptance is recorded.',
    options: { keep: 'keep it where it is', archive: 'move it to the archive', delete: 'delete it' },
  },
  'folders[].archiveTo': {
    label: 'Archive',
    help: 'Where to move originals if `afterUpload` is archive: absolute, or relative to the folder. The archive is never watched.',
  },
  'folders[].afterUploadOn': {
    label: 'When that happens',
    help: 'When `afterUpload` happens: once the upload is accepted, or only once a result (`results`) reports one of these statuses, such as DONE.',
  },
  'folders[].afterUploadExisting': {
    label: 'Files accepted before',
    help: 'What to do with originals from before `afterUpload` was set or changed: leave keeps them where they are; include treats them like all others. auto also leaves them, except in a folder that is watched for the first time, where everything sent is archived or deleted.',
    options: {
      auto: 'they stay, except in a new folder',
      leave: 'they stay',
      include: 'they are treated like all others',
    },
  },
  'folders[].needsAttention': {
    label: 'Folder for what needs attention',
    help: 'A folder for the people at the scanner, such as "_needs attention", or none: absolute, or relative to the watched folder. It receives a copy of each file that cannot be sent, and a note with the reason. Both are removed once the problem is solved. It is never watched.',
  },
  'folders[].silentAfter': {
    label: 'Scanner counts as silent after',
    help: 'When this folder counts as silent: auto, never, or a duration such as 4h without a scan during its working hours.',
  },
  'folders[].settle.short': {
    label: 'Complete files',
    help: 'How long a file with a complete structure must stay unchanged.',
  },
  'folders[].settle.long': {
    label: 'Files that may grow',
    help: 'How long a file must stay unchanged if its structure may still grow (TIFF, PDF) or is unknown.',
  },
  'folders[].settle.patience': {
    label: 'Patience',
    help: 'A file that is still incomplete after this time is reported. It is checked again when it changes.',
  },
  'delivery.concurrency': {
    label: 'Uploads at once',
    help: 'Maximum number of concurrent uploads, all endpoints together.',
  },
  'delivery.rate': {
    label: 'Rate',
    help: 'Maximum number of upload requests in any second, minute or hour, including retries: N/s, N/min or N/h, such as 120/min, or unlimited; a number alone is per minute. A restart does not reset the window.',
  },
  'delivery.perDay': {
    label: 'Uploads a day',
    help: 'Maximum number of upload requests per calendar day, local time; or unlimited.',
  },
  'delivery.perMonth': {
    label: 'Uploads a month',
    help: 'Maximum number of upload requests per calendar month, local time; or unlimited.',
  },
  'delivery.bandwidth': {
    label: 'Bandwidth',
    help: 'Maximum number of image bytes sent per second, all endpoints together: such as 500kB/s or 2MB/s, or unlimited.',
  },
  'delivery.spread': {
    label: 'Spread uploads evenly over the minute or hour',
    help: 'Whether to spread uploads evenly when the rate is per minute or hour. A few fresh scans are still sent immediately. With false, uploads use up the rate at once, then stop until the minute or hour is over.',
  },
  'delivery.grace': {
    label: 'Wait at a stop',
    help: 'How long uploads in progress may continue when the agent is stopped.',
  },
  'delivery.parkAfter': {
    label: 'Odd answers until set aside',
    help: 'After this many odd answers to one document while others succeed, that document is set aside and retried every hour. Odd is what says nothing about a document: a server error, a broken connection, a page or a record that is not its own, a refusal of the endpoint.',
  },
  'delivery.hours': {
    label: 'When uploads may start',
    help: 'When uploads may start, local time: always, or a list of days and times such as Mon-Fri 07:00-19:00. Outside these hours, scans are named and recorded, then wait.',
  },
  'intake.reconcileEvery': {
    label: 'Compare folders with the ledger every',
    help: 'How often every folder is compared with the ledger. In folders with more than 12,000 files, some of these comparisons skip directories in which nothing was created, renamed or deleted. A file that was overwritten in place, and whose event was lost, is then found after 5 ms per file in the folder, at most 15 minutes.',
  },
  'intake.pollEvery': { label: 'List network shares every', help: 'How often a polled folder is listed.' },
  'intake.takeOverAfter': {
    label: 'Take over the folder of another agent after',
    help: 'How long to wait before taking over a folder that another agent on this machine used to watch. Agents that merely restart keep their folders.',
  },
  'intake.confirmAbove': {
    label: 'Report more files than',
    help: 'If a newly watched folder contains more files than this, receiptd asks at the terminal before sending them. Without a terminal, it writes to the log.',
  },
  spool: {
    label: 'Which images are copied',
    help: 'Which images to copy to the state directory until the service has them. auto: those that cannot be sent immediately (an outage, a hold, a long queue). always: every image, as soon as it is named. never: none, so a scan that is overwritten while it waits is lost.',
    options: { auto: 'those that cannot be sent immediately', always: 'every image', never: 'none' },
  },
  'storage.spoolLimit': {
    label: 'Most space for copies',
    help: 'Maximum size of the copies in the spool. When it is full, new scans wait in their folders until there is space.',
  },
  'storage.keepFailed': {
    label: 'Keep copies of failed documents for',
    help: 'How long to keep the copy of a failed or unconfirmed document, so that it can be sent again. All other copies are removed as soon as the service has the image.',
  },
  'storage.reserve': {
    label: 'Reserve for a full disk',
    help: 'Disk space reserved so that uploads in progress can still be recorded when the disk is full.',
  },
  'storage.backupEvery': {
    label: 'Back up every',
    help: 'How often to back up the ledger to `backups` in the state directory.',
  },
  'storage.backups': {
    label: 'Backups kept',
    help: 'How many backups of the ledger to keep; 0 disables them.',
  },
  'ledger.kind': {
    label: 'Kind of ledger',
    help: 'Where to keep the ledger: sqlite (a file in the state directory, for this agent alone) or postgres (a database shared by several agents; see docs/fleet.md).',
  },
  'ledger.url': {
    label: 'Database',
    help: 'Address of the database, such as postgres://receiptd@db.example.com/receiptd, or none. Separate several hosts with commas; receiptd uses the one that accepts writes. The certificate of a server on another machine is verified (sslmode=verify-full) unless `allowInsecure` is set. Do not put a password here.',
  },
  'ledger.passwordFile': {
    label: 'Password of the database',
    help: 'File with the password of the user in `url`, readable only by its owner, or none.',
  },
  'ledger.ca': {
    label: 'Certificate authorities of the database',
    help: 'File with the certificate authorities to trust for the database (PEM), or none to use those of the machine.',
  },
  'ledger.allowInsecure': {
    label: 'Allow unverified connections to the database',
    help: 'Allows sslmode=disable, allow and prefer for a `url` on another machine, and makes require mean encrypted without verifying the certificate. Others on the network may then read and change the ledger.',
  },
  'ledger.agent': {
    label: 'Name of this agent',
    help: 'Name of this agent among those that share the ledger. Keep the name when you move to another machine.',
  },
  'ledger.lease': {
    label: 'Take over the work of a silent agent after',
    help: 'How long a silent agent keeps its work in progress before the others take it over.',
  },
  stateDir: {
    label: 'State directory',
    help: 'Directory for the ledger, the lock and the logs, on a local disk. RECEIPTD_STATE_DIR overrides it.',
  },
  'console.listen': {
    label: 'Address of the console',
    help: 'Where the console listens: onDemand (no port is open until you run `receiptd console`, which opens a free port on 127.0.0.1), off, or a permanent address and port such as 127.0.0.1:8471. An address other than 127.0.0.1 or [::1] needs tls and a password (`receiptd console password`). Without them, the console stays closed, and receipts are still sent.',
  },
  'console.tls.cert': {
    label: 'Certificate of the console',
    help: 'File with the certificate and any intermediate certificates (PEM), or none.',
  },
  'console.tls.key': {
    label: 'Private key of the console',
    help: 'File with the private key (PEM, without a passphrase), or none.',
  },
  'console.hosts': {
    label: 'Additional host names of the console',
    help: 'Additional host names of the console and of `monitoring`, with or without a port: the name in the certificate, or the name of a reverse proxy. Any other name is refused, because it may be an attack (DNS rebinding).',
  },
  'console.thumbnails': {
    label: 'Most space for thumbnails',
    help: 'Maximum space for thumbnails in the state directory, about 10 kB each, or off. The ones unused for longest are removed first. With off, lists show no thumbnails and none are kept.',
  },
  'console.roots': {
    label: 'Directories within reach of the console',
    help: 'Directories in which the console may set folders, archives and `needsAttention`, in addition to those in or next to a watched folder. The console cannot change this list.',
  },
  'monitoring.listen': {
    label: 'Address for monitoring',
    help: 'Where to serve metrics (`/metrics`, for Prometheus) and health checks (`/healthz`, `/readyz`): off, or an address and port such as 127.0.0.1:9464. They contain folder names, but no documents or secrets, and need no password.',
  },
  'alerts.email.server': {
    label: 'Mail server',
    help: 'Mail server, such as smtps://mail.example.com or smtp://mail.example.com:587, or none. smtps:// is encrypted from the start; smtp:// uses STARTTLS, which a server on another machine must offer.',
  },
  'alerts.email.to': { label: 'Who gets mail', help: 'Recipients of the mails.' },
  'alerts.email.user': {
    label: 'User at the mail server',
    help: 'User name for the mail server, or none. Once it is saved, the console asks for the password.',
  },
  'alerts.email.passwordFile': {
    label: 'Password of the mail server',
    help: 'File with the password of that user, readable only by its owner. none: use the password entered in the console, which is stored with the credentials.',
  },
  'alerts.email.from': { label: 'Sender', help: 'Sender address of the mails.' },
  'alerts.webhook.url': { label: 'Webhook', help: 'Address to post each alert to (JSON), or none.' },
  'alerts.webhook.secretFile': {
    label: 'Secret of the webhook',
    help: 'File with the secret used to sign each alert (Standard Webhooks), readable only by its owner, or none.',
  },
  'alerts.desktop': {
    label: 'On the desktop of the user who runs receiptd',
    help: 'Shows alerts on the desktop of the user who runs the agent (on Linux, with notify-send).',
  },
  'alerts.eventLog': {
    label: 'In the event log of Windows',
    help: 'On Windows, writes alerts to the Application event log, with the source receiptd.',
  },
  'alerts.command': {
    label: 'Program for alerts',
    help: 'A program to run for each alert, with the alert on its standard input (JSON) and in its environment (RECEIPTD_ALERT_...), or none. It is started without a shell.',
  },
  'alerts.after': {
    label: 'Wait before alerting',
    help: 'Problems that resolve within this time cause no alert and are only in the log.',
  },
  'alerts.silentAfter': {
    label: 'A scanner counts as silent after',
    help: 'When a folder counts as silent: auto (based on its usual pauses), never, or a duration such as 4h without a scan during its working hours.',
  },
  'alerts.digest': {
    label: 'Daily summary',
    help: 'When to send a summary of the last day (sent, duplicates, rejected, waiting, by folder), local time: off, or a time such as "07:30", in quotes in the file.',
  },
  'alerts.quietHours': {
    label: 'Quiet hours',
    help: 'When to send no alerts, local time: none, or a list of days and times such as Mon-Fri 19:00-07:00. Problems that are still open when the quiet hours end are sent then.',
  },
  language: {
    label: 'Language',
    help: 'Language of alerts, digests and the notes beside scans: en or de. The console uses that of the browser, and commands that of the terminal.',
    options: { en: 'English', de: 'Deutsch' },
  },
  'results.listen': {
    label: 'Address for results',
    help: 'Where to receive results from the service (outgoingUrl of an endpoint): off, or an address and port such as 127.0.0.1:8472. An address other than 127.0.0.1 or [::1] needs tls and stays closed without it; behind a reverse proxy, 127.0.0.1 is enough. `receiptd results url` prints the secret path.',
  },
  'results.tls.cert': {
    label: 'Certificate for results',
    help: 'File with the certificate and any intermediate certificates (PEM), or none.',
  },
  'results.tls.key': {
    label: 'Private key for results',
    help: 'File with the private key (PEM, without a passphrase), or none.',
  },
  'results.maxSize': {
    label: 'Largest result',
    help: 'Larger results are refused. The API states no limit.',
  },
  'results.rate': {
    label: 'Most results',
    help: 'Maximum number of results accepted in any second, minute or hour: N/s, N/min or N/h; a number alone is per second. Beyond that, the service is asked to try again later (429).',
  },
  'results.columns': {
    label: 'Columns',
    help: 'Result values to show in lists, filters and exports, each under a name you choose: a JSON pointer to the value in what the service posts, such as total: /receipt/total. Results received earlier are included.',
  },
  'results.command': {
    label: 'Program for results',
    help: 'A program to run for each result, one at a time, with the result on its standard input (JSON), or none. It is started without a shell.',
  },
  'control.group': {
    label: 'Group that controls the agent',
    help: 'Operating system group whose members may query and control the running agent (status, list, pause, the console and everything else) without being root. With none, only its owner and root may. Not on Windows.',
  },
  'log.level': {
    label: 'Least important lines',
    help: 'The lowest level to log. error means that a person must act.',
  },
  'log.maxSize': { label: 'Size of a log file', help: 'Size at which to rotate the log file.' },
  'log.maxFiles': {
    label: 'Log files kept',
    help: 'How many former log files to keep beside the current one.',
  },
} as const satisfies Readonly<Record<string, SettingText>>;

export type SettingKey = keyof typeof english;

export const settings: Readonly<Record<SettingKey, SettingText>> = english;
