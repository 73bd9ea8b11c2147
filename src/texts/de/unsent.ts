import type { Format } from '../format.ts';
import type { unsentTexts as english } from '../en/unsent.ts';

export function unsentTexts({ needsIn }: Format): ReturnType<typeof english> {
  const unsent = {
    failed: {
      what: 'Vom Dienst abgelehnt',
      cure: 'Lesen Sie den Grund, und senden Sie dann erneut, in der Konsole oder mit `receiptd retry NAME`.',
    },
    unconfirmed: {
      what: 'Vielleicht schon beim Dienst',
      cure: 'Sehen Sie beim Dienst nach. Senden Sie erneut, was dort fehlt, in der Konsole oder mit `receiptd retry NAME`.',
    },
    lost: {
      what: 'Bild verschwunden, bevor es angenommen war',
      cure: 'Scannen Sie die Belege noch einmal; sie bekommen dieselben Namen. Ging eine Antwort verloren, sehen Sie zuerst beim Dienst nach: Er hat den Beleg vielleicht schon.',
    },
    TOO_LARGE: {
      what: 'Zu groß',
      cure: 'Scannen Sie mit niedrigerer Auflösung, oder heben Sie `maxFileSize` des Ordners an.',
    },
    TYPE_NOT_ACCEPTED: {
      what: 'Typ nicht zugelassen',
      cure: 'Scannen Sie als JPEG, oder nehmen Sie den Typ in `accept` auf.',
    },
    PDF_NOT_ACCEPTED: {
      what: 'PDF nicht zugelassen',
      cure: 'Setzen Sie `pages: split` für den Ordner, damit jede Seite als Bild gesendet wird.',
    },
    TYPE_UNKNOWN: { what: 'Unbekannter Bildtyp', cure: 'Scannen Sie als JPEG.' },
    DAMAGED: { what: 'Beschädigt oder kein Bild', cure: 'Scannen Sie den Beleg noch einmal.' },
    ENCRYPTED: { what: 'Mit Passwort geschützt', cure: 'Speichern Sie die Datei ohne Passwort.' },
    FONT_MISSING: { what: 'Schrift fehlt', cure: 'Drucken Sie die Datei in ein neues PDF.' },
    PORTFOLIO: { what: 'PDF-Portfolio', cure: 'Speichern Sie die enthaltenen Dateien in den Ordner.' },
    XFA_FORM: {
      what: 'Formular für Adobe-Programme',
      cure: 'Öffnen Sie die Datei in Adobe Reader und drucken Sie sie in ein neues PDF.',
    },
    UNSUPPORTED: {
      what: 'Ungewöhnliches TIFF',
      cure: 'Öffnen Sie die Datei und speichern Sie sie als JPEG.',
    },
    TOO_MANY_PAGES: { what: 'Zu viele Seiten', cure: 'Teilen Sie die Datei in kleinere auf.' },
    TOO_DEAR: {
      what: 'Zu groß zum Zerlegen',
      cure: 'Drucken Sie die Datei in ein neues PDF, oder scannen Sie sie noch einmal.',
    },
    PAGES_NOT_SENT: {
      what: 'Seiten nicht gesendet',
      cure: 'Scannen Sie die Seiten, die nicht gesendet wurden, noch einmal.',
    },
    BYTES_GONE: { what: 'Datei nicht mehr da', cure: 'Scannen Sie die Belege noch einmal.' },
    BLANK: { what: 'Leer', cure: 'Löschen Sie die Datei, oder scannen Sie sie noch einmal.' },
    TOO_DARK: {
      what: 'Zu dunkel',
      cure: 'Scannen Sie den Beleg noch einmal. Wird er nicht besser lesbar, senden Sie ihn, wie er ist: auf die Konsole ziehen, oder `receiptd send FILE`.',
    },
    TOO_SMALL: { what: 'Zu klein', cure: 'Scannen Sie den Beleg noch einmal, mit höherer Auflösung.' },
    BLURRED: {
      what: 'Unscharf',
      cure: 'Scannen Sie den Beleg noch einmal. Wird er nicht besser lesbar, senden Sie ihn, wie er ist: auf die Konsole ziehen, oder `receiptd send FILE`.',
    },
    SCANNED_BEFORE: {
      what: 'Schon einmal gescannt',
      cure: 'Ist es derselbe Beleg, löschen Sie die Datei. Ist es ein anderer, ziehen Sie sie auf die Konsole, oder verwenden Sie `receiptd send FILE`.',
    },
    NAME_NOT_UTF8: {
      what: 'Name nicht lesbar',
      cure: 'Benennen Sie die Datei um: Buchstaben, Ziffern und Bindestriche gehen immer.',
    },
    rejected: { what: 'Beschädigt oder kein Bild', cure: 'Scannen Sie den Beleg noch einmal.' },
    unreadable: {
      what: 'Nicht lesbar',
      cure: 'Geben Sie dem Benutzer, unter dem receiptd läuft, Leserechte, oder schließen Sie das Programm, das die Datei geöffnet hat.',
    },
    EMPTY: { what: 'Leere Datei', cure: 'Scannen Sie den Beleg noch einmal.' },
    INCOMPLETE: {
      what: 'Unvollständig',
      cure: 'Scannen Sie den Beleg noch einmal, wenn die Datei nicht vollständig wird.',
    },
    incomplete: {
      what: 'Unvollständig',
      cure: 'Scannen Sie den Beleg noch einmal, wenn die Datei nicht vollständig wird.',
    },
  };
  return { unsent, needs: needsIn(unsent) };
}
