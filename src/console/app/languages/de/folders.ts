import type { Format } from '../../textFormat.ts';
import type { foldersTexts as english } from '../en/folders.ts';

export function foldersTexts({ counted, number }: Format): ReturnType<typeof english> {
  return {
    folders: {
      title: 'Ordner',
      all: 'Alle Ordner',
      path: 'Ordner',
      state: 'Zustand',
      endpoint: 'Endpunkt',
      watched: 'Neue Dateien',
      mode: { events: 'sofort', polled: 'in Abständen' },
      settling: (n) => `${counted(n, 'Datei ist', 'Dateien sind')} noch unvollständig`,
      add: 'Ordner hinzufügen',
      addTitle: 'Ordner hinzufügen',
      editTitle: 'Ordner bearbeiten',
      added: 'Der Ordner wurde hinzugefügt.',
      browse: 'Durchsuchen …',
      lying: {
        none: 'Er ist jetzt leer.',
        skip: (n) =>
          `Darin: ${counted(n, 'Datei', 'Dateien')}. ${n === 1 ? 'Sie wird' : 'Sie werden'} nicht gesendet.`,
        since: (n) =>
          `Darin: ${counted(n, 'Datei', 'Dateien')}. Belege davon werden gesendet, wenn sie sich seit diesem Tag geändert haben.`,
        send: (n) =>
          `Darin: ${counted(n, 'Datei', 'Dateien')}. Alle Belege davon werden gesendet und verbrauchen Übertragungen.`,
      },
      test: 'Testen',
      testBefore: 'Vor dem Speichern testen',
      removed: (path) => `${path} wird nicht mehr überwacht.`,
      removeTitle: 'Diesen Ordner entfernen?',
      removeConfirm: 'Ordner entfernen',
      removeMeans:
        'Der Ordner wird nicht mehr überwacht. Seine Dateien und Einträge bleiben. Wartende Belege werden noch gesendet.',
    },
    folderTest: {
      title: (path) => `Test von ${path}`,
      running: 'Test läuft …',
      levels: { ok: 'In Ordnung.', warn: 'Bitte beachten.', fail: 'Das funktioniert nicht.' },
      fileSystem: (kind) => `Dateisystem: ${kind}`,
      mode: {
        events: 'neue Dateien fallen sofort auf',
        polled: 'nach neuen Dateien wird in Abständen gesucht',
      },
      files: (n) => `Dateien zu prüfen: ${n}`,
      samples: 'Namen, die Dateien bekämen',
      file: 'Datei',
      name: 'Name',
      would: {
        send: 'würde gesendet',
        nothing: 'schon bekannt',
        duplicate: 'dasselbe Bild wie ein anderes',
        reject: 'würde nicht gesendet',
        skip: 'würde übersprungen',
        wait: 'würde warten, bis sie vollständig ist',
      },
    },
    originals: {
      says: (count, folder) =>
        count === 1
          ? `1 Datei in ${folder} wurde schon gesendet.`
          : `${number(count)} Dateien in ${folder} wurden schon gesendet.`,
      archive: {
        title: 'Originale ab jetzt archivieren?',
        fromNowOn: 'Nur neue Dateien; vorhandene bleiben',
        include: (count) =>
          count === 1 ? 'Auch diese Datei archivieren' : `Auch alle ${number(count)} archivieren`,
      },
      delete: {
        title: 'Originale ab jetzt löschen?',
        fromNowOn: 'Nur neue Dateien; vorhandene bleiben',
        include: (count) => (count === 1 ? 'Auch diese Datei löschen' : `Auch alle ${number(count)} löschen`),
      },
    },
  };
}
