import { join } from 'node:path';

/** What receiptd itself makes in a state directory, and in `backups` and `logs` of it. */
const OWN_FILE =
  /^(?:ledger\.db(?:-wal|-shm|\.sound|\.damaged|\.new)?|ledger\.(?:db|journal)\.aside-\d{8}T\d{6}Z(?:-\d+)?(?:-wal|-shm)?|ledger\.journal|ledger-\d{8}T\d{9}Z\.db|upgrade-from-v\d+\.db|reserve|instance\.(?:lock|json)|agent-instance|control\.sock|alerts\.json|attention|backups|spool|thumbnails|papers|logs|config-history|results-(?:secret|handed)|deferred\.journal(?:\.damaged)?|committed\.journal(?:\.before)?|console-password|mail-password|console-open\.html|(?:mail-)?credentials(?:-[^/]+)?\.json|receiptd\.log(?:\.\d+)?|moved-away\.json|moved-to-postgres\.json|moving\.db(?:\.new)?|restore\.json|restoring)$/;
/** Of work under way, or of work that was killed. */
const OWN_PASSING =
  /^(?:\.probe-[0-9a-f-]{36}|\.doctor-\d+|\.verify-\w{6}|backing-up-\w{6}|before-restore(?:-[\w-]+)?)$/;
const ASIDE = /(?:\.[0-9a-f]{8}-[0-9a-f-]{27})?\.tmp$/;

/** Of a ledger in SQLite. */
export function ledgerPath({ stateDir }: { readonly stateDir: string }): string {
  return join(stateDir, 'ledger.db');
}

/** Of small pictures of images. */
export function thumbnailsPath({ stateDir }: { readonly stateDir: string }): string {
  return join(stateDir, 'thumbnails');
}

/** Of what scanned papers look like. */
export function papersPath({ stateDir }: { readonly stateDir: string }): string {
  return join(stateDir, 'papers');
}

/** Whether receiptd makes files or directories of this name in a state directory. */
export function isOwnName(name: string): boolean {
  return OWN_FILE.test(name) || OWN_PASSING.test(name) || OWN_FILE.test(name.replace(ASIDE, ''));
}

/** Whether a file of this name in a state directory holds a secret. */
export function isSecretName(name: string): boolean {
  return /^(?:(?:mail-)?credentials(?:-[^/]+)?\.json|console-password|mail-password|results-secret)$/.test(
    name,
  );
}

/** What nothing else is called: where one of these lies, receiptd has worked before. */
const MARKS: ReadonlySet<string> = new Set([
  'ledger.db',
  'ledger.journal',
  'deferred.journal',
  'instance.lock',
  'moved-away.json',
]);
/** Says nothing of whose a directory is: of file systems and file managers, of a service account's home, and receiptd's own file. */
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

/** The names by which a directory shows that it is somebody else's; none for an empty one and for one of ours. */
export function foreignNames(names: readonly string[]): string[] {
  if (names.some((name) => MARKS.has(name))) return [];
  return names.filter((name) => !isOwnName(name) && !NO_MATTER.has(name));
}
