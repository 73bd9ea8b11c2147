import type { codesTexts as english } from '../en/codes.ts';
import type { ParamsOf } from '../facts.ts';
import type { Format } from '../format.ts';
import type { Needs } from '../needs.ts';

export function codesTexts(
  { counted, plural, number, bytes, duration, time, asWord, isTemporary }: Format,
  needs: Needs,
): ReturnType<typeof english> {
  const channels: Readonly<Partial<Record<string, string>>> = CHANNELS;
  return {
    channels: CHANNELS,
    codes: {
      CONFIG_NOT_FOUND: {
        what: 'Die Konfigurationsdatei fehlt',
        cure: 'Die bisherigen Einstellungen bleiben in Kraft. Legen Sie die Datei zurück, oder eine frühere Fassung aus config-history im Zustandsverzeichnis.',
      },
      CONFIG_UNREADABLE: {
        what: 'Die Konfigurationsdatei ist nicht lesbar',
        cure: 'Die bisherigen Einstellungen bleiben in Kraft. Geben Sie dem Benutzer, unter dem receiptd läuft, Leserechte.',
      },
      CONFIG_SYNTAX: {
        what: 'Die Konfigurationsdatei ist kein gültiges YAML',
        cure: 'Die bisherigen Einstellungen bleiben in Kraft. Berichtigen Sie die Datei; sie wird von selbst neu gelesen.',
      },
      CONFIG_INVALID: {
        what: 'Eine Einstellung ist nicht gültig',
        cure: 'Von der Änderung gilt nichts. Berichtigen Sie die Einstellung.',
      },
      TEMPLATE_INVALID: {
        what: 'Das Namensmuster ist nicht gültig',
        cure: 'Verwenden Sie die Teile in geschweiften Klammern, die unter dem Feld stehen.',
      },
      FOLDERS_NESTED: {
        what: 'Ein Ordner liegt in einem anderen',
        cure: 'Jede Datei würde doppelt gesendet. Überwachen Sie nur einen davon, bei Bedarf mit Unterordnern.',
      },
      ENDPOINT_UNKNOWN: {
        what: 'Diesen Endpunkt hat die Konfiguration nicht',
        cure: 'Wählen Sie einen, der unter Endpunkte steht, oder legen Sie ihn dort an.',
      },
      ENDPOINT_IS_EXAMPLE: {
        what: 'Der Endpunkt hat noch die Uid aus dem Beispiel',
        cure: 'Tragen Sie die Uid Ihres Endpunkts ein, oder legen Sie einen an.',
      },
      ACCOUNT_UNKNOWN: {
        what: 'Dieses Konto hat die Konfiguration nicht',
        cure: 'Wählen Sie ein anderes Konto für den Endpunkt, oder tragen Sie dieses in die Datei ein.',
      },
      HTTPS_REQUIRED: {
        what: 'Die Adresse des Dienstes muss mit https beginnen',
        cure: 'Geben Sie eine Adresse ein, die mit https beginnt. Sonst könnten andere im Netz die Zugangsdaten mitlesen.',
      },
      FOLDER_MISSING: {
        what: (p) => `${p?.folder ?? 'Der Ordner'} ist nicht da`,
        cure: (p): string =>
          `Legen Sie den Ordner an, binden Sie ihn ein, oder berichtigen Sie den Pfad.${p !== undefined && isTemporary(p.folder) ? ` ${OWN_TMP}` : ''} Danach wird er von selbst überwacht.`,
      },
      FOLDER_NOT_A_DIRECTORY: {
        what: (p) => `${p?.folder ?? 'Das'} ist kein Ordner`,
        cure: 'Tragen Sie den Ordner ein, in dem die Scans liegen.',
      },
      FOLDER_UNREADABLE: {
        what: (p) => `${p?.folder ?? 'Der Ordner'} ist nicht lesbar`,
        cure: 'Geben Sie dem Benutzer, unter dem receiptd läuft, das Recht, den Ordner zu lesen und zu öffnen und die Ordner darüber zu betreten. Danach wird er von selbst überwacht.',
      },
      FOLDER_UNWRITABLE: {
        what: (p) =>
          p === undefined
            ? 'In den Ordner kann nicht geschrieben werden'
            : `Originale in ${p.folder} lassen sich nicht ${p.isArchived ? 'archivieren' : 'löschen'} (${p.system})${p.file === null ? '' : `, etwa ${p.file}`}`,
        cure: (p) =>
          p === undefined
            ? 'Geben Sie dem Benutzer, unter dem receiptd läuft, Schreibrechte für den Ordner und sein Archiv, und prüfen Sie den Platz dort. Gesendet wird weiter, und es wird von selbst erneut versucht.'
            : `${unwritable(p)} Gesendet wird weiter, und es wird von selbst erneut versucht.`,
      },
      FILE_UNREADABLE: {
        what: (p) =>
          p === undefined
            ? 'Dateien sind nicht lesbar'
            : `${counted(p.count, 'Datei', 'Dateien')} in ${p.folder} ${plural(p.count, 'ist', 'sind')} nicht lesbar (${p.system}): ${some(p.files, p.count)}`,
        cure: 'Geben Sie dem Benutzer, unter dem receiptd läuft, Leserechte, oder schließen Sie das Programm, das sie geöffnet hat. Sie werden von selbst erneut versucht.',
      },
      FOLDER_UNREACHABLE: {
        what: (p) => `${p?.folder ?? 'Der Ordner'} ist nicht erreichbar oder nicht mehr derselbe`,
        cure: (p) =>
          `Nichts darin gilt als gelöscht, und die Überwachung geht weiter, sobald er wieder da ist. Prüfen Sie Server, Platte und Netz, und ob er eingebunden ist. Wurde er absichtlich geleert oder ersetzt, bestätigen Sie das mit \`receiptd resume ${p === undefined ? 'FOLDER' : asWord(p.folder)}\`.`,
      },
      FOLDER_UNLISTED: {
        what: (p) => `${p.folder} ist noch nicht vollständig durchgesehen`,
        cure: 'Nichts geht verloren. Bis dahin werden Scans vielleicht verspätet gesendet. Dauert das an, prüfen Sie die Platte oder die Freigabe, und wie viele Dateien im Ordner liegen.',
      },
      FOLDER_TAKEN: {
        what: (p) => `Ein anderer Agent auf diesem Rechner überwacht ${p?.folder ?? 'diesen Ordner'}`,
        cure: 'Beenden Sie einen der beiden, oder entfernen Sie den Ordner aus seiner Konfiguration. Der andere übernimmt ihn dann von selbst.',
      },
      FOLDER_TAKEN_OVER: {
        what: (p) =>
          p === undefined
            ? 'Der Ordner wurde von einem anderen Agenten übernommen; ältere Dateien darin wurden übergangen'
            : `${p.folder} wurde von einem anderen Agenten übernommen; ${counted(p.count, 'Datei', 'Dateien')} darin ${plural(p.count, 'wurde', 'wurden')} übergangen, weil der andere sie vielleicht gesendet hat`,
        cure: 'Vergleichen Sie `receiptd list --state skipped` mit dem, was der andere gesendet hat. Sollen diese Dateien trotzdem gesendet werden, ändern Sie beim Ordner, was mit den schon vorhandenen geschieht (`existing`), etwa auf die seit einem Tag geänderten. Diese Meldung bleibt, bis die Konfiguration sich ändert oder der Agent neu startet.',
      },
      FOLDER_TAKEN_ELSEWHERE: {
        what: (p) =>
          p === undefined
            ? 'Ein anderer Agent scheint denselben Ordner zu überwachen: Beide senden jeden Beleg'
            : `Ein anderer Agent scheint ${p.folder} zu überwachen, und beide senden jeden Beleg: Er hat ${counted(p.count, 'Beleg', 'Belege')} archiviert, die auch dieser Agent erfasst hat, zuletzt als ${p.archivedTo}`,
        cure: 'Lassen Sie nur einen Agenten den Ordner überwachen, oder beide Eingangsbuch und Ordner teilen. Hat jemand die Dateien ins Archiv verschoben, ist alles in Ordnung. Diese Meldung bleibt, bis die Konfiguration sich ändert oder der Agent neu startet.',
      },
      SUBFOLDERS_UNREADABLE: {
        what: (p) =>
          `${counted(p.count, 'Unterordner', 'Unterordner')} von ${p.folder} ${plural(p.count, 'ist', 'sind')} nicht lesbar (${p.system}), und Scans darin werden nicht gesendet: ${some(p.subfolders, p.count)}`,
        cure: (p): string =>
          p.isAway
            ? 'Prüfen Sie die Platte oder die Freigabe. Danach werden die Scans von selbst gesendet.'
            : 'Geben Sie dem Benutzer, unter dem receiptd läuft, Leserechte, oder schließen Sie die Unterordner mit `ignore` aus. Danach werden die Scans von selbst gesendet.',
      },
      SUBFOLDERS_UNWATCHED: {
        what: (p) =>
          `${counted(p.count, 'Unterordner', 'Unterordner')} von ${p.folder} ${plural(p.count, 'enthält', 'enthalten')} Bilder und ${plural(p.count, 'wird', 'werden')} nicht überwacht: ${some(p.subfolders, p.count)}`,
        cure: 'Sollen ihre Bilder gesendet werden, setzen Sie `recursive: true` für den Ordner. Enthalten sie keine neuen Scans, nehmen Sie sie in `ignore` auf.',
      },
      WATCH_LIMIT: {
        what: (p) =>
          p === undefined
            ? 'Das System lässt nicht mehr überwachte Ordner zu'
            : p.system === null
              ? `Der Pfad von ${p.folders.join(', ')} enthält einen umgekehrten Schrägstrich und lässt sich nicht überwachen`
              : `Das System lässt nicht mehr überwachte Verzeichnisse zu (${p.system}); nicht überwacht wird ein Teil von ${p.folders.length === 1 ? '' : `${counted(p.folders.length, 'Ordner', 'Ordnern')}: `}${p.folders.join(', ')}`,
        cure: (p): string =>
          p?.system === null
            ? 'Neue Dateien werden stattdessen in Abständen gesucht. Benennen Sie den Ordner um, damit sie sofort bemerkt werden.'
            : `Neue Dateien werden stattdessen in Abständen gesucht. Ein Administrator kann die Grenze anheben: ${p?.system === 'EMFILE' ? '`sysctl fs.inotify.max_user_instances=1024`' : '`sysctl fs.inotify.max_user_watches=524288`'}.`,
      },
      FOLDER_SILENT: {
        what: (p) =>
          p === undefined
            ? 'Es kommen keine Scans an'
            : `In ${p.folder} kommen keine Scans an: keiner seit ${time(p.last)}, das sind ${duration(p.minutes * 60_000)} seiner Arbeitszeit${p.pause === null ? '' : `; die längste Pause an einem gewöhnlichen Tag ist ${duration(p.pause * 60_000)}`}`,
        cure: 'Prüfen Sie den Scanner und das Netz zwischen ihm und dem Ordner. An einem Feiertag ist alles in Ordnung.',
      },
      FOLDERS_SILENT: {
        what: (p) =>
          p.folders.length === 0
            ? 'In keinem Ordner kommen Scans an'
            : `In ${number(p.count)} von ${counted(p.watched, 'Ordner', 'Ordnern')} kommen keine Scans an: ${some(p.folders, p.count)}`,
        cure: 'Prüfen Sie, was sie gemeinsam haben, etwa ein Netz, einen Server oder einen Scanner. An einem Feiertag ist alles in Ordnung.',
      },
      ATTENTION_UNWRITABLE: {
        what: (p) =>
          p === undefined
            ? 'Unerledigtes kann den Leuten am Scanner nicht gezeigt werden'
            : p.system === 'ENOTDIR' || p.system === 'ELOOP'
              ? `${p.place} ist kein Ordner oder nur über einen Link erreichbar; die Leute am Scanner sehen nicht, was nicht gesendet wurde`
              : `${p.place} ist nicht beschreibbar (${p.system}); die Leute am Scanner sehen nicht, was nicht gesendet wurde`,
        cure: (p) =>
          `${p?.system === 'EROFS' ? SERVICE : 'Geben Sie dem Benutzer, unter dem receiptd läuft, Schreibrechte, entfernen Sie einen Link dorthin, oder wählen Sie in `needsAttention` einen anderen Ordner.'} Alles andere läuft weiter.`,
      },
      STATE_UNWRITABLE: {
        what: 'Das Zustandsverzeichnis ist nicht beschreibbar',
        cure: 'Prüfen Sie Platz und Rechte. Bis dahin bleiben neue Scans in ihren Ordnern.',
      },
      LEDGER_MISSING: {
        what: 'Das Eingangsbuch fehlt',
        cure: 'Stellen Sie es auf dem Rechner, auf dem receiptd läuft, aus einer Sicherung wieder her.',
      },
      LEDGER_OLDER: {
        what: 'Das Eingangsbuch stammt von einer älteren Version',
        cure: 'Starten Sie receiptd neu: Es legt die Tabellen aus dem Journal neu an.',
      },
      LEDGER_NEWER: {
        what: 'Das Eingangsbuch stammt von einer neueren Version',
        cure: 'Aktualisieren Sie receiptd auf diesem Rechner.',
      },
      LEDGER_DAMAGED: {
        what: 'Das Eingangsbuch ist oder war beschädigt',
        cure: 'Prüfen Sie die Platte. Bleibt das so, starten Sie receiptd neu: Es baut das Eingangsbuch aus Sicherung und Journal wieder auf.',
      },
      LEDGER_WRITE_FAILED: {
        what: 'Im Eingangsbuch lässt sich nichts eintragen',
        cure: 'Bis das wieder geht, wird nichts gesendet. Prüfen Sie Platte oder Datenbank; es wird von selbst erneut versucht.',
      },
      DISK_FULL: {
        what: 'Die Platte ist voll',
        cure: 'Schaffen Sie Platz. Bis dahin wird nichts gesendet; danach geht es von selbst weiter.',
      },
      DISK_SLOW: {
        what: (p) =>
          p === undefined
            ? 'Die Platte ist sehr langsam'
            : p.answers
              ? `Die Platte von ${p.stateDir} braucht ${number(p.seconds)} Sekunden oder mehr für jeden Eintrag`
              : `Die Platte von ${p.stateDir} antwortet seit mehr als ${number(p.seconds)} Sekunden nicht`,
        cure: 'Nichts geht verloren, aber jeder Beleg wartet darauf. Prüfen Sie, was die Platte belastet und ob sie in Ordnung ist, oder verlegen Sie `stateDir` auf eine schnellere.',
      },
      LOG_UNWRITABLE: {
        what: (p) => `In ${p.dir} wird nichts protokolliert (${p.system})`,
        cure: 'Belege werden weiter gesendet. Schaffen Sie dort Platz, oder geben Sie dem Benutzer, unter dem receiptd läuft, Schreibrechte. Es wird jede Minute erneut versucht.',
      },
      LEDGER_UNREACHABLE: {
        what: 'Das gemeinsame Eingangsbuch ist nicht erreichbar',
        cure: 'Scans werden kopiert oder bleiben liegen und werden gesendet, sobald es wieder da ist. Prüfen Sie Datenbank und Netz.',
      },
      LEDGER_REFUSED: {
        what: 'Die Datenbank lehnt receiptd ab',
        cure: 'Prüfen Sie Benutzer, Passwort und Rechte bei der Datenbank.',
      },
      LEDGER_WENT_BACK: {
        what: 'Dem gemeinsamen Eingangsbuch fehlt, was schon eingetragen war',
        cure: 'Finden Sie heraus, welche Sicherung oder welcher Standby es ist. Die Agenten tragen wieder ein, was sie noch wissen.',
      },
      AGENT_NAME_TAKEN: {
        what: 'Ein anderer Agent hat denselben Namen',
        cure: 'Geben Sie jedem Agenten im Verbund einen eigenen Namen.',
      },
      AGENT_FENCED: {
        what: 'Ein anderer Agent hat die Arbeit von diesem übernommen',
        cure: 'Es geht von selbst weiter. Prüfen Sie Uhr und Netz dieses Rechners.',
      },
      AGENT_SILENT: {
        what: (p) =>
          p === undefined
            ? 'Ein Agent des Verbunds meldet sich nicht'
            : `Der Agent ${p.agent} auf dem Rechner ${p.host} meldet sich seit ${time(p.last)} nicht${p.count === 0 ? '' : `, und ${counted(p.count, 'Beleg wartet', 'Belege warten')} nur auf ihn`}`,
        cure: 'Prüfen Sie seinen Rechner und das Netz, und starten Sie den Agenten dort.',
      },
      BACKUP_FAILED: {
        what: 'Das Eingangsbuch konnte nicht gesichert werden',
        cure: 'Prüfen Sie Platz und Rechte im Zustandsverzeichnis. Es wird von selbst erneut versucht.',
      },
      JOURNAL_DAMAGED: {
        what: 'Das Journal des Eingangsbuchs ist beschädigt',
        cure: 'Prüfen Sie die Platte. Lassen Sie das Eingangsbuch vom Administrator des Rechners prüfen.',
      },
      SPOOL_FULL: {
        what: (p) =>
          p === undefined
            ? 'Für weitere Kopien von Bildern ist kein Platz'
            : `Für eine Kopie von ${bytes(p.size)} ist kein Platz mehr (${bytes(p.used)} von ${bytes(p.limit)} sind belegt)`,
        cure: 'Scans, die sich nicht sofort senden lassen, bleiben in ihren Ordnern. Beheben Sie, was das Senden aufhält, oder erhöhen Sie `storage.spoolLimit`.',
      },
      SPOOL_UNWRITABLE: {
        what: 'Kopien von Bildern lassen sich nicht schreiben',
        cure: (p): string =>
          p?.keepsScans === false
            ? 'Prüfen Sie Platz und Rechte im Zustandsverzeichnis. Neue Scans werden so lange ohne Kopie erfasst; einer, der vor dem Senden überschrieben wird, ist verloren.'
            : 'Prüfen Sie Platz und Rechte im Zustandsverzeichnis. Scans bleiben so lange in ihren Ordnern.',
      },
      BYTES_GONE: {
        what: 'Das Bild ist nicht mehr da',
        cure: 'Legen Sie die Datei in ihren Ordner zurück, oder scannen Sie den Beleg noch einmal.',
      },
      PERSON_NEEDED: {
        what: (p) =>
          `${counted(p.count, 'Scan', 'Scans')} ${p.folder === null ? 'anderer Agenten' : `aus ${p.folder}`} ${plural(p.count, 'ist', 'sind')} zu klären (${needs.summary(p.needs)})`,
        cure: (p) =>
          `\`receiptd list --needs-person\` zeigt ${plural(p.count, 'ihn', 'sie')}. ${needs.cures(p.needs)} Nichts zu tun? Verwenden Sie \`receiptd dismiss ${p.folder === null ? 'NAME' : `--all --folder ${asWord(p.folder)}`}\`.`,
      },
      UPLOADS_PAUSED: {
        what: (p) =>
          `Das Senden${p.target === null ? '' : ` ${p.scope === 'endpoint' ? 'an den Endpunkt' : 'aus'} ${p.target}`} ist pausiert${p.by === null ? '' : ` (von ${p.by})`}`,
        cure: (p) =>
          `Mit \`receiptd resume${p.target === null ? '' : ` ${asWord(p.target)}`}\` geht es weiter.`,
      },
      CREDENTIALS_MISSING: {
        what: (p) =>
          p?.account
            ? `Für das Konto ${p.account} gibt es keine Zugangsdaten`
            : 'Für den Dienst gibt es keine Zugangsdaten',
        cure: (p) =>
          `Führen Sie \`${login(p)}\` auf dem Rechner aus, auf dem receiptd läuft. Scans werden inzwischen erfasst.`,
      },
      CREDENTIALS_INSECURE: {
        what: 'Andere können eine Datei mit Geheimnissen lesen',
        cure: 'Lassen Sie nur ihren Besitzer sie lesen, und tauschen Sie das Geheimnis besser aus.',
      },
      CREDENTIALS_REFUSED: {
        what: (p) =>
          p?.account
            ? `Der Dienst nimmt die Zugangsdaten des Kontos ${p.account} nicht an`
            : 'Der Dienst nimmt die Zugangsdaten nicht an',
        cure: (p) => `Führen Sie \`${login(p)}\` auf dem Rechner aus, auf dem receiptd läuft.`,
      },
      KEYCHAIN_UNAVAILABLE: {
        what: 'Der Schlüsselbund des Systems antwortet nicht',
        cure: (p) =>
          `Reparieren Sie ihn, oder legen Sie die Zugangsdaten in einer Datei ab: \`${login(p)} --store file\`.`,
      },
      KEYCHAIN_LOCKED: {
        what: 'Der Schlüsselbund des Systems ist gesperrt',
        cure: (p) =>
          `Entsperren Sie ihn durch Anmelden am Desktop, oder legen Sie die Zugangsdaten in einer Datei ab: \`${login(p)} --store file\`.`,
      },
      SERVICE_UNREACHABLE: {
        what: (p) =>
          p === undefined
            ? 'Der Dienst ist nicht erreichbar'
            : `Der Dienst ${p.service} antwortet nicht richtig`,
        cure: 'Nichts geht verloren; es wird von selbst erneut versucht. Dauert das an, prüfen Sie das Netz und die Adresse des Dienstes.',
      },
      SERVICE_BUSY: {
        what: (p) =>
          `Der Dienst ${p.service} bittet ${p.agent === null ? '' : `den Agenten ${p.agent} `}um Aufschub`,
        cure: 'Nichts geht verloren; es wird von selbst weiter gesendet. Dauert das an, prüfen Sie den Dienst.',
      },
      ENDPOINT_BUSY: {
        what: (p) => `Der Dienst bittet, weniger an ${p.endpoint} zu senden`,
        cure: 'Nichts geht verloren; es wird von selbst weiter gesendet. Dauert das an, vergleichen Sie den Tarif mit der Zahl der Scans.',
      },
      ENDPOINT_HELD: {
        what: (p) => `An den Endpunkt ${p.endpoint} lässt sich nichts senden`,
        cure: 'Fragen Sie den Support des Dienstes, oder berichtigen Sie die Konfiguration, und versuchen Sie es dann erneut mit `receiptd retry --all`.',
      },
      ENDPOINT_GONE: {
        what: (p) =>
          `${counted(p.count, 'Beleg wartet', 'Belege warten')} auf den Endpunkt ${p.endpoint}, den die Konfiguration nicht mehr hat`,
        cure: (p): string =>
          p.tookSome
            ? `Tragen Sie den Endpunkt wieder unter \`endpoints\` ein, oder verschieben Sie die Belege zu einem anderen: \`receiptd move ${p.endpoint} ALIAS\`.`
            : `Er hat nie einen Beleg angenommen. War seine Uid ein Versehen, verschieben Sie die Belege zum richtigen: \`receiptd move ${p.endpoint} ALIAS\`.`,
      },
      SERVICE_ANSWER: {
        what: 'Was antwortet, ist nicht der Dienst',
        cure: 'Prüfen Sie die Adresse des Dienstes, und ob ein Proxy oder eine Anmeldeseite dazwischen liegt.',
      },
      NOT_RUNNING: {
        what: 'receiptd wird gerade beendet oder läuft nicht',
        cure: 'Versuchen Sie es gleich noch einmal.',
      },
      PORT_IN_USE: {
        what: 'Ein anderes Programm belegt den Port',
        cure: 'receiptd arbeitet ohne ihn weiter und versucht es wieder. Wählen Sie in der Konfigurationsdatei einen anderen Port.',
      },
      MONITORING_UNAVAILABLE: {
        what: 'Die Überwachung durch Maschinen ist nicht erreichbar',
        cure: 'Belege werden weiter gesendet. Berichtigen Sie ihre Adresse in der Konfigurationsdatei.',
      },
      CONSOLE_UNAVAILABLE: {
        what: 'Die Konsole ist unter ihrer eingestellten Adresse nicht erreichbar',
        cure: 'Belege werden weiter gesendet. Berichtigen Sie Adresse, Zertifikat oder Passwort auf dem Rechner, auf dem receiptd läuft.',
      },
      ALERT_UNDELIVERED: {
        what: (p) =>
          `Meldungen lassen sich ${p === undefined ? 'so' : `über ${channels[p.channel] ?? p.channel}`} nicht zustellen`,
        cure: 'Einen Tag lang wird es weiter versucht. Berichtigen Sie die Einstellungen, und senden Sie eine Probe mit `receiptd alerts test`.',
      },
      RESULTS_UNAVAILABLE: {
        what: 'Ergebnisse des Dienstes können nicht ankommen',
        cure: 'Belege werden weiter gesendet. Berichtigen Sie Adresse, Zertifikat oder Geheimnis des Empfängers.',
      },
      RESULTS_COMMAND_FAILED: {
        what: (p) =>
          p === undefined
            ? 'Das Programm für Ergebnisse schlägt fehl'
            : `Das Programm für Ergebnisse, ${p.program}, schlägt fehl`,
        cure: 'Nichts geht verloren: Es bekommt die Ergebnisse erneut, in ihrer Reihenfolge. Probieren Sie es von Hand aus, oder berichtigen Sie `results.command`.',
      },
    },
  };
}

/** Names of the alert channels. */
const CHANNELS = {
  desktop: 'Desktop',
  eventLog: 'Ereignisprotokoll',
  command: 'Programm',
  webhook: 'Webhook',
  email: 'Mail',
};

/** The command that stores new credentials. */
function login(params: { readonly account: string | null } | undefined): string {
  return `receiptd login${params?.account ? ` --account ${params.account}` : ''}`;
}

/** `count`: of them all. */
function some(names: readonly string[], count: number): string {
  return names.join(', ') + (count > names.length ? ', …' : '');
}

const SERVICE =
  'Läuft receiptd als Dienst, so darf der Dienst dort nicht schreiben: `sudo receiptd service install` passt ihn der Konfiguration an.';

const OWN_TMP =
  'Gibt es ihn und läuft receiptd als Dienst, so hat der Dienst ein eigenes temporäres Verzeichnis: `sudo receiptd service install` passt ihn der Konfiguration an.';

function unwritable({ system, isArchived, isAway }: ParamsOf<'FOLDER_UNWRITABLE'>): string {
  const place = isArchived ? 'des Archivs (`archiveTo`)' : 'des Ordners';
  if (isAway)
    return `Die Freigabe oder Platte ${place} antwortet nicht: Prüfen Sie das Netz und den Server, auf dem sie liegt.`;
  switch (system) {
    case 'ENOTDIR':
    case 'ELOOP':
      return 'Anstelle des Archivs liegt eine Datei oder ein Link: Entfernen Sie das, oder setzen Sie `archiveTo` auf einen anderen Ordner. Links in einem überwachten Ordner wird nicht gefolgt.';
    case 'ENOSPC':
      return `Schaffen Sie Platz auf der Platte ${place}.`;
    case 'EDQUOT':
      return `Der Benutzer, unter dem receiptd läuft, hat sein Kontingent auf der Platte ${place} verbraucht: Schaffen Sie dort Platz, oder heben Sie das Kontingent an.`;
    case 'EROFS':
      return `${SERVICE} Andernfalls binden Sie die Platte ${place} so ein, dass darauf geschrieben werden kann.`;
    default:
      return `Geben Sie dem Benutzer, unter dem receiptd läuft, Schreibrechte für den Ordner${isArchived ? ' und das Archiv (`archiveTo`)' : ''}.`;
  }
}
