import type { Format } from '../format.ts';

/** What a backup leaves out, what does not fit the machine that it is restored on, and what the journal records of it. */
export const backupTexts = ({ counted, time }: Format) => ({
  /** `commands`: one for each account. */
  credentialsAgain: (p: { commands: readonly string[] }) =>
    `The credentials for the service: ${p.commands.map((each) => `\`${each}\``).join(', ')}.`,
  passwordsAgain: 'Passwords in addresses in the configuration; they were replaced by ***.',
  mailPasswordAgain: (p: { user: string }) =>
    `The mail server password of ${p.user}: enter it in the console.`,
  webhookAgain: 'The address of alerts.webhook.',
  filesAgain: (p: { files: readonly string[] }) =>
    `Files that the configuration refers to: ${p.files.join(', ')}.`,
  resultsAgain: 'The address for results: run `receiptd results url`, then enter the address at the service.',
  consolePasswordAgain: 'The console password: `receiptd console password`.',

  pathMissing: (p: { key: string; path: string }) => `${p.key}: ${p.path} does not exist on this machine.`,
  waitingForUnknown: (p: { count: number; endpoint: string }) =>
    `${counted(p.count, 'document is', 'documents are')} waiting for the endpoint ${p.endpoint}, which the configuration does not have.`,
  waitingFromUnknown: (p: { folder: string }) =>
    `Some waiting documents come from ${p.folder}, which is not in the configuration.`,

  /** `at`: ISO 8601. */
  restoredArchive: (p: { host: string; at: string; by: string }) =>
    `Restored from a backup of ${p.host} (state of ${time(Date.parse(p.at))}) by ${p.by}.`,
  restoredFile: (p: { file: string; by: string }) => `Restored from ${p.file} by ${p.by}.`,
});
