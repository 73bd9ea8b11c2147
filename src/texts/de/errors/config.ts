import type { configErrors as english, YamlMistake } from '../../en/errors/config.ts';
import type { InvalidSettings } from '../../en/settingFlaws.ts';
import type { AuthoritiesFlaw, Translated, Words } from '../../facts.ts';
import type { Format } from '../../format.ts';
import { flawTexts } from '../settingFlaws.ts';
import { AS_ADMINISTRATOR, NOT_UTF8 } from './files.ts';

const YAML_MISTAKES: Readonly<Record<YamlMistake, string>> = {
  TAB_AS_INDENT: 'mit einem Tabulator eingerückt; verwenden Sie Leerzeichen',
  DUPLICATE_KEY: 'dieser Schlüssel steht zweimal da',
  BAD_DQ_ESCAPE:
    'ein umgekehrter Schrägstrich in doppelten Anführungszeichen leitet ein Sonderzeichen ein; schreiben Sie Pfade in einfachen',
  BAD_SCALAR_START: 'mit diesem Zeichen kann ein Text nicht beginnen; setzen Sie ihn in Anführungszeichen',
  MULTIPLE_DOCS: 'hier beginnt ein zweites Dokument (---); eine Konfigurationsdatei hat nur eines',
  MISSING_CHAR: 'ein Anführungszeichen oder eine Klammer wird nicht geschlossen',
  BAD_INDENT: 'diese Zeile ist nicht so eingerückt wie die anderen ihrer Ebene',
  MULTILINE_IMPLICIT_KEY: 'ein Doppelpunkt fehlt, oder die Einrückung stimmt nicht',
  BLOCK_AS_IMPLICIT_KEY:
    'ein zweites „key:“ in einer Zeile; setzen Sie den Text in Anführungszeichen, oder berichtigen Sie die Einrückung',
  ASTERISK: 'ein Text, der mit * beginnt, muss in Anführungszeichen stehen, etwa "*.jpg"',
  ALIAS_IN_ITSELF: 'dieser Verweis enthält sich selbst',
};

function authoritiesFlaw(p: { flaw: AuthoritiesFlaw; system: string | null; number: number }): string {
  switch (p.flaw) {
    case 'notAFile':
      return 'ist keine Datei';
    case 'unreadable':
      return `ist nicht lesbar (${p.system ?? 'Grund unbekannt'})`;
    case 'noCertificate':
      return 'enthält kein Zertifikat im PEM-Format';
    case 'broken':
      return `enthält ein beschädigtes Zertifikat (das ${p.number}.)`;
    default:
      return `ist ${NOT_UTF8[p.flaw]}`;
  }
}

const OR_SETUP = 'Legen Sie mit `receiptd setup` eine an, oder wählen Sie mit --config eine andere.';
const READABLE = 'Es muss eine Datei sein, die der Benutzer lesen kann, unter dem receiptd läuft.';

export function configErrors(format: Format): Translated<ReturnType<typeof english>> {
  const flaws = flawTexts(format);
  const settings = (p: InvalidSettings): Words => [format.settingLines(p, flaws)];
  return {
    'CONFIG_INVALID.settings': settings,
    'TEMPLATE_INVALID.settings': settings,
    'FOLDERS_NESTED.settings': settings,
    'ENDPOINT_UNKNOWN.settings': settings,
    'ACCOUNT_UNKNOWN.settings': settings,
    'HTTPS_REQUIRED.settings': settings,
    'CONFIG_NOT_FOUND.file': (p) => [
      `Die Konfigurationsdatei ${p.path} gibt es nicht.`,
      'Legen Sie mit `receiptd setup` eine an.',
    ],
    'CONFIG_NOT_FOUND.anywhere': (p) => [
      `Es wurde keine Konfigurationsdatei gefunden. Gesucht wurde nach ${p.places.join(', ')}${p.closed === null ? '' : `; ${p.closed} darf dieser Benutzer nicht öffnen`}.`,
      p.closed === null
        ? OR_SETUP
        : `${p.isWindows ? AS_ADMINISTRATOR : 'Für den Agenten dieses Rechners führen Sie den Befehl als root aus, oder nehmen Sie diesen Benutzer in die Gruppe auf, der dieser Ordner gehört, und in die Gruppe des Agenten (`control.group`).'} Mit \`receiptd setup\` legen Sie eine eigene Datei an.`,
    ],
    'CONFIG_NOT_FOUND.chosen': (p) => [
      `Die Konfigurationsdatei ${p.path}, die ${p.isOption ? '--config' : 'RECEIPTD_CONFIG'} nennt, gibt es nicht.`,
      OR_SETUP,
    ],
    'CONFIG_UNREADABLE.notAFile': (p) => [
      `Die Konfigurationsdatei ${p.path} ist eine Pipe, ein Socket oder ein Gerät.`,
      READABLE,
    ],
    'CONFIG_UNREADABLE.file': (p) => [
      `Die Konfigurationsdatei ${p.path} ist ${p.system === 'EISDIR' ? 'ein Verzeichnis' : `nicht lesbar (${p.system ?? 'unbekannter Fehler'})`}.`,
      p.system === 'EACCES'
        ? 'Führen Sie den Befehl als root aus, oder geben Sie dem Benutzer Leserechte für die Datei.'
        : READABLE,
    ],
    'CONFIG_SYNTAX.tooDeep': (p) => [
      `${p.file} lässt sich nicht als YAML lesen: Die Datei ist zu tief verschachtelt, oder ihre Verweise (*name) wiederholen zu viel.`,
      'Schreiben Sie die Werte aus, ohne Verweise.',
    ],
    'CONFIG_SYNTAX.notYaml': (p) => [
      `${p.file}:${p.line}:${p.col}: ${p.mistake === null ? (p.detail ?? 'Das ist kein YAML') : YAML_MISTAKES[p.mistake]}${p.content === null ? ' (die Zeile wird nicht gezeigt: Die Datei scheint ein Geheimnis zu enthalten)' : `; die ${p.isShown ? 'Zeile' : 'letzte Zeile davor'} lautet: ${p.content}`}`,
    ],
    'CONFIG_SYNTAX.notUtf8': (p) => [
      `${p.path} ist ${p.encoding === null ? 'kein Text in UTF-8' : NOT_UTF8[p.encoding]}.`,
      'Speichern Sie die Datei im Editor als UTF-8 (im Windows-Editor: Speichern unter, Codierung: UTF-8).',
    ],
    'CONFIG_INVALID.authorities': (p) => [
      `service.ca: ${p.file} ${authoritiesFlaw(p)}.`,
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
    'CONFIG_CHANGED.beingRead': ['Sie wurde gerade geändert und wird gelesen.'],
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
    'CONFIG_UNWRITABLE.file': (p) => [
      `${p.file} ist nicht beschreibbar (${p.system}); es wurde nichts geändert.`,
      p.system === 'ENOSPC' || p.system === 'EDQUOT'
        ? 'Schaffen Sie Platz auf der Platte.'
        : p.command
          ? `\`${p.command}\` erlaubt es receiptd. Oder ändern Sie die Datei in einem Editor.`
          : 'Geben Sie dem Benutzer, unter dem receiptd läuft, Schreibrechte für die Datei und ihr Verzeichnis, oder ändern Sie die Datei in einem Editor. Läuft receiptd als Dienst, führen Sie auch `sudo receiptd service install` aus.',
    ],
    'TEMPLATE_INVALID.noFreeName': (p) => [
      `Jeder mögliche Name für ${p.path} ist in seinem Endpunkt schon vergeben.`,
      'Nehmen Sie {hash} oder {seq} in das Namensmuster auf.',
    ],
    'TEMPLATE_INVALID.template': (p) => [format.phrase(flaws, p.flaw)],
    'ENDPOINT_UNKNOWN.nothingWaits': (p) => [
      `Auf einen Endpunkt „${p.from}“, den es nicht mehr gibt, warten keine Belege.`,
      '`receiptd status` nennt solche Endpunkte.',
    ],
    'ENDPOINT_UNKNOWN.notConfigured': (p) => [
      `Die Konfiguration hat keinen Endpunkt „${p.alias}“.`,
      `Bekannt: ${p.known.join(', ')}.`,
    ],
    ENDPOINT_IS_EXAMPLE: (p) => [
      `In ${p.file} ist die uid des Endpunkts ${p.alias} noch die aus dem Beispiel.`,
      'Legen Sie mit `receiptd endpoint create NAME` einen Endpunkt an, oder verwenden Sie einen vorhandenen, und tragen Sie dort dessen uid ein.',
    ],
    ACCOUNT_UNKNOWN: (p) => [
      `${p.file} hat kein Konto „${p.account}“.`,
      p.names.length === 0
        ? 'Tragen Sie es zuerst unter `accounts` in der Konfiguration ein.'
        : p.meant === null
          ? `Konten sind ${p.names.join(', ')}; für das Standardkonto lassen Sie --account weg.`
          : `Meinten Sie ${p.meant}?`,
    ],
    'HTTPS_REQUIRED.baseUrlOption': (p) => [
      `--base-url (RECEIPTD_SETUP_BASE_URL): Mit „${p.baseUrl}“ würden Zugangsdaten und Belege unverschlüsselt gesendet.`,
      'Verwenden Sie https.',
    ],
  };
}
