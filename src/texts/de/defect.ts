export function defectText(version: string): string {
  return `Fehler: Dieser Befehl endete wegen eines Fehlers in receiptd ${version}. Nichts Eingetragenes ist verloren. Bitte melden Sie ihn mit diesen Zeilen:`;
}
