import type { serviceErrors as english } from '../../en/errors/service.ts';
import type { Translated } from '../../facts.ts';

export function serviceErrors(): Translated<ReturnType<typeof english>> {
  return {
    ENDPOINT_FORBIDDEN: (p) => [
      `${p.host} erlaubt diesem Konto nicht, einen Endpunkt anzulegen (HTTP 403)${p.answer}.`,
      'Prüfen Sie Tarif und Rechte des Kontos auf der Website des Dienstes.',
    ],
    ENDPOINT_REFUSED: (p) => [
      `${p.host} hat es abgelehnt, den Endpunkt anzulegen (HTTP ${p.httpStatus})${p.answer}.`,
      'Berichtigen Sie den Namen, die Adresse für Ergebnisse (outgoingUrl) oder die Sprache.',
    ],
    CREATE_UNCERTAIN: (p) => [
      `${p.what} Der Endpunkt ist vielleicht trotzdem angelegt.`,
      'Sehen Sie auf der Website des Dienstes nach, bevor Sie es noch einmal versuchen: Jeder Erfolg legt einen weiteren Endpunkt an.',
    ],
    'CREATE_UNCERTAIN.unrecorded': (p) => [
      `Der Endpunkt „${p.name}“ ist mit der Uid ${p.uid} angelegt, ließ sich aber nicht eintragen: ${p.detail}`,
      `Legen Sie ihn nicht noch einmal an. Führen Sie dies mit --endpoint-uid ${p.uid} aus.`,
    ],
  };
}
