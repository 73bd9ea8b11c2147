import { faultText } from '../faults.ts';
import type { serviceErrors as english } from '../../en/errors/service.ts';
import type { Translated } from '../../facts.ts';
import type { Format } from '../../format.ts';

const CREATED_ALL_THE_SAME = 'Der Endpunkt ist vielleicht trotzdem angelegt.';
const BEFORE_TRYING_AGAIN =
  'Sehen Sie auf der Website des Dienstes nach, bevor Sie es noch einmal versuchen: Jeder Erfolg legt einen weiteren Endpunkt an.';
const IN_THE_WAY = 'Prüfen Sie service.baseUrl, und ob ein Proxy oder eine Anmeldeseite im Weg ist.';

export function serviceErrors(format: Pick<Format, 'faultOf'>): Translated<ReturnType<typeof english>> {
  return {
    'SERVICE_UNREACHABLE.proxy': (p) => [
      `Der Dienst ist über den Proxy nicht erreichbar: ${faultText(p.fault, format)}`,
      'Prüfen Sie service.proxy, oder HTTPS_PROXY, wenn service.proxy auf auto steht.',
    ],
    'SERVICE_UNREACHABLE.practice': (p) => [
      `Der Dienst ist nicht erreichbar: ${faultText(p.fault, format)}`,
      `Ist es der Übungsdienst, starten Sie ihn mit \`receiptd sandbox --port ${p.port}\`. Sonst berichtigen Sie service.baseUrl.`,
    ],
    'SERVICE_UNREACHABLE.service': (p) => [
      `Der Dienst ist nicht erreichbar: ${faultText(p.fault, format)}`,
      'Prüfen Sie service.baseUrl und die Netzwerkverbindung dieses Rechners.',
    ],
    'SERVICE_ANSWER.noTokensNow': (p) => [
      `${p.host} stellt gerade keine Token aus (HTTP ${p.httpStatus}).`,
      'receiptd versucht es von selbst wieder.',
    ],
    'SERVICE_ANSWER.noToken': (p) => [
      `${p.host} hat die Anforderung eines Tokens mit HTTP ${p.httpStatus} beantwortet.`,
      IN_THE_WAY,
    ],
    'SERVICE_ANSWER.unusableToken': (p) => [
      `${p.host} hat die Anforderung eines Tokens beantwortet, aber ohne ein brauchbares Token.`,
      IN_THE_WAY,
    ],
    'SERVICE_ANSWER.whoamiStatus': (p) => [
      `${p.host} hat die Prüfung der Zugangsdaten mit HTTP ${p.httpStatus} beantwortet${p.answer}.`,
      IN_THE_WAY,
    ],
    'SERVICE_ANSWER.whoami': (p) => [
      `${p.host} hat auf die Prüfung der Zugangsdaten unerwartet geantwortet.`,
      IN_THE_WAY,
    ],
    'SERVICE_ANSWER.redirect': (p) => [
      `${p.host} leitet weiter (HTTP ${p.httpStatus}); receiptd folgt keiner Weiterleitung.`,
      IN_THE_WAY,
    ],
    ENDPOINT_FORBIDDEN: (p) => [
      `${p.host} erlaubt diesem Konto nicht, einen Endpunkt anzulegen (HTTP 403)${p.answer}.`,
      'Prüfen Sie Tarif und Rechte des Kontos auf der Website des Dienstes.',
    ],
    ENDPOINT_REFUSED: (p) => [
      `${p.host} hat es abgelehnt, den Endpunkt anzulegen (HTTP ${p.httpStatus})${p.answer}.`,
      'Berichtigen Sie den Namen, die Adresse für Ergebnisse (outgoingUrl) oder die Sprache.',
    ],
    'CREATE_UNCERTAIN.fault': (p) => [
      `Der Dienst hat nicht vollständig geantwortet: ${faultText(p.fault, format)} ${CREATED_ALL_THE_SAME}`,
      BEFORE_TRYING_AGAIN,
    ],
    'CREATE_UNCERTAIN.noUid': (p) => [
      `${p.host} hat mit HTTP ${p.httpStatus} geantwortet, aber ohne die uid eines Endpunkts. ${CREATED_ALL_THE_SAME}`,
      BEFORE_TRYING_AGAIN,
    ],
    'CREATE_UNCERTAIN.status': (p) => [
      `${p.host} hat mit HTTP ${p.httpStatus} geantwortet${p.answer}. ${CREATED_ALL_THE_SAME}`,
      BEFORE_TRYING_AGAIN,
    ],
    'CREATE_UNCERTAIN.redirect': (p) => [
      `${p.host} leitet weiter (HTTP ${p.httpStatus}); receiptd folgt keiner Weiterleitung. ${CREATED_ALL_THE_SAME}`,
      BEFORE_TRYING_AGAIN,
    ],
    'CREATE_UNCERTAIN.unrecorded': (p) => [
      `Der Endpunkt „${p.name}“ ist mit der Uid ${p.uid} angelegt, ließ sich aber nicht eintragen: ${p.detail}`,
      `Legen Sie ihn nicht noch einmal an. Führen Sie dies mit --endpoint-uid ${p.uid} aus.`,
    ],
  };
}
