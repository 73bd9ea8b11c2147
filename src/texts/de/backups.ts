import type { backupTexts as english } from '../en/backups.ts';
import type { Format } from '../format.ts';
import type { SamePhrases } from '../phrase.ts';

export const backupTexts = ({ counted, time }: Format): SamePhrases<ReturnType<typeof english>> => ({
  credentialsAgain: (p) =>
    `Die Zugangsdaten für den Dienst: ${p.commands.map((each) => `\`${each}\``).join(', ')}.`,
  passwordsAgain: 'Passwörter in Adressen der Konfiguration; sie wurden durch *** ersetzt.',
  mailPasswordAgain: (p) => `Das Passwort von ${p.user} beim Mailserver: Geben Sie es in der Konsole ein.`,
  webhookAgain: 'Die Adresse in alerts.webhook.',
  filesAgain: (p) => `Dateien, auf die die Konfiguration verweist: ${p.files.join(', ')}.`,
  resultsAgain:
    'Die Adresse für Ergebnisse: Führen Sie `receiptd results url` aus, und geben Sie sie beim Dienst ein.',
  consolePasswordAgain: 'Das Passwort der Konsole: `receiptd console password`.',

  pathMissing: (p) => `${p.key}: ${p.path} gibt es auf diesem Rechner nicht.`,
  waitingForUnknown: (p) =>
    `${counted(p.count, 'Beleg wartet', 'Belege warten')} auf den Endpunkt ${p.endpoint}, den die Konfiguration nicht enthält.`,
  waitingFromUnknown: (p) =>
    `Einige wartende Belege stammen aus ${p.folder}; dieser Ordner steht nicht in der Konfiguration.`,

  restoredArchive: (p) =>
    `Wiederhergestellt aus einer Sicherung von ${p.host} (Stand ${time(Date.parse(p.at))}) durch ${p.by}.`,
  restoredFile: (p) => `Wiederhergestellt aus ${p.file} durch ${p.by}.`,
});
