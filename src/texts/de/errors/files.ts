import type { filesErrors as english } from '../../en/errors/files.ts';
import type { FolderHolder, Translated, NotUtf8, SecretFlaw } from '../../facts.ts';
import type { Format } from '../../format.ts';

export const AS_ADMINISTRATOR =
  'Öffnen Sie ein Terminal mit „Als Administrator ausführen“, und führen Sie dies dort aus.';

export const NOT_UTF8: Readonly<Record<NotUtf8, string>> = {
  'UTF-16': 'Text in UTF-16, nicht UTF-8',
  binary: 'kein Text: NUL-Bytes sind enthalten',
};

const ANOTHER_FOLDER =
  'Wählen Sie einen anderen Ordner, oder erlauben Sie dem Benutzer, unter dem receiptd läuft, ihn zu lesen und zu öffnen.';

function holderText(by: FolderHolder | null): string {
  return by === null ? '' : ` (Prozess ${by.pid} von ${by.user}, Zustandsverzeichnis ${by.stateDir})`;
}

function takenBy(p: { readonly folder: string; readonly by: FolderHolder | null }): string {
  return `Ein anderer Agent auf diesem Rechner überwacht ${p.folder}${holderText(p.by)}. Beide würden jeden Beleg darin senden.`;
}

export function filesErrors(format: Format): Translated<ReturnType<typeof english>> {
  const { duration, time } = format;
  return {
    'FOLDER_MISSING.gone': (p) => [
      `${p.folder} wurde gelöscht, umbenannt oder ersetzt.`,
      'receiptd überwacht den Ordner wieder, sobald er zurück ist.',
    ],
    'FOLDER_MISSING.chosen': (p) => [`${p.folder} gibt es nicht.`, ANOTHER_FOLDER],
    'FOLDER_NOT_A_DIRECTORY.inArchive': (p) => [
      `${p.place} im Archiv ist kein Ordner.`,
      'Entfernen Sie es, oder benennen Sie es um. Links in einem Archiv, oder zwischen einem überwachten Ordner und seinem Archiv, folgt der Agent nicht.',
    ],
    'FOLDER_NOT_A_DIRECTORY.chosen': (p) => [`${p.folder} ist kein Ordner.`, ANOTHER_FOLDER],
    'FOLDER_UNREADABLE.notOpened': (p) => [
      `${p.path} lässt sich nicht öffnen.`,
      'Der Pfad fehlt, ist kein Ordner, antwortet nicht, oder receiptd darf ihn nicht lesen.',
    ],
    'FOLDER_UNREADABLE.chosen': (p) => [p.detail, ANOTHER_FOLDER],
    'FOLDER_UNWRITABLE.notCreated': (p) => [
      `${p.path} lässt sich nicht anlegen (${p.system ?? 'unbekannter Fehler'}).`,
      'Wählen Sie einen anderen Ordner, oder legen Sie ihn selbst an.',
    ],
    'FOLDER_UNREADABLE.unit': (p) => [
      `${p.unit} verbirgt ${p.places.join(', ')} vor dem Dienst.`,
      `\`${p.command}\` passt den Dienst der Konfiguration an.`,
    ],
    'FOLDER_UNWRITABLE.unit': (p) => [
      `${p.unit} erlaubt dem Dienst nicht, in ${p.places.join(', ')} zu schreiben.`,
      `\`${p.command}\` passt den Dienst der Konfiguration an.`,
    ],
    'FILE_UNREADABLE.notSent': (p) => [
      `${p.file} ist nicht lesbar (${p.system}).`,
      'Prüfen Sie Namen und Rechte der Datei. Es wurde nichts gesendet.',
    ],
    'FILE_UNREADABLE.secretNotText': (p) => [
      `${p.path} ist ${NOT_UTF8[p.encoding]}.`,
      'Speichern Sie die Datei im Editor als UTF-8. Sie darf nur das Client-Secret enthalten.',
    ],
    'FILE_UNREADABLE.secret': (p) => [
      `${p.path} ist nicht lesbar (${p.system ?? 'unbekannter Fehler'}).`,
      'Die Datei darf nur das Client-Secret enthalten.',
    ],
    'FILE_UNREADABLE.ofLedgerSetting': (p) => [
      `${p.setting}: ${p.file} ist nicht lesbar (${p.system ?? 'Grund unbekannt'}).`,
      'Es muss eine Datei sein, die der Benutzer lesen kann, unter dem receiptd läuft.',
    ],
    'FILE_UNREADABLE.ledger': (p) => [
      `Das Eingangsbuch ${p.path} lässt sich nicht öffnen: ${p.detail}.`,
      'Prüfen Sie die Platte und die Rechte der Datei und ihres Verzeichnisses.',
    ],
    'FILE_UNREADABLE.ledgerOutOfReach': (p) => [
      `Das Eingangsbuch ${p.path} ist nicht zugänglich: ${p.detail}.`,
      p.isWindows
        ? AS_ADMINISTRATOR
        : 'Führen Sie dies als der Benutzer aus, dem das Zustandsverzeichnis gehört, als root oder als Mitglied von control.group.',
    ],
    'FILE_UNREADABLE.journal': (p) => [
      `Das Journal ${p.path} ist nicht lesbar: ${p.detail}.`,
      p.isWindows
        ? AS_ADMINISTRATOR
        : 'Führen Sie dies als der Benutzer aus, unter dem receiptd läuft, oder als root.',
    ],
    'FILE_UNREADABLE.ledgerNotFile': (p) => [
      `Das Eingangsbuch ${p.path} ist keine gewöhnliche Datei.`,
      'Finden Sie heraus, wer das dorthin gelegt hat, und entfernen Sie es.',
    ],
    'FILE_UNREADABLE.notAFile': (p) => [
      `${p.file} ist ${p.isFolder ? 'ein Ordner' : 'keine Datei'}.`,
      p.isFolder
        ? 'Nennen Sie die Dateien darin, oder lassen Sie den Ordner überwachen. Es wurde nichts gesendet.'
        : 'Es wurde nichts gesendet.',
    ],
    'FILE_UNREADABLE.secretFile': (p) => [
      `${p.setting}: ${p.file} ${secretFlaw(p)}.`,
      'Schreiben Sie das Geheimnis als einzige Zeile in die Datei, und machen Sie die Datei nur für den Benutzer lesbar, unter dem receiptd läuft.',
    ],
    'FILE_UNREADABLE.backup': (p) => [
      `${p.file} ist nicht lesbar: ${p.system === 'ENOENT' ? 'Die Datei gibt es nicht' : p.system === 'EISDIR' ? 'Das ist keine Datei' : p.system === 'EACCES' ? 'keine Berechtigung' : p.system}.`,
      p.system === 'EACCES'
        ? 'Eine Sicherung kann nur ihr Besitzer lesen. Kopieren Sie sie für den Benutzer, der sie wiederherstellt (`install --owner USER --mode 600 FILE COPY`).'
        : 'Verwenden Sie eine Datei von `receiptd backup` oder ein Eingangsbuch aus `backups` in einem Zustandsverzeichnis.',
    ],
    'FOLDER_UNREACHABLE.chosen': (p) => [p.detail, ANOTHER_FOLDER],
    'FOLDER_TAKEN.held': (p) => [
      `${takenBy(p)}${p.takeOverAfterMs === null ? '' : ` Dieser Agent übernimmt den Ordner, sobald der andere ${duration(p.takeOverAfterMs)} lang fort ist.`}`,
    ],
    'FOLDER_TAKEN.gone': (p) => [
      `Ein anderer Agent auf diesem Rechner hat ${p.folder} überwacht${holderText(p.by)} und ist seit ${time(p.since)} fort. Dieser Agent übernimmt den Ordner um ${time(p.until)}, wenn der andere bis dahin nicht zurück ist.`,
    ],
    'WATCH_LIMIT.reached': (p) => [
      `Eine Grenze des Systems ist erreicht; deshalb werden manche Verzeichnisse in ${p.folder} nicht überwacht (${p.system}).`,
      `Heben Sie die Grenze an, etwa mit ${p.system === 'ENOSPC' ? 'sysctl fs.inotify.max_user_watches=524288' : 'sysctl fs.inotify.max_user_instances=1024, oder die Grenze für offene Dateien'}. Bis dahin wird der Ordner in Abständen aufgelistet.`,
    ],
    'WATCH_LIMIT.backslash': (p) => [
      `Der Pfad von ${p.folder} enthält einen umgekehrten Schrägstrich; deshalb kann receiptd neue Dateien dort nicht sofort bemerken.`,
      'Benennen Sie den Ordner um, oder lassen Sie ihn in Abständen auflisten.',
    ],
  };
}

export function secretFlaw({ flaw, system }: { flaw: SecretFlaw; system: string | null }): string {
  switch (flaw) {
    case 'notFile':
      return 'ist keine gewöhnliche Datei';
    case 'tooLarge':
      return 'ist zu groß für ein Geheimnis';
    case 'empty':
      return 'enthält in der ersten Zeile nichts';
    case 'unreadable':
      return `ist nicht lesbar (${system ?? 'Grund unbekannt'})`;
    default:
      return `ist ${NOT_UTF8[flaw]}`;
  }
}
