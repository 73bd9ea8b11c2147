import { counted } from './words.ts';

/**
 * All that set-up asks and says. Values stand in braces, counted ones with both forms of their noun. A page says the same in its reader's
 * language, by the key; the value `why` is a sentence of the agent, which a page folds away.
 */
export const SETUP_WORDS = {
  plain: '{text}',
  indent: '  ',
  'answer.needed': 'Please type something.',
  'answer.choose': 'Please choose one.',
  'answer.yesOrNo': 'Please say yes or no.',
  'answer.hidden': '(it is not shown)',
  'answer.yes': 'Yes',
  'answer.no': 'No',
  greet: 'This sets up receiptd. Nothing changes before you agree at the end; ',
  'greet.page': 'closing this page and its window ends it at any time.',
  'greet.terminal': 'Ctrl-C ends it at any time.',
  'config.new': 'The configuration will be {file} (',
  'config.there': 'The configuration is {file} (',
  'config.newEnd': ').',
  'config.thereEnd': '); your answers change it, everything else stays.',
  'config.byVariable': 'RECEIPTD_CONFIG names it',
  'config.byOption': '--config names it',
  'config.found': 'it is there already',
  'config.root': "for the whole machine, since this is root's terminal",
  'config.own': 'your own; run this as root to set up the whole machine',
  'config.service': 'for the whole machine, as its service needs it',
  'config.ownWindows': 'your own; --config {machine} sets up the whole machine',
  'service.which': 'Where do the receipts go?',
  'service.ours': 'To our receipt analysis service',
  'service.practice': 'Nowhere yet: try it first',
  'service.practiceAbout': 'A built-in practice service, on this machine only.',
  'service.address': 'Address of the service:',
  'service.listens': 'The practice service listens on {url}, and keeps what it receives in {dir}.',
  'service.runs': 'The practice service is already running on {url}.',
  'service.ownerUnknown': ' This system does not show who owns it.',
  'wrong.baseUrl': 'It has to be {what}.',
  'wrong.transport': 'It has to be {what}.',
  'wrong.uid': 'It has to be {what}.',
  'wrong.folder': 'It has to be {what}.',
  'wrong.rate': 'It has to be {what}.',
  'wrong.mailAddresses': 'It has to be {what}.',
  'wrong.mailServer': 'It has to be {what}.',
  'credentials.id': 'Client identifier:',
  'credentials.secret': 'Client secret:',
  'credentials.stored': 'The service accepts the stored credentials ({store}): {company}.',
  'credentials.keep': 'Keep them?',
  'credentials.accepted': 'The service accepts them: {company}.',
  'credentials.again': 'Please type them again ({attempt} of {attempts}).',
  'credentials.unchecked': 'The credentials could not be checked.',
  'credentials.tryAgain': 'Try again',
  'credentials.address': 'Correct the address',
  'credentials.later': 'Continue, and check later',
  'credentials.laterAbout': 'With receiptd check.',
  'store.asked': 'as you asked',
  'store.configured': 'as configured',
  'store.root': 'since a keychain belongs to a signed-in person, and a service has none',
  'store.noKeychain': "since the keychain can't be used here: {why}",
  'store.signIn': 'which your sign-in protects',
  'endpoint.what': 'The service collects receipts in endpoints.',
  'endpoint.which': 'Which endpoint?',
  'endpoint.keep': 'Keep {alias}',
  'endpoint.created': '{name}, created from here before',
  'endpoint.uidKnown': 'I have the uid of one',
  'endpoint.uidAbout': "The service's letter or website shows it.",
  'endpoint.create': 'Create a new one',
  'endpoint.name': 'Its name:',
  'endpoint.uid': 'Its uid:',
  'endpoint.unconfirmed': "The service can't confirm it: the first receipt will show whether it is right.",
  'endpoint.replaceOrAdd': 'Replace the uid of {alias}, or add another endpoint?',
  'endpoint.add': 'Add another one, {alias}',
  'endpoint.addAbout': 'Other folders still feed {alias}.',
  'endpoint.replace': 'Replace the uid of {alias}',
  'endpoint.replaceAbout': 'Its folders feed the new one from now on.',
  'folder.which': 'Which folder do the scans come into?',
  'folder.path': 'Path of the folder that the scans come into:',
  'folder.another': 'Another folder',
  'folder.meant': 'That is {path}.',
  'folder.make': '{path} does not exist. Make it?',
  'folder.watched': 'It is already watched.',
  'folder.at': '{path}: ',
  'folder.share': 'on a network share or the like ({fileSystem})',
  'folder.here': 'on this machine ({fileSystem})',
  'folder.countless': ', very many files',
  'folder.empty': ', no files yet',
  'folder.files': ', {files:file|files}',
  'folder.newest': ', the newest {name} of {at}',
  'folder.end': '.',
  'existing.what': 'What about files already in the folder?',
  'existing.skip': 'Leave them, and send only new ones',
  'existing.sendAll': 'Send all of them (too many to count)',
  'existing.send': 'Send all {files:file|files}',
  'existing.sendAbout': 'Every image counts against your plan at the service.',
  'attention.show': 'Show people at the scanner what could not be sent?',
  'attention.no': 'No',
  'attention.asNow': 'Yes, as now, in {path}',
  'attention.inside': 'Yes, in "{name}" in the watched folder',
  'attention.other': 'Yes, in another folder',
  'attention.about':
    'A copy of each file that could not be sent, with the reason. The folder empties itself.',
  'attention.path': 'Path of the folder for what could not be sent:',
  rate: 'How many receipts may be sent at most?',
  'mail.to': 'E-mail address for alerts (Enter: none):',
  'mail.toOrNone': 'E-mail address for alerts, or none:',
  'mail.needsServer':
    'Alerts need a mail server. Look it up in your e-mail program, or ask the person who set that up.',
  'mail.server': 'Mail server, such as mail.example.com (Enter: no alerts by mail):',
  'mail.serverKnown': 'Mail server:',
  'mail.user': 'User at the mail server (Enter: none):',
  'mail.userOrNone': 'User at the mail server, or none:',
  'mail.passwordFile': 'File with the password (Enter: type the password):',
  'mail.passwordFileOr': 'File with the password, or - to type the password:',
  'mail.password': 'Password of {user} at the mail server:',
  'mail.test': 'Send a test mail now?',
  'mail.tested': '{host} took a test mail for {to}.',
  'mail.undelivered': 'The test mail was not delivered.',
  'mail.again': 'Correct the answers',
  'mail.later': 'Continue with these answers',
  'mail.laterAbout': 'Later: receiptd alerts test.',
  'mail.without': 'Continue without alerts by mail',
  'mail.undeliveredWhy': 'The test mail was not delivered. {why}',
  'install.machine': 'Install receiptd as a service, which starts with the machine?',
  'install.person': 'Install receiptd as a service, which starts when you sign in?',
  'install.impossible': 'No service can be installed here. ',
  'install.inProfile':
    'A service of the machine can read nothing in your profile: run `receiptd setup --config C:\\ProgramData\\receiptd\\receiptd.yaml` in a terminal that was opened with "Run as administrator".',
  'install.container':
    'A container has no service manager: make `receiptd run` its command, and let the engine restart it.',
  'install.wsl':
    'systemd does not run in this WSL: switch it on in /etc/wsl.conf ([boot] systemd=true), or keep a window open with `receiptd run`.',
  'install.noSystemd':
    'systemd does not run here: start `receiptd run` with the tool that starts programs on this machine.',
  'install.noneForUser':
    'No systemd runs for this user: run `receiptd setup` as root for a service of the machine, or keep a terminal open with `receiptd run`.',
  'test.real': 'A test receipt is a real document at {url}, and counts against your plan.',
  'test.send': 'Send a test receipt to see it work?',
  'plan.begin': 'This is what happens next:',
  'plan.config': '  Configuration: {file}',
  'plan.service': '  Service: {url} ({company})',
  'plan.serviceUnchecked': '  Service: {url} (not checked)',
  'plan.encrypted': '  Connection: encrypted (https)',
  'plan.plainHere': '  Connection: not encrypted (http), within this machine',
  'plan.plain': '  Connection: NOT ENCRYPTED (http): others on the network can read credentials and receipts',
  'plan.credentialsKept': '  Credentials: as they are',
  'plan.credentialsFile': '  Credentials: into a file, ',
  'plan.credentialsKeychain': '  Credentials: into the keychain, ',
  'plan.endpoint': '  Endpoint: {alias}, {uid}',
  'plan.endpointNew': '  Endpoint: {alias}, to be created as "{name}"',
  'plan.folder': '  Folder: {path}',
  'plan.folderMade': ' (to be made)',
  'plan.sendsAll': ', and sends all files in it',
  'plan.sends': ', and sends the {files:file|files} in it',
  'plan.existingSend': '  Files already in {path}: send',
  'plan.existingSkip': '  Files already in {path}: skip',
  'plan.existing': '  Files already in {path}: {existing}',
  'plan.also': '  Also watched: {path}, for {alias}',
  'plan.attention': '  What could not be sent is shown in: {path}',
  'plan.noAttention': '  What could not be sent is shown in: no folder',
  'plan.rate': '  Limit: {rate}',
  'plan.mail': '  Alerts by mail: {to}, through {server}',
  'plan.noMail': '  Alerts by mail: none',
  'plan.installedMachine': '  Installed as a service: system',
  'plan.installedPerson': '  Installed as a service: user',
  'plan.notInstalled': '  Installed as a service: no',
  'plan.agree': 'Go ahead?',
  'rerouted.begin': 'Receipts of these folders go elsewhere from now on:',
  'rerouted.endpoint': '  {path}: {from}, {fromUid} -> {to}, {toUid}',
  'rerouted.service': '  {path}: {from}, {fromUid} at {fromUrl} -> {to}, {toUid} at {toUrl}',
  'rerouted.practice': 'Practice is kept separate and does not count there.',
  'rerouted.accepted': 'Files that were accepted before are not sent again.',
  'done.folder': 'Made the folder {path}.',
  'done.endpoint': 'Created the endpoint "{name}", uid {uid}.',
  'done.keychain': 'Stored the credentials in the keychain (',
  'done.file': 'Stored the credentials in {file}, which only its owner can read (',
  'done.storeEnd': ').',
  'done.fileInstead': '{why} So the credentials are stored in {file}, which only its owner can read.',
  'done.mailPassword': 'Stored the password of the mail server in {file}, which only its owner can read.',
  'done.unchanged': '{file} needs no change.',
  'done.wrote': 'Wrote {file}.',
  'done.existing': 'The answer about existing files applies to those that the ledger does not know yet.',
  'done.practice':
    'Practice is kept separate, in {dir}: the real service starts as if nothing had been sent.',
  'done.testedBefore': 'A test receipt was accepted before, as {name}; none is sent now.',
  'done.sending': 'Sending a test receipt ...',
  'done.testFile': '  file     {file}',
  'done.testName': '  name     {name}',
  'done.testState': '  state    accepted',
  'done.testStatus': '  state    accepted (service: {status})',
  'done.testAnswer': '  answer   {answer}',
  'done.runsAlready': 'It already runs as a service ({manager}), as the user {user}.',
  'done.installed': 'Installed as a service ({manager}), which runs as {user}.',
  'done.installedStarted': 'Installed as a service ({manager}), which runs as {user} and has started.',
  'done.note': '{why}',
  'uid.capitals':
    'The uid of the endpoint {alias}, {uid}, has capital letters. Uids of the service are lowercase UUIDs: compare it with the one the service shows.',
  'uid.odd':
    'The uid of the endpoint {alias}, {uid}, is no UUID. Uids of the service are lowercase UUIDs: compare it with the one the service shows.',
  'end.nothing': 'Nothing was changed.',
  'end.early': 'Setup was ended; nothing was changed.',
  'end.partly': 'Setup was ended; the steps above are done. Run it again to continue.',
  'end.here': 'receiptd is running in the window that opened this page, and ends with it.',
  'end.background': 'receiptd is running in the background.',
} as const;

export type SetupKey = keyof typeof SETUP_WORDS;

/** A part of what is said: by its key, or by the code of an error. */
export interface SaidPart {
  readonly key: string;
  readonly values: Record<string, string | number>;
}

/** In English, and in parts for those who say it otherwise. */
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

/** What is the same in every language. */
export const plain = (text: string): Said => says('plain', { text });

/** One sentence of several parts. */
export function joined(...said: readonly Said[]): Said {
  return { text: said.map(({ text }) => text).join(''), parts: said.flatMap(({ parts }) => parts) };
}

/** The sentence of an error, which is known by its code. */
export function saysError(error: { readonly code: string; sentence(): string }): Said {
  return { text: error.sentence(), parts: [{ key: error.code, values: {} }] };
}
