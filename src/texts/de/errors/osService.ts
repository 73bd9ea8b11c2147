import type { osServiceErrors as english } from '../../en/errors/osService.ts';
import type { Translated } from '../../facts.ts';
import { cureRefused, whyRefused } from './ledger.ts';

export function osServiceErrors(): Translated<ReturnType<typeof english>> {
  return {
    'MANAGER_ABSENT.program': (p) => [`${p.program} lässt sich nicht starten (${p.detail}).`],
    'MANAGER_ABSENT.launchd': (p) => [
      `launchd antwortet nicht (${p.detail ?? `Status ${String(p.status)}`}).`,
      'Wenn Sie eine andere Dienstverwaltung verwenden, führen Sie `receiptd run` im Vordergrund aus.',
    ],
    'MANAGER_ABSENT.taskScheduler': (p) => [
      `Die Aufgabenplanung reagiert nicht (${p.detail ?? 'keine Antwort'}).`,
      'Wenn Sie eine andere Dienstverwaltung verwenden, führen Sie `receiptd run` im Vordergrund aus.',
    ],
    'MANAGER_ABSENT.systemd': (p) => [
      `${p.isUser ? 'Das systemd Ihres Benutzers antwortet nicht' : 'Auf diesem Rechner läuft kein systemd'}${p.isAsked ? `: ${p.detail ?? 'systemctl ist fehlgeschlagen'}` : ''}.`,
      p.isUser && p.isAsked
        ? 'Melden Sie sich direkt an statt mit su oder sudo, oder installieren Sie mit `sudo receiptd service install` einen Dienst des Rechners.'
        : 'In einem Container oder mit einer anderen Dienstverwaltung führen Sie `receiptd run` im Vordergrund aus.',
    ],
    'MANAGER_FAILED.programMissing': (p) => [
      `${p.program} ist nicht installiert, wird aber gebraucht, um Prüfungen unter einem anderen Benutzer auszuführen.`,
      'Installieren Sie es; unter Debian ist es in util-linux enthalten.',
    ],
    'MANAGER_FAILED.definition': (p) => [
      `${p.file} lässt sich nicht ${p.action === 'read' ? 'lesen' : p.action === 'write' ? 'schreiben' : 'entfernen'} (${p.detail}).`,
      'Prüfen Sie, ob das Verzeichnis vorhanden ist und Sie darin schreiben dürfen.',
    ],
    'MANAGER_FAILED.launchdStop': (p) => [
      `launchd hat den Dienst nicht beendet: ${p.detail ?? (p.status === 0 ? 'Er ist noch da' : `Status ${p.status ?? 'unbekannt'}`)}.`,
      'Einzelheiten zeigt `receiptd service status`.',
    ],
    'MANAGER_FAILED.notStarted': (p) => [
      `${p.unit} ist nicht gestartet: ${p.isHeld ? `${p.detail === null ? 'Eine Bedingung' : `Die Bedingung ${p.detail}`} der Unit ist nicht erfüllt.` : (p.detail ?? `Der Zustand ist ${p.state}.`)}`,
      'Einzelheiten zeigen `receiptd service logs` und `receiptd check`. Führen Sie danach `receiptd service start` aus.',
    ],
    'MANAGER_FAILED.taskNotCreated': [
      'Die Aufgabe wurde nicht angelegt.',
      'Versuchen Sie es noch einmal mit dem richtigen Passwort.',
    ],
    'MANAGER_FAILED.command': (p) => [
      `\`${p.command}\` ist fehlgeschlagen: ${p.isLate ? 'keine rechtzeitige Antwort' : (p.detail ?? `Status ${p.status ?? 'unbekannt'}`)}.`,
      p.creates === null
        ? 'Einzelheiten zeigen `receiptd service status` und `receiptd service logs`.'
        : `Legen Sie den Benutzer ${p.creates} selbst an, oder verwenden Sie mit --user einen vorhandenen.`,
    ],
    'ROOT_NEEDED.systemService': (p) => [
      'Nur root kann einen Dienst des Rechners installieren.',
      `Verwenden Sie sudo, oder installieren Sie mit \`${p.option} user\` einen Dienst des Benutzers.`,
    ],
    'ROOT_NEEDED.controlService': ['Bei einem Dienst des Rechners darf das nur root.', 'Verwenden Sie sudo.'],
    'INSTALL_REFUSED.checkFailed': (p) => [
      `receiptd check, als Benutzer ${p.account} ausgeführt, meldet: ${p.detail ?? `Status ${p.status ?? 'unbekannt'}`}`,
      'Beheben Sie das zuerst. Es wurde nichts installiert.',
    ],
    'INSTALL_REFUSED.finding': (p) => [
      `Für den Benutzer ${p.account}, ${p.subject}: ${p.detail} [${p.error.code}]`,
      'Es wurde nichts installiert.',
    ],
    'INSTALL_REFUSED.leavesLedger': (p) => [
      `Das Eingangsbuch von ${p.user} in ${p.theirs} käme nicht nach ${p.stateDir}, und jede Datei würde noch einmal gesendet.`,
      `Beenden Sie den Agenten von ${p.user}; verlegen Sie dann das Eingangsbuch (\`receiptd backup --final FILE\` als ${p.user}, \`receiptd restore FILE\` als root), oder tragen Sie ${p.theirs} als stateDir ein und installieren Sie mit --user ${p.user}.`,
    ],
    'INSTALL_REFUSED.stateOfOther': (p) => [
      `Das Zustandsverzeichnis ${p.stateDir} gehört nicht ${p.name}, sondern einem anderen Benutzer (${p.uid}); es wurde nichts installiert.`,
      `Beenden Sie den Agenten, der es verwendet, und führen Sie dann chown -R ${p.name}: ${p.stateDir} aus; oder installieren Sie mit --user.`,
    ],
    'INSTALL_REFUSED.noSuchUser': (p) => [
      `Den Benutzer ${p.name} gibt es auf diesem Rechner nicht.`,
      `Verwenden Sie einen vorhandenen Benutzer. Ohne --user legt receiptd den Benutzer ${p.usual} an.`,
    ],
    'INSTALL_REFUSED.controlCharacter': (p) => [
      `${JSON.stringify(p.text)} enthält ein Steuerzeichen, das in der Definition eines Dienstes nicht stehen kann.`,
      'Benennen Sie es um.',
    ],
    'INSTALL_REFUSED.programOutOfReach': (p) => [
      `Der Benutzer ${p.user} kann ${p.path} nicht ${p.isProgram ? 'ausführen' : 'lesen'}${p.at === null ? '' : ` (er hat keinen Zugriff auf ${p.at})`}; deshalb wurde nichts installiert.`,
      'Installieren Sie receiptd und Node dort, wo jeder Benutzer sie lesen kann, etwa mit `npm install --global` als root oder aus einem Paket.',
    ],
    'INSTALL_REFUSED.npxCache': (p) => [
      `${p.path} liegt im Cache von npx, der jederzeit geleert werden kann.`,
      'Installieren Sie receiptd zuerst mit `npm install --global`.',
    ],
    'INSTALL_REFUSED.taskEnvironment': (p) => [
      `Aufgaben unter Windows können keine Umgebungsvariablen haben, aber ${p.variables.join(', ')} ist gesetzt.`,
      'Setzen Sie stateDir in der Konfiguration, und entfernen Sie die Variable.',
    ],
    'INSTALL_REFUSED.inProfile': (p) => [
      `${p.place === 'stateDir' ? 'Das Zustandsverzeichnis' : p.place === 'configuration' ? 'Die Konfiguration' : 'Das Programm'} ${p.path} liegt in einem Benutzerprofil, das ${p.user} nicht lesen kann.`,
      'Verschieben Sie es an einen anderen Ort, etwa nach C:\\ProgramData\\receiptd oder C:\\Program Files, und setzen Sie stateDir entsprechend.',
    ],
    'INSTALL_REFUSED.mappedDrive': (p) => [
      `Der Ordner ${p.path} liegt auf einem Netzlaufwerk mit Buchstaben, das nur Sie verwenden können, aber kein Dienst.`,
      `Tragen Sie in der Konfiguration ${p.replacement} ein.`,
    ],
    'INSTALL_REFUSED.folderOutOfReach': (p) => [
      `Der Benutzer ${p.user} kann ${p.code === 'FOLDER_UNREADABLE' ? `den Ordner ${p.folder} nicht lesen` : `im Ordner ${p.folder} nicht schreiben`} (${p.code}); deshalb wurde nichts installiert.`,
      `${p.at === null ? '' : `Er hat keinen Zugriff auf ${p.at}. `}Um ihn zuzulassen: ${p.commands.join(' && ')}; oder nehmen Sie ihn in die Gruppe des Ordners auf. Versuchen Sie es dann noch einmal.`,
    ],
    'INSTALL_REFUSED.configurationOutOfReach': (p) => [
      `Der Benutzer ${p.user} kann die Konfiguration ${p.file} nicht lesen${p.at === null ? '' : ` (er hat keinen Zugriff auf ${p.at})`}; deshalb wurde nichts installiert.`,
      p.command === null
        ? 'Legen Sie sie nach /etc/receiptd oder in ein anderes Verzeichnis, das dieser Benutzer öffnen kann, und installieren Sie von dort mit --config.'
        : `Erlauben Sie ihm, ${p.at === null ? 'sie zu lesen' : 'das Verzeichnis zu öffnen'}: ${p.command}`,
    ],
    'INSTALL_REFUSED.userNotCreated': (p) => [
      `Den Benutzer ${p.name} gibt es auf diesem Rechner nicht.`,
      `Legen Sie den Benutzer ${p.name} selbst an, oder verwenden Sie mit --user einen vorhandenen.`,
    ],
    'INSTALL_REFUSED.stateUnfit': (p) => [
      `Das Zustandsverzeichnis ${p.stateDir} kann nicht an ${p.name} gehen: ${whyRefused(p.refused)}.`,
      cureRefused(p.refused),
    ],
    'INSTALL_EDITED.uninstall': (p) => [
      `${p.file} wurde von Hand angelegt oder bearbeitet und blieb unverändert.`,
      'Kopieren Sie die Datei, wenn Sie sie behalten wollen, und wiederholen Sie den Befehl mit --force.',
    ],
    'INSTALL_EDITED.install': (p) => [
      `${p.file} wurde von Hand angelegt oder bearbeitet und blieb unverändert.`,
      'Vergleichen Sie die Datei mit `receiptd service install --dry-run`. Verlegen Sie Ihre Änderungen in ein Drop-in (`systemctl edit receiptd`), oder ergänzen Sie --force.',
    ],
    'NOT_INSTALLED.byPackage': (p) => [
      `Der Dienst wurde von einem Paket installiert: ${p.file ?? ''} gibt es nicht.`,
      'Beenden Sie ihn mit `receiptd service stop`, oder entfernen Sie das Paket.',
    ],
    'NOT_INSTALLED.notAService': (p) => [
      'receiptd ist nicht als Dienst installiert.',
      `Installieren Sie es mit \`receiptd service install\`, oder prüfen Sie die andere Art mit --scope ${p.other}.`,
    ],
  };
}
