import type { watchingHelp as englishHelp, watchingTexts as english } from '../../en/cli/watching.ts';
import type { Format } from '../../format.ts';
import { databaseAt, movedWords } from '../errors/ledger.ts';
import { limitWords } from '../notes.ts';

export const watchingHelp: typeof englishHelp = {
  run: {
    about: 'die Ordner überwachen und neue Scans senden',
    once: 'senden, was wartet, und dann enden',
    wait: 'mit --once: wie lange gewartet wird, wenn der Dienst nicht antwortet',
    dryRun: 'zeigen, was unter welchem Namen gesendet würde; gesendet und eingetragen wird nichts',
    verbose: 'in einem Terminal: Protokollzeilen statt einer Fortschrittszeile',
    yes: 'vor dem ersten Senden eines Ordners mit vielen Dateien nicht nachfragen',
    statuses:
      '6 ein anderes receiptd verwendet dieses Zustandsverzeichnis; 130 durch ein Signal beendet. Mit --once, nur für diesen Lauf: 0 alles erledigt; 3 ein Beleg wurde abgelehnt oder ging verloren, oder eine Datei, die ein Beleg sein kann, wurde nicht gesendet; 4 etwas wartet (eine Sperre, ein fehlender Ordner, eine unvollständige Datei); 5 der Dienst war nicht erreichbar',
  },
  status: {
    about: 'zeigen, ob receiptd arbeitet, was warum wartet und was zu klären ist',
    json: 'als JSON: { daemon, silent, ledger, problems, counts, holds, oldestWaiting }',
    running: 'fehlschlagen, wenn kein Agent antwortet; für Container und Überwachung',
    statuses: '1 ein Agent läuft, antwortet aber nicht brauchbar; mit --running auch, wenn keiner läuft',
  },
  top: {
    about: 'den Stand laufend zeigen, mit dem Tempo und dem Ende des Rückstands',
    every: 'wie oft er erneuert wird',
  },
  console: {
    about: 'die Konsole des laufenden Agenten im Browser öffnen',
    noOpen: 'nur den Link ausgeben',
    more: 'Der Link gilt einmal und fünf Minuten lang. Geben Sie ihn nicht weiter.',
  },
  consolePassword: {
    about: 'ein Passwort für die Konsole setzen, für Personen ohne Link',
    remove: 'das Passwort entfernen; Links gelten weiterhin',
    more: (shortest) =>
      `Mindestens ${shortest} Zeichen. receiptd fragt danach, ohne es zu zeigen, oder liest es von der Standardeingabe; ein Argument ist es nie.`,
  },
  check: {
    about:
      'Konfiguration, Ordner, Rechte, Zugangsdaten, Meldungen, Speicherplatz und Systemgrenzen prüfen und sagen, was zu beheben ist',
    json: 'als JSON: [{ level, subject, message, fact }]',
  },
  doctor: {
    about: 'Fehler nennen und eine Datei für den Support schreiben: ohne Geheimnisse, Bilder und Namen',
    output: 'Datei, die angelegt wird; sonst receiptd-doctor-ZEIT.tar.gz in diesem Verzeichnis',
    list: 'nichts schreiben; zeigen, was die Datei enthielte',
    withNames: 'auch Namen von Dateien, Ordnern, Endpunkten und Belegen; nie Geheimnisse',
    more: 'Das geht mit und ohne laufenden Agenten, auch wenn die Konfiguration, das Eingangsbuch oder die Platte die Ursache ist.\nNamen werden durch Platzhalter wie name-1f2e3d4c ersetzt; derselbe Name bekommt in einer Datei denselben Platzhalter.',
  },
  alerts: {
    about: 'offene Störungen zeigen, seit wann, und wem sie gemeldet wurden',
    json: 'als JSON: { channels, quietUntil, open }',
  },
  alertsTest: {
    about: 'über jeden eingerichteten Weg eine Probemeldung senden',
    json: 'als JSON: [{ channel, problem, error }]',
    more: 'Der laufende Agent sendet die Probe; läuft keiner, tut es dieser Befehl.',
  },
  reload: { about: 'die geänderte Konfiguration im laufenden Agenten anwenden' },
  set: {
    about: 'eine Einstellung in der Konfigurationsdatei ändern und im laufenden Agenten anwenden',
    key: 'Einstellung, etwa delivery.rate oder folders[0].name (docs/configuration.md)',
    value: 'neuer Wert wie in der Konfigurationsdatei: 30/min, true, [jpeg, png]',
    folder: 'die Einstellung gehört zu diesem Ordner, etwa silentAfter',
    default: 'den Eintrag entfernen, sodass der Standardwert gilt',
    json: 'Datei, geänderte Einträge und solche, die einen Neustart brauchen, als JSON ausgeben',
  },
  folder: { about: 'überwachte Ordner auflisten, hinzufügen, ersetzen und entfernen' },
  folderList: {
    about: 'die Ordner der Konfiguration auflisten',
    json: 'als JSON: [{ path, endpoint, existing }]',
  },
  folderAdd: {
    about: 'einen Ordner überwachen; was schon darin liegt, wird nur auf Wunsch gesendet',
    path: 'Ordner, der überwacht werden soll',
    endpoint: 'Endpunkt für seine Belege (Standard: der einzige)',
    existing: 'Dateien, die schon darin liegen: send, skip oder since mit Datum',
  },
  folderReplace: { about: 'stattdessen einen anderen Ordner mit denselben Einstellungen überwachen' },
  folderRemove: {
    about: 'einen Ordner nicht mehr überwachen; was daraus wartet, wird noch gesendet',
    path: 'überwachter Ordner',
  },
};

export function watchingTexts(format: Format): ReturnType<typeof english> {
  const { counted, number, plural, bytes, duration, time } = format;
  return {
    stateWords: {
      queued: 'zu senden',
      uploading: 'in Übertragung',
      held: 'zurückgehalten',
      accepted: 'angenommen',
      duplicate: 'Duplikat (nicht noch einmal gesendet)',
      split: 'in Seiten zerlegt',
      rejected: 'nicht gesendet',
      failed: 'vom Dienst abgelehnt oder an einen anderen Endpunkt verschoben',
      unconfirmed: 'ohne eindeutige Antwort des Dienstes',
      lost: 'verloren',
      incomplete: 'unvollständig',
      unreadable: 'nicht lesbar',
      skipped: 'übersprungen, wie eingestellt',
    },
    status: {
      running: 'Läuft',
      runs: (p) =>
        `seit ${time(p.since)} (Prozess ${p.pid}, Version ${p.version}); ${counted(p.inFlight, 'Übertragung läuft', 'Übertragungen laufen')}.`,
      silent: 'Keine brauchbare Antwort',
      silentWhy: (why) => `vom Agenten: ${why}`,
      notRunning: 'Läuft nicht.',
      movedAway: (p) =>
        `${movedWords(p)} Damit receiptd hier wieder laufen darf: \`receiptd backup --reopen\`.`,
      startWith: (command) => `Starten: \`${command}\`.`,
      shared: (p) =>
        `Das Eingangsbuch ist ${databaseAt(p)}; mehrere Agenten teilen es. Dieser Agent ist ${p.agent}.`,
      needsAttention: 'Zu klären:',
      paused: 'Pausiert:',
      resolves: 'Erledigt sich von selbst:',
      allWell: 'Alles ist in Ordnung.',
      nothingWaits: 'Nichts wartet.',
      waiting: (n, oldestMs) =>
        `${counted(n, 'Beleg wartet', 'Belege warten')}${oldestMs === null ? '' : `, der älteste seit ${duration(oldestMs)}`}.`,
      spool: (p) =>
        `Im Zustandsverzeichnis ${plural(p.images, 'liegt eine Kopie', 'liegen Kopien')} von ${counted(p.images, 'Bild', 'Bildern')} (${bytes(p.used)} von höchstens ${bytes(p.limit)}).`,
      folder: (p) => `→ Endpunkt ${p.alias}`,
      notWatched: 'Wird gerade nicht überwacht.',
      otherFolders: 'Nicht aus überwachten Ordnern (frühere Ordner und Dateien von `receiptd send`)',
      nothingSeen: 'Noch nichts eingegangen.',
    },
    folderWatch: {
      states: {
        watching: (since) => `Überwacht seit ${time(since)}`,
        starting: (since) => `Wird zum ersten Mal durchgesehen, seit ${time(since)}`,
        standby: (since) => `In Bereitschaft seit ${time(since)}; auch von hier werden seine Belege gesendet`,
        paused: (_since) => 'Überwacht; das Senden ist pausiert',
        missing: (since) => `Fehlt seit ${time(since)}`,
        notADirectory: (since) => `Kein Ordner seit ${time(since)}`,
        unreadable: (since) => `Nicht lesbar seit ${time(since)}`,
        unreachable: (since) => `Nicht erreichbar seit ${time(since)}`,
        taken: (since) => `Von einem anderen Agenten überwacht seit ${time(since)}`,
      },
      events: 'neue Dateien werden sofort bemerkt',
      polled: (everyMs) => `durchgesehen alle ${duration(everyMs)}`,
      fileSystem: (name) => `Dateisystem ${name}`,
      notListed: 'noch nicht durchgesehen',
      listed: (at) => `zuletzt durchgesehen ${time(at)}`,
      settling: (n) => `${counted(n, 'Datei wird', 'Dateien werden')} noch geschrieben`,
      noRoom: (n) => `${counted(n, 'Datei wartet', 'Dateien warten')} auf die Aufnahme`,
    },
    top: {
      quit: 'Beenden mit q.',
      measuring: 'Das Tempo wird gemessen …',
      perMinute: (n) => `${number(n)} angenommen je Minute`,
      empty: 'Es gibt keinen Rückstand.',
      emptyIn: (waiting, ms) =>
        `In diesem Tempo ist der Rückstand von ${number(waiting)} in etwa ${duration(ms)} aufgeholt.`,
      noEstimateYet: (waiting) => `Der Rückstand ist ${number(waiting)}; noch keine Schätzung.`,
      noEstimate: (waiting) =>
        `Der Rückstand ist ${number(waiting)}; keine Schätzung, weil nichts angenommen wurde.`,
      held: (n) => `${counted(n, 'Beleg ist', 'Belege sind')} zurückgehalten.`,
    },
    run: {
      watching: (folders) =>
        `${counted(folders, 'Ordner wird', 'Ordner werden')} überwacht. Strg-C beendet; --verbose zeigt jeden Schritt.`,
      stopping: (uploads) =>
        `Wird beendet, sobald ${counted(uploads, 'Übertragung', 'Übertragungen')} zu Ende ${plural(uploads, 'ist', 'sind')}. Noch einmal Strg-C beendet sofort.`,
      stopped: (accepted, waiting) =>
        `Beendet. Seit dem Start angenommen: ${number(accepted)}; ${waiting === 0 ? 'nichts wartet' : `wartend: ${number(waiting)}`}.`,
      ledgerUnreachable: 'Das Eingangsbuch ist nicht erreichbar.',
      ledgerUnreadable: 'Das Eingangsbuch ist nicht lesbar.',
      manyFiles: (folder, files) =>
        `${folder} enthält ${counted(files, 'Datei', 'Dateien')}, und alle würden gesendet. Fortfahren?`,
    },
    progress: {
      accepted: (n) => `${number(n)} angenommen`,
      waiting: (n) => (n === 0 ? 'nichts wartet' : `${number(n)} ${plural(n, 'wartet', 'warten')}`),
      held: (n) => `davon ${number(n)} zurückgehalten`,
      perMinute: (n) => `${number(n)}/min`,
      left: (ms) => `noch etwa ${duration(ms)}`,
      limited: (p) => limitWords(format, p),
      last: (name) => `zuletzt ${name}`,
    },
    once: {
      nothing: 'Nichts zu senden',
      accepted: (n) => `${number(n)} angenommen`,
      waiting: (n) => `${number(n)} ${plural(n, 'wartet', 'warten')}`,
      notSent: (n, summary) => `${number(n)} nicht gesendet (${summary})`,
      unreadable: (n) => counted(n, 'unlesbares Verzeichnis', 'unlesbare Verzeichnisse'),
      unlisted: (folder) => `${folder} lässt sich nicht durchsehen`,
      unreachable: 'der Dienst war nicht erreichbar',
      orphaned: (n) =>
        `${counted(n, 'Beleg wartet', 'Belege warten')} auf einen Endpunkt, den die Konfiguration nicht mehr hat. \`receiptd status\` sagt, was zu tun ist.`,
      earlier: (summary) =>
        `Aus früheren Läufen: ${summary}. \`receiptd list --needs-person\` zeigt alles, was zu klären ist.`,
    },
    dryRun: {
      columns: { would: 'GESCHÄHE', name: 'NAME', file: 'DATEI', why: 'WARUM' },
      sums: {
        send: 'zu senden',
        nothing: 'schon eingetragen',
        duplicate: 'gleich mit einem anderen Bild',
        reject: 'nicht zu senden',
        skip: 'zu überspringen',
        wait: 'abzuwarten',
      },
      queued: (n) =>
        `Außerdem würde${plural(n, '', 'n')} ${counted(n, 'wartender Beleg', 'wartende Belege')} gesendet.`,
      held: (n) =>
        `${counted(n, 'Beleg ist', 'Belege sind')} zurückgehalten; \`receiptd status\` sagt, warum.`,
      none: 'Keine Dateien',
      nothingDone: 'Gesendet und eingetragen wurde nichts.',
    },
    console: {
      removed: 'Das Passwort der Konsole ist entfernt.',
      none: 'Die Konsole hat kein Passwort.',
      set: 'Das Passwort der Konsole ist gesetzt. Wer mit dem alten angemeldet war, ist abgemeldet.',
      onDemand: (file) =>
        `Die Konsole ist erst nach \`receiptd console\` offen. Für eine Anmeldung ohne diesen Befehl geben Sie ihr in ${file} eine feste Adresse: console: { listen: "127.0.0.1:8471" }`,
      opening:
        'Der Browser sollte sich jetzt öffnen. Wenn nicht, öffnen Sie den Link innerhalb von fünf Minuten selbst.',
      notOpened: 'Es ließ sich kein Browser öffnen. Öffnen Sie den Link innerhalb von fünf Minuten selbst.',
      root: 'Browser sollten nicht als root laufen. Öffnen Sie den Link innerhalb von fünf Minuten selbst.',
      noDisplay: 'Hier gibt es keinen Bildschirm. Öffnen Sie den Link innerhalb von fünf Minuten selbst.',
      ssh: (command) =>
        `Öffnen Sie den Link innerhalb von fünf Minuten auf Ihrem eigenen Rechner. Erreicht dieser den hiesigen nicht, führen Sie dort zuerst aus: ${command}`,
      there: 'BENUTZER@DIESER-RECHNER',
      unused:
        'Der Link wurde fünf Minuten lang nicht geöffnet. Führen Sie dies noch einmal aus; Sie bekommen einen neuen.',
    },
    doctor: {
      failed: (failed, warned) =>
        `${counted(failed, 'Fehler', 'Fehler')} zu beheben, ${counted(warned, 'Warnung', 'Warnungen')}.`,
      warned: (n) => `receiptd arbeitet; ${counted(n, 'Warnung', 'Warnungen')}.`,
      allWell: 'Alles ist in Ordnung.',
      wouldContain: 'Die Datei enthielte:',
      wrote: (p) =>
        `Geschrieben: ${p.file}, ${p.isPrivate ? 'lesbar nur für Sie' : 'lesbar für alle, die den Ordner lesen können'}${p.withNames ? '; die Datei enthält Namen' : ''}. Darin:`,
    },
    alerts: {
      noChannel: 'Es wird nichts gemeldet: Unter `alerts` ist kein Weg eingerichtet.',
      sentBy: (channels, quietUntil) =>
        `Gemeldet wird über ${channels.join(', ')}.${quietUntil === null ? '' : ` Ruhezeit bis ${time(quietUntil)}.`}`,
      allWell: 'Alles ist in Ordnung.',
      since: (at) => `Seit ${time(at)}.`,
      over: (at) => `Vorbei seit ${time(at)}:`,
      began: (at) => `Begonnen hat es ${time(at)}.`,
      recovery: 'Kommt es nicht wieder, wird das Ende gemeldet.',
      sent: (at, by, notYet) =>
        `Gemeldet ${time(at)} über ${by.join(', ')}${notYet.length === 0 ? '' : `, noch nicht über ${notYet.join(', ')}`}.`,
      sending: (channels) => `Wird gemeldet (${channels.join(', ')}).`,
      untold: {
        quietHours: 'Noch nicht gemeldet: Ruhezeit.',
        soon: 'Noch nicht gemeldet: Die Meldung geht in wenigen Minuten mit anderen hinaus.',
        noChannel: 'Nicht gemeldet: Kein Weg kann die Meldung zustellen.',
        young: 'Noch nicht gemeldet: Vielleicht erledigt es sich bald (`alerts.after`).',
        failed: 'Nicht zugestellt: Alle Wege sind gescheitert.',
      },
      delivered: 'zugestellt',
      undelivered: (why) => `nicht zugestellt: ${why}`,
    },
    settings: {
      written: (keys: readonly string[], file: string) => `${keys.join(', ')} in ${file} geändert.`,
      unchanged: (file: string) => `${file} enthält diesen Wert schon.`,
      notRunning: 'Es läuft kein Agent; die Änderung gilt ab seinem nächsten Start.',
      missing: (path: string) =>
        `${path} gibt es noch nicht. receiptd überwacht den Ordner, sobald es ihn gibt.`,
      columns: { folder: 'ORDNER', endpoint: 'ENDPUNKT', existing: 'SCHON VORHANDENE DATEIEN' },
    },
    reload: {
      done: (file) => `${file} gilt jetzt.`,
      restart: (keys) => `Diese Änderungen brauchen einen Neustart: ${keys.join(', ')}.`,
    },
  };
}
