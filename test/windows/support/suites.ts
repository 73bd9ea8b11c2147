import { isEveryCase } from '../../support/everyCase.ts';

/** What of test/ is run on the Windows build of Node.js, and what of that is not, and why. */
export const SUITES: readonly string[] = [
  'core',
  'config',
  'ledger/journal',
  'ledger/sqlite',
  'keeper/spool',
  'intake',
  'state-dir',
];

export interface LeftOut {
  /** Below `test`. */
  readonly file: string;
  readonly why: string;
  /** Full names; one that ends with `*`: all that begin so. Without any: the whole file. */
  readonly tests?: readonly string[];
}

/** What starts other processes from the compiled sources; vitest's own tools, which are not there, make those. */
const STARTS_COMPILED = [
  'keeper/spool/deferredJournal.test.ts',
  'keeper/spool/fullDisk.test.ts',
  'intake/folder/atOnce.test.ts',
  'intake/folder/guarded.test.ts',
  'intake/image/hashing.test.ts',
  'intake/image/readBeside.test.ts',
  'ledger/sqlite/cleanShutdownMark.test.ts',
  'ledger/sqlite/reserve.test.ts',
  'state-dir/instanceLock.test.ts',
];

const REPLACES_MODULES = ['ledger/sqlite/start.test.ts'];

const OF_LINUX = [
  'intake/folder/apart.test.ts',
  'intake/folder/directoryWatcher.test.ts',
  'intake/folder/hints.test.ts',
  'intake/folder/fileSystem.test.ts',
  'intake/folder/fuse.test.ts',
  'intake/presence/otherFileSystem.test.ts',
  'intake/presence/shares.test.ts',
  'intake/presence/unmounted.test.ts',
  'intake/unchangedDirectories.test.ts',
];

const OF_POSIX = [
  'config/configFile.test.ts',
  'config/load.test.ts',
  'config/locate.test.ts',
  'ledger/journal/auditDoc.test.ts',
];

/** By the reason: access rights (Wine keeps none), symbolic links (Wine makes none), and what only POSIX has. */
const RIGHTS = 'access rights, of which Wine keeps none';
const LINKS = 'symbolic links, of which Wine makes none';
const NAMES = 'names that Windows does not take';
const POSIX = 'what Windows does not have or do';
const BIRTH = 'times of birth, for which Wine gives those of the last change (pc.ts has none told)';

/** A step of their clock takes as long as Wine's file system lets it. RECEIPTD_EVERY_CASE=1 runs them. */
const SLOW = [
  'intake/offline/firstWatch.test.ts',
  'intake/offline/offline.test.ts',
  'intake/watchTrouble.test.ts',
];

export const LEFT_OUT: readonly LeftOut[] = [
  ...(isEveryCase ? [] : SLOW.map((file) => ({ file, why: 'takes half a minute under Wine' }))),
  ...STARTS_COMPILED.map((file) => ({ file, why: 'starts processes of the compiled sources' })),
  ...REPLACES_MODULES.map((file) => ({ file, why: 'replaces modules, for which it needs Vite' })),
  ...OF_LINUX.map((file) => ({ file, why: 'is about mounts, file systems or inotify of Linux' })),
  ...OF_POSIX.map((file) => ({ file, why: 'is about paths, places or tools of POSIX' })),
  { file: 'core/domain/outsideTimes.test.ts', why: 'sets the time zone through Vitest' },
  {
    file: 'intake/dispose/whichGo.test.ts',
    why: 'has files whose names differ in case only, which are one on Windows',
  },
  {
    file: 'keeper/spool/openSpool.test.ts',
    why: `${RIGHTS}; ${LINKS}`,
    tests: [
      'is readable only by its owner, even if the directory was open before',
      'neither follows, counts, overwrites nor deletes links and foreign files',
      'reports the system error code if it cannot write, and still reads existing copies',
    ],
  },
  {
    file: 'intake/folder/originals.test.ts',
    why: `${RIGHTS}; ${LINKS}; ${POSIX}`,
    tests: [
      'archiving > follows a link elsewhere that the admin configured',
      'archiving > follows no link in the watched folder, where anyone who scans may have put it: *',
      'archiving > makes another copy where there is only a link to the same bytes',
      'archiving > names the file in an error by its visible path',
      'finding an archived file > compares name, size and hash, and considers only regular files',
      'an archive on another file system > *',
      'a directory that is replaced by a link between check and move > *',
    ],
  },
  {
    file: 'intake/folder/listing.test.ts',
    why: `${RIGHTS}; ${LINKS}; ${NAMES}; ${POSIX}; ${BIRTH}`,
    tests: [
      'a listing > recognizes the archive by another spelling where names differ in case only',
      'availability > has a new token for a recreated folder, which mostly gets the same inode',
      'a listing > recognizes the archive through a link in either path',
      'a listing > follows no symbolic link, so that a loop is harmless',
      'a listing > skips a FIFO without blocking',
      'a listing > reports names that are not valid UTF-8, but not a genuine U+FFFD',
      'a listing > reports directories that vanish during the listing',
      'a listing > rejects if the folder itself is missing, a file, or not readable',
      'availability > is unreadable with mode *',
    ],
  },
  {
    file: 'intake/folder/read.test.ts',
    why: `${RIGHTS}; ${NAMES}`,
    tests: [
      'reading a file > distinguishes a missing file from an unreadable one',
      'reading a file > preserves the name: newline',
      'reading a file > preserves the name: backslash',
    ],
  },
  {
    file: 'intake/folder/realDirectory.test.ts',
    why: LINKS,
    tests: [
      'a link on the path is detected at any depth, and its target is not reached',
      'a folder that is itself a link is followed at any depth',
    ],
  },
  {
    file: 'intake/folderWatch.test.ts',
    why: RIGHTS,
    tests: ['a folder > with an unreadable directory *'],
  },
  {
    file: 'intake/scanner.test.ts',
    why: NAMES,
    tests: ['a file is sent despite another whose invalid name looks the same, which is sent once renamed'],
  },
  {
    file: 'intake/dispose/failing.test.ts',
    why: RIGHTS,
    tests: [
      'an archive that cannot be written > leaves the original in place, and is tried again some minutes later',
    ],
  },
  ...(!isEveryCase
    ? []
    : [
        {
          file: 'intake/watchTrouble.test.ts',
          why: RIGHTS,
          tests: [
            'a folder > that loses and regains permission waits, loses nothing, and reads nothing again',
          ],
        },
      ]),
  {
    file: 'ledger/journal/journal.test.ts',
    why: `${RIGHTS}; a thousand files, which takes a minute under Wine`,
    tests: [
      'a journal > is private, and no other file is left beside it',
      'opening a journal > finds a commit completely or not at all, wherever a crash truncated it',
    ],
  },
  {
    file: 'state-dir/stateDir.test.ts',
    why: `${RIGHTS}, as the state directory's note says; ${LINKS}`,
    tests: [
      'a missing state directory is created, with its parents',
      'the contents of an existing one are left alone',
      'a directory with foreign files is refused, and nothing in it is touched',
    ],
  },
  {
    file: 'state-dir/windowsPrivacy.test.ts',
    why: 'the temporary directory is not that of TMPDIR',
    tests: ['a state directory is used where there is no place for the lists that icacls saves'],
  },
  {
    file: 'ledger/sqlite/open.test.ts',
    why: RIGHTS,
    tests: ['opening the SQLite ledger > creates a file for its owner only, whatever the umask'],
  },
  {
    file: 'ledger/sqlite/backup.test.ts',
    why: RIGHTS,
    tests: ['a backup > is private to its owner'],
  },
  {
    file: 'state-dir/stateMarks.test.ts',
    why: RIGHTS,
    tests: ['the agent’s instance > stays the same for a state directory, and differs between two'],
  },
];
