import type { Detail, Entries, FolderHolder, NotUtf8, SecretFlaw } from '../../facts.ts';
import type { Format } from '../../format.ts';

export const AS_ADMINISTRATOR = 'Open a terminal with "Run as administrator" and run this there.';

export const NOT_UTF8: Readonly<Record<NotUtf8, string>> = {
  'UTF-16': 'UTF-16 text, not UTF-8',
  binary: 'not text: it contains NUL bytes',
};

const ANOTHER_FOLDER = 'Choose another folder, or allow the user that runs receiptd to read it and open it.';

function holderText(by: FolderHolder | null): string {
  return by === null ? '' : ` (process ${by.pid} of ${by.user}, state directory ${by.stateDir})`;
}

function takenBy(p: { folder: string; by: FolderHolder | null }): string {
  return `Another agent on this machine watches ${p.folder}${holderText(p.by)}. Both would send every receipt in it.`;
}

/** What the unit of the service forbids, and the command that allows it. */
type OfUnit = { unit: string; places: readonly string[]; command: string };

export function filesErrors(format: Format) {
  const { duration, time } = format;
  return {
    'FOLDER_MISSING.gone': (p: { folder: string }) => [
      `${p.folder} was deleted, renamed or replaced.`,
      'receiptd watches it again as soon as it is back.',
    ],
    'FOLDER_MISSING.chosen': (p: { folder: string }) => [`${p.folder} does not exist.`, ANOTHER_FOLDER],
    'FOLDER_NOT_A_DIRECTORY.inArchive': (p: { place: string }) => [
      `${p.place} in the archive is not a folder.`,
      'Remove or rename it. The agent does not follow links inside an archive or between a watched folder and its archive.',
    ],
    'FOLDER_NOT_A_DIRECTORY.chosen': (p: { folder: string }) => [
      `${p.folder} is not a folder.`,
      ANOTHER_FOLDER,
    ],
    'FOLDER_UNREADABLE.notOpened': (p: { path: string }) => [
      `${p.path} can't be opened.`,
      'It does not exist, is not a folder, does not answer, or receiptd may not read it.',
    ],
    'FOLDER_UNREADABLE.chosen': (p: Detail) => [p.detail, ANOTHER_FOLDER],
    'FOLDER_UNWRITABLE.notCreated': (p: { path: string; system: string | null }) => [
      `${p.path} can't be created (${p.system ?? 'unknown error'}).`,
      'Choose another folder, or create it yourself.',
    ],
    'FOLDER_UNREADABLE.unit': (p: OfUnit) => [
      `${p.unit} hides ${p.places.join(', ')} from the service.`,
      `\`${p.command}\` adapts the service to the configuration.`,
    ],
    'FOLDER_UNWRITABLE.unit': (p: OfUnit) => [
      `${p.unit} does not allow the service to write to ${p.places.join(', ')}.`,
      `\`${p.command}\` adapts the service to the configuration.`,
    ],
    'FILE_UNREADABLE.notSent': (p: { file: string; system: string }) => [
      `${p.file} can't be read (${p.system}).`,
      'Check its name and permissions. Nothing was sent.',
    ],
    'FILE_UNREADABLE.secretNotText': (p: { path: string; encoding: NotUtf8 }) => [
      `${p.path} is ${NOT_UTF8[p.encoding]}.`,
      'Save it as UTF-8 in your editor. It must contain the client secret and nothing else.',
    ],
    'FILE_UNREADABLE.secret': (p: { path: string; system: string | null }) => [
      `${p.path} can't be read (${p.system ?? 'unknown error'}).`,
      'It must contain the client secret and nothing else.',
    ],
    'FILE_UNREADABLE.ofLedgerSetting': (p: { setting: string; file: string; system: string | null }) => [
      `${p.setting}: ${p.file} can't be read (${p.system ?? 'unknown reason'}).`,
      'It must be a file that the user running receiptd can read.',
    ],
    'FILE_UNREADABLE.ledger': (p: { path: string; detail: string }) => [
      `The ledger ${p.path} can't be opened: ${p.detail}.`,
      'Check the disk, and the permissions of the file and its directory.',
    ],
    'FILE_UNREADABLE.ledgerOutOfReach': (p: { path: string; detail: string; isWindows: boolean }) => [
      `The ledger ${p.path} can't be accessed: ${p.detail}.`,
      p.isWindows
        ? AS_ADMINISTRATOR
        : 'Run this as the user that owns the state directory, as root, or as a member of control.group.',
    ],
    'FILE_UNREADABLE.journal': (p: { path: string; detail: string; isWindows: boolean }) => [
      `The journal ${p.path} can't be read: ${p.detail}.`,
      p.isWindows ? AS_ADMINISTRATOR : 'Run this as the user that runs receiptd, or as root.',
    ],
    'FILE_UNREADABLE.ledgerNotFile': (p: { path: string }) => [
      `The ledger ${p.path} is not a regular file.`,
      'Find out who put it there, and remove it.',
    ],
    'FILE_UNREADABLE.notAFile': (p: { file: string; isFolder: boolean }) => [
      `${p.file} is ${p.isFolder ? 'a folder' : 'not a file'}.`,
      p.isFolder ? 'Name the files in it, or watch the folder. Nothing was sent.' : 'Nothing was sent.',
    ],
    'FILE_UNREADABLE.secretFile': (p: {
      setting: string;
      file: string;
      flaw: SecretFlaw;
      system: string | null;
    }) => [
      `${p.setting}: ${p.file} ${secretFlaw(p)}.`,
      'Write the secret to the file as its only line, and make the file readable only by the user that runs receiptd.',
    ],
    'FILE_UNREADABLE.backup': (p: { file: string; system: string }) => [
      `${p.file} can't be read: ${p.system === 'ENOENT' ? 'there is no such file' : p.system === 'EISDIR' ? 'it is not a file' : p.system === 'EACCES' ? 'permission denied' : p.system}.`,
      p.system === 'EACCES'
        ? 'Only its owner can read a backup. Copy it for the user who restores it (`install --owner USER --mode 600 FILE COPY`).'
        : 'Use a file from `receiptd backup`, or a ledger from `backups` in a state directory.',
    ],
    'FOLDER_UNREACHABLE.chosen': (p: Detail) => [p.detail, ANOTHER_FOLDER],
    /** `takeOverAfterMs`: null if this agent does not wait for the folder. */
    'FOLDER_TAKEN.held': (p: { folder: string; by: FolderHolder | null; takeOverAfterMs: number | null }) => [
      `${takenBy(p)}${p.takeOverAfterMs === null ? '' : ` This agent takes over once the other one has been gone for ${duration(p.takeOverAfterMs)}.`}`,
    ],
    'FOLDER_TAKEN.gone': (p: { folder: string; by: FolderHolder | null; since: number; until: number }) => [
      `Another agent on this machine watched ${p.folder}${holderText(p.by)} and has been gone since ${time(p.since)}. This agent takes over at ${time(p.until)} unless the other one is back by then.`,
    ],
    'WATCH_LIMIT.reached': (p: { folder: string; system: 'ENOSPC' | 'EMFILE' | 'ENFILE' }) => [
      `The system limit is reached, so some directories in ${p.folder} are not watched (${p.system}).`,
      `Raise the limit, for example with ${p.system === 'ENOSPC' ? 'sysctl fs.inotify.max_user_watches=524288' : 'sysctl fs.inotify.max_user_instances=1024, or raise the limit on open files'}. Until then the folder is listed at intervals instead.`,
    ],
    'WATCH_LIMIT.backslash': (p: { folder: string }) => [
      `The path of ${p.folder} contains a backslash, so receiptd can't watch it for events.`,
      'Rename it, or let receiptd list it at intervals.',
    ],
  } satisfies Entries;
}

export function secretFlaw({ flaw, system }: { flaw: SecretFlaw; system: string | null }): string {
  switch (flaw) {
    case 'notFile':
      return 'is not a regular file';
    case 'tooLarge':
      return 'is too large to be a secret';
    case 'empty':
      return 'holds nothing in its first line';
    case 'unreadable':
      return `can't be read (${system ?? 'unknown reason'})`;
    default:
      return `is ${NOT_UTF8[flaw]}`;
  }
}
