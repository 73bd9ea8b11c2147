import type { csvTexts as english } from '../en/csv.ts';

export const csvTexts: typeof english = {
  csvHeads: {
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
    archivedTo: 'Archiviert als',
    sentAt: 'Gesendet',
    acceptedAt: 'Angenommen',
    createdAt: 'Erfasst',
    updatedAt: 'Geändert',
  },
};
