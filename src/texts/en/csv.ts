/** Heads of an export that a person opens in a spreadsheet, by field; programs get the fields' names. */
export const csvTexts = {
  csvHeads: {
    name: 'Name',
    state: 'State',
    status: 'Status at the service',
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
    archivedTo: 'Archived as',
    sentAt: 'Sent',
    acceptedAt: 'Accepted',
    createdAt: 'Recorded',
    updatedAt: 'Changed',
  },
};
