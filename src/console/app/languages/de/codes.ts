import type { codesTexts as english } from '../en/codes.ts';

export function codesTexts(): ReturnType<typeof english> {
  return {
    codes: {
      CONFIG_NOT_FOUND: {
        what: 'Die Konfigurationsdatei fehlt',
        help: 'Die Einstellungen in Kraft bleiben. Legen Sie die Datei zurück, oder eine frühere Fassung aus config-history im Zustandsverzeichnis.',
      },
      CONFIG_UNREADABLE: {
        what: 'Die Konfigurationsdatei ist nicht lesbar',
        help: 'Die Einstellungen in Kraft bleiben. Geben Sie dem Benutzer, unter dem receiptd läuft, Leserechte.',
      },
      CONFIG_SYNTAX: {
        what: 'Die Konfigurationsdatei ist kein gültiges YAML',
        help: 'Die Einstellungen in Kraft bleiben. Berichtigen Sie die Datei; sie wird von selbst neu gelesen.',
      },
      CONFIG_INVALID: {
        what: 'Eine Einstellung ist nicht gültig',
        help: 'Von der Änderung gilt nichts. Berichtigen Sie die Einstellung.',
      },
      CONFIG_CHANGED: {
        what: 'Jemand anders hat die Konfiguration geändert',
        help: 'Es wurde nichts geschrieben. Laden Sie die Seite neu, prüfen Sie Ihre Änderung und speichern Sie noch einmal.',
      },
      CONFIG_UNWRITABLE: {
        what: 'Die Konfigurationsdatei ist nicht beschreibbar',
        help: 'Es wurde nichts geändert. Geben Sie dem Benutzer, unter dem receiptd läuft, Schreibrechte für die Datei und ihr Verzeichnis.',
      },
      TEMPLATE_INVALID: {
        what: 'Das Namensmuster ist nicht gültig',
        help: 'Verwenden Sie die Teile in geschweiften Klammern, die unter dem Feld stehen.',
      },
      FOLDERS_NESTED: {
        what: 'Ein Ordner liegt in einem anderen',
        help: 'Jede Datei würde doppelt gesendet. Überwachen Sie nur einen davon, bei Bedarf mit Unterordnern.',
      },
      ENDPOINT_UNKNOWN: {
        what: 'Diesen Endpunkt hat die Konfiguration nicht',
        help: 'Wählen Sie einen, der unter Endpunkte steht, oder legen Sie ihn dort an.',
      },
      ENDPOINT_IS_EXAMPLE: {
        what: 'Der Endpunkt hat noch die Uid aus dem Beispiel',
        help: 'Tragen Sie die Uid Ihres Endpunkts ein, oder legen Sie einen an.',
      },
      ACCOUNT_UNKNOWN: {
        what: 'Dieses Konto hat die Konfiguration nicht',
        help: 'Wählen Sie ein anderes Konto für den Endpunkt, oder tragen Sie dieses in die Datei ein.',
      },
      HTTPS_REQUIRED: {
        what: 'Die Adresse des Dienstes muss mit https beginnen',
        help: 'Sonst könnten andere im Netz die Zugangsdaten mitlesen.',
      },
      FOLDER_MISSING: {
        what: 'Der Ordner ist nicht da',
        help: 'Legen Sie ihn an, binden Sie ihn ein, oder berichtigen Sie den Pfad. Danach wird er von selbst überwacht.',
      },
      FOLDER_NOT_A_DIRECTORY: {
        what: 'Das ist kein Ordner',
        help: 'Tragen Sie den Ordner ein, in dem die Scans liegen.',
      },
      FOLDER_UNREADABLE: {
        what: 'Der Ordner ist nicht lesbar',
        help: 'Geben Sie dem Benutzer, unter dem receiptd läuft, Leserechte. Danach wird er von selbst überwacht.',
      },
      FOLDER_UNWRITABLE: {
        what: 'In den Ordner kann nicht geschrieben werden',
        help: 'Geben Sie dem Benutzer, unter dem receiptd läuft, Schreibrechte, auch im Archiv; bis dahin bleiben Originale liegen.',
      },
      FILE_UNREADABLE: {
        what: 'Dateien sind nicht lesbar',
        help: 'Geben Sie dem Benutzer, unter dem receiptd läuft, Leserechte, oder schließen Sie das Programm, das sie geöffnet hat. Sie werden von selbst erneut versucht.',
      },
      FOLDER_UNREACHABLE: {
        what: 'Der Ordner ist nicht erreichbar oder nicht mehr derselbe',
        help: 'Nichts darin gilt als gelöscht, und die Überwachung geht weiter, sobald er wieder da ist. Prüfen Sie Server und Netz. Wurde er absichtlich geleert oder ersetzt, bestätigen Sie das.',
      },
      FOLDER_TAKEN: {
        what: 'Ein anderer Agent auf diesem Rechner überwacht diesen Ordner',
        help: 'Beenden Sie einen der beiden, oder entfernen Sie den Ordner bei einem.',
      },
      FOLDER_TAKEN_OVER: {
        what: 'Der Ordner wurde von einem anderen Agenten übernommen; ältere Dateien darin wurden übergangen',
        help: 'Vergleichen Sie die übersprungenen Dateien mit dem, was der andere gesendet hat.',
      },
      FOLDER_TAKEN_ELSEWHERE: {
        what: 'Ein anderer Agent scheint denselben Ordner zu überwachen: Beide senden jeden Beleg',
        help: 'Lassen Sie nur einen den Ordner überwachen, oder beide ein Eingangsbuch teilen. Hat jemand die Dateien verschoben, ist alles in Ordnung.',
      },
      WATCH_LIMIT: {
        what: 'Das System lässt nicht mehr überwachte Ordner zu',
        help: 'Neue Dateien werden stattdessen in Abständen gesucht. Ein Administrator kann die Grenze anheben.',
      },
      FOLDER_SILENT: {
        what: 'Es kommen keine Scans an',
        help: 'Prüfen Sie den Scanner und das Netz zwischen ihm und dem Ordner. An einem Feiertag ist alles in Ordnung.',
      },
      SUBFOLDERS_UNWATCHED: {
        what: 'Unterordner enthalten Bilder und werden nicht überwacht',
        help: 'Sollen ihre Bilder gesendet werden, überwachen Sie auch die Unterordner. Enthalten sie keine neuen Scans, nehmen Sie sie in die Liste der ignorierten Dateien auf.',
      },
      ATTENTION_UNWRITABLE: {
        what: 'Unerledigtes kann den Leuten am Scanner nicht gezeigt werden',
        help: 'Geben Sie dem Benutzer, unter dem receiptd läuft, Schreibrechte für diesen Ordner, oder wählen Sie einen anderen.',
      },
      STATE_UNWRITABLE: {
        what: 'Das Zustandsverzeichnis ist nicht beschreibbar',
        help: 'Prüfen Sie Platz und Rechte. Bis dahin bleiben neue Scans in ihren Ordnern.',
      },
      LEDGER_MISSING: {
        what: 'Das Eingangsbuch fehlt',
        help: 'Stellen Sie es auf dem Rechner, auf dem receiptd läuft, aus einer Sicherung wieder her.',
      },
      LEDGER_OLDER: {
        what: 'Das Eingangsbuch stammt von einer älteren Version',
        help: 'Starten Sie receiptd neu: Es wird dabei umgestellt.',
      },
      LEDGER_NEWER: {
        what: 'Das Eingangsbuch stammt von einer neueren Version',
        help: 'Aktualisieren Sie receiptd auf diesem Rechner.',
      },
      LEDGER_DAMAGED: {
        what: 'Das Eingangsbuch ist oder war beschädigt',
        help: 'Prüfen Sie die Platte. Bleibt das so, starten Sie receiptd neu: Es baut das Eingangsbuch aus Sicherung und Journal wieder auf.',
      },
      LEDGER_WRITE_FAILED: {
        what: 'Im Eingangsbuch lässt sich nichts eintragen',
        help: 'Bis das wieder geht, wird nichts gesendet. Prüfen Sie Platte oder Datenbank; es wird von selbst erneut versucht.',
      },
      DISK_FULL: {
        what: 'Die Platte ist voll',
        help: 'Schaffen Sie Platz. Bis dahin wird nichts gesendet; danach geht es von selbst weiter.',
      },
      DISK_SLOW: {
        what: 'Die Platte ist sehr langsam',
        help: 'Nichts geht verloren, aber jeder Beleg wartet darauf. Prüfen Sie, was die Platte belastet und ob sie in Ordnung ist.',
      },
      LEDGER_SHARED: {
        what: 'Das Eingangsbuch gehört auch anderen Agenten',
        help: 'Das geht nur mit einem eigenen Eingangsbuch.',
      },
      LEDGER_UNREACHABLE: {
        what: 'Das gemeinsame Eingangsbuch ist nicht erreichbar',
        help: 'Scans werden kopiert oder bleiben liegen und werden gesendet, sobald es wieder da ist. Prüfen Sie Datenbank und Netz.',
      },
      LEDGER_REFUSED: {
        what: 'Die Datenbank lehnt receiptd ab',
        help: 'Prüfen Sie Benutzer, Passwort und Rechte bei der Datenbank.',
      },
      LEDGER_WENT_BACK: {
        what: 'Dem gemeinsamen Eingangsbuch fehlt, was schon eingetragen war',
        help: 'Finden Sie heraus, welche Sicherung oder welcher Standby es ist. Gesendetes wird noch einmal gesendet und ist so gekennzeichnet.',
      },
      AGENT_NAME_TAKEN: {
        what: 'Ein anderer Agent hat denselben Namen',
        help: 'Geben Sie jedem Agenten im Verbund einen eigenen Namen.',
      },
      AGENT_FENCED: {
        what: 'Ein anderer Agent hat die Arbeit von diesem übernommen',
        help: 'Es geht von selbst weiter. Prüfen Sie Uhr und Netz dieses Rechners.',
      },
      AGENT_UNKNOWN: { what: 'Diesen Agenten gibt es im Verbund nicht', help: 'Laden Sie diese Seite neu.' },
      AGENT_SILENT: {
        what: 'Ein Agent des Verbunds meldet sich nicht',
        help: 'Prüfen Sie seinen Rechner und das Netz, und starten Sie den Agenten dort.',
      },
      BACKUP_FAILED: {
        what: 'Das Eingangsbuch konnte nicht gesichert werden',
        help: 'Prüfen Sie Platz und Rechte im Zustandsverzeichnis. Es wird von selbst erneut versucht.',
      },
      JOURNAL_DAMAGED: {
        what: 'Das Journal des Eingangsbuchs ist beschädigt',
        help: 'Prüfen Sie die Platte. Lassen Sie das Eingangsbuch vom Administrator des Rechners prüfen.',
      },
      SPOOL_FULL: {
        what: 'Für weitere Kopien von Bildern ist kein Platz',
        help: 'Scans, die sich nicht sofort senden lassen, bleiben in ihren Ordnern. Beheben Sie, was das Senden aufhält, oder erlauben Sie mehr Platz.',
      },
      SPOOL_UNWRITABLE: {
        what: 'Kopien von Bildern lassen sich nicht schreiben',
        help: 'Prüfen Sie Platz und Rechte im Zustandsverzeichnis. Scans bleiben so lange in ihren Ordnern.',
      },
      DOCUMENT_UNKNOWN: {
        what: 'Diesen Beleg oder diese Datei gibt es nicht, oder sie ist schon geklärt',
        help: 'Suchen Sie in der Liste der Belege.',
      },
      DOCUMENT_AMBIGUOUS: {
        what: 'Mehrere Belege heißen so',
        help: 'Wählen Sie einen in der Liste der Belege.',
      },
      DOCUMENT_STATE: {
        what: 'Das geht im jetzigen Zustand des Belegs nicht',
        help: 'Er hat sich vielleicht inzwischen geändert: Sehen Sie noch einmal nach.',
      },
      DOCUMENT_TAKEN: {
        what: 'Ein anderer Agent sendet diesen Beleg gerade',
        help: 'Warten Sie einen Moment, und sehen Sie noch einmal nach.',
      },
      DOCUMENT_HELD: { what: 'Dieser Beleg ist angehalten', help: 'Die Übersicht sagt, warum.' },
      BYTES_GONE: {
        what: 'Das Bild ist nicht mehr da',
        help: 'Legen Sie die Datei in ihren Ordner zurück, oder scannen Sie den Beleg noch einmal.',
      },
      PERSON_NEEDED: { what: 'Scans sind zu klären', help: 'Sehen Sie sie in der Liste der Belege an.' },
      CREDENTIALS_MISSING: {
        what: 'Für den Dienst gibt es keine Zugangsdaten',
        help: 'Führen Sie `receiptd login` auf dem Rechner aus, auf dem receiptd läuft. Scans werden inzwischen erfasst.',
      },
      CREDENTIALS_INSECURE: {
        what: 'Andere können eine Datei mit Geheimnissen lesen',
        help: 'Lassen Sie nur ihren Besitzer sie lesen, und tauschen Sie das Geheimnis besser aus.',
      },
      CREDENTIALS_REFUSED: {
        what: 'Der Dienst nimmt die Zugangsdaten nicht an',
        help: 'Führen Sie `receiptd login` auf dem Rechner aus, auf dem receiptd läuft.',
      },
      CREDENTIALS_UNWRITABLE: {
        what: 'Zugangsdaten lassen sich nicht speichern',
        help: 'Was vorher gespeichert war, bleibt. Prüfen Sie die Rechte dort, wo sie liegen.',
      },
      KEYCHAIN_UNAVAILABLE: {
        what: 'Der Schlüsselbund des Systems antwortet nicht',
        help: 'Reparieren Sie ihn, oder legen Sie die Zugangsdaten in einer Datei ab: `receiptd login --store file`.',
      },
      KEYCHAIN_LOCKED: {
        what: 'Der Schlüsselbund des Systems ist gesperrt',
        help: 'Entsperren Sie ihn durch Anmelden am Desktop, oder legen Sie die Zugangsdaten in einer Datei ab: `receiptd login --store file`.',
      },
      SERVICE_UNREACHABLE: {
        what: 'Der Dienst ist nicht erreichbar',
        help: 'Nichts geht verloren; es wird von selbst erneut versucht. Prüfen Sie das Netz und die Adresse des Dienstes.',
      },
      SERVICE_ANSWER: {
        what: 'Was antwortet, ist nicht der Dienst',
        help: 'Prüfen Sie die Adresse des Dienstes, und ob ein Proxy oder eine Anmeldeseite dazwischen liegt.',
      },
      ENDPOINT_FORBIDDEN: {
        what: 'Der Dienst erlaubt das diesem Konto nicht',
        help: 'Prüfen Sie Tarif und Rechte des Kontos auf der Website des Dienstes.',
      },
      ENDPOINT_REFUSED: {
        what: 'Der Dienst hat das abgelehnt',
        help: 'Berichtigen Sie Name, Sprache oder Adresse, und versuchen Sie es noch einmal.',
      },
      CREATE_UNCERTAIN: {
        what: 'Die Antwort ging verloren: Der Endpunkt ist vielleicht angelegt',
        help: 'Sehen Sie auf der Website des Dienstes nach, bevor Sie es noch einmal versuchen: Jeder Erfolg legt einen weiteren an.',
      },
      USAGE: {
        what: 'So ist das nicht möglich',
        help: 'Laden Sie diese Seite neu. Die Einzelheiten sagen, woran es liegt.',
      },
      NOT_RUNNING: {
        what: 'receiptd wird gerade beendet oder läuft nicht',
        help: 'Versuchen Sie es gleich noch einmal.',
      },
      CONTROL_FAILED: {
        what: 'receiptd konnte das nicht ausführen',
        help: 'Laden Sie diese Seite neu. Hilft das nicht, steht mehr im Protokoll.',
      },
      PORT_IN_USE: {
        what: 'Ein anderes Programm belegt den Port',
        help: 'receiptd arbeitet ohne ihn weiter und versucht es wieder. Wählen Sie in der Konfigurationsdatei einen anderen Port.',
      },
      MONITORING_UNAVAILABLE: {
        what: 'Die Überwachung durch Maschinen ist nicht erreichbar',
        help: 'Belege werden weiter gesendet. Berichtigen Sie ihre Adresse in der Konfigurationsdatei.',
      },
      CONSOLE_UNAVAILABLE: {
        what: 'Die Konsole ist unter ihrer eingestellten Adresse nicht erreichbar',
        help: 'Belege werden weiter gesendet. Berichtigen Sie Adresse, Zertifikat oder Passwort auf dem Rechner, auf dem receiptd läuft.',
      },
      CONSOLE_SIGNED_OUT: {
        what: 'Sie sind nicht angemeldet: Link oder Passwort sind falsch oder zu alt',
        help: 'Melden Sie sich mit dem Passwort an, oder öffnen Sie die Konsole mit einem neuen Link.',
      },
      CONSOLE_REFUSED: {
        what: 'Das darf die Konsole nicht',
        help: 'Es geht auf dem Rechner, auf dem receiptd läuft: in der Konfigurationsdatei oder auf der Befehlszeile.',
      },
      ALERT_UNDELIVERED: {
        what: 'Meldungen lassen sich so nicht zustellen',
        help: 'Einen Tag lang wird es weiter versucht. Berichtigen Sie die Einstellungen, und senden Sie eine Probe.',
      },
      RESULTS_UNAVAILABLE: {
        what: 'Ergebnisse des Dienstes können nicht ankommen',
        help: 'Belege werden weiter gesendet. Berichtigen Sie Adresse, Zertifikat oder Geheimnis des Empfängers.',
      },
      RESULTS_COMMAND_FAILED: {
        what: 'Das Programm für Ergebnisse schlägt fehl',
        help: 'Nichts geht verloren: Es bekommt die Ergebnisse erneut. Probieren Sie es auf dem Rechner aus, auf dem receiptd läuft.',
      },
      RESULT_UNKNOWN: {
        what: 'Dieses Ergebnis gibt es nicht',
        help: 'Suchen Sie es in der Liste der Ergebnisse.',
      },
    },
  };
}
