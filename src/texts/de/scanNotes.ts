import type { Format } from '../format.ts';
import type { scanNotesTexts as english } from '../en/scanNotes.ts';

const ASK = 'fragen Sie die Person, die receiptd betreut';
const AGAIN = `Scannen Sie den Beleg noch einmal. Wird es nicht besser, ${ASK}.`;

export function scanNotesTexts(format: Format): ReturnType<typeof english> {
  const tooComplex = {
    what: 'Die Datei ist zu groß oder zu aufwendig.',
    cure: 'Scannen Sie die Belege noch einmal, wenige in jede Datei.',
  };
  const notThisKind = {
    what: 'Solche Dateien werden aus diesem Ordner nicht gesendet.',
    cure: `Scannen Sie den Beleg noch einmal als JPEG. Sollen solche Dateien gesendet werden, ${ASK}.`,
  };
  return {
    scanNotes: {
      notSent: (file) => `${file} wurde nicht gesendet.`,
      page: (file, page) => `${file}, Seite ${page}`,
      disappears:
        'Dieser Hinweis verschwindet von selbst, sobald die Datei entfernt oder durch eine gute ersetzt ist. Sie dürfen ihn löschen.',
      refused: (words) => ({
        what: `Der Dienst hat den Beleg abgelehnt: ${words}`,
        cure: `Scannen Sie den Beleg noch einmal. Wird er wieder abgelehnt, ${ASK}.`,
      }),
      reasons: (bytes) => ({
        EMPTY: {
          what: 'Die Datei ist leer.',
          cure: 'Scannen Sie den Beleg noch einmal, und löschen Sie die leere Datei.',
        },
        incomplete: {
          what: 'Die Datei ist unvollständig.',
          cure: 'Scannen Sie den Beleg noch einmal, und löschen Sie diese Datei.',
        },
        NAME_NOT_UTF8: {
          what: 'Der Dateiname hat unlesbare Zeichen.',
          cure: 'Benennen Sie die Datei um: Buchstaben, Ziffern und Bindestriche gehen immer.',
        },
        unreadable: {
          what: 'Die Datei lässt sich nicht öffnen.',
          cure: `Schließen Sie das Programm, das sie geöffnet hat. Hilft das nicht, ${ASK}.`,
        },
        TOO_LARGE: {
          what: `Die Datei ist zu groß (${format.bytes(bytes)}).`,
          cure: 'Scannen Sie den Beleg noch einmal mit niedrigerer Auflösung, etwa 300 dpi.',
        },
        PDF_NOT_ACCEPTED: {
          what: 'PDFs werden aus diesem Ordner nicht gesendet.',
          cure: `Scannen Sie den Beleg noch einmal als JPEG. Sollen PDFs gesendet werden, ${ASK}.`,
        },
        ENCRYPTED: {
          what: 'Die Datei ist mit einem Passwort geschützt.',
          cure: 'Speichern Sie sie ohne Passwort, und legen Sie sie wieder in den Ordner.',
        },
        FONT_MISSING: {
          what: 'Der Datei fehlt eine Schrift; ein Teil des Textes ginge verloren.',
          cure: 'Öffnen Sie sie, drucken Sie sie in ein neues PDF in diesem Ordner, und löschen Sie diese Datei.',
        },
        PORTFOLIO: {
          what: 'Die Datei ist ein PDF-Portfolio: Sie enthält andere Dateien, die nicht gesendet werden.',
          cure: 'Öffnen Sie sie, speichern Sie die enthaltenen Dateien in diesen Ordner, und löschen Sie diese Datei.',
        },
        XFA_FORM: {
          what: 'Die Datei ist ein Formular, das nur Programme von Adobe anzeigen.',
          cure: 'Öffnen Sie sie in Adobe Reader, drucken Sie sie in ein neues PDF in diesem Ordner, und löschen Sie diese Datei.',
        },
        UNSUPPORTED: {
          what: 'Die Datei ist ein ungewöhnliches TIFF, das sich nicht lesen lässt.',
          cure: 'Öffnen Sie sie, speichern Sie sie als JPEG in diesem Ordner, und löschen Sie diese Datei.',
        },
        PAGES_NOT_SENT: {
          what: 'Seiten dieser Datei lassen sich nicht senden.',
          cure: 'Öffnen Sie die Datei, scannen Sie die fehlenden Seiten noch einmal, und löschen Sie diese Datei.',
        },
        BLANK: {
          what: 'Die Seite sieht leer aus.',
          cure: 'Ist sie ein Beleg, scannen Sie ihn noch einmal; sonst löschen Sie sie.',
        },
        TOO_DARK: { what: 'Das Bild ist zu dunkel zum Lesen.', cure: AGAIN },
        TOO_SMALL: {
          what: 'Die Auflösung ist zu niedrig zum Lesen.',
          cure: `Scannen Sie den Beleg noch einmal mit höherer Auflösung. Wird es nicht besser, ${ASK}.`,
        },
        BLURRED: { what: 'Das Bild ist unscharf.', cure: AGAIN },
        SCANNED_BEFORE: {
          what: 'Das sieht aus wie ein Beleg, der schon gescannt wurde.',
          cure: `Ist es derselbe Beleg, löschen Sie die Datei. Ist es ein anderer, ${ASK}.`,
        },
        TOO_MANY_PAGES: tooComplex,
        TOO_DEAR: tooComplex,
        BYTES_GONE: {
          what: 'Die Datei verschwand, bevor alle Seiten gelesen waren.',
          cure: 'Scannen Sie die Belege noch einmal.',
        },
        TYPE_UNKNOWN: notThisKind,
        TYPE_NOT_ACCEPTED: notThisKind,
        rejected: {
          what: 'Das ist kein Bild, oder es ist beschädigt.',
          cure: 'Scannen Sie den Beleg noch einmal. Ist es kein Beleg, verschieben Sie die Datei in einen anderen Ordner.',
        },
      }),
    },
  };
}
