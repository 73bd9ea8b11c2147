import type { ledgerHelp as englishHelp, ledgerTexts as english } from '../../en/cli/ledger.ts';
import type { Format } from '../../format.ts';
import { restoredOn, restoreRisks, withoutImage } from '../errors/commands.ts';

const PASSWORD =
  'Das Passwort kommt aus --password-file, PGPASSWORD oder ~/.pgpass; in der Adresse darf keines stehen.';
const WHAT_RETIRES =
  'Belege aus eigenen Ordnern des Agenten, die noch warten, gelten als verloren: Scannen Sie sie noch einmal. Belege aus gemeinsamen Ordnern, und Ergebnisse, die er noch nicht weitergegeben hat, gehen an den Agenten dieses Rechners.';

export const ledgerHelp: typeof englishHelp = {
  ledger: { about: 'das Eingangsbuch prüfen, teilen und verlegen' },
  ledgerHead: {
    about:
      'Nummer und Hash des letzten Eintrags im Journal ausgeben; bewahren Sie sie so auf, dass niemand beides ändern kann',
    json: 'als JSON: { ledger, seq, hash, at }, für `ledger verify --head`',
  },
  ledgerVerify: {
    about: 'Journal und Eingangsbuch ganz lesen und jede Änderung daran finden',
    head: 'ein aufbewahrter letzter Eintrag: eine Datei von `ledger head --json`, oder NUMMER:HASH',
    json: 'als JSON: { verdict, against, journal, ledger }',
    statuses: '3 etwas wurde geändert',
    more: 'Ohne einen anderswo aufbewahrten letzten Eintrag sieht ein Journal, das am Ende gekürzt oder ganz neu geschrieben wurde, gültig aus.\ndocs/audit.md erklärt, was das beweist, was nicht, und wie es sich ohne receiptd prüfen lässt.',
  },
  ledgerTarget: {
    to: 'die Datenbank: postgres://user@host/database; sonst die aus der Konfiguration',
    passwordFile: 'Datei mit dem Passwort dieses Benutzers',
    ca: 'Zertifizierungsstellen für die Datenbank (PEM)',
    allowInsecure: 'wie ledger.allowInsecure in der Konfiguration',
  },
  ledgerPrepare: {
    about:
      'ein gemeinsames Eingangsbuch in PostgreSQL anlegen oder aktualisieren und den Agenten Rechte geben; als sein Besitzer',
    role: 'Datenbankrolle der Agenten; sie bekommt nur die nötigen Rechte',
    json: 'als JSON: { where, roles }',
    more: `Führen Sie das nach jeder Aktualisierung von receiptd noch einmal aus, bevor Sie die Agenten starten.\n${PASSWORD}`,
  },
  ledgerMigrate: {
    about: 'das Eingangsbuch dieses Rechners in ein gemeinsames verlegen und jede Zeile vergleichen',
    agent: 'Name dieses Rechners im gemeinsamen Eingangsbuch; sonst der Rechnername',
    json: 'als JSON: { where, agent, rows, twins, failed, renamed, head }',
    more: `Der Agent kann bis kurz vor dem Ende weiterlaufen. Wird der Befehl unterbrochen, führen Sie ihn noch einmal aus: Er macht dort weiter.\n${PASSWORD}`,
  },
  ledgerArchive: {
    about:
      'alte Einträge eines gemeinsamen Eingangsbuchs aus der Datenbank in Journaldateien auslagern; als sein Besitzer',
    before: 'Monate auslagern, die vor diesem Tag endeten: JJJJ-MM-TT (UTC)',
    dir: 'vorhandenes Verzeichnis für die Dateien',
    gzip: 'die Dateien komprimieren',
    keep: 'die Dateien schreiben und prüfen, aber nichts aus der Datenbank entfernen',
    json: 'als JSON: { where, files }',
    more: `Jede Datei ist ein Journal, wie in docs/audit.md beschrieben. Bewahren Sie sie auf, solange das Gesetz es verlangt.\n${PASSWORD}`,
  },
  fleet: { about: 'Agenten verwalten, die sich ein Eingangsbuch in PostgreSQL teilen' },
  fleetStatus: {
    about:
      'zeigen, welche Agenten sich das Eingangsbuch teilen, wie viel bei jedem wartet und wann sie zuletzt gesehen wurden',
    json: 'als JSON: { agents }; null, wo das Eingangsbuch nicht geteilt ist',
  },
  fleetAgent: { agent: 'Name des Agenten, wie `fleet status` ihn zeigt' },
  fleetPause: { about: 'einen Agenten am Senden hindern; er erfasst weiterhin Scans' },
  fleetResume: { about: 'einen Agenten wieder senden lassen' },
  fleetRetire: {
    about: 'einen Agenten endgültig entfernen; was bei ihm wartet, geht an andere oder gilt als verloren',
    more: WHAT_RETIRES,
  },
  backup: {
    about:
      'Eingangsbuch, Journal, wartende Bilder und Einstellungen in eine Datei sichern und diese prüfen; ohne Geheimnisse',
    file: 'Datei, die angelegt wird; ohne sie wird nur das Eingangsbuch gesichert, nach `backups` im Zustandsverzeichnis',
    final: 'diesen PC schließen: receiptd läuft hier dann nicht mehr',
    reopen: 'einen mit --final geschlossenen PC wieder öffnen',
    json: 'als JSON: { file, bytes, manifest, withoutImage }; ohne Datei { file, head }',
    statuses: '6 --final, während ein Agent läuft: Beenden Sie ihn zuerst',
    more: 'Das geht, während der Agent läuft. Für den Umzug auf einen anderen PC beenden Sie den Agenten und ergänzen --final; sonst würden beide Agenten senden, was wartet. `receiptd restore` stellt die Datei wieder her, hier oder auf dem anderen PC.',
  },
  restore: {
    about:
      'eine Sicherung wiederherstellen, ganz oder gar nicht; was das Journal hier seither eingetragen hat, bleibt',
    file: 'eine Datei von `receiptd backup`, oder ein Eingangsbuch aus `backups` im Zustandsverzeichnis',
    config:
      'Konfigurationsdatei; gibt es keine, wird sie aus der Sicherung angelegt, wo die Einrichtung sie anlegen würde',
    replace: 'ein anderes Eingangsbuch ersetzen, das hier ist; das alte wird beiseitegelegt',
    older: 'zur Sicherung zurückkehren und verwerfen, was das Eingangsbuch hier seither eingetragen hat',
    beside: 'in einen neuen Ordner wiederherstellen, nur zum Ansehen; hier ändert sich nichts',
    json: 'als JSON: { documents, replayed, setAside, story, wroteConfig, misfits, setUpAgain }',
    statuses: '6 ein Agent läuft: Beenden Sie ihn zuerst',
    more: 'Führen Sie das als root aus, oder als der Benutzer, unter dem der Agent läuft. Was vorher hier war, bleibt in `before-restore-*` im Zustandsverzeichnis.\nreceiptd fragt nach, wenn zwei Agenten dieselben Belege senden könnten: wenn die Sicherung von einem anderen PC stammt, der nicht mit --final geschlossen wurde, oder wenn die Datei schon anderswo wiederhergestellt wurde.',
  },
};

export function ledgerTexts(format: Format): ReturnType<typeof english> {
  const { counted, number, bytes, duration, time } = format;
  return {
    ledger: {
      head: { ledger: 'Eingangsbuch', entry: 'Eintrag     ', hash: 'Hash        ' },
      journal: (entries) => `Journal:        ${counted(entries, 'Eintrag', 'Einträge')}.`,
      journalOf: (p) =>
        `Journal:        ${counted(p.entries, 'Eintrag', 'Einträge')}, Nummern ${number(p.first)} bis ${number(p.last)}.`,
      notCompared: 'Eingangsbuch:   nicht mit dem Journal vergleichbar.',
      compared: (documents) =>
        `Eingangsbuch:   ${counted(documents, 'Beleg', 'Belege')}, mit dem Journal verglichen.`,
      comparedSome: (documents, compared) =>
        `Eingangsbuch:   ${counted(documents, 'Beleg', 'Belege')}, davon ${number(compared)} mit dem Journal verglichen.`,
      against: (seq) => `Aufbewahrt:     Eintrag ${number(seq)}, damit verglichen.`,
      findings: (n) => `${counted(n, 'Befund', 'Befunde')}:`,
      inJournal: (what) => `Journal: ${what}`,
      inLine: (line, what) => `Journal, Zeile ${line}: ${what}`,
      inLedger: (what) => `Eingangsbuch: ${what}`,
      more: (n) => `Journal: und ${number(n)} weitere.`,
      noHead:
        'Es wurde kein aufbewahrter letzter Eintrag angegeben. Ohne ihn lässt sich nicht sagen, ob das Ende gekürzt oder das ganze Journal neu geschrieben wurde.',
      note: 'Hinweis:',
      partly: (before) =>
        `Dieses Journal ist so, wie receiptd es geschrieben hat; die Einträge 1 bis ${before} stehen aber in einer anderen Datei und wurden nicht geprüft.`,
      sound: 'Alles ist so, wie receiptd es geschrieben hat.',
      keep: 'Lassen Sie beide Dateien, wie sie sind. docs/audit.md erklärt, was die Befunde bedeuten können.',
      last: (head) => `Letzter Eintrag: ${head}`,
    },
    sharedLedger: {
      ready: (where) => `Das Eingangsbuch in ${where} ist bereit für dieses receiptd.`,
      roles: (roles) => `Agenten können es als ${roles.join(', ')} benutzen.`,
      noRole:
        'Für die Agenten wurde keine Rolle angegeben. Melden sie sich als der Besitzer an, können sie alles darin ändern; siehe --role.',
      agentRuns:
        'Alles ist verlegt, außer dem, was der laufende Agent noch tut. Beenden Sie ihn jetzt, und starten Sie ihn erst wieder, wenn Sie seine Konfiguration geändert haben.',
      movedBefore: 'Dieses Eingangsbuch ist schon verlegt; es bleibt nichts zu tun.',
      moved: (where, p) =>
        `Verlegt nach ${where} und Zeile für Zeile verglichen: ${counted(p.documents, 'Beleg', 'Belege')}, ${counted(p.attempts, 'Übertragung', 'Übertragungen')}, ${counted(p.files, 'Datei', 'Dateien')}.`,
      addToConfig: 'Tragen Sie das jetzt in die Konfiguration ein, und starten Sie dann den Agenten:',
      oldStays: (p) =>
        `Das alte Eingangsbuch und sein Journal, bis zum Eintrag ${p.seq}, bleiben als Nachweis in ${p.stateDir}.`,
      oldErase:
        'Sie enthalten Namen und Pfade, die `receiptd erase` dort nicht löschen kann. Entfernen Sie sie, wenn Sie sie nicht mehr brauchen.',
      twins: (n) =>
        `${counted(n, 'Beleg hat', 'Belege haben')} dasselbe Bild oder denselben Namen wie ein Beleg eines anderen Rechners; beide bleiben.`,
      failed: (n) =>
        `${counted(n, 'Beleg, der hier wartete und dort schon da war, gilt', 'Belege, die hier warteten und dort schon da waren, gelten')} jetzt als abgelehnt: \`receiptd list --state failed\`.`,
      renamed: (n) =>
        `${counted(n, 'Beleg, der nie gesendet wurde, hat', 'Belege, die nie gesendet wurden, haben')} einen neuen Namen bekommen.`,
      progress: {
        entries: (n) => `${counted(n, 'Eintrag', 'Einträge')} des Journals verlegt`,
        compared: (n) => `${counted(n, 'Zeile', 'Zeilen')} verglichen`,
      },
      archived: (p) => `Geschrieben: ${p.file}: Agent ${p.agent}, Einträge ${p.from} bis ${p.to}.`,
      nothingToArchive: (before) => `Kein Monat der Einträge endete vor dem ${before}.`,
      verified: 'Die Dateien sind geprüft. Die Datenbank enthält weiterhin alles.',
      removed: 'Die Dateien sind geprüft, und was sie enthalten, ist aus der Datenbank entfernt.',
    },
    fleet: {
      paused: (agent) => `Der Agent ${agent} sendet nichts.`,
      resumed: (agent) => `Der Agent ${agent} sendet wieder.`,
      away: {
        stopped: (agent, seen) =>
          `Der Agent ${agent} ist beendet${seen === null ? '' : ` und hat sich zuletzt ${time(seen)} gemeldet`}.`,
        silent: (agent, seen) =>
          `Der Agent ${agent} meldet sich nicht${seen === null ? '' : `, zuletzt ${time(seen)}`}.`,
      },
      thenPaused: 'Wenn er wieder läuft, sendet er nichts.',
      thenResumed: 'Wenn er wieder läuft, sendet er wieder.',
      retires: WHAT_RETIRES,
      retire: (agent, queued) =>
        `Den Agenten ${agent} entfernen, bei dem ${counted(queued, 'Beleg wartet', 'Belege warten')}?`,
      retired: (agent) => `Der Agent ${agent} ist entfernt.`,
      lost: (n) =>
        `Verloren: ${counted(n, 'Beleg', 'Belege')} aus eigenen Ordnern. \`receiptd list --state lost\` zeigt sie.`,
      passedOn: (n) => `Übergeben: ${counted(n, 'Beleg', 'Belege')} aus gemeinsamen Ordnern.`,
      results: (n) => `Von hier weitergegeben: ${counted(n, 'Ergebnis', 'Ergebnisse')}.`,
      notShared: 'Dieser Agent teilt sein Eingangsbuch nicht. Wie es ihm geht, zeigt `receiptd status`.',
      none: 'Noch kein Agent hat dieses Eingangsbuch benutzt.',
      columns: {
        agent: 'AGENT',
        host: 'RECHNER',
        version: 'VERSION',
        state: 'ZUSTAND',
        seen: 'ZULETZT GESEHEN',
        queued: 'WARTET',
        uploading: 'WIRD GESENDET',
        leads: 'ZUSTÄNDIG FÜR',
        holds: 'SPERREN',
        paused: 'ANGEHALTEN',
      },
      states: { running: 'läuft', stopped: 'beendet', silent: 'meldet sich nicht' },
      never: 'nie',
      now: 'jetzt',
      ago: (ms) => `vor ${duration(ms)}`,
      pausedBy: (by, since) => `von ${by}, ${time(since)}`,
    },
    backup: {
      ledgerAlone: (p) =>
        `Die Datei enthält das Eingangsbuch bis zum Eintrag ${p.seq} des Journals, Hash ${p.hash}.`,
      nameAFile: 'Für wartende Bilder und Einstellungen nennen Sie eine Datei: `receiptd backup FILE`.',
      wrote: (p) =>
        `Geschrieben und geprüft: ${p.file} (${bytes(p.size)}): ${counted(p.documents, 'Beleg', 'Belege')}, davon wartend: ${number(p.waiting)}.`,
      keepPrivate:
        'Die Datei enthält Belege und Namen. Bewahren Sie sie so vertraulich auf wie das Eingangsbuch.',
      notInFile:
        'Nicht in der Datei; wenn Sie sie auf einem anderen PC wiederherstellen, richten Sie das dort neu ein:',
      continues:
        'Dieser PC macht weiter wie bisher. Für den Umzug auf einen anderen PC beenden Sie den Agenten, und ergänzen Sie --final.',
      closed: (stateDir) => `receiptd läuft mit ${stateDir} nicht mehr. Weiter auf dem anderen PC:`,
      ifThatFails: 'Scheitert das, öffnen Sie diesen PC wieder mit `receiptd backup --reopen`.',
      withoutImage: (p) => withoutImage(p, format),
      restoredOn: (p) => restoredOn(p, format),
      moveAnyway: 'Trotzdem umziehen?',
      neverClosed: 'receiptd wurde hier nie geschlossen; es gibt nichts wieder zu öffnen.',
      reopened:
        'receiptd kann hier wieder laufen. Sorgen Sie dafür, dass es nicht auf einem anderen PC mit demselben Zustand läuft.',
      reopenAnyway: 'Diesen PC wieder öffnen?',
    },
    restore: {
      restored: (p) =>
        `Wiederhergestellt: ${p.file} in ${p.stateDir}: ${counted(p.documents, 'Beleg', 'Belege')}.`,
      restoredOf: (p) =>
        `Wiederhergestellt: ${p.file} in ${p.stateDir}: ${counted(p.documents, 'Beleg', 'Belege')}, davon wartend: ${number(p.waiting)}, Stand von ${time(p.at)}.`,
      replayed: (n) => `Aus dem Journal ergänzt: ${counted(n, 'späterer Eintrag', 'spätere Einträge')}.`,
      setAside: (dir) => `Der vorherige Stand bleibt in ${dir}.`,
      settings: (file) => `Die Einstellungen stehen in ${file}.`,
      copy: 'Diese Kopie ist nur zum Ansehen; kein Agent läuft damit. Weiter:',
      misfits:
        'Einige Einstellungen passen nicht zu diesem Rechner. Berichtigen Sie die Konfiguration, oder legen Sie an, was fehlt:',
      setUpAgain: 'Richten Sie das auf diesem Rechner neu ein:',
      onlyHere:
        'Stellen Sie diese Datei nicht noch auf einem anderen PC wieder her. Er würde dieselben Belege unbemerkt noch einmal senden.',
      next: 'Weiter: `receiptd check`, dann den Agenten starten.',
      risks: (p) => restoreRisks(p, format),
      anyway: 'Wiederherstellen?',
    },
  };
}
