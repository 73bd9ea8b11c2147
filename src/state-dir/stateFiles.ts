import { join } from 'node:path';

/** Names that receiptd creates in a state directory and in its `backups` and `logs`. */
const OWN_FILE =
  /^(?:ledger\.db(?:-wal|-shm|\.sound|\.damaged|\.new)?|ledger\.(?:db|journal)\.aside-\d{8}T\d{6}Z(?:-\d+)?(?:-wal|-shm)?|ledger\.journal|ledger-\d{8}T\d{9}Z\.db|reserve|instance\.(?:lock|json)|agent-instance|control\.sock|alerts\.json|attention|backups|spool|thumbnails|papers|logs|config-history|results-(?:secret|handed)|deferred\.journal(?:\.damaged)?|committed\.journal(?:\.before)?|console-password|console-places\.json|mail-password|console-open\.html|(?:mail-)?credentials(?:-[^/]+)?\.json|receiptd\.log(?:\.\d+)?|moved-away\.json|moved-to-postgres\.json|moving\.db(?:\.new)?|restore\.json|restoring)$/;
/** Temporary files, of work in progress or left by a kill. */
const OWN_PASSING =
  /^(?:\.probe-[0-9a-f-]{36}|\.doctor-\d+|\.verify-\w{6}|backing-up-\w{6}|before-restore(?:-[\w-]+)?)$/;
const ASIDE = /(?:\.[0-9a-f]{8}-[0-9a-f-]{27})?\.tmp$/;

/** Path of the SQLite ledger. */
export function ledgerPath({ stateDir }: { readonly stateDir: string }): string {
  return join(stateDir, 'ledger.db');
}

/** Path of the thumbnails. */
export function thumbnailsPath({ stateDir }: { readonly stateDir: string }): string {
  return join(stateDir, 'thumbnails');
}

/** Path of the fingerprints of scanned papers. */
export function papersPath({ stateDir }: { readonly stateDir: string }): string {
  return join(stateDir, 'papers');
}

/** Whether receiptd creates files or directories with this name in a state directory. */
export function isOwnName(name: string): boolean {
  return OWN_FILE.test(name) || OWN_PASSING.test(name) || OWN_FILE.test(name.replace(ASIDE, ''));
}

/** Whether a file of this name in a state directory holds a secret. */
export function isSecretName(name: string): boolean {
  return /^(?:(?:mail-)?credentials(?:-[^/]+)?\.json|console-password|mail-password|results-secret)$/.test(
    name,
  );
}

/** Names that no other program uses: they prove that receiptd has used the directory before. */
const MARKS: ReadonlySet<string> = new Set([
  'ledger.db',
  'ledger.journal',
  'deferred.journal',
  'instance.lock',
  'moved-away.json',
]);
/** Names that do not show who owns a directory: from file systems, file managers, service account homes, and receiptd. */
const NO_MATTER: ReadonlySet<string> = new Set([
  'lost+found',
  '.DS_Store',
  'desktop.ini',
  'Thumbs.db',
  '.cache',
  '.config',
  '.local',
  'receiptd.yaml',
]);

/** Names that show that a directory is not ours; empty for an empty directory or one of ours. */
export function foreignNames(names: readonly string[]): string[] {
  if (names.some((name) => MARKS.has(name))) return [];
  return names.filter((name) => !isOwnName(name) && !NO_MATTER.has(name));
}
