/** What docs/errors.md says besides the messages. It is written in English only. */
import { statusesOf } from '../answers.ts';
import type { ErrorCode } from '../facts.ts';

export const INTRODUCTION = `<!-- Generated from src/texts and src/core/domain/problem.ts by \`npm run generate\`; change it there. -->

# Errors

Every error and every problem is one message: what is wrong and where, what to do, and its code in brackets. The codes are stable; the words may
change. On the command line, messages are in the language of the terminal (\`LC_ALL\`, \`LC_MESSAGES\`, \`LANG\`), English or German.

The sentences below are examples. **Console** names the buttons that the console offers; where none is named, it leads to the log. The exit status is 1 unless
another one is named ([exit statuses](commands.md#exit-statuses)).
`;

/** What the messages do not say. */
export const NOTES: Readonly<Partial<Record<ErrorCode, string>>> = {
  CONFIG_NOT_FOUND: '`receiptd init` writes a file with all settings for you to edit.',
  CONFIG_SYNTAX:
    'Line and column say where. A line of a file that seems to contain a secret is not shown. Look for quotes, brackets, tabs and indentation first.',
  CONFIG_INVALID:
    'Each mistake has its own line. [Configuration](configuration.md) lists every key and its values.',
  CONFIG_UNWRITABLE:
    'A new file is written beside the old one, so the directory has to be writable too. A change made in an editor is reloaded automatically.',
  FOLDERS_NESTED:
    'An archive or the state directory inside a watched folder is refused as well: move it out.',
  ENDPOINT_IS_EXAMPLE:
    'No service knows that uid. `run` does not start, `check` fails, and a running agent keeps its previous configuration. `receiptd endpoint create NAME` prints the uid of a new endpoint; `receiptd setup` also enters it.',
  ACCOUNT_UNKNOWN: 'Without `account` or `--account`, the default account is used.',
  HTTPS_REQUIRED: 'In a network that you trust, `service.allowInsecureHttp: true` allows http.',
  FOLDER_MISSING: 'It was deleted or renamed, or its disk is not mounted.',
  FOLDER_UNWRITABLE:
    'The agent says so once it watches the folder, before the first original has to go. It follows no links in a watched folder or an archive.',
  FILE_UNREADABLE:
    'If it is about the ledger, or a file that is needed to reach it (`ledger.passwordFile`, `ledger.ca`), run the command as the user that runs receiptd.',
  FOLDER_UNREACHABLE:
    'Another file system in the place of a share, or an empty mount point, counts as unreachable too ([network shares](folders.md#network-shares)).',
  FOLDER_UNLISTED: 'Shown after ten minutes. Files that are gone are not noticed either.',
  FOLDER_TAKEN:
    'Both agents would name and send every receipt, so the second one leaves the folder alone and does everything else. It takes over once the first one has been gone for `intake.takeOverAfter`; `status` shows when ([two agents on one folder](folders.md#two-agents-on-one-folder)).',
  FOLDER_TAKEN_OVER: 'New scans are sent ([two agents on one folder](folders.md#two-agents-on-one-folder)).',
  FOLDER_TAKEN_ELSEWHERE:
    'Nothing is held back. Compare `receiptd list` of both agents to find receipts that were sent twice. Agents that share a ledger: [fleet](fleet.md#two-agents-on-one-folder).',
  SUBFOLDERS_UNWATCHED: 'The scanner may have begun to use subfolders.',
  WATCH_LIMIT:
    'Listing at intervals is slower, but loses nothing. `receiptd check` says how many watches are needed.',
  FOLDER_SILENT: 'See [when a scanner goes silent](silent-scanner.md). The next scan ends it.',
  FOLDERS_SILENT: 'See [when a scanner goes silent](silent-scanner.md).',
  ATTENTION_UNWRITABLE:
    'A link means that somebody has put one in the place of the folder, or on the way to it. Nothing was written or deleted through it; find out who made it and why.',
  STATE_UNWRITABLE:
    'Nothing is sent that can’t be recorded. To back up a ledger whose disk is now read-only, copy the state directory to another disk (`cp -a`), set `RECEIPTD_STATE_DIR` to the copy, and run `receiptd backup FILE`.',
  ALREADY_RUNNING: 'A lock never outlives its process.',
  STATE_MOVED:
    '`receiptd backup --final` closed it. `restore` is refused as well, unless the file comes from that other PC and continues where this one ended. A copy that `restore --beside` made is closed too.',
  ARCHIVE_REFUSED: 'If the old PC was closed for this backup, run `receiptd backup --reopen` there.',
  LEDGER_EXISTS:
    'Nothing was restored. `--older` never replaces another ledger. With a shared ledger (`ledger.kind: postgres`), the state directory has a ledger of its own, whose documents would be sent again.',
  LEDGER_OLDER:
    'Commands that only read do not change it ([upgrading](upgrading.md)). Nothing is deleted: the agent keeps the older tables as `ledger.db.aside-…`.',
  LEDGER_NEWER: 'See [going back](upgrading.md#going-back).',
  LEDGER_DAMAGED:
    'It is left as it is, and nothing is sent, because without it receipts would be sent again. An agent that finds the damage ends, and rebuilds the ledger when its service manager starts it again. If that has already happened in this run, it waits for a person, because the disk is unreliable.',
  LEDGER_WRITE_FAILED:
    'Usually the disk is full. If the thread of the ledger has ended, the agent ends as well, and its service manager starts it again.',
  DISK_FULL:
    'Answers to uploads under way are recorded in reserved space (`storage.reserve`). The agent continues once the reserve fits again and 1 MB is left. What may be deleted: [the disk is full](troubleshooting.md#the-disk-is-full).',
  DISK_SLOW:
    'Nothing is sent before it is recorded, so `status` and the console wait for the disk too. From half of `WatchdogSec` on, systemd’s watchdog gets no sign of life. It ends once the disk is fast again.',
  LEDGER_SHARED:
    'The command works with the files of a ledger, but this one is in PostgreSQL ([fleet](fleet.md)).',
  LEDGER_UNREACHABLE:
    'You need not restart anything here ([while the database is away](fleet.md#while-the-database-is-away)).',
  LEDGER_REFUSED: 'You need not restart anything after that.',
  LEDGER_WENT_BACK:
    'The database was restored from a backup, or a standby that lagged behind took over. Each agent records again what it did since ([while the database is away](fleet.md#while-the-database-is-away)). Replicate synchronously to prevent it.',
  AGENT_NAME_TAKEN: 'The name of the machine is a good one (`ledger.agent`).',
  AGENT_RENAMED:
    'The machine may have another host name. To really rename the agent, see [when an agent goes, or is renamed](fleet.md#when-an-agent-goes-or-is-renamed).',
  AGENT_FENCED:
    'It was silent for longer than its lease; what it tried to write too late was refused. If this happens often, find out why the machine or its network stalls, or raise `ledger.lease`.',
  AGENT_SILENT:
    'It did not say that it was stopping: it was killed, frozen, switched off, or cut off from the database. One of the running agents reports it, within a minute if documents wait for it alone, until it is back or for seven days ([what happens to its documents](fleet.md#when-an-agent-goes-or-is-renamed)).',
  LEDGER_MOVED: 'Nothing is sent, because both ledgers would send what is waiting.',
  MOVE_REFUSED: 'The old ledger is in use as before ([move a ledger over](fleet.md#move-a-ledger-over)).',
  HISTORY_KEPT:
    'If an entry is not sound or does not follow the one before, see [verifying with receiptd](audit.md#verifying-with-receiptd).',
  BACKUP_FAILED:
    'A backup that reads back differently is removed and closes nothing, because its disk can’t be trusted.',
  JOURNAL_DAMAGED: 'See [audit](audit.md).',
  SPOOL_FULL: '`receiptd status` says why uploads are waiting.',
  BYTES_GONE: 'The same bytes get the same name.',
  PERSON_NEEDED: 'It ends when none is left ([what to do with each](documents.md#what-needs-a-person)).',
  UPLOADS_PAUSED:
    'Scans are taken in, and wait. It ends when somebody resumes them, or at the time that the pause was given. Whoever paused them knows, so nobody is alerted.',
  CREDENTIALS_MISSING:
    'The message lists where receiptd looked ([where credentials are kept](credentials.md#where-credentials-are-kept)). An identifier or secret with more than 4096 characters, or with control characters, is not accepted.',
  CREDENTIALS_REFUSED:
    'With several accounts, only the endpoints of this one wait. See [replace a secret](credentials.md#replace-a-secret).',
  CREDENTIALS_UNWRITABLE: 'Unless the message says otherwise, the old credentials are still in place.',
  KEYCHAIN_UNAVAILABLE:
    'Servers often have none. It is asked for 10 s when reading, and for 30 s if a person may have to type a password ([a keychain that does not answer](credentials.md#a-keychain-that-does-not-answer)).',
  KEYCHAIN_LOCKED:
    'Nobody has logged in at the desktop, or somebody locked it. A service that runs without anybody logged in needs another store. With `credentials.store: auto`, this is reported only if no other store has credentials.',
  SERVICE_UNREACHABLE: 'See [holds](troubleshooting.md#holds).',
  SERVICE_BUSY: 'It sent `Retry-After` ([holds](troubleshooting.md#holds)).',
  ENDPOINT_BUSY: `HTTP ${statusesOf('slowDown').join(' or ')} ([holds](troubleshooting.md#holds)).`,
  ENDPOINT_HELD: 'One of its documents is tried again from time to time ([holds](troubleshooting.md#holds)).',
  CREATE_UNCERTAIN: 'receiptd never repeats this request by itself. If the endpoint exists, use its uid.',
  USAGE: 'A command, option or argument is wrong. `receiptd COMMAND --help` shows the options.',
  OUTPUT_UNWRITABLE: 'An existing file is never overwritten.',
  NOT_RUNNING:
    'As a service, it is started with `receiptd service start`. Commands that can work without an agent do so.',
  CONTROL_FAILED:
    'After an update, restart the agent. Others than root: [admins who are not root](security.md#admins-who-are-not-root).',
  PORT_IN_USE:
    'It concerns the sandbox, the console, monitoring or the receiver of results. `receiptd check` notices it beforehand.',
  MONITORING_UNAVAILABLE:
    'The machine has no such address, or the port is reserved for root (`monitoring.listen`). It is tried again.',
  CONSOLE_UNAVAILABLE:
    'It is switched off, its address or certificate can’t be used, or it has no password although it needs one ([console](console.md)).',
  CONSOLE_REFUSED:
    'The request is one that the console’s own page would not send, or that a browser may not make ([what the console can reach](security.md#what-the-console-can-reach)). Use the command line for it.',
  ALERT_UNDELIVERED: 'It is also reported through the other channels ([delivery](alerts.md#delivery)).',
  CONFIRMATION_NEEDED: 'The question was not answered with yes, or nobody could be asked.',
  RESULTS_UNAVAILABLE: 'It is tried again every two seconds ([receive results](results.md#receive-results)).',
  RESULTS_COMMAND_FAILED:
    'It could not be started, took longer than a minute, or ended with a status other than 0. It gets the same result again, at intervals that grow to five minutes. To try it by hand, use `receiptd results show ID --json`. At log level `debug`, the log has its output.',
  SETUP_INCOMPLETE: 'Nothing was changed.',
  TEST_RECEIPT_UNDELIVERED: 'Setup is done. Another run of it waits for the same receipt.',
  MANAGER_FAILED:
    'The message ends with the manager’s own words, the error with which the agent ended, or the condition of the unit that is not met: systemd reports a start as done even if it only waits for a condition.',
  INSTALL_REFUSED:
    'The service would not work as its user. If the user `receiptd` was created for the service, it stays.',
};

/** The console's buttons; a test compares them with its texts. */
export const BUTTONS = {
  retry: 'Try again now',
  list: 'Show them',
  editFolder: 'Edit folder',
  move: 'Move the documents to another endpoint',
  confirmFolder: 'The folder is right as it is',
  resume: (target: string) => `Resume ${target}`.trim(),
  open: (page: string) => `Open ${page}`,
  pages: {
    folders: 'Folders',
    endpoints: 'Endpoints',
    fleet: 'Fleet',
    file: 'Configuration file',
    alerts: 'Alerts',
    results: 'Results',
    monitoring: 'Monitoring',
    storage: 'Storage and log',
  },
} as const;

/** What becomes of a problem, and of the command that reports it. */
export const ASIDES = {
  console: (buttons: readonly string[]) => `**Console:** ${buttons.map((each) => `*${each}*`).join(', ')}.`,
  passing: 'It resolves itself.',
  alerted: (minutes: number) => `People are alerted after ${minutes} minutes.`,
  exitStatus: (status: number) => `Exit status ${status}.`,
};
