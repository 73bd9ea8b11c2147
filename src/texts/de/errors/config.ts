import type { configErrors as english } from '../../en/errors/config.ts';
import type { Translated } from '../../errors.ts';

export function configErrors(): Translated<ReturnType<typeof english>> {
  return {
    'CONFIG_NOT_FOUND.file': (p) => [
      `Die Konfigurationsdatei ${p.path} gibt es nicht.`,
      'Legen Sie mit `receiptd setup` eine an.',
    ],
    'CONFIG_SYNTAX.tooDeep': (p) => [
      `${p.file} lässt sich nicht als YAML lesen: Die Datei ist zu tief verschachtelt, oder ihre Verweise (*name) wiederholen zu viel.`,
      'Schreiben Sie die Werte aus, ohne Verweise.',
    ],
    'CONFIG_SYNTAX.notYaml': (p) => [
      `${p.file}:${p.line}:${p.col}: ${p.content === null ? `${p.problem ?? 'Das ist kein YAML'} (die Zeile wird nicht gezeigt: Die Datei scheint ein Geheimnis zu enthalten)` : `${p.problem ?? ''}; die ${p.isShown ? 'Zeile' : 'letzte Zeile davor'} lautet: ${p.content}`}`,
    ],
    'CONFIG_INVALID.authorities': (p) => [
      `service.ca: ${p.file} ist nicht verwendbar (${p.why}).`,
      'Es muss eine Textdatei mit den Zeilen BEGIN CERTIFICATE und END CERTIFICATE sein.',
    ],
    'CONFIG_INVALID.notProxy': (p) => [
      `${p.source} ist nicht die Adresse eines HTTP-Proxys.`,
      'Verwenden Sie eine Adresse wie http://proxy.example:3128.',
    ],
    'CONFIG_INVALID.notInFile': (p) => [
      `${p.setting} steht nicht in der Datei.`,
      'Laden Sie die Konfiguration neu.',
    ],
    'CONFIG_INVALID.tangled': (p) => [
      `${p.setting}: ${p.isShared ? 'Das gilt auch für andere Stellen der Datei (ein Anker & und seine Verweise *), die sich mit ändern würden' : 'Das lässt sich nicht ändern, ohne auch andere Stellen der Datei zu ändern'}. Es wurde nichts geändert.`,
      'Ändern Sie es in einem Editor.',
    ],
    'CONFIG_INVALID.passwordHidden': (p) => [
      `${p.setting}: Das Passwort in dieser URL ist verborgen.`,
      'Geben Sie es vollständig ein, oder ändern Sie diese Einstellung nicht.',
    ],
    'CONFIG_INVALID.empty': (p) => [
      `Die Konfigurationsdatei ${p.file} ist leer oder enthält nur Kommentare.`,
      'Entfernen Sie sie, und legen Sie dann mit `receiptd init` oder `receiptd setup` eine neue an.',
    ],
    'CONFIG_INVALID.hours': (p) => [
      `${JSON.stringify(p.given)} ist kein Zeitraum.`,
      'Geben Sie Tage und Zeiten an, etwa Mon-Fri 07:00-19:00.',
    ],
    'CONFIG_INVALID.rate': (p) => [
      `${JSON.stringify(p.given)} ist kein Tempo.`,
      'Geben Sie N/s, N/min oder N/h an, etwa 120/min, oder unlimited (unbegrenzt).',
    ],
    'CONFIG_INVALID.secretInside': (p) => [
      `${p.file} enthält ein Passwort oder ein anderes Geheimnis an einer Stelle, an der es sich nicht von selbst entfernen lässt.`,
      'Entfernen Sie es, auch aus Kommentaren, und versuchen Sie es noch einmal. Es wurde nichts geschrieben.',
    ],
    'CONFIG_INVALID.noGroup': (p) => [
      `control.group: Die Gruppe „${p.group}“ gibt es auf diesem Rechner nicht.`,
      'Verwenden Sie eine vorhandene Gruppe oder deren Nummer.',
    ],
    'CONFIG_INVALID.beforeCreating': (p) => [
      `Es wurde nichts angelegt, weil ${p.file} einen Fehler hat: ${p.detail}`,
      'Berichtigen Sie ihn zuerst.',
    ],
    'CONFIG_INVALID.endpointExists': (p) => [
      `endpoints.${p.alias}: Einen Endpunkt dieses Namens gibt es schon.`,
      'Wählen Sie einen anderen Namen.',
    ],
    'CONFIG_INVALID.noMailUser': (p) => [
      `${p.file} nennt keinen Benutzer des Mailservers; es gibt also kein Passwort zu speichern.`,
      'Setzen Sie zuerst alerts.email.server und alerts.email.user.',
    ],
    'CONFIG_INVALID.stateDirWhileRunning': [
      'stateDir lässt sich nicht ändern, während receiptd läuft.',
      'Beenden Sie receiptd, verschieben Sie das Verzeichnis, ändern Sie die Datei, und starten Sie receiptd wieder.',
    ],
    CONFIG_EXISTS: (p) => [
      `${p.file} ist schon da und wurde nicht geändert.`,
      'Wählen Sie mit --config eine andere Datei, oder entfernen Sie diese zuerst.',
    ],
    'CONFIG_CHANGED.bySomebody': (p) => [
      `Jemand anders hat ${p.file} geändert; deshalb wurde nichts geschrieben.`,
      'Prüfen Sie die Datei, und machen Sie Ihre Änderung dann noch einmal.',
    ],
    'CONFIG_CHANGED.whileStarting': (p) => [
      `${p.file} wurde geändert, während receiptd startete.`,
      'Starten Sie es noch einmal.',
    ],
    'CONFIG_CHANGED.nothingToUndo': [
      'Es gibt keine Änderung, die sich rückgängig machen lässt.',
      'Frühere Fassungen der Datei liegen in config-history im Zustandsverzeichnis.',
    ],
    'CONFIG_UNWRITABLE.beforeCreating': (p) => [
      `Es wurde nichts angelegt, weil ${p.file} nicht beschreibbar ist.`,
      'Geben Sie dem Benutzer, unter dem receiptd läuft, Schreibrechte für die Datei und ihr Verzeichnis, oder verwenden Sie `receiptd endpoint create`.',
    ],
    'TEMPLATE_INVALID.noFreeName': (p) => [
      `Jeder mögliche Name für ${p.path} ist in seinem Endpunkt schon vergeben.`,
      'Nehmen Sie {hash} oder {seq} in das Namensmuster auf.',
    ],
    'ENDPOINT_UNKNOWN.nothingWaits': (p) => [
      `Auf einen Endpunkt „${p.from}“, den es nicht mehr gibt, warten keine Belege.`,
      '`receiptd status` nennt solche Endpunkte.',
    ],
    'ENDPOINT_UNKNOWN.notConfigured': (p) => [
      `Die Konfiguration hat keinen Endpunkt „${p.alias}“.`,
      `Bekannt: ${p.known.join(', ')}.`,
    ],
    'ENDPOINT_UNKNOWN.toSendTo': (p) => [
      `Die Konfiguration hat keinen Endpunkt „${p.alias}“.`,
      `Sie hat: ${p.known.join(', ')}.`,
    ],
    'HTTPS_REQUIRED.baseUrlOption': (p) => [
      `--base-url (RECEIPTD_SETUP_BASE_URL): Mit „${p.baseUrl}“ würden Zugangsdaten und Belege unverschlüsselt gesendet.`,
      'Verwenden Sie https.',
    ],
  };
}
