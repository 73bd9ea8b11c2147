import type { Format } from '../../format.ts';
import type { ArchiveFlaw, Detail, Entries, LedgerCure, NotUtf8 } from '../../facts.ts';
import { NOT_UTF8 } from './files.ts';
import { fileFlaw, journalFlawTexts, type JournalFlawFact } from '../ledgerFindings.ts';

const FILE_OR_KEY = 'Correct the file, or the key.';
const START_OVER = 'Start over with an empty database.';
const NOTHING_TAKEN = 'Nothing was taken out of it.';
const WANTED = {
  upload: 'be uploaded',
  postpone: 'be postponed',
  lose: 'be lost',
  resend: 'be resent, only an accepted document can',
} as const;

const SPOOL_DOING = { use: 'used', write: 'written', read: 'read', clear: 'cleared' } as const;

const AGAIN_ONCE_FIXED = 'For details, run `receiptd status`. Send the file again once that is fixed.';

const LEDGER_CURES: Readonly<Record<LedgerCure, string>> = {
  privileges:
    'Have the owner of the ledger grant this role its privileges: `receiptd ledger prepare --role NAME`.',
  authority: 'Set the authority that signed its certificate: `ledger.ca` in the configuration, or --ca.',
  serverName: 'Use the server name from its certificate, or get a certificate for this name.',
  encryption: 'Add sslmode=verify-full to its address, because the server requires an encrypted connection.',
  password: 'Correct the password (`ledger.passwordFile`, --password-file) or the user in the address.',
  settings: 'Correct `ledger` in the configuration, or change what the server allows.',
};

/** Why a directory can't be a state directory. */
export type RefusedDirectory =
  | { readonly kind: 'link'; readonly target: string; readonly open: string }
  | { readonly kind: 'shared'; readonly better: string }
  | {
      readonly kind: 'foreign';
      readonly files: readonly string[];
      readonly more: number;
      readonly better: string;
    }
  | { readonly kind: 'otherUser'; readonly owner: string; readonly self: string; readonly command: string }
  | { readonly kind: 'notInGroup'; readonly group: string };

export function whyRefused(p: RefusedDirectory): string {
  switch (p.kind) {
    case 'link':
      return `it is a symbolic link to ${p.target}, and everyone can write to ${p.open}`;
    case 'shared':
      return 'it belongs to the system or to a person, and would be closed to everybody else';
    case 'foreign':
      return `it contains files that are not receiptd's (${p.files.join(', ')}${p.more > 0 ? ` and ${p.more} more` : ''}), and would become inaccessible to everyone else`;
    case 'otherUser':
      return `it belongs to a different user (${p.owner}) than the one running receiptd (${p.self})`;
    case 'notInGroup':
      return `the user running receiptd is not a member of the group ${p.group} (control.group)`;
  }
}

export function cureRefused(p: RefusedDirectory): string {
  switch (p.kind) {
    case 'link':
      return 'Set stateDir (or RECEIPTD_STATE_DIR) to a directory that nobody else can replace.';
    case 'shared':
    case 'foreign':
      return `Set stateDir (or RECEIPTD_STATE_DIR) to a dedicated directory, such as ${p.better}.`;
    case 'otherUser':
      return `Run it as that user: ${p.command}.`;
    case 'notInGroup':
      return 'For a service, run `receiptd service install` again to add the group. Otherwise, add the user to the group and log in again.';
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  EDQUOT: 'no space is left',
  EEXIST: 'it is not a directory',
  ENOENT: 'it does not exist and could not be created',
  ENOTDIR: 'it, or part of its path, is not a directory',
};

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'Let the user that runs receiptd write to it, or run this as its owner.',
  EPERM: 'Let the user that runs receiptd write to it, or run this as its owner.',
  EROFS: 'Repair its disk, or mount it again so that it can be written.',
  ENOSPC: 'Free some space on its disk.',
  EDQUOT: 'Free some space on its disk.',
};

export type InDatabase = { readonly database: string; readonly hosts: readonly string[] };

export function databaseAt({ database, hosts }: InDatabase): string {
  return `the database ${database} at ${hosts.join(', ')}`;
}

/** Where the ledger is now, by the mark of a closed state directory. */
export function movedWords(p: { at: string | null; file: string; isCopy: boolean }): string {
  const from = `${p.at ?? 'an unknown time'}${p.file === '' ? '' : `, in ${p.file}`}`;
  return p.isCopy
    ? `This is a copy for viewing (restored ${from}). The agent runs elsewhere.`
    : `The ledger was moved to another PC (${from}), and receiptd runs there.`;
}

const REACHABLE = 'Make sure the database is running and reachable from here.';

/** Why a connection is gone, if the database or the system does not say it. */
const LOST: Readonly<Record<string, string>> = {
  closed: 'the connection was closed',
  closing: 'it is being closed',
  lost: 'the connection was lost',
  leaseOver: 'the lease has run out',
  tablesAnew: 'its tables are being made anew',
};

export function ledgerErrors(format: Format) {
  const { counted, ended, plural, phrase } = format;
  const flaws = journalFlawTexts(format);
  return {
    'STATE_UNWRITABLE.closed': (p: { stateDir: string; system: string }) => [
      `The state directory ${p.stateDir} could no longer be accessed (${p.system}), so the agent has stopped.`,
      'Give it back to the user that runs receiptd, or repair its disk, then start the agent again. Nothing recorded is lost.',
    ],
    'STATE_UNWRITABLE.replaced': (p: { stateDir: string }) => [
      `The state directory ${p.stateDir}, or the ledger in it, was removed or replaced while the agent was running, so the agent has stopped.`,
      'Put it back, then start the agent again. A missing ledger is rebuilt from its journal.',
    ],
    'STATE_UNWRITABLE.deferred': (p: { path: string; isWriting: boolean; system: string }) => [
      `${p.path} can't be ${p.isWriting ? 'written' : 'opened'} (${p.system}).`,
      'Check the free space and permissions of the state directory.',
    ],
    'STATE_UNWRITABLE.notRemovable': (p: { path: string; detail: string }) => [
      `${p.path} can't be removed: ${p.detail}.`,
      'Check the permissions of its directory.',
    ],
    'STATE_UNWRITABLE.ledgerNotCreated': (p: { path: string; detail: string }) => [
      `The ledger ${p.path} can't be created: ${p.detail}.`,
      'Check that its directory exists, can be written to, and has space.',
    ],
    'STATE_UNWRITABLE.ledger': (p: { path: string; detail: string }) => [
      `The ledger ${p.path} can't be opened: ${p.detail}.`,
      'Check the disk, and the permissions of the file and its directory.',
    ],
    'STATE_UNWRITABLE.journal': (p: { path: string; detail: string }) => [
      `The journal ${p.path} can't be opened: ${p.detail}.`,
      'Check the disk, and the permissions of the file and its directory.',
    ],
    'STATE_UNWRITABLE.instanceUnusable': (p: { file: string; detail: string }) => [
      `The file ${p.file} can't be used (${p.detail}).`,
      'Check the permissions of the state directory.',
    ],
    'STATE_UNWRITABLE.noInstance': (p: { file: string }) => [
      `The file ${p.file} does not contain an agent instance.`,
      'Remove it. receiptd creates a new one at its next start.',
    ],
    'STATE_UNWRITABLE.refused': (p: { stateDir: string; refused: RefusedDirectory }) => [
      `The state directory ${p.stateDir} cannot be used: ${whyRefused(p.refused)}.`,
      cureRefused(p.refused),
    ],
    'STATE_UNWRITABLE.unusable': (p: {
      stateDir: string;
      system: string | null;
      detail: string;
      mayHoldLedger: boolean;
    }) => [
      `The state directory ${p.stateDir} cannot be used: ${REASONS[p.system ?? ''] ?? p.detail}.`,
      p.mayHoldLedger
        ? `${REMEDIES[p.system ?? ''] ?? 'Check its disk.'} Keep stateDir as it is: with a new, empty ledger, everything in the folders would be sent again.`
        : 'Set stateDir (or RECEIPTD_STATE_DIR) to a local directory that the user running receiptd can write to.',
    ],
    'ALREADY_RUNNING.practice': (p: { stateDir: string }) => [
      `receiptd is still running in practice mode, on the state directory ${p.stateDir}.`,
      'Stop it first, then run this again.',
    ],
    'ALREADY_RUNNING.unasked': (p: { pid: number | null; stateDir: string; socketPath: string }) => [
      `receiptd is already running${p.pid === null ? '' : ` (process ${p.pid})`} on the state directory ${p.stateDir}, but can't be asked: nothing answers at ${p.socketPath}.`,
      'It is starting or stopping, runs a single command, or something removed that socket, which the agent makes again within seconds. Try again.',
    ],
    'ALREADY_RUNNING.here': (p: { pid: number | null; stateDir: string }) => [
      `receiptd is already running${p.pid === null ? '' : ` (process ${p.pid})`} on the state directory ${p.stateDir}.`,
      'Stop it first, or use a different stateDir for this one.',
    ],
    STATE_MOVED: (p: { stateDir: string; at: string | null; file: string; isCopy: boolean }) => [
      `${p.stateDir} is closed. ${movedWords(p)}`,
      'Two agents would both send what is waiting. If no agent runs there, reopen this PC with `receiptd backup --reopen`.',
    ],
    'STATE_MOVED.otherPc': (p: { host: string | null }) => [
      p.host === null
        ? 'If the old PC was closed with --final, reopen it by running `receiptd backup --reopen` there.'
        : `${p.host} stays closed. To reopen it, run \`receiptd backup --reopen\` there.`,
    ],
    'ARCHIVE_REFUSED.file': (p: ArchiveFlaw & { file: string }) => [
      `${p.file} can't be used: ${archiveFlaw(p)}.`,
      'Nothing was restored. Copy the file again, or create a new one with `receiptd backup`.',
    ],
    'ARCHIVE_REFUSED.ledger': (p: { file: string; damage: string | null }) => [
      `${p.file} can't be used: its ledger ${p.damage === null ? 'ends at the wrong entry' : `is damaged: ${p.damage}`}.`,
      'Nothing was restored. Create a new one with `receiptd backup`.',
    ],
    'LEDGER_EXISTS.newer': (p: { stateDir: string; entries: number; file: string; accepted: number }) => [
      `The ledger in ${p.stateDir} has ${counted(p.entries, 'entry', 'entries')} that ${p.file} does not contain: ${p.accepted === 0 ? 'they would be lost' : `${counted(p.accepted, 'document that was accepted since', 'documents that were accepted since')} would be sent again, if found in a watched folder`}.`,
      'Both continued from the same state. To use the backup all the same, add --older.',
    ],
    'LEDGER_EXISTS.other': (p: { stateDir: string; ledger: string; accepted: number }) => [
      `Another ledger is in ${p.stateDir} already: ${p.ledger}.${p.accepted === 0 ? '' : ` Without it, ${counted(p.accepted, 'accepted document', 'accepted documents')} would be sent again, if found in a watched folder.`}`,
      'To use the backup instead and set that ledger aside, add --replace. To view the backup without changing anything, add --beside FOLDER.',
    ],
    'LEDGER_EXISTS.notShared': (p: { path: string }) => [
      `${p.path} is a separate ledger whose contents are not in the shared one.`,
      "Move its contents with `receiptd ledger migrate`. If you don't need them, move the file and its journal elsewhere.",
    ],
    'LEDGER_MISSING.noJournal': ['The ledger has no journal yet.', 'Start `receiptd run` once.'],
    'LEDGER_MISSING.journalThere': (p: { path: string }) => [
      `The ledger ${p.path} is gone, but its journal is still there.`,
      'Start the agent: it rebuilds the ledger from the journal. Nothing recorded is lost.',
    ],
    'LEDGER_MISSING.notInStateDir': (p: { stateDir: string }) => [
      `${p.stateDir} has no ledger.`,
      'If the ledger is elsewhere, set stateDir or RECEIPTD_STATE_DIR; otherwise, run `receiptd run` once.',
    ],
    'LEDGER_MISSING.inDatabase': (p: { where: string }) => [
      `${p.where} has no ledger yet.`,
      'Start receiptd once, or run `receiptd ledger prepare`.',
    ],
    'LEDGER_MISSING.file': (p: { path: string }) => [
      `There is no ledger at ${p.path}.`,
      'Check the state directory in the config. `receiptd run` creates the ledger.',
    ],
    'LEDGER_OLDER.inDatabase': (p: { where: string }) => [
      `The ledger at ${p.where} is an older version, or is not prepared yet.`,
      'Run `receiptd ledger prepare` with a role that owns the schema.',
    ],
    'LEDGER_OLDER.file': (p: { path: string; version: number; latest: number }) => [
      `The ledger ${p.path} has version ${p.version}, from an older receiptd; this one uses version ${p.latest}.`,
      'Start the agent once. It makes the tables anew from the journal.',
    ],
    'LEDGER_OLDER.format': (p: { path: string }) => [
      `${p.path} was written by a receiptd from before the first release, whose format this one can't read.`,
      'Stop receiptd, move `ledger.db`, `ledger.journal` and `backups` out of the state directory, and start again. Nothing was changed.',
    ],
    'LEDGER_NEWER.backup': (p: { file: string; version: string }) => [
      `${p.file} was made by a newer receiptd (${p.version}).`,
      'Install that one here first.',
    ],
    'LEDGER_NEWER.inDatabase': (p: { where: string; version: number; known: number }) => [
      `The ledger at ${p.where} has version ${p.version}; this receiptd knows ${p.known}.`,
      'Install the same receiptd version as on the other agents.',
    ],
    'LEDGER_NEWER.file': (p: { path: string; version: number; latest: number }) => [
      `The ledger ${p.path} has version ${p.version}, but this receiptd supports only up to version ${p.latest}.`,
      'Install the newer receiptd that wrote it, or restore the ledger from before the upgrade (docs/upgrading.md).',
    ],
    'LEDGER_DAMAGED.unfit': (p: { path: string } & Detail) => [
      `The ledger ${p.path} can't be used: ${ended(fileFlaw(p.detail))}`,
    ],
    'LEDGER_DAMAGED.file': (p: { path: string; detail: string }) => [
      `The ledger ${p.path} is damaged: ${fileFlaw(p.detail)}.`,
      'Restart receiptd. It sets aside what is damaged, and rebuilds it from what is left.',
    ],
    'LEDGER_DAMAGED.inUse': (p: { path: string; detail: string; isMendedNext: boolean }) => [
      `The ledger ${p.path} is damaged: ${fileFlaw(p.detail)}.`,
      p.isMendedNext
        ? 'receiptd stops, and its service manager restarts it; without one, start it yourself. It then sets aside what is damaged, and rebuilds it from what is left. Check the disk.'
        : 'Restart receiptd. It sets aside what is damaged, and rebuilds it from what is left. Then check the disk.',
    ],
    'LEDGER_WRITE_FAILED.database': (p: { where: string; detail: string }) => [
      `The ledger at ${p.where} failed: ${p.detail}.`,
      REACHABLE,
    ],
    'LEDGER_WRITE_FAILED.sharedClosed': (p: { where: string }) => [`The ledger at ${p.where} is closed.`],
    'LEDGER_WRITE_FAILED.notRewritten': (p: { path: string }) => [
      `The erasure is recorded, but the ledger ${p.path} can't be rewritten, so old data is still in it.`,
      'Stop other programs that read it, and make sure that its disk has room for a copy. Then run the same command again.',
    ],
    'LEDGER_WRITE_FAILED.file': (p: { path: string; isWriting: boolean; detail: string }) => [
      `The ledger ${p.path} can't be ${p.isWriting ? 'written' : 'read'}: ${p.detail}.`,
      'Check the disk and the permissions of the state directory. The agent then continues automatically.',
    ],
    'LEDGER_WRITE_FAILED.notOpen': (p: { path: string; isClosed: boolean }) => [
      `The ledger ${p.path} is ${p.isClosed ? 'closed' : 'open for reading only'}.`,
    ],
    'LEDGER_WRITE_FAILED.threadEnded': (p: { path: string } & Detail) => [
      `The ledger ${p.path} can't be written: its thread has ended${p.detail === '' ? '.' : `: ${ended(p.detail)}`}`,
      `receiptd stops, and its service manager restarts it; without one, start it yourself. Nothing recorded is lost. If it happens again, ${/memory/i.test(p.detail) ? "find out what is using this machine's memory" : 'report it'}.`,
    ],
    'LEDGER_WRITE_FAILED.notChecked': (p: { path: string }) => [
      `The ledger ${p.path} could not be checked.`,
      'It is checked again later.',
    ],
    'DISK_FULL.noBackup': [
      'No backup was made: the disk of the state directory is full.',
      'Free some space on it, or write the backup to another disk with `receiptd backup FILE`.',
    ],
    'DISK_FULL.deferred': (p: { path: string; isWriting: boolean; system: string }) => [
      `The disk is full: ${p.path} can't be ${p.isWriting ? 'written' : 'opened'} (${p.system}).`,
      'Free some space on the disk of the state directory.',
    ],
    'DISK_FULL.restore': (p: { file: string; needed: string; dir: string; free: string }) => [
      `${p.file} needs ${p.needed} on the disk of ${p.dir}, but only ${p.free} are free.`,
      'Free some space there, or set another stateDir. Nothing was restored.',
    ],
    'DISK_FULL.unpack': (p: { file: string }) => [
      `No space is left to unpack ${p.file}.`,
      'Free some space, and restore again. Nothing was restored.',
    ],
    'DISK_FULL.ofLedger': (p: { path: string; detail: string }) => [
      `The disk of the ledger ${p.path} is full: ${p.detail}.`,
      'Free some space on it. Until then, nothing new is sent; then the agent continues automatically.',
    ],
    'DISK_FULL.reserve': (p: { path: string; detail: string; wanted: string }) => [
      `The disk of the ledger ${p.path} is full: ${p.detail}.`,
      `Delete or move files until ${p.wanted} are free on it. Until then, nothing new is sent; then the agent continues automatically.`,
    ],
    'LEDGER_SHARED.nothingToBackUp': [
      'This receiptd has no ledger of its own to back up: the ledger is in PostgreSQL.',
      'Back up the database with its own tools, such as pg_dump. To move to another PC, let this agent send what is waiting, and stop it. Then start an agent there with the same `ledger.url` and `ledger.agent`.',
    ],
    'LEDGER_SHARED.noRestore': (p: { file: string }) => [
      `${p.file} can't be restored: the ledger is in PostgreSQL.`,
      'Restore the database with its own tools. To use the backup on this PC alone, set `ledger.kind: sqlite`; `receiptd ledger migrate` can move it to the shared ledger later.',
    ],
    'LEDGER_UNREACHABLE.noHost': (p: { where: string }) => [
      `The ledger at ${p.where} has no host.`,
      REACHABLE,
    ],
    'LEDGER_UNREACHABLE.incompleteAnswer': (p: { where: string }) => [
      `${p.where} did not answer completely.`,
      REACHABLE,
    ],
    'LEDGER_UNREACHABLE.readOnlyServer': (p: { where: string }) => [
      `${p.where} takes no writes; it follows another server.`,
      REACHABLE,
    ],
    'LEDGER_UNREACHABLE.connection': (p: { where: string; detail: string }) => [
      `The ledger at ${p.where} can't be reached: ${LOST[p.detail] ?? p.detail}.`,
      REACHABLE,
    ],
    'LEDGER_UNREACHABLE.notYet': (p: { where: string }) => [
      `The ledger at ${p.where} has not been reached yet.`,
      REACHABLE,
    ],
    'LEDGER_UNREACHABLE.lost': (p: { where: string }) => [
      `The ledger at ${p.where} was lost before this was written.`,
      REACHABLE,
    ],
    /** `detail`: null if the server asks for a password and none was given. */
    'LEDGER_REFUSED.connection': (p: { where: string; detail: string | null; cure: LedgerCure }) => [
      `The ledger at ${p.where} can't be used: ${p.detail ?? 'the server asks for a password, and none was given'}.`,
      LEDGER_CURES[p.cure],
    ],
    'LEDGER_REFUSED.historyNotOwned': (p: { where: string }) => [
      `The history at ${p.where} can't be archived, because this role does not own it.`,
      'Use the role that prepared the ledger.',
    ],
    'LEDGER_REFUSED.historyArchived': (p: { where: string }) => [
      `The ledger at ${p.where} can't be used: its tables have to be made anew from the history, the beginning of which was archived.`,
      'Restore the database from its last backup. If receiptd was just updated, install the previous version instead.',
    ],
    'LEDGER_REFUSED.notFile': (p: { setting: string; file: string }) => [
      `${p.setting}: ${p.file} is not a regular file.`,
      FILE_OR_KEY,
    ],
    'LEDGER_REFUSED.notText': (p: { setting: string; file: string; encoding: NotUtf8 }) => [
      `${p.setting}: ${p.file} is ${NOT_UTF8[p.encoding]}.`,
      FILE_OR_KEY,
    ],
    'LEDGER_REFUSED.emptyFile': (p: { setting: string; file: string }) => [
      `${p.setting}: the first line of ${p.file} is empty.`,
      FILE_OR_KEY,
    ],
    'LEDGER_REFUSED.noCertificate': (p: { setting: string; file: string }) => [
      `${p.setting}: ${p.file} contains no certificate in PEM format.`,
      FILE_OR_KEY,
    ],
    'LEDGER_REFUSED.pooler': (p: { where: string }) => [
      `The ledger at ${p.where} can't be used: a pooler in between gives each transaction another session.`,
      'Let it pool sessions (PgBouncer: pool_mode = session), or name the server itself in ledger.url.',
    ],
    'LEDGER_REFUSED.notOwnerToPrepare': (p: { where: string }) => [
      `The ledger at ${p.where} can't be prepared, because this role does not own it.`,
      'Run `receiptd ledger prepare` with the role that made the schema, or as a superuser.',
    ],
    AGENT_NAME_TAKEN: (p: { agent: string; host: string }) => [
      `An agent named ${p.agent} already uses this ledger, on the host ${p.host}.`,
      'Give this agent another name (ledger.agent).',
    ],
    'AGENT_RENAMED.inLedger': (p: { former: string; agent: string }) => [
      `This agent was named ${p.former} in the ledger before, and is now ${p.agent}. Nobody would send what is waiting under the old name.`,
      `Set ledger.agent to ${p.former}.`,
    ],
    'AGENT_RENAMED.sinceMove': (p: { moved: string; agent: string }) => [
      `This machine's ledger was moved as the agent ${p.moved}, not ${p.agent}.`,
      `Set ledger.agent: ${p.moved}.`,
    ],
    AGENT_FENCED: (p: { agent: string }) => [
      `The lease of agent ${p.agent} has expired, and other agents took over its work.`,
    ],
    AGENT_UNKNOWN: (p: { agent: string }) => [
      `There is no agent named ${p.agent}.`,
      'Use a name from `receiptd fleet status`.',
    ],
    'ROLE_UNFIT.missing': (p: { role: string; quoted: string }) => [
      `The database has no role ${p.role}.`,
      `Create it first, in psql: CREATE ROLE ${p.quoted} LOGIN PASSWORD …`,
    ],
    'ROLE_UNFIT.ownsLedger': (p: { role: string }) => [
      `The role ${p.role} owns the ledger and could change all of it.`,
      'Use another role for the agents, and keep this one for `receiptd ledger prepare`.',
    ],
    LEDGER_MOVED: (p: { stateDir: string; where: string | null; agent: string; isComplete: boolean }) => [
      `The ledger in ${p.stateDir} was moved to ${p.where ?? 'an unknown database'}. There, this machine is the agent ${p.agent}.`,
      p.isComplete
        ? `Set ledger.kind: postgres, and ledger.agent: ${p.agent}.`
        : 'Run `receiptd ledger migrate` again to complete the move.',
    ],
    'MOVE_REFUSED.madeAnew': [
      "Moving this ledger can't continue: it was restored or made anew meanwhile.",
      START_OVER,
    ],
    'MOVE_REFUSED.agentStarted': (p: { agent: string }) => [
      `An agent named ${p.agent} has started using the shared ledger.`,
      'Stop it: that name belongs to the ledger being moved.',
    ],
    'MOVE_REFUSED.agentNameTaken': (p: { agent: string }) => [
      `An agent named ${p.agent} already uses the shared ledger.`,
      'Give this machine another name with --agent NAME and ledger.agent in its configuration.',
    ],
    'MOVE_REFUSED.underWay': [
      'Another `receiptd ledger migrate` is moving this ledger.',
      'Wait until it has finished.',
    ],
    'MOVE_REFUSED.asAnotherAgent': (p: { agent: string }) => [
      `This ledger is already being moved as the agent ${p.agent}.`,
      `Use --agent ${p.agent}.`,
    ],
    MOVE_DIFFERS: (p: { count: number; findings: readonly Detail[] }) => [
      `${p.count} ${plural(p.count, 'row of the shared ledger is', 'rows of the shared ledger are')} not as the moved ledger has ${plural(p.count, 'it', 'them')}: ${p.findings.map(({ detail }) => detail).join(' ')}`,
      'The old ledger is still in use. Find out what else writes to the database, then move the ledger again into an empty one.',
    ],
    'HISTORY_KEPT.changed': (p: { month: string }) => [
      `The history of ${p.month} stays in the database: an entry was erased or added while it was written.`,
      `${NOTHING_TAKEN} Try again.`,
    ],
    'HISTORY_KEPT.otherFile': (p: { month: string; file: string }) => [
      `The history of ${p.month} stays in the database: ${p.file} already exists and contains something else.`,
      `${NOTHING_TAKEN} Choose another directory.`,
    ],
    'HISTORY_KEPT.unsound': (p: { month: string; agent: string; entry: number; flaw: JournalFlawFact }) => [
      `The history of ${p.month} stays in the database: the chain of agent ${p.agent} is not sound behind entry ${p.entry}: ${phrase(flaws, p.flaw)}.`,
      NOTHING_TAKEN,
    ],
    'HISTORY_KEPT.incomplete': (p: { month: string; file: string; lines: number; count: number }) => [
      `The history of ${p.month} stays in the database: ${p.file} holds ${p.lines} of ${p.count} entries.`,
      NOTHING_TAKEN,
    ],
    'BACKUP_FAILED.unsound': (p: { file: string; isOther: boolean } & Detail) => [
      `The backup ${p.file} was written, but verifying it failed: ${p.isOther ? 'it holds another backup.' : p.detail}`,
      'The backup was removed, and nothing was closed. Use another disk.',
    ],
    'BACKUP_FAILED.shared': (p: { where: string }) => [
      `The ledger is shared, at ${p.where}, and receiptd does not back it up.`,
      'Back up the database itself with pg_dump, or with pg_basebackup and archived WAL.',
    ],
    'BACKUP_FAILED.unwritable': (p: { file: string } & Detail) => [
      `The backup ${p.file} can't be written: ${ended(p.detail)}`,
      'Check the path, its permissions, and the free space on its disk.',
    ],
    'BACKUP_FAILED.notValid': (p: { path: string } & Detail) => [
      `${p.path} is not a valid backup: ${ended(fileFlaw(p.detail))}`,
      'Choose another one, or create one with `receiptd backup`.',
    ],
    'JOURNAL_DAMAGED.behind': (p: { journal: string }) => [
      `The journal ${p.journal} is missing the most recent entries of the ledger.`,
      'Start receiptd once to repair it. For details, run `receiptd ledger verify`.',
    ],
    'JOURNAL_DAMAGED.notBackedUp': (p: { journal: string }) => [
      `The journal ${p.journal} is damaged, so a backup of it could not be restored.`,
      'Restart receiptd, which repairs it, then try again. For details, run `receiptd ledger verify`.',
    ],
    'JOURNAL_DAMAGED.entry': (p: { path: string; entry: number | null; flaw: JournalFlawFact }) => [
      `The journal ${p.path} is broken at ${p.entry === null ? 'its last entry' : `entry ${p.entry}`}: ${phrase(flaws, p.flaw)}.`,
      'Keep the file. For details, run `receiptd ledger verify`.',
    ],
    'SPOOL_FULL.notAccepted': [
      'The file was not accepted, because no copy can be kept: the spool is full.',
      AGAIN_ONCE_FIXED,
    ],
    'SPOOL_UNWRITABLE.notAccepted': [
      'The file was not accepted, because no copy can be kept: the disk has a problem.',
      AGAIN_ONCE_FIXED,
    ],
    'SPOOL_UNWRITABLE.spool': (p: {
      dir: string;
      doing: keyof typeof SPOOL_DOING;
      system: string;
      isFull: boolean;
    }) => [
      `The spool in ${p.dir} can't be ${SPOOL_DOING[p.doing]} (${p.system}).`,
      p.isFull
        ? 'Free some space on the disk of the state directory.'
        : 'Check the free space and permissions of the state directory.',
    ],
    'DOCUMENT_UNKNOWN.fileOnly': (p: { written: string; path: string; state: string } & Detail) => [
      `"${p.written}" has no document: ${p.path} is ${p.state}.${p.detail === '' ? '' : ` ${p.detail}`}`,
      '`receiptd list` lists the names.',
    ],
    'DOCUMENT_UNKNOWN.name': (p: { name: string }) => [
      `The ledger has no document named "${p.name}".`,
      '`receiptd list` lists the names.',
    ],
    'DOCUMENT_UNKNOWN.content': (p: { file: string; sha256: string }) => [
      `No document has the content of ${p.file} (SHA-256 ${p.sha256}).`,
      '`receiptd list` lists what was seen, `receiptd send` sends a file.',
    ],
    'DOCUMENT_UNKNOWN.number': (p: { id: number }) => [`The ledger has no document with the number ${p.id}.`],
    'DOCUMENT_UNKNOWN.notDismissed': (p: { target: string }) => [
      `Nothing named "${p.target}" was dismissed.`,
      '`receiptd list --dismissed` lists what was dismissed.',
    ],
    'DOCUMENT_UNKNOWN.needsNobody': (p: { target: string }) => [
      `Nothing named "${p.target}" needs a person.`,
      '`receiptd list --needs-person` lists what does.',
    ],
    DOCUMENT_AMBIGUOUS: (p: { written: string; names: readonly string[]; more: number }) => [
      `"${p.written}" matches several documents, newest first: ${p.names.map((name) => `"${name}"`).join(', ')}${p.more > 0 ? ` and ${p.more} more` : ''}.`,
      'Enter the full name.',
    ],
    'DOCUMENT_STATE.accepted': (p: { name: string }) => [
      `"${p.name}" is already accepted.`,
      'To send it again, use `receiptd resend`.',
    ],
    'DOCUMENT_STATE.wrong': (p: {
      name: string;
      state: string;
      wanted: 'upload' | 'postpone' | 'lose' | 'resend';
    }) => [`${p.name} is ${p.state}; it can't ${WANTED[p.wanted]}.`],
    'DOCUMENT_STATE.notUnderWay': (p: { attempt: number }) => [
      `Upload request number ${p.attempt} is not under way.`,
    ],
    'DOCUMENT_STATE.notDismissed': (p: { target: string }) => [`"${p.target}" was not dismissed.`],
    'DOCUMENT_STATE.needsNobody': (p: { target: string; state: string }) => [
      `"${p.target}" does not need a person: it is ${p.state}, or was already dismissed.`,
    ],
    DOCUMENT_TAKEN: (p: { name: string }) => [`${p.name} is being sent by another agent.`],
    'BYTES_GONE.preview': ['This document has no preview.'],
    'BYTES_GONE.image': (p: { name: string } & Detail) => [
      `The image of "${p.name}" can't be shown. ${p.detail}`,
    ],
    'BYTES_GONE.notResent': (p: { name: string; isElsewhere: boolean } & Detail) => [
      `"${p.name}" can't be sent again. ${p.detail}`,
      p.isElsewhere
        ? "Run this command on that agent's machine."
        : 'Put the file back into its folder, or scan the receipt again.',
    ],
  } satisfies Entries;
}

function archiveFlaw(p: ArchiveFlaw): string {
  switch (p.flaw) {
    case 'empty':
      return 'it is empty';
    case 'twice':
      return 'it names a file twice';
    case 'foreign':
      return '`receiptd backup` did not make it';
    case 'manifestUnreadable':
      return 'its manifest cannot be read';
    case 'grows':
      return 'it unpacks to more than it says';
    case 'missing':
      return `${p.about} is not in it`;
    case 'unlisted':
      return `it holds ${p.about}, which its list does not name`;
    case 'otherSize':
      return `${p.about} has another size than listed`;
    case 'changed':
      return `${p.about} was changed or damaged`;
    case 'manifest':
      return `its manifest is invalid (${p.about})`;
    case 'notGzip':
      return `it is not a gzip file, or was cut off or changed (${p.about})`;
    case 'notTar':
      return `it is not a tar file, or was cut off or changed (${p.about})`;
    case 'notPlain':
      return `it holds something that is not a plain file (${p.about ?? 'of no kind'})`;
    case 'bomb':
      return `it has ${p.about} and would unpack to ${p.unpacked}`;
  }
}
