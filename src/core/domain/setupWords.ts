import { counted } from './words.ts';

/**
 * All texts of setup, in English. Values are in braces; counts include both forms of their noun. The setup page finds the
 * text in its reader's language by the key. The value `why` is a sentence of the agent, which the page shows collapsed.
 */
export const SETUP_WORDS = {
  plain: '{text}',
  indent: '  ',
  'answer.needed': 'Please enter something.',
  'answer.choose': 'Please choose one.',
  'answer.yesOrNo': 'Please answer yes or no.',
  'answer.hidden': '(it is not shown)',
  'answer.yes': 'Yes',
  'answer.no': 'No',
  greet: 'This sets up receiptd. Nothing changes until you agree at the end; ',
  'greet.page': 'to cancel at any time, close this page and its window.',
  'greet.terminal': 'to cancel at any time, press Ctrl-C.',
  'config.new': 'The configuration will be {file} (',
  'config.there': 'The configuration is {file} (',
  'config.newEnd': ').',
  'config.thereEnd': '). Your answers change it; everything else stays.',
  'config.byVariable': 'RECEIPTD_CONFIG names it',
  'config.byOption': '--config names it',
  'config.found': 'it already exists',
  'config.root': 'for the whole machine, because you are root',
  'config.own': 'yours alone; to set up the whole machine, run this as root',
  'config.service': 'for the whole machine, as its service needs it',
  'config.ownWindows': 'yours alone; to set up the whole machine, use --config {machine}',
  'service.which': 'Where should the receipts go?',
  'service.ours': 'To our receipt analysis service',
  'service.practice': 'Nowhere yet: try it first',
  'service.practiceAbout': 'A built-in practice service on this machine.',
  'service.address': 'Address of the service:',
  'service.listens': 'The practice service listens on {url} and keeps what it receives in {dir}.',
  'service.runs': 'The practice service is already running on {url}.',
  'service.ownerUnknown': ' This system does not show which user runs it.',
  'wrong.baseUrl': 'Please enter {what}.',
  'wrong.transport': 'Please enter {what}.',
  'wrong.uid': 'Please enter {what}.',
  'wrong.name': 'Please enter {what}.',
  'wrong.folder': 'Please enter {what}.',
  'wrong.rate': 'Please enter {what}.',
  'wrong.mailAddresses': 'Please enter {what}.',
  'wrong.mailServer': 'Please enter {what}.',
  'credentials.id': 'Client identifier:',
  'credentials.secret': 'Client secret:',
  'credentials.stored': 'The service accepts the stored credentials ({store}): {company}.',
  'credentials.keep': 'Keep them?',
  'credentials.accepted': 'The service accepts them: {company}.',
  'credentials.again': 'Please enter them again ({attempt} of {attempts}).',
  'credentials.unchecked': 'The credentials could not be checked.',
  'credentials.tryAgain': 'Try again',
  'credentials.address': 'Correct the address',
  'credentials.later': 'Continue, and check later',
  'credentials.laterAbout': 'Run receiptd check.',
  'store.asked': 'as you asked',
  'store.configured': 'as configured',
  'store.root': 'because a keychain needs a logged-in user, and a service has none',
  'store.noKeychain': "because the keychain can't be used here: {why}",
  'store.signIn': 'protected by your login',
  'endpoint.what': 'The service collects receipts in endpoints.',
  'endpoint.which': 'Which endpoint?',
  'endpoint.keep': 'Keep {alias}',
  'endpoint.created': '{name}, created here earlier',
  'endpoint.uidKnown': 'I have the uid of an endpoint',
  'endpoint.uidAbout': "You find it in the service's letter or on its website.",
  'endpoint.create': 'Create a new one',
  'endpoint.name': 'Its name:',
  'endpoint.uid': 'Its uid:',
  'endpoint.unconfirmed': "The service can't confirm it. The first receipt will show whether it is right.",
  'endpoint.replaceOrAdd': 'Replace the uid of {alias}, or add another endpoint?',
  'endpoint.add': 'Add another one, {alias}',
  'endpoint.addAbout': 'Other folders still use {alias}.',
  'endpoint.replace': 'Replace the uid of {alias}',
  'endpoint.replaceAbout': 'From now on, its folders use the new one.',
  'folder.which': 'Which folder do the scans arrive in?',
  'folder.path': 'Path of the folder that the scans arrive in:',
  'folder.another': 'Another folder',
  'folder.meant': 'That is {path}.',
  'folder.make': '{path} does not exist. Create it?',
  'folder.watched': 'It is already watched.',
  'folder.at': '{path}: ',
  'folder.share': 'on a network share or similar ({fileSystem})',
  'folder.here': 'on this machine ({fileSystem})',
  'folder.countless': ', very many files',
  'folder.empty': ', no files yet',
  'folder.files': ', {files:file|files}',
  'folder.newest': ', the newest {name} of {at}',
  'folder.end': '.',
  'existing.what': 'What about files already in the folder?',
  'existing.skip': 'Leave them and send only new ones',
  'existing.sendAll': 'Send all of them (too many to count)',
  'existing.send': 'Send all {files:file|files}',
  'existing.sendAbout': 'Every image counts against your plan at the service.',
  'attention.show': 'Show people at the scanner which files could not be sent?',
  'attention.no': 'No',
  'attention.asNow': 'Yes, as now, in {path}',
  'attention.inside': 'Yes, in "{name}" in the watched folder',
  'attention.other': 'Yes, in another folder',
  'attention.about':
    'The folder gets a copy of each file that could not be sent, with the reason. It is emptied automatically.',
  'attention.path': 'Path of the folder for files that could not be sent:',
  rate: 'How many receipts may be sent, at most?',
  'mail.to': 'E-mail address for alerts (Enter: none):',
  'mail.toOrNone': 'E-mail address for alerts, or none:',
  'mail.needsServer':
    'Alerts need a mail server. Look it up in your e-mail program, or ask whoever set that up.',
  'mail.server': 'Mail server, such as mail.example.com (Enter: no e-mail alerts):',
  'mail.serverKnown': 'Mail server:',
  'mail.user': 'User name for the mail server (Enter: none):',
  'mail.userOrNone': 'User name for the mail server, or none:',
  'mail.passwordFile': 'File with the password (Enter: type the password):',
  'mail.passwordFileOr': 'File with the password, or - to type the password:',
  'mail.password': 'Mail server password for {user}:',
  'mail.test': 'Send a test mail now?',
  'mail.tested': '{host} accepted a test mail for {to}.',
  'mail.undelivered': 'The test mail was not delivered.',
  'mail.again': 'Correct the answers',
  'mail.later': 'Continue with these answers',
  'mail.laterAbout': 'Try again later with receiptd alerts test.',
  'mail.without': 'Continue without e-mail alerts',
  'mail.undeliveredWhy': 'The test mail was not delivered. {why}',
  'install.machine': 'Install receiptd as a service that starts with the machine?',
  'install.person': 'Install receiptd as a service that starts when you log in?',
  'install.impossible': 'No service can be installed here. ',
  'install.inProfile':
    'A system service can\'t read your profile. Open a terminal with "Run as administrator" and run `receiptd setup --config C:\\ProgramData\\receiptd\\receiptd.yaml`.',
  'install.container':
    'A container has no service manager. Make `receiptd run` its command, and let the container engine restart it.',
  'install.wsl':
    'systemd is not running in this WSL. Turn it on in /etc/wsl.conf ([boot] systemd=true), or keep a window open with `receiptd run`.',
  'install.noSystemd':
    'systemd is not running here. Start `receiptd run` with the tool that starts programs on this machine.',
  'install.noneForUser':
    'systemd is not running for this user. Run `receiptd setup` as root to install a system service, or keep a terminal open with `receiptd run`.',
  'test.real': 'A test receipt is a real document at {url} and counts against your plan.',
  'test.send': 'Send a test receipt to see how it works?',
  'plan.begin': 'What happens next:',
  'plan.config': '  Configuration: {file}',
  'plan.service': '  Service: {url} ({company})',
  'plan.serviceUnchecked': '  Service: {url} (not checked)',
  'plan.encrypted': '  Connection: encrypted (https)',
  'plan.plainHere': '  Connection: not encrypted (http), but only within this machine',
  'plan.plain': '  Connection: NOT ENCRYPTED (http): others on the network can read credentials and receipts',
  'plan.credentialsKept': '  Credentials: unchanged',
  'plan.credentialsFile': '  Credentials: stored in a file, ',
  'plan.credentialsKeychain': '  Credentials: stored in the keychain, ',
  'plan.endpoint': '  Endpoint: {alias}, {uid}',
  'plan.endpointNew': '  Endpoint: {alias}, to be created as "{name}"',
  'plan.folder': '  Folder: {path}',
  'plan.folderMade': ' (will be created)',
  'plan.sendsAll': ', and all files in it are sent',
  'plan.sends': ', and the {files:file|files} in it will be sent',
  'plan.existingSend': '  Files already in {path}: send',
  'plan.existingSkip': '  Files already in {path}: skip',
  'plan.existing': '  Files already in {path}: {existing}',
  'plan.also': '  Also watched: {path}, for {alias}',
  'plan.attention': '  Files that could not be sent are shown in: {path}',
  'plan.noAttention': '  Files that could not be sent are shown in: no folder',
  'plan.rate': '  Limit: {rate}',
  'plan.mail': '  E-mail alerts: {to}, through {server}',
  'plan.noMail': '  E-mail alerts: none',
  'plan.installedMachine': '  Installed as a service: system',
  'plan.installedPerson': '  Installed as a service: user',
  'plan.notInstalled': '  Installed as a service: no',
  'plan.agree': 'Go ahead?',
  'rerouted.begin': 'From now on, receipts from these folders go elsewhere:',
  'rerouted.endpoint': '  {path}: {from}, {fromUid} -> {to}, {toUid}',
  'rerouted.service': '  {path}: {from}, {fromUid} at {fromUrl} -> {to}, {toUid} at {toUrl}',
  'rerouted.practice': 'Practice data is kept separate and does not count there.',
  'rerouted.accepted': 'Files that were accepted before are not sent again.',
  'done.folder': 'Created the folder {path}.',
  'done.endpoint': 'Created the endpoint "{name}", uid {uid}.',
  'done.keychain': 'Stored the credentials in the keychain (',
  'done.file': 'Stored the credentials in {file}, which only its owner can read (',
  'done.storeEnd': ').',
  'done.fileInstead': '{why} The credentials are therefore stored in {file}, which only its owner can read.',
  'done.mailPassword': 'Stored the mail server password in {file}, which only its owner can read.',
  'done.unchanged': '{file} needs no change.',
  'done.wrote': 'Wrote {file}.',
  'done.existing': 'The answer about existing files applies only to files that are not in the ledger yet.',
  'done.practice':
    'Practice data is kept separate, in {dir}. The real service starts as if nothing had been sent.',
  'done.testedBefore': 'A test receipt was already accepted, as {name}. No new one is sent.',
  'done.sending': 'Sending a test receipt ...',
  'done.testFile': '  file     {file}',
  'done.testName': '  name     {name}',
  'done.testState': '  state    accepted',
  'done.testStatus': '  state    accepted (service: {status})',
  'done.testAnswer': '  answer   {answer}',
  'done.runsAlready': 'It is already running as a service ({manager}), as the user {user}.',
  'done.installed': 'Installed as a service ({manager}) that runs as {user}.',
  'done.installedStarted': 'Installed and started as a service ({manager}) that runs as {user}.',
  'done.note': '{why}',
  'uid.capitals':
    "The uid of the endpoint {alias}, {uid}, has capital letters. The service's uids are lowercase UUIDs. Compare it with the one the service shows.",
  'uid.odd':
    "The uid of the endpoint {alias}, {uid}, is not a UUID. The service's uids are lowercase UUIDs. Compare it with the one the service shows.",
  'end.nothing': 'Nothing was changed.',
  'end.early': 'Setup was canceled; nothing was changed.',
  'end.partly': 'Setup was canceled; the steps above are done. Run it again to continue.',
  'end.here':
    'receiptd is running in the window that opened this page, and stops when you close that window.',
  'end.background': 'receiptd is running in the background.',
} as const;

export type SetupKey = keyof typeof SETUP_WORDS;

/** Part of a text: a key of SETUP_WORDS or an error code, with its values. */
export interface SaidPart {
  readonly key: string;
  readonly values: Record<string, string | number>;
}

/** A text in English, and its parts for translation. */
export interface Said {
  readonly text: string;
  readonly parts: SaidPart[];
}

type Marks<T extends string> = T extends `${string}{${infer Mark}}${infer Rest}` ? Mark | Marks<Rest> : never;
type Values<T extends string> = {
  readonly [M in Marks<T> as M extends `${infer Name}:${string}` ? Name : M]: M extends `${string}:${string}`
    ? number
    : string | number;
};

const MARK = /\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g;

export function says<K extends SetupKey>(
  key: K,
  ...[given]: [Marks<(typeof SETUP_WORDS)[K]>] extends [never] ? [] : [Values<(typeof SETUP_WORDS)[K]>]
): Said {
  const values: Record<string, string | number> = given ?? {};
  const text = SETUP_WORDS[key].replace(MARK, (_, name: string, one?: string, many?: string) => {
    const value = values[name] ?? '';
    return one === undefined || typeof value === 'string' ? String(value) : counted(value, one, many);
  });
  return { text, parts: [{ key, values }] };
}

/** A text that is the same in every language. */
export const plain = (text: string): Said => says('plain', { text });

/** Joins several texts into one. */
export function joined(...said: readonly Said[]): Said {
  return { text: said.map(({ text }) => text).join(''), parts: said.flatMap(({ parts }) => parts) };
}

/** The sentence of an error; its code is the key for translation. */
export function saysError(error: { readonly code: string; sentence(): string }): Said {
  return { text: error.sentence(), parts: [{ key: error.code, values: {} }] };
}
