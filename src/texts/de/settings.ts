import type { SettingKey, SettingText } from '../en/settings.ts';

export const settings: Readonly<Record<SettingKey, SettingText>> = {
  'service.baseUrl': {
    label: 'Adresse',
    help: 'Adresse des Dienstes, der Belege auswertet, ohne /v2. Namen von Belegen sind je Adresse und Endpunkt eindeutig; mit einer anderen Adresse beginnt eine neue Reihe.',
  },
  'service.allowInsecureHttp': {
    label: 'Unverschlüsselte Verbindungen zulassen',
    help: 'Lässt http:// zu anderen Rechnern zu. Zugangsdaten und Belege werden dann unverschlüsselt gesendet.',
  },
  'service.uploadContentType': {
    label: 'Content-Type der Übertragungen',
    help: 'auto, oder ein Medientyp wie application/octet-stream. Die API schreibt keinen vor; auto sendet den Typ des Bildes, etwa image/jpeg.',
  },
  'service.proxy': {
    label: 'Proxy',
    help: 'Der Weg zum Dienst: auto nimmt HTTPS_PROXY, HTTP_PROXY und NO_PROXY aus der Umgebung, direct keinen Proxy, und eine URL diesen Proxy für alles. Benutzer und Passwort in der URL gehen nur an den Proxy.',
  },
  'service.ca': {
    label: 'Zertifizierungsstellen',
    help: 'Datei mit weiteren Zertifizierungsstellen, denen vertraut wird (PEM), etwa der eines Proxys, der den Verkehr prüft, oder none (keine).',
  },
  'service.answerLimit': {
    label: 'Von jeder Antwort aufheben',
    help: 'Wie viel von jeder Antwort auf eine Übertragung das Eingangsbuch behält. Von einer größeren bleiben der Anfang, die Länge und der SHA-256.',
  },
  'service.timeouts.connect': {
    label: 'Auf eine Verbindung',
    help: 'Wie lange höchstens auf eine Verbindung gewartet wird.',
  },
  'service.timeouts.progress': {
    label: 'Auf Fortschritt einer Übertragung',
    help: 'Wie lange eine Übertragung höchstens stocken darf.',
  },
  'service.timeouts.headers': {
    label: 'Auf den Beginn einer Antwort',
    help: 'Wie lange höchstens auf den Beginn der Antwort gewartet wird, sobald das Bild gesendet ist.',
  },
  'service.timeouts.body': {
    label: 'Auf das Ende einer Antwort',
    help: 'Wie lange höchstens auf die ganze Antwort gewartet wird.',
  },
  'credentials.store': {
    label: 'Wo die Zugangsdaten liegen',
    help: 'Woher Kennung und Geheimnis gelesen werden. auto nimmt das erste von environment, systemd, file und keychain, das sie hat.',
  },
  'credentials.file': {
    label: 'Datei mit Zugangsdaten',
    help: 'Die Datei für file; nur ihr Besitzer darf sie lesen.',
  },
  'accounts.*.store': {
    label: 'Wo die Zugangsdaten des Kontos liegen',
    help: 'Woher Kennung und Geheimnis gelesen werden. Wie `credentials.store`, aber jedes Konto hat eigene Namen.',
  },
  'accounts.*.file': {
    label: 'Datei mit Zugangsdaten des Kontos',
    help: 'Die Datei für file; nur ihr Besitzer darf sie lesen.',
  },
  'endpoints.*.uid': {
    label: 'Uid',
    help: 'Die Uid, die der Dienst dem Endpunkt gegeben hat; `receiptd endpoint create` zeigt sie.',
  },
  'endpoints.*.account': {
    label: 'Konto',
    help: 'Name des Kontos (`accounts`), dessen Zugangsdaten für diesen Endpunkt gelten; none nimmt `credentials`.',
    options: { none: 'das übliche Konto' },
  },
  'endpoints.*.concurrency': {
    label: 'Gleichzeitige Übertragungen',
    help: 'Höchstens so viele gleichzeitig an diesen Endpunkt; sonst gilt die Grenze für alle.',
  },
  'endpoints.*.rate': {
    label: 'Tempo',
    help: 'Höchstens so viele Übertragungen in jeder Sekunde, Minute oder Stunde, Wiederholungen eingerechnet: N/s, N/min oder N/h, etwa 120/min, oder unlimited (unbegrenzt); eine Zahl allein gilt pro Minute. Ein Neustart setzt das nicht zurück.',
  },
  'endpoints.*.perDay': {
    label: 'Übertragungen am Tag',
    help: 'Höchstens so viele Übertragungen am Kalendertag, Ortszeit; oder unlimited (unbegrenzt).',
  },
  'endpoints.*.perMonth': {
    label: 'Übertragungen im Monat',
    help: 'Höchstens so viele Übertragungen im Kalendermonat, Ortszeit; oder unlimited (unbegrenzt).',
  },
  'folders[].path': {
    label: 'Pfad',
    help: 'Der Ordner, der überwacht wird: vollständig oder relativ zur Konfigurationsdatei. Fehlt er, wartet der Agent auf ihn.',
  },
  'folders[].endpoint': {
    label: 'Endpunkt',
    help: 'Der Endpunkt, an den die Bilder gehen. Gibt es nur einen, ist keine Angabe nötig.',
    options: { '': 'Endpunkt wählen …' },
  },
  'folders[].recursive': {
    label: 'Auch Unterordner überwachen',
    help: 'Überwacht auch alle Ordner in diesem Ordner.',
  },
  'folders[].watch': {
    label: 'Wie neue Dateien bemerkt werden',
    help: 'auto bemerkt sie auf lokalen Platten sofort und listet Netzlaufwerke in Abständen auf (`intake.pollEvery`); poll listet immer in Abständen auf.',
    options: { auto: 'auto: sofort, wo möglich', poll: 'poll: in Abständen' },
  },
  'folders[].share': {
    label: 'Gemeinsamer Name',
    help: 'Name dieses Ordners unter den Agenten mit gemeinsamem Eingangsbuch (`ledger.kind`). Er ist auf jedem Agenten gleich, auch wenn der Pfad anders ist; dann sendet nur einer jedes Bild. none: Kein anderer Agent überwacht diesen Ordner.',
  },
  'folders[].name': {
    label: 'Namensmuster',
    help: 'Muster für die Namen von Belegen. Felder: {folder} {path} {stem} {ext} {date} {time} {captured} {hash} {seq} {page} {pages} {host} {endpoint}, mit Formaten wie {date:YYYY-MM-DD}, {hash:12} und {seq:5}. Änderungen gelten nur für neue Belege.',
  },
  'folders[].nameMaxBytes': {
    label: 'Längster Name',
    help: 'Höchste Länge der Namen von Belegen, in Bytes (UTF-8).',
  },
  'folders[].existing': {
    label: 'Dateien, die schon im Ordner liegen',
    help: 'Was mit Dateien geschieht, die schon im Ordner liegen, wenn er zum ersten Mal überwacht wird: send (senden), skip (überspringen) oder since JJJJ-MM-TT (nur die seit diesem Tag geänderten senden). Übertragungen zählen zu Ihrem Kontingent.',
    options: {
      skip: 'Liegen lassen und nur neue senden',
      since: 'Die senden, die sich geändert haben seit',
      send: 'Alle senden',
    },
  },
  'folders[].accept': {
    label: 'Typen, die gesendet werden',
    help: 'Nach dem Inhalt beurteilt, nicht nach dem Namen. Die API spricht von Bildern; pdf gehört nur zu `pages: whole`.',
  },
  'folders[].maxFileSize': {
    label: 'Größte Datei',
    help: 'Größere Dateien werden abgelehnt. Die API nennt keine Grenze.',
  },
  'folders[].include': {
    label: 'Nur diese Dateien',
    help: 'Nur Dateien, die zu einem dieser Muster passen. Ein Muster mit / gilt für den Pfad im Ordner, eines ohne / für einen Namen in jeder Tiefe, etwa `*.jpg`. Groß- und Kleinschreibung wird nicht unterschieden.',
  },
  'folders[].ignore': {
    label: 'Diese Dateien übergehen',
    help: 'Dateien und Ordner, die zu einem dieser Muster passen, werden übergangen, zusätzlich zu den eingebauten Mustern.',
  },
  'folders[].builtInIgnores': {
    label: 'Temporäre, verborgene und halb geladene Dateien übergehen',
    help: 'Übergeht temporäre, halb geladene und verborgene Dateien, Vorschaubilder und die Dateien von NAS-Geräten. docs/configuration.md nennt die Muster.',
  },
  'folders[].pages': {
    label: 'PDF und TIFF mit mehreren Seiten',
    help: 'split sendet von jeder Seite ein Bild als eigenen Beleg, und HEIC als JPEG, wenn heic nicht in `accept` steht; whole sendet die Datei unverändert, wofür PDF in `accept` stehen muss.',
    options: { split: 'jede Seite als eigenes Bild senden', whole: 'die Datei unverändert senden' },
  },
  'folders[].pageResolution': {
    label: 'Auflösung',
    help: 'Punkte je Zoll bei PDF-Seiten, die gezeichnet werden müssen. Eine Seite aus einem einzigen JPEG, wie Scanner sie schreiben, wird Byte für Byte als dieses JPEG gesendet.',
  },
  'folders[].qualityCheck': {
    label: 'Bilder vor dem Senden prüfen',
    help: 'Prüft, ob ein Bild leer, zu dunkel, unscharf oder zu klein zum Lesen ist, oder einen Beleg zeigt, der schon gescannt wurde. warn sendet es mit einem Hinweis; hold wartet, bis jemand entscheidet. Beide lassen leere Seiten in mehrseitigen Dateien weg. Das dauert etwa 0,1 s je Bild.',
    options: { off: 'nein', warn: 'senden, und darauf hinweisen', hold: 'zurückhalten' },
  },
  'folders[].upright': {
    label: 'Fotos, die auf der Seite liegen, aufrecht senden',
    help: 'Dreht ein JPEG, das nach seiner EXIF-Angabe auf der Seite liegt oder auf dem Kopf steht. Es wird neu geschrieben; alle anderen werden Byte für Byte gesendet.',
  },
  'folders[].afterUpload': {
    label: 'Das Original',
    help: 'Was mit dem Original geschieht, sobald seine Annahme eingetragen ist.',
    options: { keep: 'an seinem Platz lassen', archive: 'ins Archiv verschieben', delete: 'löschen' },
  },
  'folders[].archiveTo': {
    label: 'Archiv',
    help: 'Wohin Originale kommen, wenn `afterUpload` archive ist: vollständig oder relativ zum Ordner. Das Archiv wird nie überwacht.',
  },
  'folders[].afterUploadOn': {
    label: 'Wann das geschieht',
    help: 'Wann `afterUpload` geschieht: accepted, sobald die Übertragung angenommen ist; oder erst, wenn ein Ergebnis (`results`) einen dieser Status meldet, etwa DONE.',
  },
  'folders[].afterUploadExisting': {
    label: 'Früher angenommene Dateien',
    help: 'Was mit Originalen geschieht, die vor dieser Einstellung von `afterUpload` da waren: leave lässt sie liegen, include behandelt sie wie alle anderen. auto lässt sie auch liegen, außer in einem Ordner, der zum ersten Mal überwacht wird.',
    options: {
      auto: 'sie bleiben, außer in einem neuen Ordner',
      leave: 'sie bleiben',
      include: 'sie werden behandelt wie alle anderen',
    },
  },
  'folders[].needsAttention': {
    label: 'Ordner für Unerledigtes',
    help: 'Ein Ordner für die Leute am Scanner, etwa "_Bitte ansehen", oder none (keiner): vollständig oder relativ zum überwachten Ordner. Dorthin kommen eine Kopie jeder Datei, die sich nicht senden lässt, und der Grund. Beide verschwinden, sobald das erledigt ist. Er wird nie überwacht.',
  },
  'folders[].silentAfter': {
    label: 'Scanner gilt als verstummt nach',
    help: 'auto, never (nie) oder eine Dauer wie 4h, in der während der Arbeitszeit des Ordners kein Scan kam.',
  },
  'folders[].settle.short': {
    label: 'Vollständige Dateien',
    help: 'Wie lange eine Datei mit vollständigem Aufbau unverändert bleiben muss.',
  },
  'folders[].settle.long': {
    label: 'Dateien, die noch wachsen können',
    help: 'Wie lange eine Datei unverändert bleiben muss, deren Aufbau noch wachsen kann (TIFF, PDF) oder unbekannt ist.',
  },
  'folders[].settle.patience': {
    label: 'Geduld',
    help: 'Nach dieser Zeit wird eine unvollständige Datei gemeldet. Ändert sie sich, wird sie wieder geprüft.',
  },
  'delivery.concurrency': {
    label: 'Gleichzeitige Übertragungen',
    help: 'Höchstens so viele gleichzeitig, alle Endpunkte zusammen.',
  },
  'delivery.rate': {
    label: 'Tempo',
    help: 'Höchstens so viele Übertragungen in jeder Sekunde, Minute oder Stunde, Wiederholungen eingerechnet: N/s, N/min oder N/h, etwa 120/min, oder unlimited (unbegrenzt); eine Zahl allein gilt pro Minute. Ein Neustart setzt das nicht zurück.',
  },
  'delivery.perDay': {
    label: 'Übertragungen am Tag',
    help: 'Höchstens so viele Übertragungen am Kalendertag, Ortszeit; oder unlimited (unbegrenzt).',
  },
  'delivery.perMonth': {
    label: 'Übertragungen im Monat',
    help: 'Höchstens so viele Übertragungen im Kalendermonat, Ortszeit; oder unlimited (unbegrenzt).',
  },
  'delivery.bandwidth': {
    label: 'Bandbreite',
    help: 'Höchstens so viele Bytes von Bildern in der Sekunde, alle Endpunkte zusammen: etwa 500kB/s oder 2MB/s, oder unlimited (unbegrenzt).',
  },
  'delivery.spread': {
    label: 'Ein Tempo je Minute oder Stunde gleichmäßig verteilen',
    help: 'Verteilt Übertragungen gleichmäßig, wenn das Tempo je Minute oder Stunde gilt. Einige frische Scans gehen trotzdem sofort hinaus. Sonst wird das Tempo gleich verbraucht, und dann bis zum Ende der Minute oder Stunde gewartet.',
  },
  'delivery.grace': {
    label: 'Warten beim Beenden',
    help: 'Wie lange begonnene Übertragungen weitergehen dürfen, wenn der Agent beendet wird.',
  },
  'delivery.parkAfter': {
    label: 'Ungewöhnliche Antworten bis zum Zurückstellen',
    help: 'Nach so vielen ungewöhnlichen Antworten auf einen Beleg, während andere durchkommen, wird er zurückgestellt und jede Stunde wieder versucht. Ungewöhnlich ist, was nichts über den Beleg sagt: ein Serverfehler, eine abgebrochene Verbindung, eine fremde Seite oder ein fremder Datensatz, eine Ablehnung des Endpunkts.',
  },
  'delivery.hours': {
    label: 'Wann Übertragungen beginnen dürfen',
    help: 'always (immer), oder Tage und Zeiten wie Mon-Fri 07:00-19:00, Ortszeit des Rechners. Außerhalb davon werden Scans benannt und eingetragen, dann warten sie.',
  },
  'intake.reconcileEvery': {
    label: 'Ordner mit dem Eingangsbuch vergleichen alle',
    help: 'Wie oft jeder Ordner mit dem Eingangsbuch verglichen wird. In Ordnern mit mehr als 12.000 Dateien lassen manche Vergleiche Verzeichnisse aus, in denen nichts angelegt, umbenannt oder gelöscht wurde. Eine überschriebene Datei, deren Meldung verloren ging, wird dann nach 5 ms je Datei im Ordner gefunden, höchstens nach 15 Minuten.',
  },
  'intake.pollEvery': {
    label: 'Netzlaufwerke auflisten alle',
    help: 'Wie oft ein Ordner aufgelistet wird, der in Abständen geprüft wird.',
  },
  'intake.takeOverAfter': {
    label: 'Ordner eines anderen Agenten übernehmen nach',
    help: 'Wie lange gewartet wird, bevor ein Ordner übernommen wird, den ein anderer Agent auf diesem Rechner überwacht hat. Agenten, die nur neu starten, behalten ihre Ordner.',
  },
  'intake.confirmAbove': {
    label: 'Mehr Dateien melden als',
    help: 'Liegen in einem Ordner, der zum ersten Mal überwacht wird, mehr Dateien, fragt receiptd im Terminal, bevor es sie sendet. Ohne Terminal schreibt es ins Protokoll.',
  },
  spool: {
    label: 'Welche Bilder kopiert werden',
    help: 'Welche Bilder in das Zustandsverzeichnis kopiert werden, bis der Dienst sie hat. auto: die sich nicht sofort senden lassen (Ausfall, Sperre, lange Warteschlange). always: jedes, sobald es benannt ist. never: keines; ein Scan, der beim Warten überschrieben wird, ist dann verloren.',
    options: { auto: 'die sich nicht sofort senden lassen', always: 'alle', never: 'keine' },
  },
  'storage.spoolLimit': {
    label: 'Höchstens Platz für Kopien',
    help: 'Höchste Größe aller Kopien zusammen. Ist der Platz voll, warten neue Scans in ihren Ordnern.',
  },
  'storage.keepFailed': {
    label: 'Kopien abgelehnter Belege behalten für',
    help: 'Wie lange die Kopie eines abgelehnten oder unbestätigten Belegs bleibt, damit er sich erneut senden lässt. Alle anderen Kopien verschwinden, sobald der Dienst das Bild hat.',
  },
  'storage.reserve': {
    label: 'Reserve für eine volle Platte',
    help: 'Platz auf der Platte, damit sich laufende Übertragungen auch dann eintragen lassen, wenn sie voll ist.',
  },
  'storage.backupEvery': {
    label: 'Sichern alle',
    help: 'Wie oft das Eingangsbuch nach `backups` im Zustandsverzeichnis gesichert wird.',
  },
  'storage.backups': {
    label: 'Aufbewahrte Sicherungen',
    help: 'Wie viele Sicherungen des Eingangsbuchs bleiben; 0: keine.',
  },
  'ledger.kind': {
    label: 'Art des Eingangsbuchs',
    help: 'Wo das Eingangsbuch liegt: sqlite (eine Datei im Zustandsverzeichnis, für diesen Agenten allein) oder postgres (eine Datenbank für mehrere Agenten, siehe docs/fleet.md).',
  },
  'ledger.url': {
    label: 'Datenbank',
    help: 'Adresse der Datenbank, etwa postgres://receiptd@db.example.com/receiptd, oder none (keine). Mehrere Rechner werden durch Kommas getrennt; receiptd nimmt den, der Änderungen annimmt. Das Zertifikat eines anderen Rechners wird geprüft (sslmode=verify-full), außer mit `allowInsecure`. Hier steht kein Passwort.',
  },
  'ledger.passwordFile': {
    label: 'Passwort der Datenbank',
    help: 'Datei mit dem Passwort des Benutzers in `url`, oder none (keine); nur ihr Besitzer darf sie lesen.',
  },
  'ledger.ca': {
    label: 'Zertifizierungsstellen der Datenbank',
    help: 'Datei mit den Zertifizierungsstellen, denen bei der Datenbank vertraut wird (PEM); none nimmt die des Rechners.',
  },
  'ledger.allowInsecure': {
    label: 'Ungeprüfte Verbindungen zur Datenbank zulassen',
    help: 'Lässt sslmode=disable, allow und prefer für eine `url` auf einem anderen Rechner zu; require verschlüsselt dann, ohne das Zertifikat zu prüfen. Andere im Netz können das Eingangsbuch dann lesen und ändern.',
  },
  'ledger.agent': {
    label: 'Name dieses Agenten',
    help: 'Name dieses Agenten unter denen mit gemeinsamem Eingangsbuch. Beim Umzug auf einen anderen Rechner bleibt er.',
  },
  'ledger.lease': {
    label: 'Arbeit eines stummen Agenten übernehmen nach',
    help: 'Wie lange ein stummer Agent seine begonnene Arbeit behält, bevor die anderen sie übernehmen.',
  },
  stateDir: {
    label: 'Zustandsverzeichnis',
    help: 'Verzeichnis für Eingangsbuch, Sperre und Protokolle, auf einer lokalen Platte. RECEIPTD_STATE_DIR geht vor.',
  },
  'console.listen': {
    label: 'Adresse der Konsole',
    help: 'Wo die Konsole erreichbar ist: onDemand (kein Port ist offen, bis `receiptd console` einen freien auf 127.0.0.1 öffnet), off (nirgends), oder dauerhaft eine Adresse mit Port wie 127.0.0.1:8471. Eine andere Adresse als 127.0.0.1 oder [::1] braucht tls und ein Passwort (`receiptd console password`). Ohne sie bleibt die Konsole zu, und Belege werden trotzdem gesendet.',
  },
  'console.tls.cert': {
    label: 'Zertifikat der Konsole',
    help: 'Datei mit dem Zertifikat und etwaigen Zwischenzertifikaten (PEM), oder none (keine).',
  },
  'console.tls.key': {
    label: 'Privater Schlüssel der Konsole',
    help: 'Datei mit dem privaten Schlüssel (PEM, ohne Passphrase), oder none (keine).',
  },
  'console.hosts': {
    label: 'Weitere Namen der Konsole',
    help: 'Weitere Namen der Konsole und von `monitoring`, mit oder ohne Port: der Name im Zertifikat oder der eines Reverse-Proxys. Andere werden abgelehnt, weil sie ein Angriff sein können (DNS-Rebinding).',
  },
  'console.thumbnails': {
    label: 'Höchstens Platz für Vorschaubilder',
    help: 'Höchstens so viel Platz im Zustandsverzeichnis, etwa 10 kB je Bild, oder off (aus). Am längsten unbenutzte verschwinden zuerst. Mit off zeigen Listen keine, und es bleiben keine.',
  },
  'console.roots': {
    label: 'Verzeichnisse, die die Konsole erreicht',
    help: 'Verzeichnisse, in denen die Konsole Ordner, Archive und `needsAttention` setzen darf, zusätzlich zu denen in oder neben einem überwachten Ordner. Die Konsole kann diese Liste nicht ändern.',
  },
  'monitoring.listen': {
    label: 'Adresse für die Überwachung',
    help: 'Wo Messwerte (`/metrics`, für Prometheus) und Zustand (`/healthz`, `/readyz`) zu lesen sind: off (nirgends), oder eine Adresse mit Port wie 127.0.0.1:9464. Sie nennen Ordner, aber keine Belege oder Geheimnisse, und brauchen kein Passwort.',
  },
  'alerts.email.server': {
    label: 'Mailserver',
    help: 'Der Mailserver, etwa smtps://mail.example.com oder smtp://mail.example.com:587, oder none (keiner). smtps:// ist von Anfang an verschlüsselt; smtp:// nimmt STARTTLS, das ein anderer Rechner anbieten muss.',
  },
  'alerts.email.to': { label: 'Wer Mail bekommt', help: 'Die Empfänger der Mails.' },
  'alerts.email.user': {
    label: 'Benutzer am Mailserver',
    help: 'Benutzername am Mailserver, oder none (keiner). Ist er gespeichert, fragt die Konsole nach dem Passwort.',
  },
  'alerts.email.passwordFile': {
    label: 'Passwort des Mailservers',
    help: 'Datei mit dem Passwort dieses Benutzers; nur ihr Besitzer darf sie lesen. none: das in der Konsole eingegebene, das bei den Zugangsdaten liegt.',
  },
  'alerts.email.from': { label: 'Absender', help: 'Die Mailadresse, von der die Mails kommen.' },
  'alerts.webhook.url': {
    label: 'Webhook',
    help: 'Adresse, an die jede Meldung geht (JSON), oder none (keine).',
  },
  'alerts.webhook.secretFile': {
    label: 'Geheimnis des Webhooks',
    help: 'Datei mit dem Geheimnis, mit dem jede Meldung unterschrieben wird (Standard Webhooks), oder none (keine); nur ihr Besitzer darf sie lesen.',
  },
  'alerts.desktop': {
    label: 'Auf dem Desktop des Benutzers, unter dem receiptd läuft',
    help: 'Zeigt Meldungen auf dem Desktop dieses Benutzers (unter Linux mit notify-send).',
  },
  'alerts.eventLog': {
    label: 'Im Ereignisprotokoll von Windows',
    help: 'Schreibt Meldungen unter Windows in das Ereignisprotokoll der Anwendungen, mit der Quelle receiptd.',
  },
  'alerts.command': {
    label: 'Programm für Meldungen',
    help: 'Ein Programm, das für jede Meldung läuft, mit der Meldung in der Standardeingabe (JSON) und in der Umgebung (RECEIPTD_ALERT_...), oder none (keines). Es startet ohne Shell.',
  },
  'alerts.after': {
    label: 'Warten vor einer Meldung',
    help: 'Was bis dahin vorbei ist, wird nicht gemeldet und steht nur im Protokoll.',
  },
  'alerts.silentAfter': {
    label: 'Ein Scanner gilt als verstummt nach',
    help: 'auto (nach seinen üblichen Pausen), never (nie) oder eine Dauer wie 4h, in der während der Arbeitszeit des Ordners kein Scan kam.',
  },
  'alerts.digest': {
    label: 'Tägliche Zusammenfassung',
    help: 'Wann eine Zusammenfassung des letzten Tages kommt (gesendet, doppelt, abgelehnt, wartend, je Ordner), Ortszeit des Rechners: off (nie), oder eine Uhrzeit wie "07:30", in der Datei in Anführungszeichen.',
  },
  'alerts.quietHours': {
    label: 'Ruhezeiten',
    help: 'Wann nichts gemeldet wird, Ortszeit des Rechners: none (nie), oder Tage und Zeiten wie Mon-Fri 19:00-07:00. Was am Ende der Ruhezeit noch offen ist, wird dann gemeldet.',
  },
  language: {
    label: 'Sprache',
    help: 'Die Sprache der Meldungen, Zusammenfassungen und Hinweise neben den Scans: en oder de. Die Konsole nimmt die des Browsers, und Befehle die des Terminals.',
    options: { en: 'English', de: 'Deutsch' },
  },
  'results.listen': {
    label: 'Adresse für Ergebnisse',
    help: 'Wo Ergebnisse des Dienstes ankommen (outgoingUrl eines Endpunkts): off (nirgends), oder eine Adresse mit Port wie 127.0.0.1:8472. Eine andere Adresse als 127.0.0.1 oder [::1] braucht tls und bleibt ohne zu; hinter einem Reverse-Proxy genügt 127.0.0.1. `receiptd results url` zeigt den geheimen Pfad.',
  },
  'results.tls.cert': {
    label: 'Zertifikat für Ergebnisse',
    help: 'Datei mit dem Zertifikat und etwaigen Zwischenzertifikaten (PEM), oder none (keine).',
  },
  'results.tls.key': {
    label: 'Privater Schlüssel für Ergebnisse',
    help: 'Datei mit dem privaten Schlüssel (PEM, ohne Passphrase), oder none (keine).',
  },
  'results.maxSize': {
    label: 'Größtes Ergebnis',
    help: 'Größere Ergebnisse werden abgelehnt. Die API nennt keine Grenze.',
  },
  'results.rate': {
    label: 'Höchstens so viele Ergebnisse',
    help: 'In jeder Sekunde, Minute oder Stunde: N/s, N/min oder N/h; eine Zahl allein gilt pro Sekunde. Weitere soll der Dienst später noch einmal senden (429).',
  },
  'results.columns': {
    label: 'Spalten',
    help: 'Werte aus Ergebnissen für Listen, Filter und Exporte, jeder unter einem Namen Ihrer Wahl: ein JSON-Zeiger auf den Wert in dem, was der Dienst meldet, etwa Summe: /receipt/total. Das gilt auch für frühere Ergebnisse.',
  },
  'results.command': {
    label: 'Programm für Ergebnisse',
    help: 'Ein Programm, das für jedes Ergebnis läuft, eines nach dem anderen, mit dem Ergebnis in der Standardeingabe (JSON), oder none (keines). Es startet ohne Shell.',
  },
  'control.group': {
    label: 'Gruppe, die den Agenten steuert',
    help: 'Gruppe des Betriebssystems, deren Mitglieder den laufenden Agenten ohne root abfragen und steuern dürfen (status, list, pause, die Konsole und alles andere). Mit none dürfen das nur sein Besitzer und root. Nicht unter Windows.',
  },
  'log.level': {
    label: 'Unwichtigste Zeilen',
    help: 'Ab welcher Stufe Zeilen im Protokoll stehen. error heißt, dass jemand etwas tun muss.',
  },
  'log.maxSize': {
    label: 'Größe einer Protokolldatei',
    help: 'Ab dieser Größe beginnt eine neue Protokolldatei.',
  },
  'log.maxFiles': {
    label: 'Aufbewahrte Protokolldateien',
    help: 'So viele frühere Protokolldateien bleiben neben der laufenden.',
  },
};
