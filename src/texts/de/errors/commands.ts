import type { Format } from '../../format.ts';
import type {
  commandsErrors as english,
  ListenerName,
  UnfitPair,
  GUESSED as englishGuesses,
  OUTPUT_CURES as englishCures,
  RestoredOn,
  RestoreRisks,
} from '../../en/errors/commands.ts';
import type { CommandLineFault, Translated, Words, TestReceiptTrouble } from '../../facts.ts';
import { expectedTexts, flawTexts } from '../settingFlaws.ts';
import { credentialsFlaw } from './credentials.ts';
import { AS_ADMINISTRATOR, NOT_UTF8, secretFlaw } from './files.ts';
import { faultText } from '../faults.ts';
import { VALUES } from '../values.ts';
import type { AlertReceiver } from '../../facts.ts';
import { endText } from '../machine.ts';

const DATABASE_PASSWORD = 'receiptd liest das Passwort aus --password-file, PGPASSWORD oder ~/.pgpass.';

const GUESSED: Readonly<Record<keyof typeof englishGuesses, string>> = {
  start:
    '`receiptd run` führt den Agenten in diesem Terminal aus; `receiptd service start` startet ihn im Hintergrund.',
  stop: '`receiptd service stop` beendet den Agenten im Hintergrund; Strg-C beendet `receiptd run`.',
  restart:
    '`receiptd service restart` startet den Agenten im Hintergrund neu; `receiptd reload` setzt eine geänderte Konfiguration in Kraft.',
  install:
    '`receiptd service install` installiert den Agenten als Dienst, der im Hintergrund läuft; `receiptd setup` erledigt alles.',
  uninstall: '`receiptd service uninstall` entfernt den Dienst.',
  upload:
    '`receiptd send FILE` sendet eine Datei; `receiptd run --once` sendet, was in den überwachten Ordnern liegt.',
  version: '`receiptd --version` zeigt die Version.',
  config: '`receiptd setup` schreibt die Konfiguration; `receiptd check` prüft sie.',
  search: '`receiptd list --search TEXT` sucht.',
  delete: '`receiptd erase NAME` löscht die personenbezogenen Daten eines Belegs.',
};

const UNWRITABLE: Readonly<Record<string, string>> = {
  EEXIST: 'schon vorhanden und nicht geändert',
  ENOENT: 'der Ordner fehlt',
  ENOTDIR: 'ein Teil des Pfads ist kein Ordner',
  EACCES: 'keine Berechtigung',
  EPERM: 'keine Berechtigung',
  EROFS: 'das Dateisystem ist schreibgeschützt',
  ENOSPC: 'kein Platz mehr',
  EDQUOT: 'kein Platz mehr',
};

function receiverText({ channel, of }: { channel: AlertReceiver; of: string | null }): string {
  switch (channel) {
    case 'desktop':
      return 'Der Desktop';
    case 'email':
      return `Der Mailserver ${of}`;
    case 'eventLog':
      return 'Das Ereignisprotokoll';
    case 'webhook':
      return `Der Webhook auf ${of}`;
    default:
      return of ?? channel;
  }
}

const OUTPUT_CURES: Readonly<Record<keyof typeof englishCures, string>> = {
  output: 'Wählen Sie mit --output eine andere Datei.',
  report: 'Wählen Sie mit --output einen anderen Ort. Was oben gefunden wurde, gilt trotzdem.',
  config: 'Wählen Sie mit --config eine andere Datei.',
  restoredConfig:
    'Führen Sie den Befehl als root aus, oder wählen Sie mit --config eine andere Datei. Es wurde nichts wiederhergestellt.',
  beside: 'Wählen Sie mit --beside einen anderen Ordner.',
  backup: 'Nennen Sie eine andere Datei.',
  finalBackup: 'Nennen Sie eine andere Datei. Es wurde nichts abgeschlossen.',
};

const LISTENERS: Readonly<Record<ListenerName, string>> = {
  console: 'Die Konsole',
  results: 'Der Empfänger der Ergebnisse',
  monitoring: 'Die Überwachung durch Maschinen',
};

const notListening =
  (section: ListenerName) =>
  (p: { where: string; system: string | null }): Words => [
    `${LISTENERS[section]} kann nicht auf ${p.where} hören: ${p.system === 'EADDRNOTAVAIL' ? 'Dieser Rechner hat keine solche Adresse' : p.system === 'EACCES' ? 'Ports unter 1024 sind root vorbehalten' : (p.system ?? 'Grund unbekannt')}.`,
    `Berichtigen Sie ${section}.listen.`,
  ];

const notOpened = (p: { name: string; detail: string }): Words => [
  `Der Server für ${p.name} lässt sich nicht öffnen: ${p.detail}.`,
];

const noCertificate =
  (section: ListenerName) =>
  (p: { host: string }): Words => [
    `${LISTENERS[section]} hört ohne Zertifikat nicht auf ${p.host}.`,
    `Tragen Sie eines in ${section}.tls ein (cert, key), oder verwenden Sie 127.0.0.1.`,
  ];

const unfitPair =
  (section: ListenerName) =>
  (p: UnfitPair): Words => [
    pairFault(p),
    `Berichtigen Sie ${section}.tls (cert, key) oder die Dateien, die dort stehen.`,
  ];

function pairFault(p: UnfitPair): string {
  switch (p.kind) {
    case 'notUtf8':
      return `${p.of === 'key' ? 'Der Schlüssel' : 'Das Zertifikat'} ${p.file} ist ${NOT_UTF8[p.encoding]}.`;
    case 'unreadable':
      return `${p.of === 'key' ? 'Der Schlüssel' : 'Das Zertifikat'} ${p.file} ist nicht ${p.system === 'ENOENT' ? 'da' : `lesbar (${p.system ?? 'unbekannter Fehler'})`}.`;
    case 'noCertificate':
      return `${p.file} enthält kein Zertifikat im PEM-Format.`;
    case 'noKey':
      return `${p.file} enthält keinen privaten Schlüssel im PEM-Format.`;
    case 'locked':
      return `${p.file} ist mit einer Passphrase geschützt.`;
    case 'mismatch':
      return `Der Schlüssel ${p.key} passt nicht zum Zertifikat ${p.cert}.`;
    case 'unusable':
      return `Das Zertifikat ${p.cert} ist nicht verwendbar (${p.detail}).`;
  }
}

const values: Readonly<Record<string, string>> = VALUES;

/** Null: without words of its own. */
function commandLine(fault: CommandLineFault): string {
  switch (fault.kind) {
    case 'unknownOption':
      return `Die Option „${fault.subject}“ gibt es hier nicht.`;
    case 'valueMissing':
      return `${fault.subject} braucht einen Wert.`;
    case 'optionMissing':
      return `Es fehlt ${fault.subject}.`;
    case 'argumentMissing':
      return `Es fehlt die Angabe „${values[fault.subject] ?? fault.subject}“.`;
    case 'tooManyArguments':
      return `Das sind zu viele Angaben für „${fault.subject}“.`;
    case 'notAChoice':
      return `${fault.subject}: „${fault.given}“ ist nicht gültig. Möglich sind ${fault.choices.join(', ')}.`;
    case 'other':
      return `Diesen Aufruf versteht receiptd nicht: ${fault.detail}`;
  }
}

export function commandsErrors(format: Format): Translated<ReturnType<typeof english>> {
  const { counted, number, duration, ended, phrase, time } = format;
  return {
    'USAGE.unknownOperation': [
      'Der laufende Agent kennt diese Operation nicht.',
      'Ist er älter als dieses Programm, starten Sie ihn neu.',
    ],
    'USAGE.notPosted': ['Operationen werden mit POST aufgerufen.'],
    'USAGE.requestTooLarge': (p) => [`Die Anfrage ist größer als ${p.limit} Bytes.`],
    'USAGE.requestIncomplete': ['Die Anfrage ist nicht vollständig.'],
    'USAGE.requestTooDeep': ['Die Anfrage ist zu tief verschachtelt.'],
    'USAGE.requestNotJson': ['Die Anfrage ist kein JSON.'],
    'USAGE.requestInvalid': (p) => [`${p.at ?? 'Die Anfrage'}: ${p.detail ?? 'ungültig'}.`],
    'USAGE.noPage': ['Diese Seite gibt es nicht.'],
    'USAGE.signIn': ['Senden Sie entweder ein Token oder ein Passwort.'],
    'USAGE.noCredentialsFile': [
      'Es ist keine Datei mit Zugangsdaten eingestellt.',
      'Setzen Sie credentials.file in der Konfiguration.',
    ],
    'USAGE.unfitCredentials': (p) => [
      `Das können keine Zugangsdaten des Dienstes sein: ${credentialsFlaw(p)}.`,
      'Geben Sie Client-ID und Client-Secret genau so ein, wie der Dienst sie zeigt.',
    ],
    'USAGE.inputNotText': (p) => [
      `Die Standardeingabe enthält Steuerzeichen (NUL, wie in UTF-16); erwartet wurde ${p.input === 'clientId' ? 'die Client-ID' : p.input === 'clientSecret' ? 'das Client-Secret' : `das Passwort (mindestens ${p.shortest ?? 0} Zeichen)`}.`,
      'Speichern Sie die Datei als UTF-8.',
    ],
    'USAGE.folderNotInLedger': (p) => [
      `Das Eingangsbuch kennt keinen Ordner „${p.wanted}“.`,
      `Bekannt: ${p.known.join(', ')}.`,
    ],
    'USAGE.finalNeedsFile': [
      '--final braucht eine Datei, in die geschrieben wird.',
      'Führen Sie `receiptd backup --final FILE` aus.',
    ],
    'USAGE.passwordLength': (p) => [
      `Das Passwort hat ${number(p.length)} Zeichen; nötig sind ${number(p.shortest)} bis ${number(p.longest)}.`,
      'Ein ganzer Satz lässt sich leicht merken.',
    ],
    'USAGE.notOwnDirectory': (p) => [
      `${p.option} yes macht den Benutzer des Dienstes zum Besitzer des Verzeichnisses von ${p.file}, das auch anderen Programmen dienen kann.`,
      'Legen Sie die Konfiguration selbst, nicht einen Link auf sie, in ein Verzeichnis mit dem Namen receiptd, etwa /etc/receiptd.',
    ],
    'USAGE.passwordsDiffer': ['Die Passwörter stimmen nicht überein; es wurde nichts geändert.'],
    'USAGE.nothingToDismiss': [
      'Nennen Sie Belege oder Dateien, die erledigt sind, oder ergänzen Sie --all.',
      '`receiptd list --needs-person` zeigt sie.',
    ],
    'USAGE.dismissLimit': ['Bei `dismiss` gibt es kein --limit.'],
    'USAGE.eitherFlag': (p) => [`Verwenden Sie entweder ${p.flags.join(' oder ')}, nicht beides.`],
    'USAGE.nameNotInFull': (p) => [
      `Mit --yes sind Namen von Belegen vollständig anzugeben: „${p.written}“ ist kein vollständiger Name.`,
      `Meinten Sie ${p.name}?`,
    ],
    'USAGE.onlyWithCsv': ['--excel, --separator und --all-columns gelten nur für CSV.'],
    'USAGE.separator': (p) => [`--separator muss ",", ";" oder tab sein, nicht „${p.wanted}“.`],
    'USAGE.notCondition': (p) => [`--where braucht eine Bedingung wie "total>=100", nicht „${p.text}“.`],
    'USAGE.headUnreadable': (p) => [
      `--head: ${p.file} ist nicht lesbar.`,
      'Verwenden Sie eine Datei von `receiptd ledger head --json`, oder NUMBER:HASH.',
    ],
    'USAGE.notHead': (p) => [
      `${p.file} enthält keinen Kopf des Journals.`,
      '`receiptd ledger head --json` schreibt einen.',
    ],
    'USAGE.noSharedLedger': [
      'Es ist kein gemeinsames Eingangsbuch eingestellt.',
      'Ergänzen Sie --to postgres://user@host/database.',
    ],
    'USAGE.passwordFileUnreadable': (p) => [
      `Die Passwortdatei ${p.file} ist nicht lesbar: ${p.detail}.`,
      'Wählen Sie mit --password-file eine andere Datei.',
    ],
    'USAGE.alreadyShared': [
      'Die Konfiguration verwendet schon das gemeinsame Eingangsbuch.',
      'Setzen Sie ledger.kind: sqlite, bis das Eingangsbuch umgezogen ist, und geben Sie die Datenbank mit --to an.',
    ],
    'USAGE.agentName': (p) => [
      `„${p.given}“ ist kein gültiger Name für einen Agenten.`,
      'Verwenden Sie für --agent höchstens 63 Buchstaben, Ziffern, Bindestriche und Unterstriche.',
    ],
    'USAGE.notPastDate': (p) => [
      `--before ${p.before} ist kein vergangenes Datum.`,
      'Schreiben Sie es wie 2025-01-01.',
    ],
    'USAGE.fromAndClientId': [
      'Verwenden Sie entweder --from oder --client-id, nicht beides.',
      '--from verschiebt gespeicherte Zugangsdaten; --client-id speichert neue.',
    ],
    'USAGE.bothCredentials': [
      'Client-ID und Client-Secret sind beide nötig.',
      'Geben Sie die Client-ID mit --client-id an, und das Client-Secret über die Standardeingabe.',
    ],
    'USAGE.sameStore': (p) => [
      `--from und --store nennen dieselbe Ablage, ${p.to}.`,
      'Geben Sie mit --store an, wohin die Zugangsdaten verschoben werden sollen.',
    ],
    'USAGE.folderNotEmpty': (p) => [
      `${p.folder} ist nicht leer.`,
      'Wählen Sie mit --beside einen neuen Ordner.',
    ],
    'USAGE.notResultNumber': (p) => [
      `„${p.text}“ ist keine Nummer eines Ergebnisses.`,
      '`receiptd results list` zeigt die Nummern.',
    ],
    'USAGE.resultsOff': [
      'Ergebnisse werden nicht empfangen: results.listen ist off.',
      'Setzen Sie results.listen, oder geben Sie mit --base die Adresse an, unter der der Dienst diesen Rechner erreicht.',
    ],
    'USAGE.notBaseAddress': (p) => [
      `${p.option}: „${p.text}“ ist nicht gültig.`,
      'Verwenden Sie eine Basisadresse wie https://receipts.example.com.',
    ],
    'USAGE.sandboxUid': (p) => [
      `--endpoint-uid: „${p.given}“ ist nicht gültig.`,
      `Verwenden Sie eine UUID in Kleinbuchstaben wie ${p.example}.`,
    ],
    'USAGE.sandboxNotStarted': (p) => [
      `Der Übungsdienst kann nicht starten: ${p.detail}.`,
      'Prüfen Sie --dir, --host und --port.',
    ],
    'USAGE.notFaultRule': (p) => [
      `--fault: „${p.text}“ ist nicht gültig.`,
      '`receiptd sandbox --help` zeigt die Regeln.',
    ],
    'USAGE.dataStream': (p) => [
      `${p.stream} bezeichnet einen alternativen Datenstrom, der sich nicht senden lässt.`,
      'Entfernen Sie den letzten Doppelpunkt und alles danach.',
    ],
    'USAGE.configAtWithoutDryRun': [
      '--config-at gilt nur zusammen mit --dry-run.',
      'Ergänzen Sie --dry-run, oder legen Sie die Konfigurationsdatei dorthin und verwenden Sie --config.',
    ],
    'USAGE.userServiceIsYours': [
      'Ein Dienst des Benutzers läuft unter Ihrem Namen.',
      'Lassen Sie --user weg, oder installieren Sie mit --scope system einen Dienst des Rechners.',
    ],
    'USAGE.rootUserService': (p) => [
      'root kann hier keinen Dienst des Benutzers haben.',
      `Führen Sie dies ohne sudo als der Benutzer aus, für den der Dienst ist, oder lassen Sie ${p.option} user weg.`,
    ],
    'USAGE.alreadyAnswered': ['Diese Frage ist schon beantwortet.'],
    'USAGE.setupDone': ['Die Einrichtung ist fertig.'],
    'USAGE.setupBusy': ['receiptd ist noch mit einem Schritt der Einrichtung beschäftigt.'],
    'USAGE.pathNotAbsolute': ['Der Pfad muss vollständig sein.'],
    'USAGE.secretFromTerminal': (p) => [
      `${p.flag} - liest das Client-Secret aus der Standardeingabe, aber die ist ein Terminal.`,
      'Lassen Sie die Option weg, dann fragt receiptd nach dem Client-Secret.',
    ],
    'USAGE.secretEmpty': (p) => [
      `${p.path} ist leer.`,
      'Die Datei muss das Client-Secret enthalten, und nichts sonst.',
    ],
    'USAGE.setupAnswer': (p) => [
      `${p.flag} (${p.variable}): „${p.given}“ ist nicht gültig.`,
      `Möglich ist ${phrase(expectedTexts, p.takes)}.`,
    ],
    'USAGE.browserAsks': ['--browser stellt Fragen; --yes und --json sind für eine Einrichtung ohne Fragen.'],
    'USAGE.practiceReplaces': (p) => [
      `${p.file} gilt für ${p.baseUrl}, und der Übungsmodus darf das nicht ersetzen.`,
      'Verwenden Sie eine andere Datei: `receiptd setup --sandbox --config practice.yaml`.',
    ],
    'USAGE.topNeedsTerminal': [
      '`top` braucht ein Terminal, das den Cursor steuern kann.',
      'Verwenden Sie `receiptd status`.',
    ],
    'USAGE.topInterval': (p) => [
      `--every: „${p.given}“ ist nicht gültig.`,
      `Geben Sie eine Dauer von mindestens ${p.leastMs}ms an, etwa 2s.`,
    ],
    'USAGE.documentOrFileOrAll': ['Nennen Sie einen Beleg oder eine Datei, oder geben Sie --all an.'],
    'USAGE.severalFiles': (p) => [
      `„${p.target}“ heißen mehrere Dateien: ${p.paths.join(', ')}${p.more > 0 ? ` und ${p.more} weitere` : ''}.`,
      'Geben Sie den vollständigen Pfad der gemeinten an.',
    ],
    'USAGE.documentOrBefore': ['Nennen Sie einen Beleg, oder geben Sie --before an.'],
    'USAGE.numbersOrFilter': ['Geben Sie entweder Nummern oder einen Filter an.'],
    'USAGE.endpointForDocuments': ['Nennen Sie den Endpunkt, der die Belege bekommt.'],
    'USAGE.documentOrAll': ['Nennen Sie einen Beleg, oder geben Sie --all an.'],
    'USAGE.valueOrDefault': (p: { key: string }) => [
      `Geben Sie einen neuen Wert für ${p.key} an oder --default, um den Eintrag aus der Datei zu entfernen.`,
    ],
    'USAGE.noSuchFolder': (p: { path: string; known: readonly string[] }) => [
      `„${p.path}“ ist kein Ordner der Konfiguration.`,
      `Ordner: ${p.known.join(', ')}.`,
    ],
    'USAGE.whichEndpoint': (p: { option: string; known: readonly string[] }) => [
      `Mehrere Endpunkte sind eingerichtet: ${p.known.join(', ')}.`,
      `Wählen Sie einen mit ${p.option}.`,
    ],
    'USAGE.noSuchTarget': (p) => [
      `„${p.target}“ ist kein Ordner oder Endpunkt der Konfiguration.`,
      `Bekannt: ${p.known.join(', ')}.`,
    ],
    'USAGE.pausedUntilPast': (p) => [
      `Eine Pause kann nicht um ${time(p.until)} enden: Das ist vorbei.`,
      'Geben Sie einen späteren Zeitpunkt an.',
    ],
    'USAGE.timeZone': (p) => [`„${p.timeZone}“ ist nicht der Name einer Zeitzone.`],
    'USAGE.page': ['page muss eine Zahl von 1 bis 99999 sein.'],
    'USAGE.ids': ['ids muss aus Nummern bestehen, durch Kommas getrennt.'],
    'USAGE.json': (p) => [`${p.key} muss JSON sein.`],
    'USAGE.query': (p) => [`${p.field ?? 'Die Abfrage'}: ${p.detail ?? 'ungültig'}.`],
    'USAGE.streamSeparator': ['separator muss , oder ; oder tab sein.'],
    'USAGE.endpointRequest': (p) => [
      `„${p.given}“ ist als ${p.field === 'name' ? 'Name eines Endpunkts' : p.field === 'language' ? 'Sprache eines Endpunkts' : 'outgoingUrl'} nicht gültig.`,
      `Möglich ist ${phrase(expectedTexts, p.takes)}.`,
    ],
    'USAGE.userName': (p) => [`„${p.name}“ ist kein gültiger Benutzername für --user.`],
    'USAGE.cursor': ['Der Cursor ist nicht gültig.', 'Beginnen Sie mit der ersten Seite.'],
    'USAGE.retiresItself': (p) => [
      `${p.agent} ist der Agent dieses Rechners.`,
      'Setzen Sie ihn auf dem Rechner eines anderen Agenten zur Ruhe.',
    ],
    'USAGE.retiresRunning': (p) => [
      `Der Agent ${p.agent} läuft.`,
      'Beenden Sie ihn zuerst, und setzen Sie ihn dann zur Ruhe.',
    ],
    'USAGE.notConfiguredFolder': (p) => [`„${p.path}“ ist kein Ordner der Konfiguration.`],
    'USAGE.severalStores': (p) => [
      `Zugangsdaten sind an mehreren Stellen gespeichert (${p.stores.join(', ')}); welche bleiben sollen, ist nicht klar.`,
      `Wählen Sie eine Stelle mit --from ${p.store}, oder geben Sie mit --client-id neue ein.`,
    ],
    'USAGE.mailPassword': [
      'Das ist kein gültiges Passwort: Es ist leer, zu lang oder enthält Steuerzeichen.',
      'Geben Sie es genau so ein, wie es auf dem Mailserver festgelegt ist.',
    ],
    'USAGE.notAbsolute': (p) => [`${p.path} ist kein vollständiger Pfad.`],
    'USAGE.watchedDirectory': (p) => [
      `${p.directory} wird überwacht (${p.folder} in der Konfiguration).`,
      'Der Agent nimmt Dateien dort von selbst auf. Um eine Datei zu senden, die er übergeht, kopieren Sie sie zuerst an einen anderen Ort.',
    ],
    'USAGE.severalEndpoints': (p) => [
      'Die Konfiguration hat mehrere Endpunkte, aber eine Datei geht nur an einen.',
      `Wählen Sie einen mit --endpoint: ${p.known.join(', ')}.`,
    ],
    'USAGE.bytesMissing': (p) => [`${p.path}: Angekommen sind ${p.came} von ${p.size} Bytes.`],
    'USAGE.notDatabase': [
      '--to braucht eine Adresse wie postgres://receiptd@db.example.com/receiptd.',
      DATABASE_PASSWORD,
    ],
    'USAGE.passwordVisible': [
      '--to enthält ein Passwort, das jeder auf diesem Rechner sehen kann. Entfernen Sie es, und ändern Sie das Passwort.',
      DATABASE_PASSWORD,
    ],
    'USAGE.unfitDatabase': (p) => [`--to: ${phrase(flawTexts(format), p.flaw)}.`, DATABASE_PASSWORD],
    'USAGE.workingDirectory': (p) => [
      p.isGone
        ? 'Den Ordner, in dem dieser Befehl gestartet wurde, gibt es nicht mehr.'
        : 'Der Pfad des Ordners, in dem dieser Befehl gestartet wurde, lässt sich nicht ermitteln.',
      'Wechseln Sie mit `cd` in einen anderen Ordner.',
    ],
    'USAGE.optionValue': (p) => [
      `${p.option}: „${p.text}“ ist nicht gültig.`,
      p.takes === 'duration'
        ? 'Verwenden Sie eine Dauer wie 30s oder 5m.'
        : p.takes === 'day'
          ? 'Verwenden Sie ein Datum wie 2026-01-31.'
          : p.takes === 'period'
            ? 'Verwenden Sie einen Monat wie 2026-01, einen Tag wie 2026-01-31, today, yesterday, last-week, last-month oder eine Dauer wie 2h.'
            : p.takes === 'moment'
              ? 'Verwenden Sie eine Dauer wie 2h, eine Uhrzeit wie 08:00, tomorrow, monday, ein Datum wie 2026-01-31 oder Datum und Uhrzeit („2026-01-31 08:00“).'
              : `Verwenden Sie eine Zahl ${p.takes.most === null ? `ab ${p.takes.least}` : `von ${p.takes.least} bis ${p.takes.most}`}.`,
    ],
    'USAGE.noResultsColumn': (p) => [
      `In results.columns steht kein „${p.name}“.`,
      p.known.length === 0
        ? 'Die Einstellung ist leer: Tragen Sie Namen und JSON-Pointer ein.'
        : `Dort stehen: ${p.known.join(', ')}.`,
    ],
    'USAGE.fleetUnshared': [
      'Dieser Agent hat kein gemeinsames Eingangsbuch.',
      'Verwenden Sie `receiptd pause` und `receiptd resume`.',
    ],
    'USAGE.guessedCommand': (p) => [`Den Befehl „${p.typed}“ gibt es nicht.`, GUESSED[p.guess]],
    'USAGE.unknownCommand': (p) => [
      `Den Befehl „${p.typed}“ gibt es nicht.`,
      `${meintenSie(p.meant)}\`receiptd --help\` zeigt die Befehle.`,
    ],
    'USAGE.commandLine': (p) => [
      commandLine(p.fault),
      `${meintenSie(p.meant)}${p.name === null ? '' : `Ist es der Name eines Belegs, schreiben Sie zwei Bindestriche davor, wie in \`receiptd show -- ${p.name}\`. `}Mit --help sehen Sie die Optionen dieses Befehls.`,
    ],
    'USAGE.agentNotShared': [
      'Dieser Agent teilt sein Eingangsbuch nicht.',
      'Lassen Sie den Namen des Agenten weg: `receiptd pause`, `receiptd resume`.',
    ],
    'OUTPUT_UNWRITABLE.archive': (p) => [
      `Das Archiv ${p.file} lässt sich nicht schreiben: ${ended(p.detail)}`,
      'Prüfen Sie das Verzeichnis und den Platz auf seiner Platte.',
    ],
    'OUTPUT_UNWRITABLE.comparedCopy': (p) => [
      `Das Eingangsbuch lässt sich nicht mit seinem Journal vergleichen, weil seine Kopie in ${p.dir} nicht geschrieben werden kann: ${p.detail}.`,
      'Schaffen Sie dort Platz.',
    ],
    'OUTPUT_UNWRITABLE.file': (p) => [
      `${p.file} lässt sich nicht schreiben: ${UNWRITABLE[p.system ?? ''] ?? p.detail}.`,
      OUTPUT_CURES[p.output],
    ],
    'OUTPUT_UNWRITABLE.stdout': (p) => [
      `Die Standardausgabe lässt sich nicht schreiben: ${UNWRITABLE[p.system ?? ''] ?? p.detail}.`,
      'Prüfen Sie, wohin sie geleitet wird.',
    ],
    'NOT_RUNNING.stateDir': (p) => [
      `Mit dem Zustandsverzeichnis ${p.stateDir} läuft kein Agent.`,
      `Starten Sie ihn mit „${p.command}“.`,
    ],
    'NOT_RUNNING.stopping': [
      'receiptd wird gerade beendet.',
      'Starten Sie es wieder, und versuchen Sie es dann noch einmal.',
    ],
    'NOT_RUNNING.noAlerts': (p) => [
      `Mit dem Zustandsverzeichnis ${p.stateDir} läuft kein Agent; es werden also keine Meldungen gesendet.`,
      `Starten Sie ihn mit „${p.command}“. \`receiptd status\` zeigt Störungen auch ohne Agenten.`,
    ],
    'NOT_RUNNING.testAsOwner': (p) => [
      `Es läuft kein Agent, und ${p.file} gehört einem anderen Benutzer: Als root wird kein Programm ausgeführt und kein Geheimnis verschickt, das dort steht.`,
      `Starten Sie den Agenten, oder verwenden Sie \`${p.command}\`.`,
    ],
    'CONTROL_FAILED.defect': ['Der laufende Agent konnte das nicht tun.', 'Näheres steht in seinem Log.'],
    'CONTROL_FAILED.logUnreadable': (p) => [
      `Das Protokoll ${p.file} kann nicht gelesen werden (${p.system}).`,
      'Führen Sie diesen Befehl als root aus oder als der Benutzer, unter dem der Agent läuft.',
    ],
    'CONTROL_FAILED.preview': [
      'Die Vorschau ist noch nicht fertig.',
      'Versuchen Sie es in einigen Sekunden noch einmal.',
    ],
    'CONTROL_FAILED.notUnderstood': [
      'Diese Version versteht die Antwort des laufenden Agenten nicht.',
      'Der Agent hat vielleicht eine andere Version. Starten Sie ihn neu.',
    ],
    'CONTROL_FAILED.socketDirectory': (p) => [`Der Steuersocket ${p.socketPath} lässt sich nicht anlegen.`],
    'CONTROL_FAILED.socketUncreated': (p) => [
      `Der Steuersocket ${p.socketPath} lässt sich nicht anlegen (${p.system ?? 'Grund unbekannt'}).`,
    ],
    'CONTROL_FAILED.notSocket': (p) => [
      `${p.socketPath} ist im Weg, denn es ist kein Socket.`,
      'Verschieben Sie es an einen anderen Ort.',
    ],
    'CONTROL_FAILED.socketPathTooLong': (p) => [
      `Der Pfad des Steuersockets ${p.socketPath} hat ${p.length} Bytes, aber das System erlaubt nur ${p.limit}.`,
      'Setzen Sie stateDir (oder RECEIPTD_STATE_DIR) auf einen kürzeren Pfad.',
    ],
    'CONTROL_FAILED.configNotApplied': ['Die neue Konfiguration konnte nicht in Kraft gesetzt werden.'],
    'CONTROL_FAILED.configWaits': (p) => [
      `${p.file} kann noch nicht in Kraft treten; bis dahin gilt die bisherige Konfiguration: ${p.detail}`,
    ],
    'CONTROL_FAILED.endpointNotKept': (p) => [
      `Der Endpunkt „${p.name}“ wurde mit der uid ${p.uid} angelegt, ${p.isRecorded ? 'ließ sich aber nicht in die Konfiguration eintragen' : 'aber nicht aufgezeichnet'}: ${p.detail}`,
      `Legen Sie ihn nicht noch einmal an. Tragen Sie ihn von Hand in die Konfiguration ein: endpoints.${p.alias}.uid: "${p.uid}".`,
    ],
    'CONTROL_FAILED.notReached': (p) => [
      `Der laufende Agent ist unter ${p.socketPath} nicht erreichbar (${p.system ?? 'Grund unbekannt'}).`,
      p.system !== 'EACCES' && p.system !== 'EPERM'
        ? 'Versuchen Sie es noch einmal. Hilft das nicht, sehen Sie im Log des Agenten nach.'
        : p.isWindows
          ? AS_ADMINISTRATOR
          : 'Führen Sie diesen Befehl als root aus, als der Benutzer, unter dem der Agent läuft, oder als Mitglied seiner Gruppe (`control.group`).',
    ],
    'PORT_IN_USE.sandbox': (p) => [
      `Port ${p.port} von ${p.host} ist belegt.`,
      `Wählen Sie mit ${p.option} einen anderen; 0 nimmt einen freien.`,
    ],
    'PORT_IN_USE.othersPractice': (p) => [
      `Der Übungsdienst auf ${p.baseUrl} gehört dem Benutzer ${p.name}, der bekäme, was Sie senden.`,
      'Wählen Sie mit --sandbox-port einen anderen Port; 0 nimmt einen freien.',
    ],
    'PORT_IN_USE.listener': (p) => [
      `${LISTENERS[p.section]} kann nicht auf ${p.where} hören, weil ein anderes Programm diesen Port verwendet.`,
      p.section === 'console'
        ? 'Setzen Sie console.listen auf einen anderen Port oder auf onDemand.'
        : `Setzen Sie ${p.section}.listen auf einen anderen Port, oder beenden Sie dieses Programm.`,
    ],
    'MONITORING_UNAVAILABLE.address': notListening('monitoring'),
    'MONITORING_UNAVAILABLE.notOpened': notOpened,
    'CONSOLE_UNAVAILABLE.noPages': [
      'Die Seiten der Konsole fehlen in dieser Installation.',
      'Installieren Sie receiptd neu.',
    ],
    'CONSOLE_UNAVAILABLE.stopping': ['receiptd wird gerade beendet.', 'Starten Sie es wieder.'],
    'CONSOLE_UNAVAILABLE.off': ['Die Konsole ist ausgeschaltet.', 'Setzen Sie console.listen auf onDemand.'],
    'CONSOLE_UNAVAILABLE.address': notListening('console'),
    'CONSOLE_UNAVAILABLE.notOpened': notOpened,
    'CONSOLE_UNAVAILABLE.noPassword': (p) => [
      `Ohne Passwort hört die Konsole nicht auf ${p.host}.`,
      'Legen Sie mit `receiptd console password` eines fest.',
    ],
    'CONSOLE_UNAVAILABLE.noCertificate': noCertificate('console'),
    'CONSOLE_UNAVAILABLE.unfitPair': unfitPair('console'),
    'CONSOLE_SIGNED_OUT.session': (p) => [
      'Sie sind abgemeldet.',
      `Holen Sie mit \`${p.command}\` einen neuen Link, oder melden Sie sich mit dem Passwort an.`,
    ],
    'CONSOLE_SIGNED_OUT.usedLink': (p) => [
      'Dieser Link wurde schon benutzt oder ist älter als fünf Minuten.',
      `Holen Sie mit \`${p.command}\` einen neuen.`,
    ],
    'CONSOLE_SIGNED_OUT.noPassword': [
      'Die Konsole hat kein Passwort.',
      'Öffnen Sie sie mit `receiptd console`, oder setzen Sie mit `receiptd console password` eines.',
    ],
    'CONSOLE_SIGNED_OUT.wrongPassword': [
      'Das Passwort ist falsch.',
      'Haben Sie es vergessen, öffnen Sie die Konsole mit `receiptd console`.',
    ],
    'CONSOLE_REFUSED.method': (p) => [`Hier geht nur ${p.allowed.join(' oder ')}.`],
    'CONSOLE_REFUSED.openTooOften': (p) => [
      `Die Konsole ist schon ${p.count}-mal geöffnet.`,
      'Schließen Sie einige davon.',
    ],
    'CONSOLE_REFUSED.wrongTooOften': (p) => [
      'Zu viele falsche Passwörter.',
      `Versuchen Sie es in ${p.seconds} s noch einmal, oder öffnen Sie die Konsole mit \`receiptd console\`.`,
    ],
    'CONSOLE_REFUSED.noPath': ['Die Anfrage hat keinen Pfad, oder einen, den kein Browser sendet.'],
    'CONSOLE_REFUSED.tooManyHeaders': ['Die Anfrage hat zu viele Kopfzeilen.'],
    'CONSOLE_REFUSED.severalHosts': ['Die Anfrage nennt mehr als einen Host.'],
    'CONSOLE_REFUSED.foreignHost': [
      'Die Konsole antwortet nicht unter diesem Hostnamen.',
      'Verwenden Sie ihre Adresse, oder nehmen Sie den Namen in console.hosts auf.',
    ],
    'CONSOLE_REFUSED.foreignPage': ['Diese Anfrage kam von einer anderen Seite als der Konsole.'],
    'CONSOLE_REFUSED.foreignForm': [
      'Diese Anfrage ist nicht von der Konsole: content-type oder x-receiptd fehlt.',
    ],
    'CONSOLE_REFUSED.foldersUnasked': [
      'Ordner werden nur aufgelistet, solange die Einrichtung nach einem fragt.',
    ],
    'CONSOLE_REFUSED.setting': (p) => [
      `Die Konsole darf ${p.setting} nicht ändern${p.holder === null ? '' : `, solange ${p.holder} ein Geheimnis dafür enthält`}.`,
      `Ändern Sie das in ${p.file}.`,
    ],
    'CONSOLE_REFUSED.place': (p) => [
      `Die Konsole darf ${p.setting} nicht auf ${p.path} setzen.`,
      `Wählen Sie ein Verzeichnis in oder neben einem überwachten Ordner, oder lassen Sie dieses mit console.roots in ${p.file} zu.`,
    ],
    'CONSOLE_REFUSED.realPlace': (p) => [
      `Die Konsole darf ${p.setting} nicht auf ${p.path} setzen: Das führt zu ${p.real}.`,
      `Wählen Sie ${p.real} selbst, nachdem Sie es mit console.roots in ${p.file} zugelassen haben.`,
    ],
    'CONSOLE_REFUSED.noAnswer': (p) => [
      `${p.path} antwortet nicht.`,
      'Versuchen Sie es noch einmal, wenn die Freigabe wieder da ist.',
    ],
    'CONSOLE_REFUSED.mailPasswordInFile': (p) => [
      `Das Passwort für Benachrichtigungen per Mail steht in ${p.passwordFile}.`,
      `Ändern Sie es dort, oder entfernen Sie alerts.email.passwordFile aus ${p.file}.`,
    ],
    'CONSOLE_REFUSED.files': [
      'Die Konsole nimmt den Inhalt einer Datei an, nicht ihren Ort auf diesem Rechner.',
      'Senden Sie die Datei auf der Seite Belege, oder verwenden Sie `receiptd send FILE`.',
    ],
    'CONSOLE_REFUSED.secrets': [
      'Die Konsole zeigt keine Geheimnisse.',
      'Verwenden Sie `receiptd results url`.',
    ],
    'CONSOLE_REFUSED.signIn': [
      'Die Konsole kann niemand anderen anmelden.',
      'Verwenden Sie `receiptd console`.',
    ],
    'CONSOLE_REFUSED.endpointMadeElsewhere': [
      'Die Konsole trägt keine Endpunkte ein, die anderswo angelegt wurden.',
      'Legen Sie einen an, oder verwenden Sie `receiptd endpoint create`.',
    ],
    'CONSOLE_REFUSED.backupElsewhere': [
      'Die Konsole legt Sicherungen nur bei den automatischen ab.',
      'Um an einen anderen Ort zu sichern, verwenden Sie `receiptd backup FILE`.',
    ],
    'ALERT_UNDELIVERED.noChannel': [
      'Unter `alerts` ist kein Weg für Meldungen eingestellt; es werden keine gesendet.',
      'Richten Sie einen mit `receiptd setup` oder in der Konfigurationsdatei ein.',
    ],
    'ALERT_UNDELIVERED.tooSlow': (p) => [
      `${receiverText(p)} hat länger gebraucht als ${duration(p.limitMs)}.`,
      `Finden Sie heraus, was das aufhält, und prüfen Sie ${p.setting}.`,
    ],
    'ALERT_UNDELIVERED.unexpected': (p) => [
      `${p.channel} ist fehlgeschlagen: ${p.detail}.`,
      'Prüfen Sie die Meldungen in der Konfiguration.',
    ],
    'ALERT_UNDELIVERED.webhookUnreachable': (p) => [
      `Der Webhook auf ${p.host} ist nicht erreichbar: ${faultText(p.fault, format)}`,
      'Prüfen Sie alerts.webhook.url, das Netzwerk und den Proxy.',
    ],
    'ALERT_UNDELIVERED.webhookAnswer': (p) => [
      `Der Webhook auf ${p.host} hat mit HTTP ${p.httpStatus} geantwortet.`,
      'Prüfen Sie das Programm, das ihn empfängt.',
    ],
    'ALERT_UNDELIVERED.webhookRedirect': (p) => [
      `Der Webhook auf ${p.host} hat mit HTTP ${p.httpStatus} geantwortet, einer Weiterleitung, der receiptd nicht folgt.`,
      'Setzen Sie alerts.webhook.url auf das Ziel der Weiterleitung.',
    ],
    'ALERT_UNDELIVERED.webhookSecret': (p) => [
      `Die Datei in alerts.webhook.secretFile enthält kein gültiges Geheimnis. Es muss aus ${p.prefix} und ${p.shortest} bis ${p.longest} zufälligen Bytes in Base64 bestehen.`,
      'Erzeugen Sie eines: printf \'whsec_%s\\n\' "$(openssl rand -base64 32)"',
    ],
    'ALERT_UNDELIVERED.noEventLog': [
      'Dieses System hat kein Ereignisprotokoll.',
      'Setzen Sie alerts.eventLog: false; die Einstellung ist für Windows.',
    ],
    'ALERT_UNDELIVERED.eventLog': (p) => [
      `Das Ereignisprotokoll nimmt keine Meldungen an: ${p.program} ${endText(p.end)}.`,
      'Das Installationsprogramm meldet die Ereignisquelle an. Andernfalls muss ein Administrator es einmal in PowerShell tun: New-EventLog -LogName Application -Source receiptd.',
    ],
    'ALERT_UNDELIVERED.command': (p) => [
      `${p.program} ${endText(p.end)}.`,
      'Prüfen Sie das Programm in alerts.command.',
    ],
    'ALERT_UNDELIVERED.desktop': (p) => [
      `Der Desktop zeigt keine Meldungen: ${p.program} ${endText(p.end)}.`,
      p.isLinux
        ? 'Installieren Sie notify-send (libnotify-bin), und führen Sie receiptd in der Sitzung des Benutzers aus, der die Meldungen sehen soll; oder setzen Sie alerts.desktop: false.'
        : 'Führen Sie receiptd in der Sitzung des Benutzers aus, der die Meldungen sehen soll, oder setzen Sie alerts.desktop: false.',
    ],
    'ALERT_UNDELIVERED.noMailPassword': (p) => [
      `Für ${p.user} bei ${p.host} ist kein Passwort gespeichert.`,
      'Geben Sie es in der Konsole unter Einstellungen, Meldungen ein, oder setzen Sie alerts.email.passwordFile auf eine Datei, die es enthält.',
    ],
    'ALERT_UNDELIVERED.mailLogin': (p) => [
      `Der Mailserver ${p.host} weist den Benutzernamen ${p.user} oder das Passwort zurück${p.said === '' ? '' : `: ${p.said}`}.`,
      'Berichtigen Sie Benutzernamen oder Passwort. Manche Anbieter verlangen ein eigenes Passwort für Anwendungen.',
    ],
    'ALERT_UNDELIVERED.mailNeedsLogin': (p) => [
      `Der Mailserver ${p.host} verlangt Benutzernamen und Passwort.`,
      'Setzen Sie alerts.email.user, und geben Sie das Passwort in der Konsole ein, oder setzen Sie alerts.email.passwordFile.',
    ],
    'ALERT_UNDELIVERED.mailUnencrypted': (p) => [
      `Der Mailserver ${p.host} bietet keine verschlüsselte Verbindung an (STARTTLS): ${p.detail}.`,
      'Ein Server auf einem anderen Rechner muss verschlüsseln. Verwenden Sie einen, der das tut, oder smtps://; mit service.ca lässt sich seine Zertifizierungsstelle ergänzen.',
    ],
    'ALERT_UNDELIVERED.mailRefused': (p) => [
      `Der Mailserver ${p.host} weist die Mail zurück: ${p.detail}.`,
      'Berichtigen Sie alerts.email.from und alerts.email.to, oder fragen Sie den Administrator des Mailservers.',
    ],
    'ALERT_UNDELIVERED.mailSilent': (p) => [
      `Der Mailserver ${p.host} antwortet nicht rechtzeitig.`,
      'Prüfen Sie alerts.email.server, den Port und das Netzwerk.',
    ],
    'ALERT_UNDELIVERED.mailHostUnknown': (p) => [
      `Den Namen des Mailservers ${p.host} kennt das Netzwerk nicht.`,
      'Prüfen Sie alerts.email.server und das Netzwerk.',
    ],
    'ALERT_UNDELIVERED.mailUnreachable': (p) => [
      `Der Mailserver ${p.host} ist nicht erreichbar: ${p.detail}.`,
      'Prüfen Sie alerts.email.server, ob dort smtp:// oder smtps:// stehen muss, und das Netzwerk.',
    ],
    'ALERT_UNDELIVERED.secretFile': (p) => [
      `${p.setting}: ${p.file} ${secretFlaw(p)}.`,
      'Schreiben Sie das Geheimnis als einzige Zeile in die Datei, und machen Sie die Datei nur für den Benutzer lesbar, unter dem receiptd läuft.',
    ],
    'CONFIRMATION_NEEDED.erase': (p) => [
      `Damit würden die personenbezogenen Daten von ${counted(p.count, 'Beleg', 'Belegen')}${p.before === null ? ` (${p.names.join(', ')})` : `, vor dem ${p.before} benannt,`} endgültig gelöscht.`,
      'Zur Bestätigung ergänzen Sie --yes.',
    ],
    'CONFIRMATION_NEEDED.nothingErased': [
      'Es wurde nichts gelöscht.',
      'Zur Bestätigung antworten Sie mit j, oder ergänzen Sie --yes.',
    ],
    'CONFIRMATION_NEEDED.retire': (p) => [
      `Belege aus eigenen Ordnern des Agenten, die noch warten, gelten als verloren: Scannen Sie sie noch einmal. Belege aus gemeinsamen Ordnern, und Ergebnisse, die er noch nicht weitergegeben hat, gehen an den Agenten dieses Rechners. ${counted(p.count, 'Beleg wartet', 'Belege warten')} bei ihm.`,
      'Ergänzen Sie --yes, wenn Sie das wollen.',
    ],
    'CONFIRMATION_NEEDED.notRetired': [
      'Es wurde nichts geändert.',
      'Antworten Sie mit j, oder ergänzen Sie --yes.',
    ],
    'CONFIRMATION_NEEDED.nothingSent': (p) => [
      `Aus ${p.folder} wurde nichts gesendet.`,
      'Setzen Sie für diesen Ordner `existing: skip` oder `since DATE`, oder ergänzen Sie --yes.',
    ],
    'CONFIRMATION_NEEDED.withoutImage': (p) => [
      `Es wurde nichts abgeschlossen. ${withoutImage(p, format)}`,
      'Legen Sie die Dateien zurück, oder ergänzen Sie --yes.',
    ],
    'CONFIRMATION_NEEDED.restoredElsewhere': (p) => [
      `Es wurde nichts wieder geöffnet. ${restoredOn(p, format)}`,
      'Läuft es dort nicht mehr, bestätigen Sie das mit --yes.',
    ],
    'CONFIRMATION_NEEDED.restore': (p) => [
      `Es wurde nichts wiederhergestellt. ${restoreRisks(p, format)}`,
      'Zur Bestätigung ergänzen Sie --yes.',
    ],
    'RESULTS_UNAVAILABLE.secretUnreadable': (p) => [
      `Die Datei ${p.file} ist nicht verwendbar (${p.detail}).`,
      'Prüfen Sie die Rechte des Zustandsverzeichnisses.',
    ],
    'RESULTS_UNAVAILABLE.noSecret': (p) => [
      `Die Datei ${p.file} enthält kein Geheimnis von receiptd.`,
      'Stellen Sie sie aus einer Sicherung wieder her. Oder entfernen Sie sie, starten Sie receiptd neu, und geben Sie den Endpunkten die neue Adresse.',
    ],
    'RESULTS_UNAVAILABLE.address': notListening('results'),
    'RESULTS_UNAVAILABLE.notOpened': notOpened,
    'RESULTS_UNAVAILABLE.noCertificate': noCertificate('results'),
    'RESULTS_UNAVAILABLE.unfitPair': unfitPair('results'),
    RESULT_UNKNOWN: (p) => [
      `Das Ergebnis ${p.id} gibt es nicht.`,
      '`receiptd results list` zeigt die Nummern.',
    ],
    SETUP_INCOMPLETE: (p) => [
      `${p.isUnattended ? 'Die Einrichtung läuft ohne Fragen' : 'Es gibt kein Terminal für Fragen'}${p.backlogs.length === 0 ? '' : ` (${p.backlogs.join(', ')}: enthält schon Dateien)`}, und diese Antworten fehlen: ${p.missing.map((each) => each.replaceAll('|', ' oder ')).join('; ')}.`,
      'Geben Sie sie als Optionen oder Variablen an, oder führen Sie `receiptd setup` in einem Terminal aus.',
    ],
    TEST_RECEIPT_UNDELIVERED: (p) => [
      `Der Probebeleg ${p.file} wurde nicht angenommen: ${ended(testReceiptTrouble(p.why))}${p.isToCome ? ' Er wartet und wird gesendet, sobald das behoben ist. `receiptd pause` hält ihn zurück, und alle anderen mit ihm.' : ''}`,
      'Siehe `receiptd status` und `receiptd check`.',
    ],
  };
}

function meintenSie(meant: readonly string[]): string {
  return meant.length === 0 ? '' : `Meinten Sie ${meant.join(' oder ')}? `;
}

export function withoutImage(
  p: { readonly count: number; readonly paths: readonly string[] },
  { plural }: Format,
): string {
  return `${plural(p.count, '1 wartender Beleg hat', `${p.count} wartende Belege haben`)} kein Bild, weder im Spool noch im Ordner, woher es kam: ${p.paths.join(', ')}${p.count > p.paths.length ? ` und ${p.count - p.paths.length} weitere` : ''}. ${plural(p.count, 'Er ist', 'Sie sind')} verloren, wenn der andere PC die ${plural(p.count, 'Datei', 'Dateien')} nicht findet.`;
}

export function restoredOn({ file, host, at }: RestoredOn, { time }: Format): string {
  return `${file} wurde auf ${host} wiederhergestellt (${time(at)}). Läuft receiptd dort, senden beide PCs, was wartet.`;
}

export function restoreRisks({ file, stateDir, here, elsewhere }: RestoreRisks, format: Format): string {
  const { counted, plural, time } = format;
  const aside = `das Eingangsbuch in ${stateDir}, das beiseitegelegt wird.`;
  const again = (accepted: number, which: string) =>
    accepted === 0
      ? ''
      : ` ${counted(accepted, 'Beleg', 'Belege')}, ${which}, ${plural(accepted, 'wird', 'werden')} noch einmal gesendet, soweit in einem überwachten Ordner vorhanden.`;
  const sentences: string[] = [];
  switch (here?.ledger) {
    case 'earlier':
      sentences.push(
        `${file} ersetzt ${aside} Was dessen Journal seit der Sicherung eingetragen hat, kommt hinzu.`,
      );
      break;
    case 'older':
      sentences.push(
        `${file} ersetzt ${aside} ${counted(here.entries, 'seit der Sicherung hinzugekommener Eintrag wird', 'seit der Sicherung hinzugekommene Einträge werden')} verworfen.${again(here.accepted, 'seither angenommen')}`,
      );
      break;
    case 'other':
      sentences.push(
        `${file} ersetzt ein anderes Eingangsbuch in ${stateDir}, das beiseitegelegt wird.${again(here.accepted, 'dort als angenommen eingetragen')}`,
      );
      break;
    case 'diverged':
      sentences.push(
        `${file} ersetzt ${aside} Was nur dieses Eingangsbuch enthält, wird verworfen, und seither angenommene Belege werden noch einmal gesendet, soweit in einem überwachten Ordner vorhanden.`,
      );
      break;
    case undefined:
  }
  switch (elsewhere?.what) {
    case 'restored':
      sentences.push(
        `${file} wurde schon auf ${elsewhere.host} wiederhergestellt (${time(elsewhere.at)}, ${elsewhere.stateDir}). Läuft receiptd dort, senden beide dieselben Belege.`,
      );
      break;
    case 'ledgerAlone':
      sentences.push(
        `${file} ist nur ein Eingangsbuch, ohne sein Journal und die wartenden Bilder. Läuft receiptd dort noch, woher es kommt, senden beide, was wartet.`,
      );
      break;
    case 'backup':
      sentences.push(
        `${file} ist eine Sicherung von ${elsewhere.host}, Stand ${time(elsewhere.at)}. Läuft receiptd dort noch, senden beide ${plural(elsewhere.waiting, 'den Beleg, der wartete', `die ${elsewhere.waiting} Belege, die warteten`)}. Was seither gesendet wurde, ist hier nicht bekannt.`,
      );
      break;
    case undefined:
  }
  return sentences.join(' ');
}

function testReceiptTrouble(why: TestReceiptTrouble): string {
  switch (why.what) {
    case 'excluded':
      return `Die Muster für ${why.folder} (\`include\`, \`ignore\`) schließen ihn aus`;
    case 'unwritable':
      return `Er lässt sich nicht in ${why.folder} schreiben (${why.system ?? 'unbekannter Fehler'})`;
    case 'noAgent':
      return 'Kein Agent antwortet';
    case 'unwatched':
      return `Der Agent überwacht ${why.folder} noch nicht`;
    case 'notYetWatching':
      return `${why.folder} hat den Zustand ${why.state}`;
    case 'unseen':
      return 'Der Agent hat ihn nicht bemerkt';
    case 'state':
      return `Er hat den Zustand ${why.state}${why.detail === '' ? '' : ` (${why.detail.replace(/\.$/, '')})`}`;
    case 'error':
      return why.detail;
  }
}
