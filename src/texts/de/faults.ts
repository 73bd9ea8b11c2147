import type { Fault, FaultFact } from '../fault.ts';
import type { Format } from '../format.ts';

const FAULTS: Readonly<Record<Fault, string>> = {
  refused: 'hat die Verbindung abgelehnt',
  unknownHost: 'ist unter diesem Namen nicht zu finden',
  noRoute: 'ist aus diesem Netzwerk nicht erreichbar',
  late: 'war nicht rechtzeitig erreichbar',
  stalled: 'nimmt die Übertragung nicht mehr an',
  early: 'hat Erfolg gemeldet, bevor die Übertragung vollständig war',
  continue: 'oder ein Proxy davor sendet unaufgefordert „100 Continue“',
  noAnswer: 'hat nicht rechtzeitig geantwortet',
  answerStopped: 'hat die Antwort nicht zu Ende gesendet',
  tooLarge: 'hat eine Antwort von mehr als 16 MiB gesendet',
  stopping: 'wurde nicht angefragt, weil der Agent gerade beendet wird',
  expired: 'hat ein abgelaufenes Zertifikat, oder die Uhr dieses Rechners geht falsch',
  notYetValid: 'hat ein Zertifikat, das noch nicht gilt, oder die Uhr dieses Rechners geht falsch',
  otherName: 'hat ein Zertifikat für eine andere Adresse',
  inspected:
    'hat ein Zertifikat, dem dieser Rechner nicht vertraut, vielleicht von einem Proxy, der den Datenverkehr prüft (service.ca nennt weitere Zertifizierungsstellen)',
  untrusted: 'hat ein Zertifikat, dem dieser Rechner nicht vertraut',
  notConnected: 'ist nicht zu erreichen',
  notHttp: 'hat mit etwas geantwortet, das kein HTTP ist',
  closed: 'hat die Verbindung getrennt, bevor die Antwort vollständig war',
};

function refusalOf({ authority, status }: Extract<FaultFact, { at: 'proxyAnswer' }>): string {
  if (status === 407)
    return 'verlangt Benutzernamen und Passwort oder lehnt die in service.proxy hinterlegten ab';
  if (status === 502 || status === 503 || status === 504) return `erreicht ${authority} nicht`;
  return `erlaubt diesem Rechner keine Verbindung zu ${authority}`;
}

export function faultText(p: FaultFact, { faultOf }: Pick<Format, 'faultOf'>): string {
  switch (p.at) {
    case 'service':
    case 'forward': {
      const code = p.code.startsWith('UND_ERR_') ? '' : ` (${p.code})`;
      const advice =
        p.other === null
          ? ''
          : ` Verwendet der Dienst ${p.other === 'http' ? 'unverschlüsseltes HTTP' : 'HTTPS'}, setzen Sie service.baseUrl auf ${p.other}://${p.host}.`;
      const who = p.at === 'forward' ? `Der Proxy ${p.host}` : p.host;
      return `${who} ${FAULTS[faultOf(p.code, p.isConnecting)]}${code}.${advice}`;
    }
    case 'proxy':
      return `Der Proxy ${p.host} ${FAULTS[faultOf(p.code, true)]} (PROXY_${p.code}).`;
    case 'proxyAnswer':
      return `Der Proxy ${p.host} ${refusalOf(p)} (PROXY_HTTP_${p.status}).`;
    case 'name':
      break;
  }
  return 'Der Name lässt sich nicht in eine Adresse schreiben.';
}
