import type { Format } from '../../format.ts';
import type { commandsErrors as english } from '../../en/errors/commands.ts';
import type { Translated } from '../../facts.ts';

const DATABASE_PASSWORD = 'receiptd liest das Passwort aus --password-file, PGPASSWORD oder ~/.pgpass.';

export function commandsErrors({
  counted,
  number,
  duration,
}: Format): Translated<ReturnType<typeof english>> {
  return {
    'USAGE.noCredentialsFile': [
      'Es ist keine Datei mit Zugangsdaten eingestellt.',
      'Setzen Sie credentials.file in der Konfiguration.',
    ],
    'USAGE.unfitCredentials': (p) => [
      `Das können keine Zugangsdaten des Dienstes sein: ${p.flaw}.`,
      'Geben Sie Client-ID und Client-Secret genau so ein, wie der Dienst sie zeigt.',
    ],
    'USAGE.inputNotText': (p) => [
      `Die Standardeingabe enthält Steuerzeichen (NUL, wie in UTF-16); erwartet wurde: ${p.what}.`,
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
    'USAGE.nothingToRetry': [
      'Nennen Sie einen Beleg, der erneut versucht werden soll, oder ergänzen Sie --all.',
    ],
    'USAGE.passwordLength': (p) => [
      `Das Passwort hat ${number(p.length)} Zeichen; nötig sind ${number(p.shortest)} bis ${number(p.longest)}.`,
      'Ein ganzer Satz lässt sich leicht merken.',
    ],
    'USAGE.passwordsDiffer': ['Die Passwörter stimmen nicht überein; es wurde nichts geändert.'],
    'USAGE.nothingToDismiss': [
      'Nennen Sie Belege oder Dateien, die erledigt sind, oder ergänzen Sie --all.',
      '`receiptd list --needs-person` zeigt sie.',
    ],
    'USAGE.dismissLimit': ['Bei `dismiss` gibt es kein --limit.'],
    'USAGE.eitherFlag': (p) => [`Verwenden Sie entweder ${p.flags.join(' oder ')}, nicht beides.`],
    'USAGE.nothingToErase': [
      'Nennen Sie Belege, deren Daten gelöscht werden sollen, oder ergänzen Sie --before.',
    ],
    'USAGE.nameNotInFull': (p) => [
      `Mit --yes sind Namen von Belegen vollständig anzugeben: „${p.written}“ ist kein vollständiger Name.`,
      `Meinten Sie ${p.name}?`,
    ],
    'USAGE.onlyWithCsv': ['--excel und --separator gelten nur für CSV.'],
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
    'USAGE.rootUserService': [
      'root kann hier keinen Dienst des Benutzers haben.',
      'Führen Sie dies ohne sudo als der Benutzer aus, für den der Dienst ist, oder lassen Sie --scope user weg.',
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
      `Möglich ist: ${p.takes}.`,
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
    'USAGE.noSuchTarget': (p) => [
      `„${p.target}“ ist kein Ordner oder Endpunkt der Konfiguration.`,
      `Bekannt: ${p.known.join(', ')}.`,
    ],
    'USAGE.timeZone': (p) => [`„${p.timeZone}“ ist nicht der Name einer Zeitzone.`],
    'USAGE.page': ['page muss eine Zahl von 1 bis 99999 sein.'],
    'USAGE.ids': ['ids muss aus Nummern bestehen, durch Kommas getrennt.'],
    'USAGE.json': (p) => [`${p.key} muss JSON sein.`],
    'USAGE.query': (p) => [`${p.field ?? 'Die Abfrage'}: ${p.detail ?? 'ungültig'}.`],
    'USAGE.streamSeparator': ['separator muss , oder ; oder tab sein.'],
    'USAGE.endpointRequest': (p) => [
      `„${p.given}“ ist als ${p.field === 'name' ? 'Name eines Endpunkts' : p.field === 'language' ? 'Sprache eines Endpunkts' : 'outgoingUrl'} nicht gültig.`,
      `Verwenden Sie ${p.field === 'name' ? 'einen Namen ohne Zeilenumbrüche und andere Steuerzeichen' : p.field === 'language' ? 'eine Sprache und eine Region, etwa de-DE' : 'eine Adresse, die mit https:// oder http:// beginnt'}.`,
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
    'USAGE.unfitDatabase': (p) => [`--to: ${p.detail}.`, DATABASE_PASSWORD],
    'OUTPUT_UNWRITABLE.archive': (p) => [
      `Das Archiv ${p.file} lässt sich nicht schreiben: ${p.detail}.`,
      'Prüfen Sie das Verzeichnis und den Platz auf seiner Platte.',
    ],
    'OUTPUT_UNWRITABLE.comparedCopy': (p) => [
      `Das Eingangsbuch lässt sich nicht mit seinem Journal vergleichen, weil seine Kopie in ${p.dir} nicht geschrieben werden kann: ${p.detail}.`,
      'Schaffen Sie dort Platz.',
    ],
    'NOT_RUNNING.stateDir': (p) => [
      `Mit dem Zustandsverzeichnis ${p.stateDir} läuft kein Agent.`,
      `Starten Sie ihn mit „${p.command}“.`,
    ],
    'NOT_RUNNING.stopping': [
      'receiptd wird gerade beendet.',
      'Starten Sie es wieder, und versuchen Sie es dann noch einmal.',
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
    'PORT_IN_USE.sandbox': (p) => [
      `Port ${p.port} von ${p.host} ist belegt.`,
      'Wählen Sie mit --port einen anderen; 0 nimmt einen freien.',
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
    'ALERT_UNDELIVERED.noChannel': [
      'Unter `alerts` ist kein Weg für Meldungen eingestellt; es werden keine gesendet.',
      'Richten Sie einen mit `receiptd setup` oder in der Konfigurationsdatei ein.',
    ],
    'ALERT_UNDELIVERED.tooSlow': (p) => [
      `${p.setting === 'alerts.eventLog' ? 'Das Ereignisprotokoll' : p.setting === 'alerts.desktop' ? 'Der Desktop' : p.setting === 'alerts.webhook.url' ? 'Der Webhook' : p.setting === 'alerts.email.server' ? 'Der Mailserver' : p.what} hat länger gebraucht als ${duration(p.limitMs)}.`,
      `Finden Sie heraus, was das aufhält, und prüfen Sie ${p.setting}.`,
    ],
    'ALERT_UNDELIVERED.unexpected': (p) => [
      `${p.channel} ist fehlgeschlagen: ${p.detail}.`,
      'Prüfen Sie die Meldungen in der Konfiguration.',
    ],
    'CONFIRMATION_NEEDED.erase': (p) => [
      `Damit würden die personenbezogenen Daten von ${counted(p.count, 'Beleg', 'Belegen')}${p.before === null ? ` (${p.names.join(', ')})` : `, vor dem ${p.before} benannt,`} endgültig gelöscht.`,
      'Zur Bestätigung ergänzen Sie --yes.',
    ],
    'CONFIRMATION_NEEDED.nothingErased': [
      'Es wurde nichts gelöscht.',
      'Zur Bestätigung antworten Sie mit y, oder ergänzen Sie --yes.',
    ],
    'CONFIRMATION_NEEDED.retire': (p) => [
      `Belege aus eigenen Ordnern des Agenten, die noch warten, gelten als verloren: Scannen Sie sie noch einmal. Belege aus gemeinsamen Ordnern, und Ergebnisse, die er noch nicht weitergegeben hat, gehen an den Agenten dieses Rechners. ${counted(p.count, 'Beleg wartet', 'Belege warten')} bei ihm.`,
      'Ergänzen Sie --yes, wenn Sie das wollen.',
    ],
    'CONFIRMATION_NEEDED.notRetired': [
      'Es wurde nichts geändert.',
      'Antworten Sie mit y, oder ergänzen Sie --yes.',
    ],
    'RESULTS_UNAVAILABLE.secretUnreadable': (p) => [
      `Die Datei ${p.file} ist nicht verwendbar (${p.detail}).`,
      'Prüfen Sie die Rechte des Zustandsverzeichnisses.',
    ],
    'RESULTS_UNAVAILABLE.noSecret': (p) => [
      `Die Datei ${p.file} enthält kein Geheimnis von receiptd.`,
      'Stellen Sie sie aus einer Sicherung wieder her. Oder entfernen Sie sie, starten Sie receiptd neu, und geben Sie den Endpunkten die neue Adresse.',
    ],
    RESULT_UNKNOWN: (p) => [
      `Das Ergebnis ${p.id} gibt es nicht.`,
      '`receiptd results list` zeigt die Nummern.',
    ],
    SETUP_INCOMPLETE: (p) => [
      `Die Einrichtung kann nicht fragen (${p.why}), und diese Antworten fehlen: ${p.missing.map((each) => each.replaceAll('|', ' oder ')).join('; ')}.`,
      'Geben Sie sie als Optionen oder Variablen an, oder führen Sie `receiptd setup` in einem Terminal aus.',
    ],
    TEST_RECEIPT_UNDELIVERED: (p) => [
      `Der Probebeleg ${p.file} wurde nicht angenommen: ${p.detail}.${p.isToCome ? ' Er wartet und wird gesendet, sobald das behoben ist. `receiptd pause` hält ihn zurück, und alle anderen mit ihm.' : ''}`,
      'Siehe `receiptd status` und `receiptd check`.',
    ],
  };
}
