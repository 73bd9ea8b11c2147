/** Keys of the configuration file. */
export function fieldsTexts() {
  return {
    /** Keys of the configuration file. */
    fields: {
      path: { label: 'Path', help: 'Absolute, or relative to the configuration file.' },
      endpoint: { label: 'Endpoint', help: 'Where the images go.' },
      recursive: { label: 'Watch subfolders too', help: '' },
      watch: { label: 'How new files are noticed', help: '' },
      name: {
        label: 'Name template',
        help: 'Fields: {folder} {path} {stem} {ext} {date} {time} {captured} {hash} {seq} {host} {endpoint}. Changes apply to new documents only.',
      },
      existing: {
        label: 'Files already in the folder',
        help: 'send, skip, or since YYYY-MM-DD. Applies when the folder is first watched.',
      },
      accept: { label: 'Types to send', help: 'Determined by content, not by name.' },
      pages: {
        label: 'Multi-page PDFs and TIFFs',
        help: 'To send PDFs unchanged, also add PDF to the types to send.',
      },
      maxFileSize: { label: 'Largest file', help: 'Such as 20MB.' },
      include: { label: 'Only these files', help: 'One pattern per line, such as *.jpg.' },
      ignore: { label: 'Ignore these files', help: 'One pattern per line.' },
      afterUpload: { label: 'The original', help: 'What to do with it once its acceptance is recorded.' },
      archiveTo: { label: 'Archive', help: 'Relative to the folder, or absolute.' },
      settleShort: { label: 'Complete files', help: 'How long they must stay unchanged, such as 200ms.' },
      settleLong: { label: 'Files that may grow', help: 'The same for TIFF, PDF and unknown types.' },
      settlePatience: { label: 'Patience', help: 'How long to wait before reporting an incomplete file.' },
      uid: { label: 'Uid', help: 'Issued by the service.' },
      endpointConcurrency: {
        label: 'Uploads at once',
        help: 'To this endpoint. Defaults to the limit for all endpoints.',
      },
      concurrency: { label: 'Uploads at once', help: 'All endpoints together.' },
      rate: { label: 'Rate', help: 'N/s, N/min or N/h, such as 120/min, or unlimited.' },
      perDay: { label: 'Uploads a day', help: 'Calendar day, local time; or unlimited.' },
      perMonth: { label: 'Uploads a month', help: 'Calendar month, local time; or unlimited.' },
      bandwidth: { label: 'Bandwidth', help: 'Such as 500kB/s or 2MB/s, or unlimited.' },
      hours: {
        label: 'When uploads may start',
        help: 'One time span per line, such as Mon-Fri 07:00-19:00, or always. Local time of the machine.',
      },
      share: {
        label: 'Shared name',
        help: 'Name of this folder for all agents that share the ledger, or none.',
      },
      nameMaxBytes: { label: 'Longest name', help: 'In bytes.' },
      builtInIgnores: { label: 'Ignore temporary, hidden and partly downloaded files', help: '' },
      pageResolution: { label: 'Resolution', help: 'Dots per inch for PDF pages that have to be rendered.' },
      look: { label: 'Check images before sending', help: 'Blank, too dark, blurred, or too small to read.' },
      upright: { label: 'Rotate sideways photos upright', help: '' },
      afterUploadOn: {
        label: 'When that happens',
        help: 'accepted, or one service status per line, such as DONE, that a result must report first.',
      },
      afterUploadExisting: {
        label: 'Files accepted before',
        help: 'What to do with files from before this was set.',
      },
      needsAttention: {
        label: 'Folder for what needs attention',
        help: 'Such as _needs attention, or none. It receives a copy of each file that cannot be sent, with the reason.',
      },
      silentAfter: {
        label: 'Scanner counts as silent after',
        help: 'auto, never, or a duration of working hours such as 4h.',
      },
      account: { label: 'Account', help: 'Whose credentials are used.' },
      spread: { label: 'Spread uploads evenly over the minute or hour', help: '' },
      grace: { label: 'Wait at a stop', help: 'How long uploads in progress may continue, such as 20s.' },
      parkAfter: {
        label: 'Server errors until set aside',
        help: 'Counted for one document while others succeed.',
      },
      mailServer: {
        label: 'Mail server',
        help: 'smtps://mail.example.com, or smtp://mail.example.com:587 with STARTTLS; none for no mail.',
      },
      mailTo: { label: 'Who gets mail', help: 'One address per line.' },
      mailUser: {
        label: 'User at the mail server',
        help: 'Save this first, then enter the password below.',
      },
      mailFrom: { label: 'Sender', help: 'A mail address.' },
      webhookUrl: { label: 'Webhook', help: 'Address that each alert is posted to, or none.' },
      desktop: { label: 'On the desktop of the user who runs receiptd', help: '' },
      eventLog: { label: 'In the event log of Windows', help: '' },
      alertAfter: {
        label: 'Wait before alerting',
        help: 'Problems resolved by then are only in the log. Such as 2m.',
      },
      alertSilent: {
        label: 'A scanner counts as silent after',
        help: 'auto, never, or a duration of working hours such as 4h.',
      },
      digest: { label: 'Daily summary', help: 'A time such as 07:30, or off. Local time of the machine.' },
      quietHours: {
        label: 'Quiet hours',
        help: 'One time span per line, such as Mon-Fri 19:00-07:00, or none. Local time of the machine.',
      },
      resultSize: { label: 'Largest result', help: 'Such as 1MB.' },
      resultRate: {
        label: 'Most results',
        help: 'N/s, N/min or N/h. Beyond that, the service is asked to try again later.',
      },
      resultColumns: {
        label: 'Columns',
        help: 'One per line: a name and the place of the value in what the service posts, such as total: /receipt/total. Lists and exports show them.',
      },
      reconcileEvery: { label: 'Compare folders with the ledger every', help: 'Such as 60s.' },
      pollEvery: { label: 'List network shares every', help: 'Such as 5s.' },
      takeOverAfter: { label: 'Take over another agent’s folder after', help: 'Such as 10m.' },
      confirmAbove: {
        label: 'Report more files than',
        help: 'In a folder watched for the first time.',
      },
      spool: {
        label: 'Which images are copied',
        help: 'To the state directory, until the service has them.',
      },
      spoolLimit: { label: 'Most space for copies', help: 'Such as 5GB. When it is full, new scans wait.' },
      keepFailed: { label: 'Keep copies of failed documents for', help: 'For a retry, such as 24d.' },
      reserve: { label: 'Reserve for a full disk', help: 'Such as 8MB. Takes effect at the next start.' },
      backupEvery: { label: 'Back up every', help: 'Such as 1d. Takes effect at the next start.' },
      backups: { label: 'Backups kept', help: '0 makes none. Takes effect at the next start.' },
      logLevel: { label: 'Least important lines', help: 'Takes effect at the next start.' },
      logSize: { label: 'Size of a log file', help: 'Such as 10MB. Takes effect at the next start.' },
      logFiles: { label: 'Log files kept', help: 'Takes effect at the next start.' },
      hosts: {
        label: 'Additional host names of the console',
        help: 'One per line: the name in the certificate, or of a reverse proxy. All others are refused.',
      },
      thumbnails: { label: 'Most space for thumbnails', help: 'Such as 50MB, or off.' },
      uploadContentType: {
        label: 'Content type of uploads',
        help: 'auto, or a media type such as application/octet-stream.',
      },
      answerLimit: { label: 'Keep per answer', help: 'Such as 64kB.' },
      timeoutConnect: { label: 'For a connection', help: '' },
      timeoutProgress: { label: 'For upload progress', help: '' },
      timeoutHeaders: { label: 'For the start of an answer', help: '' },
      timeoutBody: { label: 'For the complete answer', help: '' },
    },
  };
}
