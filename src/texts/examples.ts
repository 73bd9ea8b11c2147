/** One example of what each code says, for docs/errors.md and the tests of the texts. */
import type { Flaw, InvalidSettings } from './en/settingFlaws.ts';
import type { OfErrors, WordedCode } from './codes.ts';
import type { ErrorKey, ErrorTexts } from './errors.ts';
import type { Listed, Words } from './facts.ts';

const FOLDER = '/srv/scans';
const HELD = {
  reason: 'HTTP_403',
  detail: 'The service does not allow uploads to this endpoint.',
  until: null,
  waiting: 3,
  agent: null,
};
const OF_CREDENTIALS = { ...HELD, account: null };
const LEDGER = 'db.example:5432/receiptd';
const STATE = '/var/lib/receiptd';

/** Parameters of each problem; several where the cure depends on them. */
export const PROBLEM_EXAMPLES: { readonly [C in keyof Listed]: readonly [Listed[C], ...Listed[C][]] } = {
  FOLDER_MISSING: [{ folder: FOLDER }],
  FOLDER_NOT_A_DIRECTORY: [{ folder: FOLDER }],
  FOLDER_UNREADABLE: [{ folder: FOLDER, detail: 'EACCES' }],
  FOLDER_UNREACHABLE: [{ folder: FOLDER, detail: 'It does not answer.' }],
  FOLDER_UNLISTED: [{ folder: FOLDER }],
  FOLDER_TAKEN: [{ folder: FOLDER, detail: '' }],
  FOLDER_UNWRITABLE: [
    { folder: FOLDER, file: 'SCAN0007.jpg', system: 'EACCES', isArchived: true, isAway: false },
    { folder: FOLDER, file: 'SCAN0007.jpg', system: 'EROFS', isArchived: true, isAway: false },
    { folder: FOLDER, file: 'SCAN0007.jpg', system: 'ELOOP', isArchived: true, isAway: false },
    { folder: FOLDER, file: 'SCAN0007.jpg', system: 'ENOSPC', isArchived: true, isAway: false },
    { folder: FOLDER, file: null, system: 'ETIMEDOUT', isArchived: true, isAway: true },
  ],
  FOLDER_TAKEN_OVER: [{ folder: FOLDER, count: 12 }],
  FOLDER_TAKEN_ELSEWHERE: [{ folder: FOLDER, count: 3, archivedTo: `${FOLDER}/archive/SCAN0007.jpg` }],
  SUBFOLDERS_UNREADABLE: [
    { folder: FOLDER, count: 2, system: 'EACCES', subfolders: ['2026-10', '2026-11'], isAway: false },
    { folder: FOLDER, count: 2, system: 'EIO', subfolders: ['2026-10', '2026-11'], isAway: true },
  ],
  SUBFOLDERS_UNWATCHED: [{ folder: FOLDER, count: 1, subfolders: ['2026-11'] }],
  FILE_UNREADABLE: [{ folder: FOLDER, count: 4, system: 'EACCES', files: ['a.jpg', 'b.jpg', 'c.jpg'] }],
  WATCH_LIMIT: [
    { folders: [FOLDER, '/srv/post'], system: 'ENOSPC' },
    { folders: ['/srv/back\\slash'], system: null },
  ],
  FOLDER_SILENT: [{ folder: FOLDER, last: '2026-03-02T17:40:00Z', minutes: 200, pause: 60 }],
  FOLDERS_SILENT: [{ count: 4, watched: 12, folders: ['/srv/a', '/srv/b', '/srv/c'] }],
  ATTENTION_UNWRITABLE: [
    { place: `${FOLDER}/attention`, system: 'EACCES' },
    { place: `${FOLDER}/attention`, system: 'EROFS' },
    { place: `${FOLDER}/attention`, system: 'ELOOP' },
  ],
  DISK_SLOW: [{ stateDir: STATE, seconds: 2, answers: true }],
  LOG_UNWRITABLE: [{ dir: `${STATE}/logs`, system: 'ENOSPC' }],
  AGENT_SILENT: [{ agent: 'scan-pc', host: 'scan-pc.example', last: '2026-03-02T08:30:00Z', count: 12 }],
  SPOOL_FULL: [{ used: 5e9, limit: 5e9, size: 2e6 }],
  SPOOL_UNWRITABLE: [
    { detail: 'EACCES', keepsScans: true },
    { detail: 'EACCES', keepsScans: false },
  ],
  ALERT_UNDELIVERED: [{ channel: 'email', detail: 'It rejects the password.' }],
  RESULTS_COMMAND_FAILED: [{ program: '/usr/local/bin/book', detail: 'ended with status 3' }],
  UPLOADS_PAUSED: [
    { scope: 'endpoint', target: 'office', by: 'ann', until: null, waiting: 3 },
    { scope: 'service', target: null, by: 'ann', until: '2026-01-05T08:00:00.000Z', waiting: 3 },
  ],
  PERSON_NEEDED: [
    {
      folder: FOLDER,
      count: 3,
      needs: [
        { state: 'failed', reason: null, count: 2 },
        { state: 'rejected', reason: 'TOO_LARGE', count: 1 },
      ],
    },
  ],
  CREDENTIALS_MISSING: [OF_CREDENTIALS],
  CREDENTIALS_INSECURE: [OF_CREDENTIALS],
  CREDENTIALS_REFUSED: [OF_CREDENTIALS, { ...OF_CREDENTIALS, account: 'branch' }],
  KEYCHAIN_UNAVAILABLE: [OF_CREDENTIALS],
  KEYCHAIN_LOCKED: [OF_CREDENTIALS],
  SERVICE_UNREACHABLE: [{ ...HELD, service: 'https://service.example' }],
  SERVICE_BUSY: [{ ...HELD, service: 'https://service.example' }],
  ENDPOINT_BUSY: [{ ...HELD, endpoint: 'office' }],
  ENDPOINT_HELD: [{ ...HELD, endpoint: 'office' }],
  ENDPOINT_GONE: [
    { endpoint: 'https://service.example#u-1', count: 2, tookSome: true },
    { endpoint: 'https://service.example#u-1', count: 2, tookSome: false },
  ],
};

/** An error by its key, with parameters if it has any. */
export type ErrorExample<K extends ErrorKey = ErrorKey> = {
  [Key in K]: ErrorTexts[Key] extends (params: infer P) => Words
    ? readonly [key: Key, params: P]
    : readonly [key: Key];
}[K];

type KeyOf<C extends string> = Extract<ErrorKey, C | `${C}.${string}`>;

const invalid = (key: string, line: number, flaw: Flaw): InvalidSettings => ({
  file: '/etc/receiptd/receiptd.yaml',
  problems: [{ key, line, col: 5, flaw }],
});

/** Sentences of errors: of each code that has no others, and of those that mean something else on the command line. */
export const ERROR_EXAMPLES: {
  readonly [C in OfErrors]: readonly [ErrorExample<KeyOf<C>>, ...ErrorExample<KeyOf<C>>[]];
} & { readonly [C in WordedCode]?: readonly ErrorExample<KeyOf<C>>[] } = {
  FOLDER_UNWRITABLE: [
    [
      'FOLDER_UNWRITABLE.unit',
      {
        unit: '/lib/systemd/system/receiptd.service',
        places: [FOLDER],
        command: 'sudo receiptd service install',
      },
    ],
  ],
  CONFIG_NOT_FOUND: [
    ['CONFIG_NOT_FOUND.chosen', { path: '/etc/receiptd.yaml', isOption: true }],
    [
      'CONFIG_NOT_FOUND.anywhere',
      {
        places: ['./receiptd.yaml', '/etc/receiptd/receiptd.yaml'],
        closed: '/etc/receiptd',
        isWindows: false,
      },
    ],
  ],
  CONFIG_INVALID: [
    [
      'CONFIG_INVALID.settings',
      invalid('delivery.concurency', 12, { is: 'unknownKey', meant: 'concurrency' }),
    ],
  ],
  TEMPLATE_INVALID: [
    [
      'TEMPLATE_INVALID.settings',
      invalid('folders[0].name', 8, {
        is: 'templateField',
        field: 'dat',
        at: 1,
        template: '{dat}-{seq}',
        guess: 'date',
        known: ['date', 'seq'],
      }),
    ],
  ],
  FOLDERS_NESTED: [
    [
      'FOLDERS_NESTED.settings',
      invalid('folders[1].path', 9, { is: 'inRecursive', of: 'folders[0]', path: `${FOLDER}/2026` }),
    ],
  ],
  ENDPOINT_UNKNOWN: [
    [
      'ENDPOINT_UNKNOWN.settings',
      invalid('folders[0].endpoint', 7, {
        is: 'endpointUnknown',
        endpoint: 'ofice',
        meant: 'office',
        known: 'office, plant',
      }),
    ],
  ],
  ACCOUNT_UNKNOWN: [
    [
      'ACCOUNT_UNKNOWN.settings',
      invalid('endpoints.plant.account', 5, {
        is: 'accountUnknown',
        account: 'plant',
        meant: null,
        known: 'north, south',
      }),
    ],
  ],
  HTTPS_REQUIRED: [
    [
      'HTTPS_REQUIRED.settings',
      invalid('service.baseUrl', 2, { is: 'httpsRequired', url: 'http://api.example.com' }),
    ],
  ],
  CONFIG_EXISTS: [['CONFIG_EXISTS', { file: '/etc/receiptd/receiptd.yaml' }]],
  CONFIG_CHANGED: [['CONFIG_CHANGED.bySomebody', { file: '/etc/receiptd/receiptd.yaml' }]],
  CONFIG_UNWRITABLE: [
    [
      'CONFIG_UNWRITABLE.file',
      {
        file: '/etc/receiptd/receiptd.yaml',
        system: 'EACCES',
        command: 'sudo chown receiptd: /etc/receiptd /etc/receiptd/receiptd.yaml',
      },
    ],
  ],
  FILE_UNREADABLE: [['FILE_UNREADABLE.notSent', { file: 'SCAN0007.jpg', system: 'EACCES' }]],
  STATE_UNWRITABLE: [
    ['STATE_UNWRITABLE.unusable', { stateDir: STATE, system: 'EROFS', detail: 'EROFS', mayHoldLedger: true }],
    [
      'STATE_UNWRITABLE.refused',
      {
        stateDir: STATE,
        refused: {
          kind: 'otherUser',
          owner: 'receiptd',
          self: 'root',
          command: 'runuser -u receiptd -- receiptd …',
        },
      },
    ],
    [
      'STATE_UNWRITABLE.refused',
      { stateDir: '/srv/scans', refused: { kind: 'shared', better: '/srv/scans/receiptd' } },
    ],
  ],
  ALREADY_RUNNING: [['ALREADY_RUNNING.here', { pid: 4711, stateDir: STATE }]],
  STATE_MOVED: [
    [
      'STATE_MOVED',
      {
        stateDir: STATE,
        at: '2026-01-31T08:00:00.000Z',
        file: '/media/stick/office.receiptd',
        isCopy: false,
      },
    ],
  ],
  ARCHIVE_REFUSED: [
    ['ARCHIVE_REFUSED.file', { file: '/media/stick/office.receiptd', flaw: 'changed', about: 'ledger.db' }],
  ],
  LEDGER_EXISTS: [
    ['LEDGER_EXISTS.other', { stateDir: STATE, ledger: `${STATE}/ledger.db`, accepted: 8 }],
    ['LEDGER_EXISTS.newer', { stateDir: STATE, entries: 20, file: 'office.receiptd', accepted: 8 }],
    ['LEDGER_EXISTS.notShared', { path: `${STATE}/ledger.db` }],
  ],
  LEDGER_MISSING: [
    ['LEDGER_MISSING.file', { path: `${STATE}/ledger.db` }],
    ['LEDGER_MISSING.journalThere', { path: `${STATE}/ledger.db` }],
  ],
  LEDGER_OLDER: [
    ['LEDGER_OLDER.file', { path: `${STATE}/ledger.db`, version: 2, latest: 3 }],
    ['LEDGER_OLDER.format', { path: `${STATE}/ledger.db` }],
    ['LEDGER_OLDER.inDatabase', { where: LEDGER }],
  ],
  LEDGER_NEWER: [['LEDGER_NEWER.file', { path: `${STATE}/ledger.db`, version: 3, latest: 2 }]],
  DISK_FULL: [
    [
      'DISK_FULL.reserve',
      { path: `${STATE}/ledger.db`, detail: 'database or disk is full', wanted: '9.0 MB' },
    ],
  ],
  LEDGER_SHARED: [
    ['LEDGER_SHARED.nothingToBackUp'],
    ['LEDGER_SHARED.noRestore', { file: 'office.receiptd' }],
  ],
  LEDGER_REFUSED: [
    [
      'LEDGER_REFUSED.connection',
      { where: LEDGER, detail: 'password authentication failed for user "receiptd"', cure: 'password' },
    ],
    ['LEDGER_REFUSED.pooler', { where: LEDGER }],
  ],
  AGENT_RENAMED: [['AGENT_RENAMED.inLedger', { former: 'scan-pc', agent: 'scan-pc-9' }]],
  AGENT_UNKNOWN: [['AGENT_UNKNOWN', { agent: 'scan-pc-9' }]],
  ROLE_UNFIT: [
    ['ROLE_UNFIT.ownsLedger', { role: 'receiptd_owner' }],
    ['ROLE_UNFIT.missing', { role: 'receiptd', quoted: '"receiptd"' }],
  ],
  LEDGER_MOVED: [['LEDGER_MOVED', { stateDir: STATE, where: LEDGER, agent: 'scan-pc', isComplete: true }]],
  MOVE_REFUSED: [['MOVE_REFUSED.agentNameTaken', { agent: 'scan-pc' }], ['MOVE_REFUSED.madeAnew']],
  MOVE_DIFFERS: [
    [
      'MOVE_DIFFERS',
      { count: 1, findings: [{ detail: 'Document 17 in the ledger does not match the journal.' }] },
    ],
  ],
  HISTORY_KEPT: [
    ['HISTORY_KEPT.changed', { month: '2025-01' }],
    ['HISTORY_KEPT.otherFile', { month: '2025-01', file: '/archive/scan-pc.journal' }],
  ],
  BACKUP_FAILED: [
    ['BACKUP_FAILED.notValid', { path: '/backup/ledger.db', detail: 'file is not a database' }],
    [
      'BACKUP_FAILED.unsound',
      { file: '/backup/office.receiptd', isOther: false, detail: 'ledger.db differs.' },
    ],
  ],
  JOURNAL_DAMAGED: [
    ['JOURNAL_DAMAGED.entry', { path: `${STATE}/ledger.journal`, entry: 17, flaw: { is: 'numberTwice' } }],
  ],
  DOCUMENT_UNKNOWN: [
    ['DOCUMENT_UNKNOWN.name', { name: 'scan-1' }],
    ['DOCUMENT_UNKNOWN.content', { file: 'scan-1.jpg', sha256: '0'.repeat(64) }],
  ],
  DOCUMENT_AMBIGUOUS: [['DOCUMENT_AMBIGUOUS', { written: 'scan', names: ['scan-1', 'scan-2'], more: 0 }]],
  DOCUMENT_STATE: [['DOCUMENT_STATE.accepted', { name: 'scan-1' }]],
  DOCUMENT_TAKEN: [['DOCUMENT_TAKEN', { name: 'scan-1' }]],
  CREDENTIALS_UNWRITABLE: [
    ['CREDENTIALS_UNWRITABLE.file', { path: `${STATE}/credentials.json`, system: 'EACCES' }],
    ['CREDENTIALS_UNWRITABLE.notEncrypted', { detail: '' }],
    ['CREDENTIALS_UNWRITABLE.notFirst', { account: null, store: 'file', first: 'keychain' }],
  ],
  ENDPOINT_FORBIDDEN: [['ENDPOINT_FORBIDDEN', { host: 'service.example', answer: '' }]],
  ENDPOINT_REFUSED: [['ENDPOINT_REFUSED', { host: 'service.example', httpStatus: 400, answer: '' }]],
  CREATE_UNCERTAIN: [
    ['CREATE_UNCERTAIN.noUid', { host: 'service.example', httpStatus: 201 }],
    [
      'CREATE_UNCERTAIN.unrecorded',
      { name: 'Office', uid: '1111-2222', detail: '/etc/receiptd is read-only.' },
    ],
  ],
  USAGE: [['USAGE.documentOrAll']],
  OUTPUT_UNWRITABLE: [
    [
      'OUTPUT_UNWRITABLE.file',
      { file: 'receipts.csv', system: 'EEXIST', detail: 'EEXIST', output: 'output' },
    ],
  ],
  NOT_RUNNING: [['NOT_RUNNING.stateDir', { stateDir: STATE, command: 'receiptd run' }]],
  CONTROL_FAILED: [
    [
      'CONTROL_FAILED.notReached',
      { socketPath: `${STATE}/control.sock`, system: 'EACCES', isWindows: false },
    ],
    ['CONTROL_FAILED.notUnderstood'],
  ],
  CONSOLE_SIGNED_OUT: [
    ['CONSOLE_SIGNED_OUT.usedLink', { command: 'receiptd console' }],
    ['CONSOLE_SIGNED_OUT.wrongPassword'],
  ],
  CONSOLE_REFUSED: [
    ['CONSOLE_REFUSED.foreignHost'],
    [
      'CONSOLE_REFUSED.place',
      { setting: 'archiveTo', path: '/srv/archive', file: '/etc/receiptd/receiptd.yaml' },
    ],
    ['CONSOLE_REFUSED.backupElsewhere'],
  ],
  CONFIRMATION_NEEDED: [
    ['CONFIRMATION_NEEDED.nothingSent', { folder: FOLDER }],
    ['CONFIRMATION_NEEDED.nothingErased'],
  ],
  RESULT_UNKNOWN: [['RESULT_UNKNOWN', { id: 99 }]],
  SETUP_INCOMPLETE: [
    [
      'SETUP_INCOMPLETE',
      { isUnattended: false, backlogs: [], missing: ['--base-url (RECEIPTD_SETUP_BASE_URL)'] },
    ],
  ],
  TEST_RECEIPT_UNDELIVERED: [
    [
      'TEST_RECEIPT_UNDELIVERED',
      {
        file: 'receiptd-test.png',
        isToCome: true,
        why: { what: 'state', state: 'held', detail: 'HTTP 403: the plan does not include it' },
      },
    ],
  ],
  MANAGER_ABSENT: [['MANAGER_ABSENT.systemd', { isUser: false, isAsked: false, detail: null }]],
  MANAGER_FAILED: [
    [
      'MANAGER_FAILED.notStarted',
      {
        unit: 'receiptd.service',
        isHeld: true,
        detail: 'ConditionFileIsExecutable=/usr/bin/receiptd',
        state: '',
      },
    ],
  ],
  ROOT_NEEDED: [['ROOT_NEEDED.systemService', { option: '--scope' }]],
  INSTALL_REFUSED: [
    [
      'INSTALL_REFUSED.folderOutOfReach',
      {
        user: 'receiptd',
        folder: '/home/anna/scans',
        code: 'FOLDER_UNREADABLE',
        at: '/home/anna',
        commands: ['setfacl -m u:receiptd:x /home/anna'],
      },
    ],
    ['INSTALL_REFUSED.npxCache', { path: '/root/.npm/_npx' }],
    ['INSTALL_REFUSED.mappedDrive', { path: 'S:\\scans', replacement: '\\\\server\\scans' }],
  ],
  INSTALL_EDITED: [['INSTALL_EDITED.install', { file: '/etc/systemd/system/receiptd.service' }]],
  NOT_INSTALLED: [
    ['NOT_INSTALLED.notAService', { other: 'user' }],
    ['NOT_INSTALLED.byPackage', { file: '/etc/systemd/system/receiptd.service' }],
  ],
};
