import type { columnsTexts as english } from '../en/columns.ts';

export const columnsTexts: typeof english = {
  columns: {
    name: 'Name',
    state: 'Zustand',
    status: 'Status beim Dienst',
    endpoint: 'Endpunkt',
    endpointUid: 'Endpunkt (Uid)',
    path: 'Datei',
    sha256: 'SHA-256',
    type: 'Art',
    size: 'Bytes',
    attempts: 'Übertragungen',
    answerLost: 'Eine Antwort ging verloren',
    reason: 'Grund',
    message: 'Erklärung',
    why: 'Grund',
    archivedTo: 'Archiviert als',
    sentAt: 'Gesendet',
    acceptedAt: 'Angenommen',
    createdAt: 'Zuerst gesehen',
    updatedAt: 'Geändert',
  },
  consoleColumns: { name: 'Name und Pfad', size: 'Größe' },
  accountantColumns: { status: 'Status' },
  terminalColumns: { status: 'STATUS', attempts: 'VERSUCHE', createdAt: 'EINGANG' },
};
