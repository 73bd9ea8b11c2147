import type { Format } from '../../format.ts';
import type { InDatabase, ledgerErrors as english, RefusedDirectory } from '../../en/errors/ledger.ts';
import type { ArchiveFlaw, LedgerCure, Translated } from '../../facts.ts';
import { NOT_UTF8 } from './files.ts';
import { fileFlaw, journalFlawTexts } from '../ledgerFindings.ts';

const LEDGER_CURES: Readonly<Record<LedgerCure, string>> = {
  privileges:
    'Lassen Sie den Besitzer des Eingangsbuchs dieser Rolle ihre Rechte geben: `receiptd ledger prepare --role NAME`.',
  authority:
    'Geben Sie die Zertifizierungsstelle an, die sein Zertifikat unterschrieben hat: `ledger.ca` in der Konfiguration, oder --ca.',
  serverName:
    'Verwenden Sie den Servernamen aus seinem Zertifikat, oder besorgen Sie ein Zertifikat für diesen Namen.',
  encryption:
    'Ergänzen Sie seine Adresse um sslmode=verify-full, denn der Server verlangt eine verschlüsselte Verbindung.',
  password:
    'Berichtigen Sie das Passwort (`ledger.passwordFile`, --password-file) oder den Benutzer in der Adresse.',
  settings: 'Berichtigen Sie `ledger` in der Konfiguration, oder ändern Sie, was der Server erlaubt.',
};

const FILE_OR_KEY = 'Berichtigen Sie die Datei oder die Einstellung.';
const START_OVER = 'Beginnen Sie mit einer leeren Datenbank von vorn.';
const NOTHING_TAKEN = 'Es wurde nichts daraus entfernt.';
const WANTED = {
  upload: 'gesendet werden',
  postpone: 'zurückgestellt werden',
  lose: 'als verloren gelten',
  resend: 'noch einmal gesendet werden; das geht nur mit einem angenommenen Beleg',
} as const;

const AGAIN_ONCE_FIXED =
  'Einzelheiten zeigt `receiptd status`. Senden Sie die Datei noch einmal, sobald das behoben ist.';

const SPOOL_DOING = {
  use: 'verwenden',
  write: 'beschreiben',
  read: 'lesen',
  clear: 'aufräumen',
} as const;

export function whyRefused(p: RefusedDirectory): string {
  switch (p.kind) {
    case 'link':
      return `Es ist ein symbolischer Link auf ${p.target}, und in ${p.open} können alle schreiben`;
    case 'shared':
      return 'Es gehört zum System oder einer Person und wäre für alle anderen geschlossen';
    case 'foreign':
      return `Es enthält Dateien, die nicht von receiptd sind (${p.files.join(', ')}${p.more > 0 ? ` und ${p.more} weitere` : ''}), und wäre für alle anderen nicht mehr zugänglich`;
    case 'otherUser':
      return `Es gehört einem anderen Benutzer (${p.owner}) als dem, unter dem receiptd läuft (${p.self})`;
    case 'notInGroup':
      return `Der Benutzer, unter dem receiptd läuft, ist nicht in der Gruppe ${p.group} (control.group)`;
  }
}

export function cureRefused(p: RefusedDirectory): string {
  switch (p.kind) {
    case 'link':
      return 'Setzen Sie stateDir (oder RECEIPTD_STATE_DIR) auf ein Verzeichnis, das niemand sonst ersetzen kann.';
    case 'shared':
    case 'foreign':
      return `Setzen Sie stateDir (oder RECEIPTD_STATE_DIR) auf ein eigenes Verzeichnis, etwa ${p.better}.`;
    case 'otherUser':
      return `Führen Sie es als dieser Benutzer aus: ${p.command}.`;
    case 'notInGroup':
      return 'Bei einem Dienst führen Sie `receiptd service install` noch einmal aus, um die Gruppe hinzuzufügen. Andernfalls nehmen Sie den Benutzer in die Gruppe auf, und melden Sie sich neu an.';
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'keine Berechtigung',
  EPERM: 'keine Berechtigung',
  EROFS: 'Das Dateisystem ist schreibgeschützt',
  ENOSPC: 'Es ist kein Platz mehr',
  EDQUOT: 'Es ist kein Platz mehr',
  EEXIST: 'Es ist kein Verzeichnis',
  ENOENT: 'Es fehlt und ließ sich nicht anlegen',
  ENOTDIR: 'Es, oder ein Teil seines Pfads, ist kein Verzeichnis',
};

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES:
    'Geben Sie dem Benutzer, unter dem receiptd läuft, Schreibrechte, oder führen Sie dies als Besitzer aus.',
  EPERM:
    'Geben Sie dem Benutzer, unter dem receiptd läuft, Schreibrechte, oder führen Sie dies als Besitzer aus.',
  EROFS: 'Reparieren Sie die Platte, oder hängen Sie sie beschreibbar wieder ein.',
  ENOSPC: 'Schaffen Sie Platz auf der Platte.',
  EDQUOT: 'Schaffen Sie Platz auf der Platte.',
};

export function databaseAt({ database, hosts }: InDatabase): string {
  return `die Datenbank ${database} auf ${hosts.join(', ')}`;
}

export function movedWords(p: { at: string | null; file: string; isCopy: boolean }): string {
  const from = `${p.at ?? 'zu unbekannter Zeit'}${p.file === '' ? '' : `, in ${p.file}`}`;
  return p.isCopy
    ? `Das ist eine Kopie zum Ansehen (wiederhergestellt ${from}). Der Agent läuft anderswo.`
    : `Das Eingangsbuch ist auf einen anderen Rechner umgezogen (${from}), und receiptd läuft dort.`;
}

const REACHABLE = 'Sorgen Sie dafür, dass die Datenbank läuft und von hier erreichbar ist.';

const LOST: Readonly<Record<string, string>> = {
  closed: 'die Verbindung wurde geschlossen',
  closing: 'es wird gerade geschlossen',
  lost: 'die Verbindung ist abgebrochen',
  leaseOver: 'die Frist dieses Agenten ist abgelaufen',
  tablesAnew: 'die Tabellen werden gerade neu angelegt',
};

export function ledgerErrors(format: Format): Translated<ReturnType<typeof english>> {
  const { counted, ended, plural, phrase } = format;
  const flaws = journalFlawTexts(format);
  return {
    'STATE_UNWRITABLE.closed': (p) => [
      `Das Zustandsverzeichnis ${p.stateDir} war nicht mehr zugänglich (${p.system}); deshalb hat sich der Agent beendet.`,
      'Geben Sie es dem Benutzer zurück, unter dem receiptd läuft, oder reparieren Sie seine Platte, und starten Sie den Agenten dann wieder. Nichts Eingetragenes geht verloren.',
    ],
    'STATE_UNWRITABLE.replaced': (p) => [
      `Das Zustandsverzeichnis ${p.stateDir} oder das Eingangsbuch darin wurde entfernt oder ersetzt, während der Agent lief; deshalb hat er sich beendet.`,
      'Legen Sie es zurück, und starten Sie den Agenten dann wieder. Ein fehlendes Eingangsbuch wird aus seinem Journal wieder aufgebaut.',
    ],
    'STATE_UNWRITABLE.deferred': (p) => [
      `${p.path} lässt sich nicht ${p.isWriting ? 'schreiben' : 'öffnen'} (${p.system}).`,
      'Prüfen Sie Platz und Rechte im Zustandsverzeichnis.',
    ],
    'STATE_UNWRITABLE.notRemovable': (p) => [
      `${p.path} lässt sich nicht entfernen: ${p.detail}.`,
      'Prüfen Sie die Rechte des Verzeichnisses.',
    ],
    'STATE_UNWRITABLE.ledgerNotCreated': (p) => [
      `Das Eingangsbuch ${p.path} lässt sich nicht anlegen: ${p.detail}.`,
      'Prüfen Sie, ob es sein Verzeichnis gibt, ob es beschreibbar ist und ob dort Platz ist.',
    ],
    'STATE_UNWRITABLE.ledger': (p) => [
      `Das Eingangsbuch ${p.path} lässt sich nicht öffnen: ${p.detail}.`,
      'Prüfen Sie die Platte und die Rechte der Datei und ihres Verzeichnisses.',
    ],
    'STATE_UNWRITABLE.journal': (p) => [
      `Das Journal ${p.path} lässt sich nicht öffnen: ${p.detail}.`,
      'Prüfen Sie die Platte und die Rechte der Datei und ihres Verzeichnisses.',
    ],
    'STATE_UNWRITABLE.instanceUnusable': (p) => [
      `Die Datei ${p.file} ist nicht zu gebrauchen (${p.detail}).`,
      'Prüfen Sie die Rechte des Zustandsverzeichnisses.',
    ],
    'STATE_UNWRITABLE.noInstance': (p) => [
      `Die Datei ${p.file} enthält keine Kennung eines Agenten.`,
      'Entfernen Sie sie. receiptd legt beim nächsten Start eine neue an.',
    ],
    'STATE_UNWRITABLE.refused': (p) => [
      `Das Zustandsverzeichnis ${p.stateDir} ist nicht verwendbar: ${whyRefused(p.refused)}.`,
      cureRefused(p.refused),
    ],
    'STATE_UNWRITABLE.unusable': (p) => [
      `Das Zustandsverzeichnis ${p.stateDir} ist nicht verwendbar: ${REASONS[p.system ?? ''] ?? p.detail}.`,
      p.mayHoldLedger
        ? `${REMEDIES[p.system ?? ''] ?? 'Prüfen Sie die Platte.'} Lassen Sie stateDir, wie es ist: Mit einem neuen, leeren Eingangsbuch würde alles in den Ordnern noch einmal gesendet.`
        : 'Setzen Sie stateDir (oder RECEIPTD_STATE_DIR) auf ein lokales Verzeichnis, in das der Benutzer schreiben darf, unter dem receiptd läuft.',
    ],
    'ALREADY_RUNNING.practice': (p) => [
      `receiptd läuft noch im Übungsmodus, mit dem Zustandsverzeichnis ${p.stateDir}.`,
      'Beenden Sie es zuerst, und führen Sie dies dann noch einmal aus.',
    ],
    'ALREADY_RUNNING.unasked': (p) => [
      `receiptd läuft schon${p.pid === null ? '' : ` (Prozess ${p.pid})`} mit dem Zustandsverzeichnis ${p.stateDir}, lässt sich aber nicht fragen: Unter ${p.socketPath} antwortet nichts.`,
      'Es startet oder endet gerade, führt einen einzelnen Befehl aus, oder etwas hat diesen Socket entfernt, den der Agent binnen Sekunden neu anlegt. Versuchen Sie es noch einmal.',
    ],
    'ALREADY_RUNNING.here': (p) => [
      `receiptd läuft schon${p.pid === null ? '' : ` (Prozess ${p.pid})`}, mit dem Zustandsverzeichnis ${p.stateDir}.`,
      'Beenden Sie es zuerst, oder verwenden Sie für dieses ein anderes stateDir.',
    ],
    STATE_MOVED: (p) => [
      `${p.stateDir} ist geschlossen. ${movedWords(p)}`,
      'Zwei Agenten würden beide senden, was wartet. Läuft dort kein Agent, öffnen Sie diesen Rechner wieder mit `receiptd backup --reopen`.',
    ],
    'STATE_MOVED.otherPc': (p) => [
      p.host === null
        ? 'Wurde der alte PC mit --final abgeschlossen, öffnen Sie ihn wieder, indem Sie dort `receiptd backup --reopen` ausführen.'
        : `${p.host} bleibt abgeschlossen. Um ihn wieder zu öffnen, führen Sie dort \`receiptd backup --reopen\` aus.`,
    ],
    'ARCHIVE_REFUSED.file': (p) => [
      `${p.file} ist nicht verwendbar: ${archiveFlaw(p)}.`,
      'Es wurde nichts wiederhergestellt. Kopieren Sie die Datei noch einmal, oder erstellen Sie mit `receiptd backup` eine neue.',
    ],
    'ARCHIVE_REFUSED.ledger': (p) => [
      `${p.file} ist nicht verwendbar: Das Eingangsbuch darin ${p.damage === null ? 'endet beim falschen Eintrag' : `ist beschädigt: ${p.damage}`}.`,
      'Es wurde nichts wiederhergestellt. Erstellen Sie mit `receiptd backup` eine neue Sicherung.',
    ],
    'LEDGER_EXISTS.newer': (p) => [
      `Das Eingangsbuch in ${p.stateDir} hat ${counted(p.entries, 'Eintrag, den', 'Einträge, die')} ${p.file} nicht enthält: ${p.accepted === 0 ? `${plural(p.entries, 'Er ginge', 'Sie gingen')} verloren` : `${counted(p.accepted, 'seither angenommener Beleg würde', 'seither angenommene Belege würden')} noch einmal gesendet, soweit in einem überwachten Ordner vorhanden`}.`,
      'Beide gehen vom selben Stand aus. Um die Sicherung trotzdem zu verwenden, geben Sie --older an.',
    ],
    'LEDGER_EXISTS.other': (p) => [
      `In ${p.stateDir} liegt schon ein anderes Eingangsbuch: ${p.ledger}.${p.accepted === 0 ? '' : ` Ohne dieses ${plural(p.accepted, 'würde', 'würden')} ${counted(p.accepted, 'angenommener Beleg', 'angenommene Belege')} noch einmal gesendet, soweit in einem überwachten Ordner vorhanden.`}`,
      'Um stattdessen die Sicherung zu verwenden und dieses Eingangsbuch beiseitezulegen, geben Sie --replace an. Um die Sicherung anzusehen, ohne etwas zu ändern, geben Sie --beside FOLDER an.',
    ],
    'LEDGER_EXISTS.notShared': (p) => [
      `${p.path} ist ein eigenes Eingangsbuch, dessen Inhalt nicht im gemeinsamen steht.`,
      'Übernehmen Sie den Inhalt mit `receiptd ledger migrate`. Brauchen Sie ihn nicht, legen Sie die Datei und ihr Journal an einen anderen Ort.',
    ],
    'LEDGER_MISSING.noJournal': [
      'Das Eingangsbuch hat noch kein Journal.',
      'Starten Sie `receiptd run` einmal.',
    ],
    'LEDGER_MISSING.journalThere': (p) => [
      `Das Eingangsbuch ${p.path} ist weg, aber sein Journal ist noch da.`,
      'Starten Sie den Agenten: Er baut das Eingangsbuch aus dem Journal wieder auf. Nichts Eingetragenes geht verloren.',
    ],
    'LEDGER_MISSING.notInStateDir': (p) => [
      `In ${p.stateDir} ist kein Eingangsbuch.`,
      'Liegt das Eingangsbuch woanders, setzen Sie stateDir oder RECEIPTD_STATE_DIR; andernfalls führen Sie `receiptd run` einmal aus.',
    ],
    'LEDGER_MISSING.inDatabase': (p) => [
      `${p.where} hat noch kein Eingangsbuch.`,
      'Starten Sie receiptd einmal, oder führen Sie `receiptd ledger prepare` aus.',
    ],
    'LEDGER_MISSING.file': (p) => [
      `Unter ${p.path} liegt kein Eingangsbuch.`,
      'Prüfen Sie das Zustandsverzeichnis in der Konfiguration. `receiptd run` legt das Eingangsbuch an.',
    ],
    'LEDGER_OLDER.inDatabase': (p) => [
      `Das Eingangsbuch auf ${p.where} hat eine ältere Version oder ist noch nicht vorbereitet.`,
      'Führen Sie `receiptd ledger prepare` mit einer Rolle aus, der das Schema gehört.',
    ],
    'LEDGER_OLDER.file': (p) => [
      `Das Eingangsbuch ${p.path} hat Version ${p.version} eines älteren receiptd; dieses verwendet Version ${p.latest}.`,
      'Starten Sie den Agenten einmal. Er legt die Tabellen aus dem Journal neu an.',
    ],
    'LEDGER_OLDER.format': (p) => [
      `${p.path} stammt von einem receiptd aus der Zeit vor der ersten Version, dessen Format dieses nicht lesen kann.`,
      'Halten Sie receiptd an, nehmen Sie `ledger.db`, `ledger.journal` und `backups` aus dem Zustandsverzeichnis, und starten Sie es wieder. Es wurde nichts geändert.',
    ],
    'LEDGER_NEWER.backup': (p) => [
      `${p.file} stammt von einer neueren Version von receiptd (${p.version}).`,
      'Installieren Sie zuerst diese Version hier.',
    ],
    'LEDGER_NEWER.inDatabase': (p) => [
      `Das Eingangsbuch auf ${p.where} hat Version ${p.version}; dieses receiptd kennt Version ${p.known}.`,
      'Installieren Sie dieselbe Version von receiptd wie bei den anderen Agenten.',
    ],
    'LEDGER_NEWER.file': (p) => [
      `Das Eingangsbuch ${p.path} hat Version ${p.version}, aber dieses receiptd kennt nur die Versionen bis ${p.latest}.`,
      'Installieren Sie das neuere receiptd, das es geschrieben hat, oder stellen Sie das Eingangsbuch von vor der Aktualisierung wieder her (docs/upgrading.md).',
    ],
    'LEDGER_DAMAGED.unfit': (p) => [
      `Das Eingangsbuch ${p.path} ist nicht zu gebrauchen: ${ended(fileFlaw(p.detail))}`,
    ],
    'LEDGER_DAMAGED.file': (p) => [
      `Das Eingangsbuch ${p.path} ist beschädigt: ${fileFlaw(p.detail)}.`,
      'Starten Sie receiptd neu. Es legt Beschädigtes beiseite und baut es aus dem Übrigen wieder auf.',
    ],
    'LEDGER_DAMAGED.inUse': (p) => [
      `Das Eingangsbuch ${p.path} ist beschädigt: ${fileFlaw(p.detail)}.`,
      p.isMendedNext
        ? 'receiptd beendet sich, und sein Dienstmanager startet es neu; ohne einen starten Sie es selbst. Es legt Beschädigtes dann beiseite und baut es aus dem Übrigen wieder auf. Prüfen Sie die Platte.'
        : 'Starten Sie receiptd neu. Es legt Beschädigtes beiseite und baut es aus dem Übrigen wieder auf. Prüfen Sie dann die Platte.',
    ],
    'LEDGER_WRITE_FAILED.database': (p) => [
      `Das Eingangsbuch auf ${p.where} ist gestört: ${p.detail}.`,
      REACHABLE,
    ],
    'LEDGER_WRITE_FAILED.sharedClosed': (p) => [`Das Eingangsbuch auf ${p.where} ist geschlossen.`],
    'LEDGER_WRITE_FAILED.notRewritten': (p) => [
      `Die Löschung ist eingetragen, aber das Eingangsbuch ${p.path} lässt sich nicht neu schreiben und enthält die alten Daten noch.`,
      'Beenden Sie andere Programme, die es lesen, und sorgen Sie auf seiner Platte für Platz für eine Kopie. Führen Sie dann denselben Befehl noch einmal aus.',
    ],
    'LEDGER_WRITE_FAILED.file': (p) => [
      `Das Eingangsbuch ${p.path} lässt sich nicht ${p.isWriting ? 'beschreiben' : 'lesen'}: ${p.detail}.`,
      'Prüfen Sie die Platte und die Rechte des Zustandsverzeichnisses. Danach macht der Agent von selbst weiter.',
    ],
    'LEDGER_WRITE_FAILED.notOpen': (p) => [
      `Das Eingangsbuch ${p.path} ist ${p.isClosed ? 'geschlossen' : 'nur zum Lesen geöffnet'}.`,
    ],
    'LEDGER_WRITE_FAILED.threadEnded': (p) => [
      `Das Eingangsbuch ${p.path} lässt sich nicht beschreiben, weil sein Thread geendet hat${p.detail === '' ? '.' : `: ${ended(p.detail)}`}`,
      `receiptd beendet sich, und sein Dienstmanager startet es neu; ohne einen starten Sie es selbst. Nichts Eingetragenes geht verloren. Geschieht es noch einmal, ${/memory/i.test(p.detail) ? 'finden Sie heraus, was den Arbeitsspeicher dieses Rechners belegt' : 'melden Sie es'}.`,
    ],
    'LEDGER_WRITE_FAILED.notChecked': (p) => [
      `Das Eingangsbuch ${p.path} konnte nicht geprüft werden.`,
      'Es wird später noch einmal geprüft.',
    ],
    'DISK_FULL.noBackup': [
      'Es wurde nicht gesichert: Die Platte des Zustandsverzeichnisses ist voll.',
      'Schaffen Sie dort Platz, oder schreiben Sie die Sicherung mit `receiptd backup FILE` auf eine andere Platte.',
    ],
    'DISK_FULL.deferred': (p) => [
      `Die Platte ist voll: ${p.path} lässt sich nicht ${p.isWriting ? 'schreiben' : 'öffnen'} (${p.system}).`,
      'Schaffen Sie Platz auf der Platte des Zustandsverzeichnisses.',
    ],
    'DISK_FULL.restore': (p) => [
      `${p.file} braucht ${p.needed} auf der Platte von ${p.dir}, aber nur ${p.free} sind frei.`,
      'Schaffen Sie dort Platz, oder setzen Sie ein anderes stateDir. Es wurde nichts wiederhergestellt.',
    ],
    'DISK_FULL.unpack': (p) => [
      `Zum Entpacken von ${p.file} ist kein Platz mehr.`,
      'Schaffen Sie Platz, und stellen Sie noch einmal wieder her. Es wurde nichts wiederhergestellt.',
    ],
    'DISK_FULL.ofLedger': (p) => [
      `Die Platte des Eingangsbuchs ${p.path} ist voll: ${p.detail}.`,
      'Schaffen Sie dort Platz. Bis dahin wird nichts Neues gesendet; danach macht der Agent von selbst weiter.',
    ],
    'DISK_FULL.reserve': (p) => [
      `Die Platte des Eingangsbuchs ${p.path} ist voll: ${p.detail}.`,
      `Löschen oder verschieben Sie Dateien, bis dort ${p.wanted} frei sind. Bis dahin wird nichts Neues gesendet; danach macht der Agent von selbst weiter.`,
    ],
    'LEDGER_SHARED.nothingToBackUp': [
      'Dieses receiptd hat kein eigenes Eingangsbuch zu sichern: Das Eingangsbuch ist in PostgreSQL.',
      'Sichern Sie die Datenbank mit ihren eigenen Werkzeugen, etwa pg_dump. Um auf einen anderen Rechner umzuziehen, lassen Sie diesen Agenten senden, was wartet, und beenden Sie ihn. Starten Sie dann dort einen Agenten mit denselben Werten für `ledger.url` und `ledger.agent`.',
    ],
    'LEDGER_SHARED.noRestore': (p) => [
      `${p.file} lässt sich nicht wiederherstellen: Das Eingangsbuch ist in PostgreSQL.`,
      'Stellen Sie die Datenbank mit ihren eigenen Werkzeugen wieder her. Um die Sicherung auf diesem Rechner allein zu verwenden, setzen Sie `ledger.kind: sqlite`; `receiptd ledger migrate` kann sie später in das gemeinsame Eingangsbuch übernehmen.',
    ],
    'LEDGER_UNREACHABLE.noHost': (p) => [`Das Eingangsbuch auf ${p.where} hat keinen Rechner.`, REACHABLE],
    'LEDGER_UNREACHABLE.incompleteAnswer': (p) => [
      `${p.where} hat nicht vollständig geantwortet.`,
      REACHABLE,
    ],
    'LEDGER_UNREACHABLE.readOnlyServer': (p) => [
      `${p.where} nimmt keine Änderungen an, weil es einem anderen Server folgt.`,
      REACHABLE,
    ],
    'LEDGER_UNREACHABLE.connection': (p) => [
      `Das Eingangsbuch auf ${p.where} ist nicht erreichbar: ${LOST[p.detail] ?? p.detail}.`,
      REACHABLE,
    ],
    'LEDGER_UNREACHABLE.notYet': (p) => [
      `Das Eingangsbuch auf ${p.where} wurde noch nicht erreicht.`,
      REACHABLE,
    ],
    'LEDGER_UNREACHABLE.lost': (p) => [
      `Das Eingangsbuch auf ${p.where} war nicht mehr erreichbar, bevor das eingetragen war.`,
      REACHABLE,
    ],
    'LEDGER_REFUSED.connection': (p) => [
      `Das Eingangsbuch auf ${p.where} ist nicht zu gebrauchen: ${p.detail ?? 'der Server verlangt ein Passwort, und es wurde keines angegeben'}.`,
      LEDGER_CURES[p.cure],
    ],
    'LEDGER_REFUSED.historyNotOwned': (p) => [
      `Der Verlauf unter ${p.where} lässt sich nicht archivieren, weil er nicht dieser Rolle gehört.`,
      'Verwenden Sie die Rolle, die das Eingangsbuch vorbereitet hat.',
    ],
    'LEDGER_REFUSED.historyArchived': (p) => [
      `Das Eingangsbuch bei ${p.where} ist nicht zu gebrauchen: Seine Tabellen müssten aus den Einträgen neu entstehen, deren Anfang archiviert wurde.`,
      'Stellen Sie die Datenbank aus ihrer letzten Sicherung wieder her. Wurde receiptd gerade aktualisiert, installieren Sie stattdessen die vorige Version.',
    ],
    'LEDGER_REFUSED.notFile': (p) => [`${p.setting}: ${p.file} ist keine gewöhnliche Datei.`, FILE_OR_KEY],
    'LEDGER_REFUSED.notText': (p) => [`${p.setting}: ${p.file} ist ${NOT_UTF8[p.encoding]}.`, FILE_OR_KEY],
    'LEDGER_REFUSED.emptyFile': (p) => [`${p.setting}: Die erste Zeile von ${p.file} ist leer.`, FILE_OR_KEY],
    'LEDGER_REFUSED.noCertificate': (p) => [
      `${p.setting}: ${p.file} enthält kein Zertifikat im PEM-Format.`,
      FILE_OR_KEY,
    ],
    'LEDGER_REFUSED.pooler': (p) => [
      `Das Eingangsbuch auf ${p.where} ist nicht zu gebrauchen: Ein Pooler dazwischen gibt jeder Transaktion eine andere Sitzung.`,
      'Lassen Sie ihn Sitzungen verteilen (PgBouncer: pool_mode = session), oder nennen Sie in ledger.url den Server selbst.',
    ],
    'LEDGER_REFUSED.notOwnerToPrepare': (p) => [
      `Das Eingangsbuch auf ${p.where} lässt sich nicht vorbereiten, weil es dieser Rolle nicht gehört.`,
      'Führen Sie `receiptd ledger prepare` mit der Rolle aus, die das Schema angelegt hat, oder als Superuser.',
    ],
    AGENT_NAME_TAKEN: (p) => [
      `Ein Agent namens ${p.agent} verwendet dieses Eingangsbuch schon, auf dem Rechner ${p.host}.`,
      'Geben Sie diesem Agenten einen anderen Namen (ledger.agent).',
    ],
    'AGENT_RENAMED.inLedger': (p) => [
      `Dieser Agent hieß im Eingangsbuch bisher ${p.former} und heißt jetzt ${p.agent}. Was unter dem alten Namen wartet, würde niemand senden.`,
      `Setzen Sie ledger.agent auf ${p.former}.`,
    ],
    'AGENT_RENAMED.sinceMove': (p) => [
      `Das Eingangsbuch dieses Rechners ist als das des Agenten ${p.moved} umgezogen, nicht als das von ${p.agent}.`,
      `Setzen Sie ledger.agent: ${p.moved}.`,
    ],
    AGENT_FENCED: (p) => [
      `Die Frist des Agenten ${p.agent} ist abgelaufen, und andere Agenten haben seine Arbeit übernommen.`,
    ],
    AGENT_UNKNOWN: (p) => [
      `Es gibt keinen Agenten namens ${p.agent}.`,
      'Verwenden Sie einen Namen aus `receiptd fleet status`.',
    ],
    'ROLE_UNFIT.missing': (p) => [
      `Die Datenbank hat keine Rolle ${p.role}.`,
      `Legen Sie sie zuerst an, in psql: CREATE ROLE ${p.quoted} LOGIN PASSWORD …`,
    ],
    'ROLE_UNFIT.ownsLedger': (p) => [
      `Der Rolle ${p.role} gehört das Eingangsbuch; sie könnte alles darin ändern.`,
      'Verwenden Sie für die Agenten eine andere Rolle, und diese nur für `receiptd ledger prepare`.',
    ],
    LEDGER_MOVED: (p) => [
      `Das Eingangsbuch in ${p.stateDir} ist nach ${p.where ?? 'einer unbekannten Datenbank'} umgezogen. Dort ist dieser Rechner der Agent ${p.agent}.`,
      p.isComplete
        ? `Setzen Sie ledger.kind: postgres, und ledger.agent: ${p.agent}.`
        : 'Führen Sie `receiptd ledger migrate` noch einmal aus, um den Umzug abzuschließen.',
    ],
    'MOVE_REFUSED.madeAnew': [
      'Der Umzug dieses Eingangsbuchs lässt sich nicht fortsetzen: Es wurde inzwischen wiederhergestellt oder neu angelegt.',
      START_OVER,
    ],
    'MOVE_REFUSED.agentStarted': (p) => [
      `Ein Agent namens ${p.agent} verwendet inzwischen das gemeinsame Eingangsbuch.`,
      'Beenden Sie ihn: Der Name gehört zu dem Eingangsbuch, das umzieht.',
    ],
    'MOVE_REFUSED.agentNameTaken': (p) => [
      `Ein Agent namens ${p.agent} verwendet das gemeinsame Eingangsbuch schon.`,
      'Geben Sie diesem Rechner einen anderen Namen, mit --agent NAME und ledger.agent in seiner Konfiguration.',
    ],
    'MOVE_REFUSED.underWay': [
      'Ein anderes `receiptd ledger migrate` zieht dieses Eingangsbuch gerade um.',
      'Warten Sie, bis es fertig ist.',
    ],
    'MOVE_REFUSED.asAnotherAgent': (p) => [
      `Dieses Eingangsbuch zieht schon als das des Agenten ${p.agent} um.`,
      `Verwenden Sie --agent ${p.agent}.`,
    ],
    MOVE_DIFFERS: (p) => [
      `${p.count} ${plural(p.count, 'Zeile des gemeinsamen Eingangsbuchs stimmt', 'Zeilen des gemeinsamen Eingangsbuchs stimmen')} nicht mit dem umgezogenen überein: ${p.findings.map(({ detail }) => detail).join(' ')}`,
      'Das alte Eingangsbuch wird weiter verwendet. Stellen Sie fest, was sonst noch in die Datenbank schreibt, und ziehen Sie es dann noch einmal in eine leere um.',
    ],
    'HISTORY_KEPT.changed': (p) => [
      `Die Einträge von ${p.month} bleiben in der Datenbank: Ein Eintrag wurde gelöscht oder ergänzt, während geschrieben wurde.`,
      `${NOTHING_TAKEN} Versuchen Sie es noch einmal.`,
    ],
    'HISTORY_KEPT.otherFile': (p) => [
      `Die Einträge von ${p.month} bleiben in der Datenbank: ${p.file} gibt es schon, mit anderem Inhalt.`,
      `${NOTHING_TAKEN} Wählen Sie ein anderes Verzeichnis.`,
    ],
    'HISTORY_KEPT.unsound': (p) => [
      `Die Einträge von ${p.month} bleiben in der Datenbank: Die Kette des Agenten ${p.agent} ist hinter Eintrag ${p.entry} nicht in Ordnung: ${phrase(flaws, p.flaw)}.`,
      NOTHING_TAKEN,
    ],
    'HISTORY_KEPT.incomplete': (p) => [
      `Die Einträge von ${p.month} bleiben in der Datenbank: ${p.file} enthält ${p.lines} von ${p.count} Einträgen.`,
      NOTHING_TAKEN,
    ],
    'BACKUP_FAILED.unsound': (p) => [
      `Die Sicherung ${p.file} wurde geschrieben, hat aber die Prüfung nicht bestanden: ${p.isOther ? 'Sie enthält eine andere Sicherung.' : p.detail}`,
      'Die Sicherung wurde entfernt, und nichts wurde abgeschlossen. Verwenden Sie eine andere Platte.',
    ],
    'BACKUP_FAILED.shared': (p) => [
      `Das Eingangsbuch ist ein gemeinsames, auf ${p.where}; receiptd sichert es nicht.`,
      'Sichern Sie die Datenbank selbst, mit pg_dump oder mit pg_basebackup und archivierten WAL.',
    ],
    'BACKUP_FAILED.unwritable': (p) => [
      `Die Sicherung ${p.file} lässt sich nicht schreiben: ${ended(p.detail)}`,
      'Prüfen Sie den Pfad, seine Rechte und den Platz auf seiner Platte.',
    ],
    'BACKUP_FAILED.notValid': (p) => [
      `${p.path} ist keine gültige Sicherung: ${ended(fileFlaw(p.detail))}`,
      'Wählen Sie eine andere, oder legen Sie mit `receiptd backup` eine an.',
    ],
    'JOURNAL_DAMAGED.behind': (p) => [
      `Dem Journal ${p.journal} fehlen die neuesten Einträge des Eingangsbuchs.`,
      'Starten Sie receiptd einmal, um es zu reparieren. Einzelheiten zeigt `receiptd ledger verify`.',
    ],
    'JOURNAL_DAMAGED.notBackedUp': (p) => [
      `Das Journal ${p.journal} ist beschädigt, sodass sich eine Sicherung nicht zurückspielen ließe.`,
      'Starten Sie receiptd neu, das es repariert, und versuchen Sie es dann noch einmal. Einzelheiten zeigt `receiptd ledger verify`.',
    ],
    'JOURNAL_DAMAGED.entry': (p) => [
      `Das Journal ${p.path} ist ${p.entry === null ? 'beim letzten Eintrag' : `bei Eintrag ${p.entry}`} beschädigt: ${phrase(flaws, p.flaw)}.`,
      'Bewahren Sie die Datei auf. Einzelheiten zeigt `receiptd ledger verify`.',
    ],
    'SPOOL_FULL.notAccepted': [
      'Die Datei wurde nicht angenommen, weil sich keine Kopie aufbewahren lässt: Der Spool ist voll.',
      AGAIN_ONCE_FIXED,
    ],
    'SPOOL_UNWRITABLE.notAccepted': [
      'Die Datei wurde nicht angenommen, weil sich keine Kopie aufbewahren lässt: Die Platte ist gestört.',
      AGAIN_ONCE_FIXED,
    ],
    'SPOOL_UNWRITABLE.spool': (p) => [
      `Der Spool in ${p.dir} lässt sich nicht ${SPOOL_DOING[p.doing]} (${p.system}).`,
      p.isFull
        ? 'Schaffen Sie Platz auf der Platte des Zustandsverzeichnisses.'
        : 'Prüfen Sie Platz und Rechte im Zustandsverzeichnis.',
    ],
    'DOCUMENT_UNKNOWN.fileOnly': (p) => [
      `Zu „${p.written}“ gibt es keinen Beleg: ${p.path} hat den Zustand ${p.state}.${p.detail === '' ? '' : ` ${p.detail}`}`,
      '`receiptd list` zeigt die Namen.',
    ],
    'DOCUMENT_UNKNOWN.name': (p) => [
      `Das Eingangsbuch hat keinen Beleg namens „${p.name}“.`,
      '`receiptd list` zeigt die Namen.',
    ],
    'DOCUMENT_UNKNOWN.content': (p) => [
      `Kein Beleg hat den Inhalt von ${p.file} (SHA-256 ${p.sha256}).`,
      '`receiptd list` zeigt, was gesehen wurde; `receiptd send` sendet eine Datei.',
    ],
    'DOCUMENT_UNKNOWN.number': (p) => [`Das Eingangsbuch hat keinen Beleg mit der Nummer ${p.id}.`],
    'DOCUMENT_UNKNOWN.notDismissed': (p) => [
      `Nichts namens „${p.target}“ wurde als erledigt markiert.`,
      '`receiptd list --dismissed` zeigt, was als erledigt markiert wurde.',
    ],
    'DOCUMENT_UNKNOWN.needsNobody': (p) => [
      `Nichts namens „${p.target}“ ist zu klären.`,
      '`receiptd list --needs-person` zeigt, was zu klären ist.',
    ],
    DOCUMENT_AMBIGUOUS: (p) => [
      `„${p.written}“ passt auf mehrere Belege, die neuesten zuerst: ${p.names.map((name) => `„${name}“`).join(', ')}${p.more > 0 ? ` und ${p.more} weitere` : ''}.`,
      'Geben Sie den vollständigen Namen ein.',
    ],
    'DOCUMENT_STATE.accepted': (p) => [
      `„${p.name}“ ist schon angenommen.`,
      'Um den Beleg noch einmal zu senden, verwenden Sie `receiptd resend`.',
    ],
    'DOCUMENT_STATE.wrong': (p) => [
      `${p.name} hat den Zustand ${p.state} und kann nicht ${WANTED[p.wanted]}.`,
    ],
    'DOCUMENT_STATE.notUnderWay': (p) => [`Die Übertragung mit der Nummer ${p.attempt} läuft nicht.`],
    'DOCUMENT_STATE.notDismissed': (p) => [`„${p.target}“ wurde nicht als erledigt markiert.`],
    'DOCUMENT_STATE.needsNobody': (p) => [
      `„${p.target}“ ist nicht zu klären: Der Zustand ist ${p.state}, oder es wurde schon als erledigt markiert.`,
    ],
    DOCUMENT_TAKEN: (p) => [`${p.name} wird gerade von einem anderen Agenten gesendet.`],
    'BYTES_GONE.preview': ['Dieser Beleg hat keine Vorschau.'],
    'BYTES_GONE.image': (p) => [`Das Bild von „${p.name}“ lässt sich nicht zeigen. ${p.detail}`],
    'BYTES_GONE.notResent': (p) => [
      `„${p.name}“ lässt sich nicht noch einmal senden. ${p.detail}`,
      p.isElsewhere
        ? 'Führen Sie diesen Befehl auf dem Rechner jenes Agenten aus.'
        : 'Legen Sie die Datei zurück in ihren Ordner, oder scannen Sie den Beleg noch einmal.',
    ],
  };
}

function archiveFlaw(p: ArchiveFlaw): string {
  switch (p.flaw) {
    case 'empty':
      return 'Die Datei ist leer';
    case 'twice':
      return 'Eine Datei steht zweimal im Verzeichnis';
    case 'foreign':
      return 'Die Datei stammt nicht von `receiptd backup`';
    case 'manifestUnreadable':
      return 'Das Verzeichnis der Sicherung ist nicht lesbar';
    case 'grows':
      return 'Entpackt ist mehr darin als angegeben';
    case 'missing':
      return `${p.about} fehlt darin`;
    case 'unlisted':
      return `${p.about} ist darin, steht aber nicht im Verzeichnis`;
    case 'otherSize':
      return `${p.about} hat eine andere Größe als angegeben`;
    case 'changed':
      return `${p.about} wurde verändert oder beschädigt`;
    case 'manifest':
      return `Das Verzeichnis der Sicherung ist ungültig (${p.about})`;
    case 'notGzip':
      return `Das ist keine gzip-Datei, oder sie wurde abgeschnitten oder verändert (${p.about})`;
    case 'notTar':
      return `Das ist keine tar-Datei, oder sie wurde abgeschnitten oder verändert (${p.about})`;
    case 'notPlain':
      return `Etwas darin ist keine gewöhnliche Datei (${p.about ?? 'ohne Art'})`;
    case 'bomb':
      return `Sie hat ${p.about} und würde entpackt ${p.unpacked} haben`;
  }
}
