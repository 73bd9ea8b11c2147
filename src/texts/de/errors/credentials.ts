import type { credentialsErrors as english } from '../../en/errors/credentials.ts';
import type { Absence, CredentialsFlaw, KeychainTrouble, Translated } from '../../facts.ts';
import { NOT_UTF8 } from './files.ts';

const STILL_THERE =
  'Die gespeicherten Zugangsdaten sind noch, wo sie waren. Wählen Sie mit --store eine andere Ablage.';
const REPAIR =
  'Reparieren Sie ihn, oder legen Sie die Zugangsdaten in einer Datei ab: `receiptd login --store file`.';
const UNLOCK =
  'Melden Sie sich am Desktop an, um ihn zu entsperren. Ein Dienst, der läuft, während niemand angemeldet ist, sollte seine Zugangsdaten in einer Datei ablegen (`receiptd login --store file`) oder von systemd bekommen.';

export function credentialsErrors(): Translated<ReturnType<typeof english>> {
  return {
    'CREDENTIALS_MISSING.lookedIn': (p) => [
      `Für den Dienst gibt es keine Zugangsdaten${p.account === null ? '' : ` des Kontos ${p.account}`}; gesucht wurde in: ${placesOf(p.looked)}.`,
      `Speichern Sie sie mit: receiptd login${p.account === null ? '' : ` --account ${p.account}`}`,
    ],
    'CREDENTIALS_MISSING.notGiven': ['Es wurden keine Zugangsdaten angegeben.'],
    'CREDENTIALS_MISSING.nothingToMove': (p) => [
      `Es gibt nichts zu verschieben; gesucht wurde in: ${placesOf(p.looked)}.`,
      'Um zu verschieben, was immer gespeichert ist, lassen Sie --from weg.',
    ],
    CREDENTIALS_INSECURE: (p) => [
      `${p.name} kann nicht nur der Besitzer lesen.`,
      `Lassen Sie nur ihn sie lesen: chmod 600 '${p.file}'`,
    ],
    'CREDENTIALS_REFUSED.freshToken': (p) => [
      `${p.host} lehnt das Token ab, das es gerade erst ausgestellt hat (HTTP 401)${p.answer}.`,
      'Prüfen Sie, ob service.baseUrl und die Zugangsdaten zum selben Konto gehören.',
    ],
    'CREDENTIALS_REFUSED.tried': (p) => [
      `${p.host} nimmt diese Zugangsdaten${p.account === null ? '' : ` des Kontos ${p.account}`} nicht an (HTTP ${p.httpStatus}). Es wurde nichts gespeichert.`,
      'Vergleichen Sie beide mit dem, was Ihnen der Dienst beim Anlegen des Kontos gegeben hat.',
    ],
    'CREDENTIALS_REFUSED.stored': (p) => [
      `${p.host} nimmt die Zugangsdaten${p.account === null ? '' : ` des Kontos ${p.account}`} aus der Ablage ${p.store} nicht an (HTTP ${p.httpStatus}).`,
      `Berichtigen Sie sie dort, oder speichern Sie neue mit \`receiptd login${p.account === null ? '' : ` --account ${p.account}`}\`.`,
    ],
    'CREDENTIALS_REFUSED.notAllowed': (p) => [
      `${p.host} kennt diese Zugangsdaten, lässt sie aber nicht zu (HTTP 403)${p.answer}.`,
      'Prüfen Sie das Konto und seinen Tarif auf der Website des Dienstes.',
    ],
    'CREDENTIALS_UNWRITABLE.file': (p) => [
      `${p.path} lässt sich nicht schreiben oder entfernen (${p.system ?? 'unbekannt'}).`,
      'Führen Sie dies als der Benutzer aus, dem der Ordner gehört, oder stellen Sie eine andere Datei mit Zugangsdaten ein.',
    ],
    'CREDENTIALS_UNWRITABLE.directory': (p) => [
      `${p.directory} ist nicht beschreibbar (${p.system ?? 'unbekannt'}).`,
      'Führen Sie dies als root aus, oder wählen Sie mit --credentials-dir ein anderes Verzeichnis.',
    ],
    'CREDENTIALS_UNWRITABLE.notRemoved': (p) => [
      `${p.path} lässt sich nicht entfernen (${p.system ?? 'unbekannt'}).`,
      'Führen Sie dies als root aus.',
    ],
    'CREDENTIALS_UNWRITABLE.notEncrypted': (p) => [
      `systemd-creds hat die Zugangsdaten nicht verschlüsselt${p.detail === '' ? '' : `: ${p.detail}`}.`,
      'Führen Sie dies als root aus; nur root kann den Schlüssel dieses Rechners lesen.',
    ],
    'CREDENTIALS_UNWRITABLE.noSystemdCreds': (p) => [
      `systemd-creds lässt sich nicht ausführen (${p.system ?? 'unbekannt'}).`,
      'Es gehört zu systemd ab Version 250. Ohne systemd-creds legen Sie die Zugangsdaten in einer Datei ab: `receiptd login --store file`.',
    ],
    'CREDENTIALS_UNWRITABLE.notFirst': (p) => [
      `Die Zugangsdaten${p.account === null ? '' : ` des Kontos ${p.account}`} sind jetzt in der Ablage ${p.store}, aber die Ablage ${p.first} hat andere und kommt zuerst; deshalb werden diese verwendet.`,
      p.first === 'environment'
        ? 'Berichtigen Sie sie dort, oder entfernen Sie sie aus der Umgebung des Agenten und dieses Terminals.'
        : p.first === 'file'
          ? `Entfernen Sie sie mit \`receiptd logout --store file${p.account === null ? '' : ` --account ${p.account}`}\`, oder ersetzen Sie sie mit \`receiptd login --store file${p.account === null ? '' : ` --account ${p.account}`}\`.`
          : `Ersetzen Sie sie mit \`receiptd login --store ${p.first}${p.account === null ? '' : ` --account ${p.account}`}\`.`,
    ],
    'CREDENTIALS_UNWRITABLE.different': (p) => [
      `Die Ablage ${p.store} gibt andere Zugangsdaten zurück, als dort gespeichert wurden.`,
      STILL_THERE,
    ],
    'CREDENTIALS_UNWRITABLE.notReturned': (p) => [
      `Die Ablage ${p.store} gibt nicht zurück, was dort gespeichert wurde; gesucht wurde in: ${placesOf(p.looked)}.`,
      STILL_THERE,
    ],
    'KEYCHAIN_UNAVAILABLE.unusable': (p) => [
      `Der Schlüsselbund ist nicht verwendbar: ${keychainTrouble(p)}.`,
      REPAIR,
    ],
    'KEYCHAIN_UNAVAILABLE.onlyHope': (p) => [
      `Der Schlüsselbund ist nicht verwendbar: ${keychainTrouble(p)}. Keine andere Ablage hat Zugangsdaten${p.account === null ? '' : ` des Kontos ${p.account}`}; gesucht wurde in: ${placesOf(p.looked)}.`,
      REPAIR,
    ],
    'KEYCHAIN_LOCKED.locked': ['Der Schlüsselbund ist gesperrt.', UNLOCK],
    'KEYCHAIN_LOCKED.onlyHope': (p) => [
      `Der Schlüsselbund ist gesperrt, und keine andere Ablage hat Zugangsdaten${p.account === null ? '' : ` des Kontos ${p.account}`}; gesucht wurde in: ${placesOf(p.looked)}.`,
      UNLOCK,
    ],
  };
}

/** Folgt auf „gesucht wurde in: “. */
function placesOf(looked: readonly Absence[]): string {
  return looked.map(({ place, why }) => `${placeOf(place)} (${whyAbsent(why)})`).join('; ');
}

function placeOf(place: Absence['place']): string {
  if (typeof place === 'object') return place.path;
  switch (place) {
    case 'environment':
      return 'Umgebung';
    case 'systemd':
      return 'Zugangsdaten von systemd';
    case 'keychain':
      return 'Schlüsselbund';
    case 'noFile':
      return 'Datei';
  }
}

function whyAbsent(p: Absence['why']): string {
  switch (p.why) {
    case 'tooLong':
    case 'nul':
    case 'control':
      return credentialsFlaw(p);
    case 'unset':
      return `es fehlt ${p.names.join(' und ')}`;
    case 'empty':
      return `${p.names.join(' oder ')} ist leer`;
    case 'emptyIn':
      return `${p.names.join(' oder ')} in ${p.directory} ist leer`;
    case 'unreadable':
      return `${p.names.join(' oder ')} in ${p.directory}: ${p.system}`;
    case 'notConfigured':
      return 'keine eingestellt';
    case 'notFile':
      return 'keine gewöhnliche Datei';
    case 'tooLarge':
      return 'zu groß für Zugangsdaten';
    case 'noSuchFile':
      return 'gibt es nicht';
    case 'otherShape':
      return 'enthält nicht {"clientId": "…", "clientSecret": "…"}';
    case 'noDirectory':
      return 'CREDENTIALS_DIRECTORY fehlt';
    case 'encoding':
      return NOT_UTF8[p.encoding];
    case 'system':
      return p.system;
    case 'noEntry':
      return `kein Eintrag „${p.entry}“${p.isCertain ? '' : ', oder er ist gesperrt'}`;
    case 'foreignEntry':
      return `der Eintrag „${p.entry}“ stammt nicht von receiptd login`;
    case 'notDecrypted':
      return `${p.file} fehlt oder lässt sich nicht entschlüsseln`;
    default:
      return keychainTrouble(p);
  }
}

export function credentialsFlaw({ why, of }: CredentialsFlaw): string {
  const what = of === 'clientId' ? 'die Client-ID' : 'das Client-Secret';
  if (why === 'tooLong') return `${what} hat mehr als 4096 Zeichen`;
  return `${what} enthält Steuerzeichen${why === 'nul' ? ' (NUL, wie in UTF-16)' : ''}`;
}

/** Folgt auf „Der Schlüsselbund ist nicht verwendbar: “. */
function keychainTrouble(p: KeychainTrouble): string {
  switch (p.why) {
    case 'late':
      return `keine Antwort binnen ${p.seconds} s`;
    case 'notStarted':
      return 'das Hilfsprogramm ist nicht gestartet';
    case 'noAnswer':
      return 'das Hilfsprogramm hat ohne Antwort geendet';
    case 'strangeAnswer':
      return 'das Hilfsprogramm hat etwas anderes geantwortet';
    case 'noSuchEntry':
      return 'er hat keinen solchen Eintrag oder ist gesperrt';
    case 'notInstalled':
      return `diese Installation unterstützt ihn nicht, denn das optionale Paket keytar fehlt oder lässt sich nicht laden${p.isLinux ? ', und das Programm secret-tool fehlt auch' : ''}`;
    case 'noSession':
      return `dieser Benutzer hat keine D-Bus-Sitzung, wohl weil es keinen Desktop gibt (${p.detail})`;
    case 'noKeyring':
      return `in dieser Sitzung antwortet kein Schlüsselbund (${p.detail})`;
    case 'failed':
      return p.detail;
  }
}
