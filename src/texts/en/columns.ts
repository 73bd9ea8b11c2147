/** Heads of the columns of documents and files; in CSV, programs get the fields' names. */
export const columnsTexts = {
  columns: {
    name: 'Name',
    state: 'State',
    status: 'Service status',
    endpoint: 'Endpoint',
    endpointUid: 'Endpoint (uid)',
    path: 'File',
    sha256: 'SHA-256',
    type: 'Type',
    size: 'Bytes',
    attempts: 'Uploads',
    answerLost: 'An answer was lost',
    reason: 'Reason',
    message: 'Explanation',
    why: 'Why',
    archivedTo: 'Archived as',
    sentAt: 'Sent',
    acceptedAt: 'Accepted',
    createdAt: 'First seen',
    updatedAt: 'Changed',
  },
  /** A cell of the console also has the path, or the unit. */
  consoleColumns: { name: 'Name and path', size: 'Size' },
  /** In a CSV for people, it is that of receiptd where the service has none. */
  accountantColumns: { status: 'Status' },
  /** A terminal is narrow. */
  terminalColumns: { status: 'STATUS', attempts: 'TRIES', createdAt: 'SEEN' },
};
