import type { machineHelp as englishHelp, machineTexts as english } from '../../en/cli/machine.ts';

export const machineHelp: typeof englishHelp = {
  setup: {
    about: 'alles mit einigen Fragen einrichten, oder ohne Fragen; beliebig oft wiederholbar',
    config: 'Konfigurationsdatei; sonst die vorhandene, sonst Ihre eigene oder für root die des Rechners',
    yes: 'nicht fragen; für fehlende Antworten gilt die Konfiguration oder die Vorgabe',
    nonInteractive: 'wie --yes',
    browser: 'die Fragen im Browser stellen und dann den Agenten starten',
    noOpen: 'mit --browser: nur den Link ausgeben',
    noVerify: 'die Zugangsdaten nicht beim Dienst prüfen',
    json: 'das Ergebnis als JSON ausgeben',
    more: (variable) =>
      `Jede Antwort lässt sich als Option oder in der Umgebungsvariablen in Klammern geben. Das Secret ist nie ein Argument: Die Einrichtung fragt danach, ohne es zu zeigen, oder liest es aus $${variable} oder einer Datei. Ein erneuter Lauf ändert nur, was abweicht, und sagt es.`,
    statuses: '5 der Dienst war nicht erreichbar; 130 abgebrochen',
  },
  answers: {
    baseUrl: 'Adresse des Dienstes',
    sandbox: 'noch kein Dienst: den eingebauten Übungsdienst verwenden',
    sandboxPort: 'Port des Übungsdienstes; 0 wählt einen freien (Vorgabe 8470)',
    clientId: 'Client-ID',
    clientSecretFile: 'Datei mit dem Client-Secret; - liest es von der Standardeingabe',
    store: 'wo die Zugangsdaten gespeichert werden',
    endpointUid: 'Uid eines vorhandenen Endpunkts',
    endpointAlias: 'Name des Endpunkts in der Konfigurationsdatei; gibt es den Namen, wird die Uid ersetzt',
    createEndpoint: 'einen Endpunkt anlegen, wenn keiner eingerichtet ist',
    language: 'Hauptsprache des neuen Endpunkts, etwa de-DE',
    folder: 'Ordner, der überwacht wird',
    createFolder: 'diesen Ordner anlegen, wenn es ihn nicht gibt',
    existing: 'was mit Dateien geschieht, die schon im Ordner sind; auch "since JJJJ-MM-TT"',
    needsAttention:
      'Ordner, der zeigt, welche Dateien nicht gesendet wurden, relativ zum überwachten; oder none',
    rate: 'Höchsttempo: N (pro Minute), N/s, N/min, N/h oder unlimited',
    alertEmail: 'Adressen für Meldungen, durch Kommas getrennt; oder none',
    mailServer: 'Mailserver für Meldungen, etwa smtp://mail.example.com:587',
    mailUser: 'Benutzername beim Mailserver, oder none',
    mailPasswordFile: 'Datei mit dessen Passwort; nur ihr Besitzer darf sie lesen können',
    testMail: 'eine Probemail senden',
    service: 'als Dienst installieren',
    serviceUser: 'Benutzer, unter dem ein Dienst des Rechners läuft (Vorgabe receiptd)',
    consoleListen: 'Adresse der Konsole, etwa 127.0.0.1:8471; onDemand öffnet sie nur für einen Link',
    consoleSaves:
      'ob die Konsole eines Dienstes des Rechners Einstellungen speichern kann; dessen Benutzer wird dann Besitzer der Konfigurationsdatei und ihres Verzeichnisses (Vorgabe yes für eine neue Datei)',
    testReceipt: 'einen Probebeleg senden',
  },
  init: {
    about: 'eine kommentierte Konfigurationsdatei zum Anpassen schreiben',
    config: 'Datei, die geschrieben wird',
    baseUrl: 'Adresse des Dienstes',
    uid: 'Uid des Endpunkts',
    folder: 'Ordner, der überwacht wird',
  },
  login: {
    about:
      'die Zugangsdaten des Dienstes im Schlüsselbund oder in einer anderen Ablage speichern, oder dorthin verschieben',
    clientId: 'Client-ID; sonst fragt receiptd danach',
    from: 'die Zugangsdaten ohne Rückfrage aus dieser Ablage nach --store verschieben',
    noVerify: 'sie nicht beim Dienst prüfen',
    more: 'receiptd fragt nach dem Secret, ohne es zu zeigen, oder liest es von der Standardeingabe; ein Argument ist es nie.\nMit --store und ohne neue Zugangsdaten werden die vorhandenen dorthin verschoben.',
  },
  logout: { about: 'die Zugangsdaten aus dem Schlüsselbund oder einer anderen Ablage entfernen' },
  stores: {
    store: 'welche Ablage; sonst die eingestellte, sonst die jetzige, sonst keychain',
    directory: 'Verzeichnis für die verschlüsselten Dateien der Ablage systemd',
  },
  whoami: {
    about: 'den Dienst fragen, wem die Zugangsdaten gehören',
    json: 'als JSON: { company, message, store, account }',
  },
  endpoint: { about: 'einen Endpunkt anlegen oder die bekannten zeigen' },
  endpointCreate: {
    about: 'einen Endpunkt beim Dienst anlegen; wird nie von selbst wiederholt',
    name: 'Name des Endpunkts',
    outgoingUrl: 'Adresse Ihres Empfängers für Ergebnisse',
    results:
      'Ergebnisse an diesen Agenten schicken lassen: die Adresse, unter der der Dienst ihn erreicht; das Geheimnis wird ergänzt',
    language: 'Hauptsprache, etwa de-DE',
    account: 'Konto aus der Konfiguration, zu dem der Endpunkt gehört',
    json: 'den Datensatz des Dienstes unverändert ausgeben',
  },
  endpointList: {
    about: 'Endpunkte zeigen, die eingerichtet oder hier angelegt sind; der Dienst hat keine Liste',
    json: 'als JSON: [{ alias, uid, baseUrl, name }]',
  },
  service: {
    about: 'den Agenten als Dienst betreiben: starten, beenden, beobachten',
    scope: 'für den Rechner oder nur für Sie; Vorgabe ist system für root, sonst user',
  },
  serviceInstall: {
    about: 'den Dienst installieren oder aktualisieren und starten',
    user: 'Benutzer, unter dem der Dienst läuft; receiptd wird angelegt, wenn er fehlt',
    noStart: 'noch nicht starten',
    dryRun: 'nichts ändern; Dienstdefinition, Schritte und Hindernisse ausgeben',
    force: 'die Dienstdefinition überschreiben, auch wenn sie von Hand geändert wurde',
    exec: 'für Pakete: das Programm, das statt dieses läuft',
    configAt: 'für Pakete, mit --dry-run: wo die Konfigurationsdatei stehen wird',
  },
  serviceUninstall: {
    about: 'den Dienst beenden und entfernen; Eingangsbuch, Konfiguration und Zugangsdaten bleiben',
    force: 'die Dienstdefinition entfernen, auch wenn sie von Hand geändert wurde',
  },
  serviceStart: { about: 'den Dienst starten' },
  serviceStop: { about: 'den Dienst beenden, bis Sie ihn starten oder der Rechner neu startet' },
  serviceRestart: { about: 'den Dienst neu starten' },
  serviceStatus: {
    about: 'zeigen, ob der Dienst installiert ist und läuft, und seinen Stand',
    json: 'als JSON: { manager, file, installed, enabled, running, state, says, pid }',
    statuses: '1 läuft nicht',
  },
  logs: {
    about: 'das Protokoll des Agenten aus seinen Dateien zeigen: auch ohne Dienst und wenn er nicht läuft',
    since: 'nur Zeilen seitdem: 1h, 2026-01-31, today, yesterday',
    level: 'nur Zeilen ab dieser Stufe',
    search: 'nur Zeilen, die diesen Text enthalten; ohne Groß- und Kleinschreibung',
    lines: 'Zahl der Zeilen (Standard: 50, mit --since alle)',
    follow: 'neue Zeilen laufend zeigen',
    json: 'die Zeilen, wie sie in der Datei stehen, auf Englisch',
  },
  serviceLogs: {
    about: 'das Protokoll des Dienstes zeigen',
    follow: 'neue Zeilen laufend zeigen',
    lines: 'Zahl der Zeilen',
  },
  completion: {
    about:
      'ein Shell-Skript ausgeben, das Befehle, Optionen, Endpunkte und Belege mit der Tabulatortaste ergänzt',
    shell: 'welche Shell',
    more: 'Damit es in jeder neuen Shell gilt, ergänzen Sie eine Zeile (für zsh nach compinit) in:',
  },
  complete: {
    about:
      'die möglichen Wörter an einer Stelle der Befehlszeile zeigen, eines je Zeile, für die Ergänzung in der Shell',
    current: 'das begonnene Wort, nach einem =',
    before: 'die Wörter davor',
  },
  sandbox: {
    about: 'einen Dienst zur Belegerkennung zum Üben betreiben; er behält, was er erhält',
    port: 'Port; 0 wählt einen freien',
    host: 'Adresse, unter der er erreichbar ist',
    dir: 'wo er ablegt, was er erhält',
    endpointUid: 'Uid seines ersten Endpunkts',
    clientId: 'Client-ID, die er annimmt',
    clientSecretEnv: 'Umgebungsvariable mit dem Secret, das er annimmt',
    tokenLifetime: 'Gültigkeit eines Tokens',
    quota: 'Zahl der Übertragungen, die der Tarif erlaubt',
    noPlan: 'kein Tarif: Übertragungen mit 403 beantworten',
    onRepeat: 'Antwort auf einen Namen, den es schon gibt; conflict ist 409',
    outgoingUrl: 'outgoingUrl des ersten Endpunkts (`receiptd results url`)',
    results:
      'Ergebnisse, die nach jeder Übertragung an einen Endpunkt mit outgoingUrl geschickt werden, etwa READ,DONE',
    resultsAfter: 'Pause vor jedem Ergebnis',
    fault: 'Fehler nachstellen, siehe unten; mehrmals möglich',
    json: 'nur die Adresse ausgeben, als eine Zeile JSON',
    more: 'Regeln für --fault: delay=MS, status=CODE, cut, lost (gespeichert, dann keine Antwort), stall, html, truncated, redirect, oder eine Regel als JSON; dahinter *N (die nächsten N Übertragungen) oder @P (mit Wahrscheinlichkeit P). Während er läuft, liest und ändert /sandbox/faults die Regeln, /sandbox/results schickt ein Ergebnis, und /sandbox/credentials setzt andere Zugangsdaten.',
  },
};

const ofAccount = (account: string | null): string => (account === null ? '' : ` des Kontos ${account}`);

export function machineTexts(): ReturnType<typeof english> {
  return {
    init: {
      elsewhere:
        'Damit Befehle diese Datei verwenden, ergänzen Sie `--config FILE`, oder setzen Sie RECEIPTD_CONFIG auf ihren Pfad.',
      shadows: (others) =>
        `In diesem Verzeichnis verwenden Befehle jetzt diese Datei statt ${others.join(' und ')}.`,
      next: 'Weiter: Passen Sie sie an, dann `receiptd login`, dann `receiptd check`.',
      nextWithEndpoint:
        'Weiter: Passen Sie sie an, dann `receiptd login`, dann `receiptd endpoint create NAME`; tragen Sie die ausgegebene Uid in die Datei ein, dann `receiptd check`.',
    },
    login: {
      saved: (p) =>
        `Die Zugangsdaten${ofAccount(p.account)} für ${p.baseUrl} sind in der Ablage ${p.store} gespeichert.`,
      removed: (p) => `Die Zugangsdaten${ofAccount(p.account)} sind aus der Ablage ${p.store} entfernt.`,
      none: (p) => `In der Ablage ${p.store} waren keine Zugangsdaten${ofAccount(p.account)}.`,
      stillHas: (store) =>
        `Die Ablage ${store} hat noch Zugangsdaten, und der Agent verwendet weiterhin diese.`,
      removeWith: (command) => `Entfernen: ${command}`,
      removeAtSource: 'receiptd kann sie nicht entfernen; entfernen Sie sie dort, woher sie kommen.',
      copied: (p) =>
        `Die Zugangsdaten${ofAccount(p.account)} sind aus der Ablage ${p.from} in die Ablage ${p.to} kopiert; die Kopie ist geprüft.`,
      oldAtSource: (store) =>
        `Die alte Kopie in der Ablage ${store} ist noch da, denn receiptd kann sie nicht entfernen. Entfernen Sie sie dort, woher sie kommt.`,
      oldNeeded: (store, command) =>
        `Die alte Kopie in der Ablage ${store} ist noch da, denn der Agent braucht sie vorerst. Entfernen Sie sie später: ${command}`,
      oldRemoved: (store) => `Die alte Kopie in der Ablage ${store} ist entfernt.`,
      oldThere: (store, command) =>
        `Die alte Kopie in der Ablage ${store} ist noch da. Prüfen Sie sie, und entfernen Sie sie: ${command}`,
      changed: (p) => `${p.file} ist geändert: ${p.key} ist jetzt ${p.store}.`,
      edit: (p) =>
        `Bearbeiten Sie ${p.file}; von hier aus geht das nicht: Setzen Sie ${p.key} auf ${p.store}. Bis dahin verwendet der Agent diese Ablage nicht.`,
      editAlso: (p) => `Bearbeiten Sie auch ${p.file}: Setzen Sie ${p.key} auf systemd.`,
      restartUnit:
        'Starten Sie den Agenten neu: Eine Unit von `receiptd service install` nimmt sie von dort. Eine eigene braucht diese Zeilen (`systemctl edit receiptd`):',
      restartUnitOrPackage:
        'Starten Sie den Agenten neu: Eine Unit von `receiptd service install` oder aus dem Debian-Paket nimmt sie von dort. Eine eigene braucht diese Zeilen (`systemctl edit receiptd`):',
      giveUnit:
        'Geben Sie sie dem Agenten mit diesen Zeilen in seiner Unit (`systemctl edit receiptd`), und starten Sie ihn neu:',
      accepted: (company) => `Der Dienst nimmt die Zugangsdaten an: ${company}.`,
      fileInstead: (why) =>
        `${why} Die Zugangsdaten kommen deshalb in eine Datei, die nur ihr Besitzer lesen kann.`,
    },
    whoami: {
      answer: (p) => `${p.company}: ${p.message} (Zugangsdaten aus: ${p.store})`,
    },
    endpoint: {
      created: (name) => `„${name}“ ist angelegt. Tragen Sie seine Uid in die Konfigurationsdatei ein:`,
      columns: { alias: 'ALIAS', uid: 'UID', name: 'NAME' },
      notConfigured: '(nicht eingerichtet)',
    },
    logs: { none: (dir) => `In ${dir} liegt noch kein Protokoll.` },
    service: {
      started: 'Gestartet.',
      stopped: 'Beendet.',
      restarted: 'Neu gestartet.',
      installed: (manager, user) =>
        `receiptd ist jetzt ein Dienst (${manager}) und läuft unter dem Benutzer ${user}.`,
      definition: (file) => `Dienstdefinition: ${file}`,
      startWith: 'Starten: receiptd service start',
      uninstalled: 'Der Dienst ist beendet und entfernt.',
      stays: (config, stateDir) =>
        `Nicht entfernt: die Konfiguration ${config} sowie Eingangsbuch, Kopien und Protokoll in ${stateDir}.`,
      staysUnknown:
        'Nicht entfernt: die Konfiguration sowie Eingangsbuch, Kopien und Protokoll im Zustandsverzeichnis.',
      credentialsStay: 'Auch die Zugangsdaten und der Benutzer, unter dem er lief, wurden nicht entfernt.',
      notInstalled: 'receiptd ist nicht als Dienst installiert. Installieren: receiptd service install',
      runs: (state, pid) => `Der Dienst läuft: ${state}${pid === null ? '' : `, Prozess ${pid}`}.`,
      runsNot: (state) => `Der Dienst läuft nicht: ${state}.`,
      seeStatus: 'Wie es ihm geht, zeigt `receiptd status`.',
      findOut: 'Den Grund zeigen `receiptd service logs` und `receiptd check`.',
      notEnabled: 'Er startet nicht mit dem Rechner.',
    },
    installing: {
      would: {
        access: (user, stateDir) => `Würde ${user} Zugriff auf ${stateDir} geben.`,
        define: (place) => `Würde ${place} schreiben und mit dem Rechner starten lassen.`,
        start: 'Würde den Dienst starten oder neu starten.',
        user: (user) => `Würde den Benutzer ${user} anlegen.`,
        stateDir: (stateDir, user) =>
          `Würde das Zustandsverzeichnis ${stateDir} anlegen oder ${user} übergeben.`,
      },
      notes: {
        unmasked:
          'receiptd.service war maskiert, vermutlich durch ein entferntes Paket; das ist jetzt aufgehoben.',
        packageDisabled: 'receiptd.service aus einem Paket ist jetzt abgeschaltet.',
      },
      taskScheduler: 'die Aufgabenplanung',
      unchanged: (file) => `${file} ist unverändert.`,
      changed: (file) => `${file} wurde geändert:`,
      linger: (user) =>
        `Der Dienst läuft, solange Sie angemeldet sind. Soll er mit dem Rechner starten, führen Sie aus: loginctl enable-linger ${user}`,
      noAccess: (p) =>
        `${p.user} hat vielleicht keinen Zugriff auf ${p.stateDir}. Zugriff gibt: ${p.command}`,
      userCreated: (user) => `Der Benutzer ${user} ist angelegt.`,
      checkedLater: (user) =>
        `Sobald es den Benutzer ${user} gibt, wird sein Zugriff auf die Ordner geprüft; die Installation kann dann noch abgelehnt werden.`,
      given: (stateDir, user) => `Das Zustandsverzeichnis ${stateDir} gehörte root und gehört jetzt ${user}.`,
    },
    sandbox: {
      listens: (url, dir) => `Der Übungsdienst läuft unter ${url}. Was er erhält, legt er ab in ${dir}.`,
      uid: (uid) => `Endpunkt-Uid:  ${uid}`,
      credentials: (clientId, secret) => `Zugangsdaten:  RECEIPTD_CLIENT_ID=${clientId} ${secret}`,
      secretIn: (variable) => `und das Secret in ${variable}`,
      stop: 'Strg-C beendet ihn.',
      upload: 'Übertragung',
      fault: (fault) => `Fehler: ${fault}`,
      name: (name) => `Name „${name}“`,
    },
  };
}
