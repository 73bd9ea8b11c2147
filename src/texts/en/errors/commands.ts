import type { Format } from '../../format.ts';
import type {
  AlertReceiver,
  CommandLineFault,
  CredentialsFlaw,
  Detail,
  Entries,
  NotUtf8,
  ProgramEnd,
  Within,
  Words,
  TestReceiptTrouble,
  SecretFlaw,
} from '../../facts.ts';
import { expectedTexts, flawTexts, type Expected, type Flaw } from '../settingFlaws.ts';
import { credentialsFlaw } from './credentials.ts';
import { AS_ADMINISTRATOR, NOT_UTF8, secretFlaw } from './files.ts';
import { faultText } from '../faults.ts';
import { endText } from '../machine.ts';
import type { FaultFact } from '../../fault.ts';

const DATABASE_PASSWORD = 'receiptd reads the password from --password-file, PGPASSWORD or ~/.pgpass.';

/** Commands that people guess, with the right ones. */
export const GUESSED = {
  start:
    '`receiptd run` runs the agent in this terminal; `receiptd service start` starts it in the background.',
  stop: '`receiptd service stop` stops the agent in the background; Ctrl-C stops `receiptd run`.',
  restart:
    '`receiptd service restart` restarts the agent in the background; `receiptd reload` applies a changed config.',
  install:
    '`receiptd service install` installs the agent as a service that runs in the background; `receiptd setup` does everything.',
  uninstall: '`receiptd service uninstall` removes the service.',
  upload:
    '`receiptd send FILE` uploads a file; `receiptd run --once` uploads what is in the watched folders.',
  version: '`receiptd --version` shows the version.',
  config: '`receiptd setup` writes the config; `receiptd check` checks it.',
  search: '`receiptd list --search TEXT` searches.',
  delete: '`receiptd erase NAME` erases the personal data of a document.',
} as const;

const UNWRITABLE: Readonly<Record<string, string>> = {
  EEXIST: 'it already exists and was left unchanged',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'part of its path is not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  EDQUOT: 'no space is left',
};

/** What to do about output that can't be written, by what it is. */
export const OUTPUT_CURES = {
  output: 'Choose another file with --output.',
  report: 'Choose another place with --output. The findings above are still valid.',
  config: 'Choose another file with --config.',
  restoredConfig: 'Run it as root, or choose another file with --config. Nothing was restored.',
  beside: 'Choose another folder with --beside.',
  backup: 'Name another file.',
  finalBackup: 'Name another file. Nothing was closed.',
} as const;

/** Who gets alerts, to begin a sentence. */
function receiverText({ channel, of }: { channel: AlertReceiver; of: string | null }): string {
  switch (channel) {
    case 'desktop':
      return 'The desktop';
    case 'email':
      return `The mail server ${of}`;
    case 'eventLog':
      return 'The event log';
    case 'webhook':
      return `The webhook at ${of}`;
    default:
      return of ?? channel;
  }
}

/** By their section of the configuration. */
const LISTENERS = {
  console: 'The console',
  results: 'The receiver of results',
  monitoring: 'Monitoring',
};
export type ListenerName = keyof typeof LISTENERS;

const notListening =
  (section: ListenerName) =>
  (p: { where: string; system: string | null }): Words => [
    `${LISTENERS[section]} can't listen on ${p.where}: ${p.system === 'EADDRNOTAVAIL' ? 'this machine has no such address' : p.system === 'EACCES' ? 'ports below 1024 are reserved for root' : (p.system ?? 'unknown reason')}.`,
    `Correct ${section}.listen.`,
  ];

const notOpened = (p: { name: string; detail: string }): Words => [
  `The server of ${p.name} can't be opened: ${p.detail}.`,
];

const noCertificate =
  (section: ListenerName) =>
  (p: { host: string }): Words => [
    `${LISTENERS[section]} does not listen on ${p.host} without a certificate.`,
    `Set one in ${section}.tls (cert, key), or listen on 127.0.0.1.`,
  ];

/** What is wrong with a certificate and its key. */
export type UnfitPair =
  | {
      readonly kind: 'notUtf8';
      readonly of: 'cert' | 'key';
      readonly file: string;
      readonly encoding: NotUtf8;
    }
  | {
      readonly kind: 'unreadable';
      readonly of: 'cert' | 'key';
      readonly file: string;
      readonly system: string | null;
    }
  | { readonly kind: 'noCertificate' | 'noKey' | 'locked'; readonly file: string }
  | { readonly kind: 'mismatch'; readonly cert: string; readonly key: string }
  | { readonly kind: 'unusable'; readonly cert: string; readonly detail: string };

const unfitPair =
  (section: ListenerName) =>
  (p: UnfitPair): Words => [pairFault(p), `Correct ${section}.tls (cert, key) or the files it refers to.`];

function pairFault(p: UnfitPair): string {
  switch (p.kind) {
    case 'notUtf8':
      return `The ${p.of === 'key' ? 'key' : 'certificate'} ${p.file} is ${NOT_UTF8[p.encoding]}.`;
    case 'unreadable':
      return `The ${p.of === 'key' ? 'key' : 'certificate'} ${p.file} ${p.system === 'ENOENT' ? 'is not there' : `can't be read (${p.system ?? 'unknown error'})`}.`;
    case 'noCertificate':
      return `${p.file} contains no certificate in PEM format.`;
    case 'noKey':
      return `${p.file} contains no private key in PEM format.`;
    case 'locked':
      return `${p.file} is protected by a passphrase.`;
    case 'mismatch':
      return `The key ${p.key} does not match the certificate ${p.cert}.`;
    case 'unusable':
      return `The certificate ${p.cert} can't be used (${p.detail}).`;
  }
}

function commandLine(fault: CommandLineFault): string {
  switch (fault.kind) {
    case 'unknownOption':
      return `Unknown option "${fault.subject}".`;
    case 'valueMissing':
      return `${fault.subject} needs a value.`;
    case 'optionMissing':
      return `${fault.subject} is missing.`;
    case 'argumentMissing':
      return `Missing required argument "${fault.subject}".`;
    case 'tooManyArguments':
      return `Too many arguments for "${fault.subject}".`;
    case 'notAChoice':
      return `${fault.subject}: "${fault.given}" is not valid. Allowed choices are ${fault.choices.join(', ')}.`;
    case 'other':
      return `This command line is not understood: ${fault.detail}`;
  }
}

export function commandsErrors(format: Format) {
  const { counted, duration, ended, phrase, time } = format;
  return {
    'USAGE.unknownOperation': [
      'The running agent does not support this operation.',
      'If it is older than this program, restart it.',
    ],
    'USAGE.notPosted': ['Operations are asked for with POST.'],
    'USAGE.requestTooLarge': (p: { limit: number }) => [`The request is larger than ${p.limit} bytes.`],
    'USAGE.requestIncomplete': ['The request is not complete.'],
    'USAGE.requestTooDeep': ['The request is nested too deeply.'],
    'USAGE.requestNotJson': ['The request is not JSON.'],
    'USAGE.requestInvalid': (p: { at: string | null; detail: string | null }) => [
      `${p.at ?? 'The request'}: ${p.detail ?? 'invalid'}.`,
    ],
    'USAGE.noPage': ['Page not found.'],
    'USAGE.signIn': ['Send either a token or a password.'],
    'USAGE.noCredentialsFile': [
      'No credentials file is configured.',
      'Set credentials.file in the configuration.',
    ],
    'USAGE.unfitCredentials': (p: CredentialsFlaw) => [
      `These can't be service credentials: the ${credentialsFlaw(p)}.`,
      'Enter the client identifier and the client secret exactly as the service shows them.',
    ],
    'USAGE.inputNotText': (p: { input: 'clientId' | 'clientSecret' | 'password'; shortest?: number }) => [
      `Standard input holds control characters (NUL, as in UTF-16) instead of ${p.input === 'clientId' ? 'the client identifier' : p.input === 'clientSecret' ? 'the client secret' : `the password (at least ${p.shortest ?? 0} characters)`}.`,
      'Save the file as UTF-8.',
    ],
    'USAGE.folderNotInLedger': (p: { wanted: string; known: readonly string[] }) => [
      `The ledger has no folder "${p.wanted}".`,
      `Known: ${p.known.join(', ')}.`,
    ],
    'USAGE.finalNeedsFile': ['--final needs a file to write.', 'Run `receiptd backup --final FILE`.'],
    'USAGE.passwordLength': (p: { length: number; shortest: number; longest: number }) => [
      `The password has ${p.length} characters; it needs ${p.shortest} to ${p.longest}.`,
      'A whole sentence is easy to remember.',
    ],
    'USAGE.notOwnDirectory': (p: { file: string; option: string }) => [
      `${p.option} yes gives the directory of ${p.file} to the service's user, and other programs may use it.`,
      'Put the configuration itself, not a link to it, into a directory called receiptd, such as /etc/receiptd.',
    ],
    'USAGE.passwordsDiffer': ['The passwords do not match; nothing was changed.'],
    'USAGE.nothingToDismiss': [
      'Name documents or files to dismiss, or add --all.',
      '`receiptd list --needs-person` lists them.',
    ],
    'USAGE.dismissLimit': ['`dismiss` takes no --limit.'],
    'USAGE.eitherFlag': (p: { flags: readonly string[] }) => [
      `Use either ${p.flags.join(' or ')}, not both.`,
    ],
    'USAGE.nameNotInFull': (p: { written: string; name: string }) => [
      `With --yes, write document names in full: "${p.written}" is not a full name.`,
      `Did you mean ${p.name}?`,
    ],
    'USAGE.onlyWithCsv': ['--excel, --separator and --all-columns only work with CSV.'],
    'USAGE.separator': (p: { wanted: string }) => [`--separator must be ",", ";" or tab, not "${p.wanted}".`],
    'USAGE.notCondition': (p: { text: string }) => [
      `--where needs a condition such as "total>=100", not "${p.text}".`,
    ],
    'USAGE.headUnreadable': (p: { file: string }) => [
      `--head: ${p.file} can't be read.`,
      'Use a file from `receiptd ledger head --json`, or NUMBER:HASH.',
    ],
    'USAGE.notHead': (p: { file: string }) => [
      `${p.file} is not a journal head.`,
      '`receiptd ledger head --json` writes one.',
    ],
    'USAGE.noSharedLedger': ['No shared ledger is configured.', 'Add --to postgres://user@host/database.'],
    'USAGE.passwordFileUnreadable': (p: { file: string; detail: string }) => [
      `The password file ${p.file} can't be read: ${p.detail}.`,
      'Choose another file with --password-file.',
    ],
    'USAGE.alreadyShared': [
      'The configuration already uses the shared ledger.',
      'Set ledger.kind: sqlite until the ledger has been moved, and give the database with --to.',
    ],
    'USAGE.agentName': (p: { given: string }) => [
      `"${p.given}" is not a valid agent name.`,
      'Use at most 63 letters, digits, hyphens and underscores for --agent.',
    ],
    'USAGE.notPastDate': (p: { before: string }) => [
      `--before ${p.before} is not a past date.`,
      'Write it as 2025-01-01.',
    ],
    'USAGE.fromAndClientId': [
      'Use either --from or --client-id, not both.',
      '--from moves stored credentials; --client-id stores new ones.',
    ],
    'USAGE.bothCredentials': [
      'Both a client identifier and a client secret are needed.',
      'Pass the identifier with --client-id and the secret on standard input.',
    ],
    'USAGE.sameStore': (p: { to: string }) => [
      `--from and --store are the same store, ${p.to}.`,
      'Use --store to say where to move the credentials.',
    ],
    'USAGE.folderNotEmpty': (p: { folder: string }) => [
      `${p.folder} is not empty.`,
      'Choose a new folder with --beside.',
    ],
    'USAGE.notResultNumber': (p: { text: string }) => [
      `"${p.text}" is not a result number.`,
      '`receiptd results list` lists the numbers.',
    ],
    'USAGE.resultsOff': [
      'Results are not received: results.listen is off.',
      'Set results.listen, or use --base to give the address at which the service reaches this machine.',
    ],
    'USAGE.notBaseAddress': (p: { option: string; text: string }) => [
      `${p.option}: "${p.text}" is not valid.`,
      'Use a base address such as https://receipts.example.com.',
    ],
    'USAGE.sandboxUid': (p: { given: string; example: string }) => [
      `--endpoint-uid: "${p.given}" is not valid.`,
      `Use a lowercase UUID such as ${p.example}.`,
    ],
    'USAGE.sandboxNotStarted': (p: { detail: string }) => [
      `The sandbox can't start: ${p.detail}.`,
      'Check --dir, --host and --port.',
    ],
    'USAGE.notFaultRule': (p: { text: string }) => [
      `--fault: "${p.text}" is not valid.`,
      '`receiptd sandbox --help` lists the rules.',
    ],
    'USAGE.dataStream': (p: { stream: string }) => [
      `${p.stream} refers to an alternate data stream, which can't be sent.`,
      'Remove the last colon and everything after it.',
    ],
    'USAGE.configAtWithoutDryRun': [
      '--config-at only works with --dry-run.',
      'Add --dry-run, or put the config file there and use --config.',
    ],
    'USAGE.userServiceIsYours': [
      'A user service runs as you.',
      'Leave out --user, or install a system service with --scope system.',
    ],
    'USAGE.rootUserService': (p: { option: string }) => [
      "root can't have a user service here.",
      `Run this as the user the service is for, without sudo, or leave out ${p.option} user.`,
    ],
    'USAGE.alreadyAnswered': ['This question has already been answered.'],
    'USAGE.setupDone': ['Setup is done.'],
    'USAGE.setupBusy': ['receiptd is busy with a step of the setup.'],
    'USAGE.pathNotAbsolute': ['The path must be absolute.'],
    'USAGE.secretFromTerminal': (p: { flag: string }) => [
      `${p.flag} - reads the secret from standard input, but standard input is a terminal.`,
      'Leave it out, and receiptd prompts for the secret.',
    ],
    'USAGE.secretEmpty': (p: { path: string }) => [
      `${p.path} is empty.`,
      'It must contain the client secret and nothing else.',
    ],
    'USAGE.setupAnswer': (p: { flag: string; variable: string; given: string; takes: Expected }) => [
      `${p.flag} (${p.variable}): "${p.given}" is not valid.`,
      `Use ${phrase(expectedTexts, p.takes)}.`,
    ],
    'USAGE.browserAsks': ['--browser asks questions; --yes and --json are for setup without questions.'],
    'USAGE.practiceReplaces': (p: { file: string; baseUrl: string }) => [
      `${p.file} is for ${p.baseUrl}, and practice mode must not replace it.`,
      'Use another file: `receiptd setup --sandbox --config practice.yaml`.',
    ],
    'USAGE.topNeedsTerminal': [
      '`top` needs a terminal that supports cursor control.',
      'Use `receiptd status`.',
    ],
    'USAGE.topInterval': (p: { given: string; leastMs: number }) => [
      `--every: "${p.given}" is not valid.`,
      `Use a duration of at least ${p.leastMs}ms, such as 2s.`,
    ],
    'USAGE.documentOrFileOrAll': ['Name a document or file, or add --all.'],
    'USAGE.severalFiles': (p: { target: string; paths: readonly string[]; more: number }) => [
      `"${p.target}" is the name of several files: ${p.paths.join(', ')}${p.more > 0 ? `, and ${p.more} more` : ''}.`,
      'Use the full path of the one you mean.',
    ],
    'USAGE.documentOrBefore': ['Name a document, or add --before.'],
    'USAGE.numbersOrFilter': ['Give either numbers or a filter.'],
    'USAGE.endpointForDocuments': ['Name the endpoint that gets the documents.'],
    'USAGE.documentOrAll': ['Name a document, or add --all.'],
    'USAGE.valueOrDefault': (p: { key: string }) => [
      `Give a new value for ${p.key}, or --default to remove it from the file.`,
    ],
    'USAGE.noSuchFolder': (p: { path: string; known: readonly string[] }) => [
      `"${p.path}" is not a folder of the configuration.`,
      `Folders: ${p.known.join(', ')}.`,
    ],
    'USAGE.whichEndpoint': (p: { option: string; known: readonly string[] }) => [
      `Several endpoints are configured: ${p.known.join(', ')}.`,
      `Choose one with ${p.option}.`,
    ],
    'USAGE.noSuchTarget': (p: { target: string; known: readonly string[] }) => [
      `"${p.target}" is not a configured folder or endpoint.`,
      `Known: ${p.known.join(', ')}.`,
    ],
    'USAGE.pausedUntilPast': (p: { until: string }) => [
      `A pause can't end at ${time(p.until)}, which is past.`,
      'Give a later time.',
    ],
    'USAGE.timeZone': (p: { timeZone: string }) => [`"${p.timeZone}" is not the name of a time zone.`],
    'USAGE.page': ['page takes a number from 1 to 99999.'],
    'USAGE.ids': ['ids takes numbers with commas between.'],
    'USAGE.json': (p: { key: string }) => [`${p.key} takes JSON.`],
    'USAGE.query': (p: { field: string | null; detail: string | null }) => [
      `${p.field ?? 'The query'}: ${p.detail ?? 'invalid'}.`,
    ],
    'USAGE.streamSeparator': ['separator takes , or ; or tab.'],
    'USAGE.endpointRequest': (p: {
      given: string;
      field: 'name' | 'language' | 'outgoingUrl';
      takes: Expected;
    }) => [
      `"${p.given}" is not valid as ${p.field === 'name' ? 'the name of an endpoint' : p.field === 'language' ? 'the language of an endpoint' : 'an outgoing URL'}.`,
      `Use ${phrase(expectedTexts, p.takes)}.`,
    ],
    'USAGE.userName': (p: { name: string }) => [`"${p.name}" is not a valid user name for --user.`],
    'USAGE.cursor': ['The cursor is not valid.', 'Start with the first page.'],
    'USAGE.retiresItself': (p: { agent: string }) => [
      `${p.agent} is the agent of this machine.`,
      'Retire it on the machine of another agent.',
    ],
    'USAGE.retiresRunning': (p: { agent: string }) => [
      `Agent ${p.agent} is running.`,
      'Stop it first, then retire it.',
    ],
    'USAGE.notConfiguredFolder': (p: { path: string }) => [`"${p.path}" is not a configured folder.`],
    'USAGE.severalStores': (p: { stores: readonly string[]; store: string }) => [
      `Credentials are stored in more than one place (${p.stores.join(', ')}), so it is not clear which to keep.`,
      `Choose one with --from ${p.store}, or enter new ones with --client-id.`,
    ],
    'USAGE.mailPassword': [
      'This is not a valid password: it is empty, too long, or contains control characters.',
      'Enter it exactly as it is set on the mail server.',
    ],
    'USAGE.notAbsolute': (p: { path: string }) => [`${p.path} is not an absolute path.`],
    'USAGE.watchedDirectory': (p: { directory: string; folder: string }) => [
      `${p.directory} is watched (${p.folder} in the config).`,
      'The agent picks up files there automatically. To send a file that it ignores, copy the file elsewhere first.',
    ],
    'USAGE.severalEndpoints': (p: { known: readonly string[] }) => [
      'The config has several endpoints, but a file goes to only one.',
      `Choose one with --endpoint: ${p.known.join(', ')}.`,
    ],
    'USAGE.bytesMissing': (p: { path: string; came: number; size: number }) => [
      `${p.path}: ${p.came} bytes came of ${p.size}.`,
    ],
    'USAGE.notDatabase': [
      '--to needs an address such as postgres://receiptd@db.example.com/receiptd.',
      DATABASE_PASSWORD,
    ],
    'USAGE.passwordVisible': [
      '--to contains a password, which everyone on this machine can see. Remove it, and change the password.',
      DATABASE_PASSWORD,
    ],
    'USAGE.unfitDatabase': (p: { flaw: Flaw }) => [
      `--to ${phrase(flawTexts(format), p.flaw)}.`,
      DATABASE_PASSWORD,
    ],
    'USAGE.workingDirectory': (p: { isGone: boolean }) => [
      p.isGone
        ? 'The folder in which this command was started no longer exists.'
        : "The path of the folder in which this command was started can't be determined.",
      'Change to another folder with `cd`.',
    ],
    'USAGE.optionValue': (p: {
      option: string;
      text: string;
      takes: 'duration' | 'day' | 'period' | 'moment' | { least: number; most: number | null };
    }) => [
      `${p.option}: "${p.text}" is not valid.`,
      p.takes === 'duration'
        ? 'Use a duration such as 30s or 5m.'
        : p.takes === 'day'
          ? 'Use a date such as 2026-01-31.'
          : p.takes === 'period'
            ? 'Use a month such as 2026-01, a day such as 2026-01-31, today, yesterday, last-week, last-month, or a duration such as 2h.'
            : p.takes === 'moment'
              ? 'Use a duration such as 2h, a time such as 08:00, tomorrow, monday, a date such as 2026-01-31, or a date and time ("2026-01-31 08:00").'
              : `Use a number ${p.takes.most === null ? `of ${p.takes.least} or more` : `from ${p.takes.least} to ${p.takes.most}`}.`,
    ],
    'USAGE.noResultsColumn': (p: { name: string; known: readonly string[] }) => [
      `results.columns has no "${p.name}".`,
      p.known.length === 0 ? 'It is empty: add names and JSON pointers.' : `It has: ${p.known.join(', ')}.`,
    ],
    'USAGE.fleetUnshared': [
      'This agent does not share its ledger.',
      'Use `receiptd pause` and `receiptd resume`.',
    ],
    'USAGE.guessedCommand': (p: { typed: string; guess: keyof typeof GUESSED }) => [
      `Unknown command "${p.typed}".`,
      GUESSED[p.guess],
    ],
    'USAGE.unknownCommand': (p: { typed: string; meant: readonly string[] }) => [
      `Unknown command "${p.typed}".`,
      `${didYouMean(p.meant)}\`receiptd --help\` shows the commands.`,
    ],
    'USAGE.commandLine': (p: { fault: CommandLineFault; meant: readonly string[]; name: string | null }) => [
      commandLine(p.fault),
      `${didYouMean(p.meant)}${p.name === null ? '' : `If it is a document name, put two dashes before it, as in \`receiptd show -- ${p.name}\`. `}Add --help to see the options of this command.`,
    ],
    'USAGE.agentNotShared': [
      'This agent does not share its ledger.',
      'Leave out the agent name: `receiptd pause`, `receiptd resume`.',
    ],
    'OUTPUT_UNWRITABLE.archive': (p: { file: string } & Detail) => [
      `The archive ${p.file} can't be written: ${ended(p.detail)}`,
      'Check the directory and the space on its disk.',
    ],
    'OUTPUT_UNWRITABLE.comparedCopy': (p: { dir: string; detail: string }) => [
      `The ledger can't be compared with its journal, because its copy in ${p.dir} can't be written: ${p.detail}.`,
      'Free some space there.',
    ],
    'OUTPUT_UNWRITABLE.file': (p: {
      file: string;
      system: string | null;
      detail: string;
      output: keyof typeof OUTPUT_CURES;
    }) => [`${p.file} can't be written: ${UNWRITABLE[p.system ?? ''] ?? p.detail}.`, OUTPUT_CURES[p.output]],
    'OUTPUT_UNWRITABLE.stdout': (p: { system: string | null; detail: string }) => [
      `Standard output can't be written: ${UNWRITABLE[p.system ?? ''] ?? p.detail}.`,
      'Check where it goes.',
    ],
    'NOT_RUNNING.stateDir': (p: { stateDir: string; command: string }) => [
      `No agent is running on the state directory ${p.stateDir}.`,
      `Start it with "${p.command}".`,
    ],
    'NOT_RUNNING.stopping': ['receiptd is stopping.', 'Start it again, then try again.'],
    'NOT_RUNNING.noAlerts': (p: { stateDir: string; command: string }) => [
      `No agent is running on the state directory ${p.stateDir}, so no alerts are being sent.`,
      `Start it with "${p.command}". \`receiptd status\` shows problems even without an agent.`,
    ],
    'NOT_RUNNING.testAsOwner': (p: { file: string; command: string }) => [
      `No agent is running, and ${p.file} belongs to another user: root neither runs programs nor sends secrets that are named there.`,
      `Start the agent, or use \`${p.command}\`.`,
    ],
    'CONTROL_FAILED.defect': ['The running agent could not do this.', 'See its log.'],
    'CONTROL_FAILED.logUnreadable': (p: { file: string; system: string }) => [
      `The log ${p.file} can't be read (${p.system}).`,
      'Run this command as root or as the user that the agent runs as.',
    ],
    'CONTROL_FAILED.preview': ['The preview is not ready yet.', 'Try again in a few seconds.'],
    'CONTROL_FAILED.notUnderstood': [
      "This version does not understand the running agent's answer.",
      'The agent may be a different version. Restart it.',
    ],
    'CONTROL_FAILED.socketDirectory': (p: { socketPath: string }) => [
      `The control socket ${p.socketPath} can't be created.`,
    ],
    'CONTROL_FAILED.socketUncreated': (p: { socketPath: string; system: string | null }) => [
      `The control socket ${p.socketPath} can't be created (${p.system ?? 'unknown reason'}).`,
    ],
    'CONTROL_FAILED.notSocket': (p: { socketPath: string }) => [
      `${p.socketPath} is in the way, because it is not a socket.`,
      'Move it elsewhere.',
    ],
    'CONTROL_FAILED.socketPathTooLong': (p: { socketPath: string; length: number; limit: number }) => [
      `The path of the control socket ${p.socketPath} has ${p.length} bytes, but the system allows only ${p.limit}.`,
      'Set stateDir (or RECEIPTD_STATE_DIR) to a shorter path.',
    ],
    'CONTROL_FAILED.configNotApplied': ['The new configuration could not be applied.'],
    'CONTROL_FAILED.configWaits': (p: Within & { file: string }) => [
      `${p.file} cannot take effect yet, so the previous configuration stays in effect: ${p.detail}`,
    ],
    /** Created at the service, but not recorded in the ledger or put into the configuration. */
    'CONTROL_FAILED.endpointNotKept': (
      p: Within & { name: string; uid: string; alias: string; isRecorded: boolean },
    ) => [
      `The endpoint "${p.name}" was created with the uid ${p.uid}, but could not be ${p.isRecorded ? 'put into the configuration' : 'recorded'}: ${p.detail}`,
      `Don't create it again. Add it to the config file by hand: endpoints.${p.alias}.uid: "${p.uid}".`,
    ],
    'CONTROL_FAILED.notReached': (p: { socketPath: string; system: string | null; isWindows: boolean }) => [
      `The running agent can't be reached at ${p.socketPath} (${p.system ?? 'unknown reason'}).`,
      p.system !== 'EACCES' && p.system !== 'EPERM'
        ? "Try again. If this keeps happening, check the agent's log."
        : p.isWindows
          ? AS_ADMINISTRATOR
          : 'Run this command as root, as the user that the agent runs as, or as a member of its control group (`control.group`).',
    ],
    'PORT_IN_USE.sandbox': (p: { port: number; host: string; option: string }) => [
      `Port ${p.port} of ${p.host} is in use.`,
      `Choose another one with ${p.option}; 0 picks a free one.`,
    ],
    'PORT_IN_USE.othersPractice': (p: { baseUrl: string; name: string }) => [
      `The practice service on ${p.baseUrl} belongs to the user ${p.name}, who would receive what you send.`,
      'Choose another port with --sandbox-port; 0 picks a free one.',
    ],
    'PORT_IN_USE.listener': (p: { section: ListenerName; where: string }) => [
      `${LISTENERS[p.section]} can't listen on ${p.where}, because another program uses that port.`,
      p.section === 'console'
        ? 'Set console.listen to another port, or to onDemand.'
        : `Set ${p.section}.listen to another port, or stop that program.`,
    ],
    'MONITORING_UNAVAILABLE.address': notListening('monitoring'),
    'MONITORING_UNAVAILABLE.notOpened': notOpened,
    'CONSOLE_UNAVAILABLE.noPages': [
      "The console's pages are not part of this installation.",
      'Reinstall receiptd.',
    ],
    'CONSOLE_UNAVAILABLE.stopping': ['receiptd is stopping.', 'Start it again.'],
    'CONSOLE_UNAVAILABLE.off': ['The console is turned off.', 'Set console.listen to onDemand.'],
    'CONSOLE_UNAVAILABLE.address': notListening('console'),
    'CONSOLE_UNAVAILABLE.notOpened': notOpened,
    'CONSOLE_UNAVAILABLE.noPassword': (p: { host: string }) => [
      `The console does not listen on ${p.host} without a password.`,
      'Set one with `receiptd console password`.',
    ],
    'CONSOLE_UNAVAILABLE.noCertificate': noCertificate('console'),
    'CONSOLE_UNAVAILABLE.unfitPair': unfitPair('console'),
    'CONSOLE_SIGNED_OUT.session': (p: { command: string }) => [
      'You are signed out.',
      `Get a new link with \`${p.command}\`, or sign in with the password.`,
    ],
    'CONSOLE_SIGNED_OUT.usedLink': (p: { command: string }) => [
      'This link has already been used or is older than five minutes.',
      `Get a new one with \`${p.command}\`.`,
    ],
    'CONSOLE_SIGNED_OUT.noPassword': [
      'The console has no password.',
      'Open it with `receiptd console`, or set one with `receiptd console password`.',
    ],
    'CONSOLE_SIGNED_OUT.wrongPassword': [
      'Wrong password.',
      'If you forgot it, open the console with `receiptd console`.',
    ],
    'CONSOLE_REFUSED.method': (p: { allowed: readonly string[] }) => [
      `This accepts only ${p.allowed.join(' or ')}.`,
    ],
    'CONSOLE_REFUSED.openTooOften': (p: { count: number }) => [
      `The console is already open ${p.count} times.`,
      'Close some of them.',
    ],
    'CONSOLE_REFUSED.wrongTooOften': (p: { seconds: number }) => [
      'Too many wrong passwords.',
      `Try again in ${p.seconds} s, or open the console with \`receiptd console\`.`,
    ],
    'CONSOLE_REFUSED.noPath': ['The request has no path, or one that no browser would send.'],
    'CONSOLE_REFUSED.tooManyHeaders': ['The request has too many headers.'],
    'CONSOLE_REFUSED.severalHosts': ['The request has more than one Host.'],
    'CONSOLE_REFUSED.foreignHost': [
      'The console does not answer to this host name.',
      'Use its address, or add the name to console.hosts.',
    ],
    'CONSOLE_REFUSED.foreignPage': ['This request came from a page other than the console.'],
    'CONSOLE_REFUSED.foreignForm': [
      'This request is not from the console: content-type or x-receiptd is missing.',
    ],
    'CONSOLE_REFUSED.foldersUnasked': ['Folders are only listed while setup asks for one.'],
    'CONSOLE_REFUSED.setting': (p: { setting: string; holder: string | null; file: string }) => [
      `The console can't change ${p.setting}${p.holder === null ? '' : ` while ${p.holder} is set to a secret for it`}.`,
      `Change it in ${p.file}.`,
    ],
    'CONSOLE_REFUSED.place': (p: { setting: string; path: string; file: string }) => [
      `The console can't set ${p.setting} to ${p.path}.`,
      `Choose a directory in or next to a watched folder, or allow this one with console.roots in ${p.file}.`,
    ],
    'CONSOLE_REFUSED.realPlace': (p: { setting: string; path: string; real: string; file: string }) => [
      `The console can't set ${p.setting} to ${p.path}, which leads to ${p.real}.`,
      `Choose ${p.real} itself, after you have allowed it with console.roots in ${p.file}.`,
    ],
    'CONSOLE_REFUSED.noAnswer': (p: { path: string }) => [
      `${p.path} does not answer.`,
      'Try again when its share is back.',
    ],
    'CONSOLE_REFUSED.mailPasswordInFile': (p: { passwordFile: string; file: string }) => [
      `The password for e-mail alerts is in ${p.passwordFile}.`,
      `Change it there, or remove alerts.email.passwordFile from ${p.file}.`,
    ],
    'CONSOLE_REFUSED.files': [
      'The console takes the content of a file, not its place on this machine.',
      'Send the file on the page Documents, or use `receiptd send FILE`.',
    ],
    'CONSOLE_REFUSED.secrets': ['The console does not show secrets.', 'Use `receiptd results url`.'],
    'CONSOLE_REFUSED.signIn': ["The console can't sign in other people.", 'Use `receiptd console`.'],
    'CONSOLE_REFUSED.endpointMadeElsewhere': [
      'The console does not record endpoints that were created elsewhere.',
      'Create one, or use `receiptd endpoint create`.',
    ],
    'CONSOLE_REFUSED.backupElsewhere': [
      'The console can only create backups alongside the automatic ones.',
      'To back up to another place, use `receiptd backup FILE`.',
    ],
    'ALERT_UNDELIVERED.noChannel': [
      'No channel is configured under `alerts`, so no alerts are sent.',
      'Add one with `receiptd setup`, or in the config file.',
    ],
    /** `of`: its host or program; null if it has none. */
    'ALERT_UNDELIVERED.tooSlow': (p: {
      channel: AlertReceiver;
      of: string | null;
      setting: string;
      limitMs: number;
    }) => [
      `${receiverText(p)} took longer than ${duration(p.limitMs)}.`,
      `Find out what is delaying it, and check ${p.setting}.`,
    ],
    'ALERT_UNDELIVERED.unexpected': (p: { channel: string; detail: string }) => [
      `${p.channel} failed: ${p.detail}.`,
      'Check the alerts in the config.',
    ],
    'ALERT_UNDELIVERED.webhookUnreachable': (p: { host: string; fault: FaultFact }) => [
      `The webhook at ${p.host} can't be reached: ${faultText(p.fault, format)}`,
      'Check alerts.webhook.url, the network and the proxy.',
    ],
    'ALERT_UNDELIVERED.webhookAnswer': (p: { host: string; httpStatus: number }) => [
      `The webhook at ${p.host} answered with HTTP ${p.httpStatus}.`,
      'Check the program that receives it.',
    ],
    'ALERT_UNDELIVERED.webhookRedirect': (p: { host: string; httpStatus: number }) => [
      `The webhook at ${p.host} answered with HTTP ${p.httpStatus}, a redirect, which receiptd does not follow.`,
      'Set alerts.webhook.url to the target of the redirect.',
    ],
    'ALERT_UNDELIVERED.webhookSecret': (p: { prefix: string; shortest: number; longest: number }) => [
      `The file in alerts.webhook.secretFile contains no valid secret. It must be ${p.prefix} followed by ${p.shortest} to ${p.longest} random bytes in base64.`,
      'Create one: printf \'whsec_%s\\n\' "$(openssl rand -base64 32)"',
    ],
    'ALERT_UNDELIVERED.noEventLog': [
      'This system has no event log.',
      'Set alerts.eventLog: false; it is for Windows.',
    ],
    'ALERT_UNDELIVERED.eventLog': (p: { program: string; end: ProgramEnd }) => [
      `The event log does not accept alerts: ${p.program} ${endText(p.end)}.`,
      'The installer registers the event source. Otherwise, an administrator must do it once in PowerShell: New-EventLog -LogName Application -Source receiptd.',
    ],
    'ALERT_UNDELIVERED.command': (p: { program: string; end: ProgramEnd }) => [
      `${p.program} ${endText(p.end)}.`,
      'Check the program in alerts.command.',
    ],
    'ALERT_UNDELIVERED.desktop': (p: { program: string; end: ProgramEnd; isLinux: boolean }) => [
      `The desktop shows no alerts: ${p.program} ${endText(p.end)}.`,
      p.isLinux
        ? 'Install notify-send (libnotify-bin), and run receiptd in the session of the user who should see the alerts; or set alerts.desktop: false.'
        : 'Run receiptd in the session of the user who should see the alerts, or set alerts.desktop: false.',
    ],
    'ALERT_UNDELIVERED.noMailPassword': (p: { user: string; host: string }) => [
      `No password is stored for ${p.user} at ${p.host}.`,
      'Enter it in the console, under Settings, Alerts, or set alerts.email.passwordFile to a file that contains it.',
    ],
    'ALERT_UNDELIVERED.mailLogin': (p: { host: string; user: string; said: string }) => [
      `The mail server ${p.host} rejects the user name ${p.user} or its password${p.said === '' ? '' : `: ${p.said}`}.`,
      'Correct the user name or password. Some providers require a separate app password.',
    ],
    'ALERT_UNDELIVERED.mailNeedsLogin': (p: { host: string }) => [
      `The mail server ${p.host} requires a user name and password.`,
      'Set alerts.email.user, and enter the password in the console or set alerts.email.passwordFile.',
    ],
    'ALERT_UNDELIVERED.mailUnencrypted': (p: { host: string; detail: string }) => [
      `The mail server ${p.host} offers no encrypted connection (STARTTLS): ${p.detail}.`,
      'A server on another machine must offer encryption. Use one that does, or use smtps://; service.ca can add its certificate authority.',
    ],
    'ALERT_UNDELIVERED.mailRefused': (p: { host: string; detail: string }) => [
      `The mail server ${p.host} rejects the mail: ${p.detail}.`,
      "Correct alerts.email.from and alerts.email.to, or ask the mail server's administrator.",
    ],
    'ALERT_UNDELIVERED.mailSilent': (p: { host: string }) => [
      `The mail server ${p.host} does not answer in time.`,
      'Check alerts.email.server, its port, and the network.',
    ],
    'ALERT_UNDELIVERED.mailHostUnknown': (p: { host: string }) => [
      `The mail server ${p.host} has an unknown host name.`,
      'Check alerts.email.server and the network.',
    ],
    'ALERT_UNDELIVERED.mailUnreachable': (p: { host: string; detail: string }) => [
      `The mail server ${p.host} can't be reached: ${p.detail}.`,
      'Check alerts.email.server, whether it is smtp:// or smtps://, and the network.',
    ],
    'ALERT_UNDELIVERED.secretFile': (p: {
      setting: string;
      file: string;
      flaw: SecretFlaw;
      system: string | null;
    }) => [
      `${p.setting}: ${p.file} ${secretFlaw(p)}.`,
      'Write the secret to the file as its only line, and make the file readable only by the user that runs receiptd.',
    ],
    'CONFIRMATION_NEEDED.erase': (p: { count: number; names: readonly string[]; before: string | null }) => [
      `This would permanently erase the personal data of ${counted(p.count, 'document', 'documents')}${p.before === null ? ` (${p.names.join(', ')})` : ` named before ${p.before}`}.`,
      'To confirm, add --yes.',
    ],
    'CONFIRMATION_NEEDED.nothingErased': ['Nothing was erased.', 'To confirm, answer y or add --yes.'],
    'CONFIRMATION_NEEDED.retire': (p: { count: number }) => [
      `Documents of its own folders that still wait count as lost: scan these receipts again. Documents of shared folders, and results that it had not handed on, go to the agent of this machine. ${counted(p.count, 'document waits', 'documents wait')} with it.`,
      'Add --yes if that is what you want.',
    ],
    'CONFIRMATION_NEEDED.notRetired': ['Nothing was changed.', 'Answer y, or add --yes.'],
    'CONFIRMATION_NEEDED.nothingSent': (p: { folder: string }) => [
      `Nothing was sent from ${p.folder}.`,
      'Set `existing: skip` or `since DATE` for this folder, or add --yes.',
    ],
    'CONFIRMATION_NEEDED.withoutImage': (p: { count: number; paths: readonly string[] }) => [
      `Nothing was closed. ${withoutImage(p)}`,
      'Put the files back, or add --yes.',
    ],
    'CONFIRMATION_NEEDED.restoredElsewhere': (p: RestoredOn) => [
      `Nothing was reopened. ${restoredOn(p, format)}`,
      'If it no longer runs there, confirm with --yes.',
    ],
    'CONFIRMATION_NEEDED.restore': (p: RestoreRisks) => [
      `Nothing was restored. ${restoreRisks(p, format)}`,
      'To confirm, add --yes.',
    ],
    'RESULTS_UNAVAILABLE.secretUnreadable': (p: { file: string; detail: string }) => [
      `The file ${p.file} can't be used (${p.detail}).`,
      'Check the permissions of the state directory.',
    ],
    'RESULTS_UNAVAILABLE.noSecret': (p: { file: string }) => [
      `The file ${p.file} does not contain a receiptd secret.`,
      'Restore it from a backup. Or remove it, restart receiptd, and give the endpoints the new address.',
    ],
    'RESULTS_UNAVAILABLE.address': notListening('results'),
    'RESULTS_UNAVAILABLE.notOpened': notOpened,
    'RESULTS_UNAVAILABLE.noCertificate': noCertificate('results'),
    'RESULTS_UNAVAILABLE.unfitPair': unfitPair('results'),
    RESULT_UNKNOWN: (p: { id: number }) => [
      `Result ${p.id} does not exist.`,
      '`receiptd results list` lists the numbers.',
    ],
    SETUP_INCOMPLETE: (p: {
      isUnattended: boolean;
      backlogs: readonly string[];
      missing: readonly string[];
    }) => [
      `${p.isUnattended ? 'Setup runs without questions' : 'No terminal to ask on'}${p.backlogs.length === 0 ? '' : ` (${p.backlogs.join(', ')} already contains files)`}, and these answers are missing: ${p.missing.map((each) => each.replaceAll('|', ' or ')).join('; ')}.`,
      'Pass them as options or variables, or run `receiptd setup` in a terminal.',
    ],
    TEST_RECEIPT_UNDELIVERED: (p: { file: string; isToCome: boolean; why: TestReceiptTrouble }) => [
      `The test receipt ${p.file} was not accepted: ${ended(testReceiptTrouble(p.why))}${p.isToCome ? ' It waits, and is sent once that is resolved. `receiptd pause` holds it back, along with all others.' : ''}`,
      'See `receiptd status` and `receiptd check`.',
    ],
  } satisfies Entries;
}

function didYouMean(meant: readonly string[]): string {
  if (meant.length === 0) return '';
  return `Did you mean ${meant.length > 1 ? 'one of ' : ''}${meant.join(', ')}? `;
}

/** Waiting documents whose image can't be found; `paths`: the first few. */
export function withoutImage(p: { count: number; paths: readonly string[] }): string {
  const more = p.count > p.paths.length ? ` and ${p.count - p.paths.length} more` : '';
  const subject = p.count === 1 ? '1 waiting document has' : `${p.count} waiting documents have`;
  return `${subject} no image, neither in the spool nor in the folder it came from: ${p.paths.join(', ')}${more}. They are lost unless the other PC can find the files.`;
}

export interface RestoredOn {
  readonly file: string;
  readonly host: string;
  readonly at: string;
}

export function restoredOn({ file, host, at }: RestoredOn, { time }: Format): string {
  return `${file} was restored on ${host} (${time(at)}). If receiptd runs there, both PCs will send what is waiting.`;
}

/** What a restore discards here, and which second agent could send the same documents. */
export interface RestoreRisks {
  readonly file: string;
  readonly stateDir: string;
  /** `older`: earlier, and nothing of the ledger here is kept. */
  readonly here:
    | { readonly ledger: 'earlier' | 'diverged' }
    | { readonly ledger: 'older'; readonly entries: number; readonly accepted: number }
    | { readonly ledger: 'other'; readonly accepted: number }
    | null;
  readonly elsewhere:
    | { readonly what: 'restored'; readonly host: string; readonly at: string; readonly stateDir: string }
    | { readonly what: 'ledgerAlone' }
    | { readonly what: 'backup'; readonly host: string; readonly at: string; readonly waiting: number }
    | null;
}

export function restoreRisks({ file, stateDir, here, elsewhere }: RestoreRisks, format: Format): string {
  const { counted, time } = format;
  const aside = `the ledger in ${stateDir}, which is set aside.`;
  const again = (accepted: number, which: string) =>
    accepted === 0
      ? ''
      : ` ${counted(accepted, 'document', 'documents')} ${which} will be sent again, if found in a watched folder.`;
  const sentences: string[] = [];
  switch (here?.ledger) {
    case 'earlier':
      sentences.push(
        `${file} will replace ${aside} What its journal has recorded since the backup is added.`,
      );
      break;
    case 'older':
      sentences.push(
        `${file} will replace ${aside} ${counted(here.entries, 'entry', 'entries')} recorded since the backup will be discarded.${again(here.accepted, 'accepted since then')}`,
      );
      break;
    case 'other':
      sentences.push(
        `${file} will replace a different ledger in ${stateDir}, which is set aside.${again(here.accepted, 'that it records as accepted')}`,
      );
      break;
    case 'diverged':
      sentences.push(
        `${file} will replace ${aside} What only this ledger has recorded will be discarded, and documents accepted since then will be sent again, if found in a watched folder.`,
      );
      break;
    case undefined:
  }
  switch (elsewhere?.what) {
    case 'restored':
      sentences.push(
        `${file} was already restored on ${elsewhere.host} (${time(elsewhere.at)}, ${elsewhere.stateDir}). If receiptd runs there, both will send the same receipts.`,
      );
      break;
    case 'ledgerAlone':
      sentences.push(
        `${file} is only a ledger, without its journal and waiting images. If receiptd still runs where it comes from, both will send what is waiting.`,
      );
      break;
    case 'backup':
      sentences.push(
        `${file} is a backup of ${elsewhere.host} from ${time(elsewhere.at)}. If receiptd still runs there, both will send the ${counted(elsewhere.waiting, 'document', 'documents')} that waited. What was sent since then is not known here.`,
      );
      break;
    case undefined:
  }
  return sentences.join(' ');
}

function testReceiptTrouble(why: TestReceiptTrouble): string {
  switch (why.what) {
    case 'excluded':
      return `the patterns for ${why.folder} (\`include\`, \`ignore\`) exclude it`;
    case 'unwritable':
      return `it can't be written to ${why.folder} (${why.system ?? 'unknown error'})`;
    case 'noAgent':
      return 'no agent answers';
    case 'unwatched':
      return `the agent does not watch ${why.folder} yet`;
    case 'notYetWatching':
      return `${why.folder} is ${why.state}`;
    case 'unseen':
      return 'the agent has not seen it';
    case 'state':
      return `it is ${why.state}${why.detail === '' ? '' : ` (${why.detail.replace(/\.$/, '')})`}`;
    case 'error':
      return why.detail;
  }
}
