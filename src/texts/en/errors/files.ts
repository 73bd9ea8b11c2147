import type { Entries, NotUtf8 } from '../../facts.ts';

export const NOT_UTF8: Readonly<Record<NotUtf8, string>> = {
  'UTF-16': 'UTF-16 text, not UTF-8',
  binary: 'not text: it contains NUL bytes',
};

export function filesErrors() {
  return {
    'FOLDER_MISSING.gone': (p: { folder: string }) => [
      `${p.folder} was deleted, renamed or replaced.`,
      'receiptd watches it again as soon as it is back.',
    ],
    'FOLDER_NOT_A_DIRECTORY.inArchive': (p: { place: string }) => [
      `${p.place} in the archive is not a folder.`,
      'Remove or rename it. The agent does not follow links inside an archive or between a watched folder and its archive.',
    ],
    'FOLDER_UNREADABLE.notOpened': (p: { path: string }) => [
      `${p.path} can't be opened.`,
      'It does not exist, is not a folder, does not answer, or receiptd may not read it.',
    ],
    'FOLDER_UNWRITABLE.notCreated': (p: { path: string; system: string | null }) => [
      `${p.path} can't be created (${p.system ?? 'unknown error'}).`,
      'Choose another folder, or create it yourself.',
    ],
    'FILE_UNREADABLE.notSent': (p: { file: string; system: string }) => [
      `${p.file} can't be read (${p.system}).`,
      'Check its name and permissions. Nothing was sent.',
    ],
    'FILE_UNREADABLE.secretNotText': (p: { path: string; not: string }) => [
      `${p.path} ${p.not}.`,
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
    'FILE_UNREADABLE.ledgerNotFile': (p: { path: string }) => [
      `The ledger ${p.path} is not a regular file.`,
      'Find out who put it there, and remove it.',
    ],
    'FILE_UNREADABLE.notAFile': (p: { file: string; isFolder: boolean }) => [
      `${p.file} is ${p.isFolder ? 'a folder' : 'not a file'}.`,
      p.isFolder ? 'Name the files in it, or watch the folder. Nothing was sent.' : 'Nothing was sent.',
    ],
    'WATCH_LIMIT.backslash': (p: { folder: string }) => [
      `The path of ${p.folder} contains a backslash, so receiptd can't watch it for events.`,
      'Rename it, or let receiptd list it at intervals.',
    ],
  } satisfies Entries;
}
