import type { Format } from '../format.ts';
import type { Fact, InvalidSettingsPhrase as Invalid, SamePhrases } from '../phrase.ts';

/** What a setting or an answer has to be: completes "expected …", "Use …" and "Please enter …". */
export const expectedTexts = {
  trueOrFalse: 'true or false',
  yesOrNo: 'yes or no',
  list: 'a list',
  mapping: (p: { keys: readonly string[] }) =>
    p.keys.length === 0 ? 'a mapping' : `a mapping with keys such as ${p.keys.join(', ')}`,
  oneOf: (p: { values: readonly string[] }) => `one of ${p.values.join(', ')}`,
  other: 'something else',
  wholeNumber: (p: { min: number; max: number }) => `a whole number from ${p.min} to ${p.max}`,
  uploads: 'a whole number of uploads, 1 or more, or unlimited',
  duration: (p: { atLeast: string; atMost: string }) =>
    `a duration from ${p.atLeast} to ${p.atMost}, with a unit: 200ms, 10s, 5m, 1h, 1d`,
  silentAfter: 'auto, never or a duration of at least 30m, with a unit: 90m, 4h',
  size: (p: { atLeast: string; atMost: string }) =>
    `a size from ${p.atLeast} to ${p.atMost}, with a unit: 500kB, 50MB, 1GB`,
  sizeOrOff: (p: { atLeast: string; atMost: string }) =>
    `off, or a size from ${p.atLeast} to ${p.atMost}, with a unit: 500kB, 50MB, 1GB`,
  /** `unit`: that of a number alone. */
  rate: (p: { unit: string }) =>
    `N/s, N/min or N/h, such as 120/min, or unlimited; a number alone is N/${p.unit}`,
  bandwidth: 'a size per second such as 500kB/s or 2MB/s, or unlimited',
  spans: (p: { word: string; example: string }) =>
    `${p.word}, or a list of days and times such as ${p.example}`,
  timeOfDay: 'a time of day in quotes, such as "07:30", or off',
  existing: 'send, skip, or since and a day: since 2026-01-31',
  shortName: 'a short name of letters, digits, - and _',
  shortNameOrNone: 'a short name of letters, digits, - and _, or none',
  accountName: 'a short name of letters, digits, - and _, other than none',
  agentName: 'a short name of at least two letters, digits, - and _, other than share',
  columnName: 'a short name of letters, digits, spaces, - and _ that is not already a column of exports',
  group: 'the name of a group, or none',
  user: 'a user name, or none',
  account: 'the name of an account, or none',
  endpoint: 'the name of an endpoint',
  uid: 'the uid that the service assigned to the endpoint, in quotes',
  uuid: 'the uid as the service shows it, a UUID such as 0b8d6a52-6f5e-4c0a-9d3b-1d7a4c2e9f10',
  endpointName: 'a name, without line breaks or other control characters',
  language: 'a language and a region, such as de-DE',
  template: 'a name template such as {stem}-{hash:12}',
  path: 'a path (~ works for your own home only)',
  mountedFolder: 'a folder on this machine: mount the share first, then use the mount point',
  folderForFiles: 'a folder for files, not one in /proc, /sys or /dev',
  pattern: 'a pattern relative to the folder that does not start with / or !',
  cheapPatterns: 'shorter patterns, with fewer stars, alternatives and groups',
  aPattern: 'at least one pattern',
  aType: 'at least one type',
  aStatus: 'at least one status',
  anEndpoint: 'at least one endpoint',
  aFolder: 'at least one folder',
  status: 'a status, exactly as the service writes it',
  statuses: 'accepted, or a list of statuses as the service writes them',
  contentType: 'auto or a media type such as application/octet-stream',
  command: 'none, or a list: the absolute path of a program, then its arguments',
  pointer: 'a JSON pointer, such as /total or /receipt/merchant/name',
  certAndKey: 'both cert and key, or neither',
  baseUrl: 'an address such as https://api.example.com, without user, query or fragment',
  baseUrlAlone: 'an address without /v2 at the end; receiptd adds /v2 itself',
  httpsUrl: 'an https address, because credentials and receipts would otherwise be sent unencrypted',
  webUrl: 'an address that starts with https:// or http://',
  proxy: 'auto, direct, or the address of a proxy such as http://proxy.example:3128',
  hook: 'none, or an address such as https://hooks.example.com/receipts, without user',
  mailServer:
    'none, or a mail server such as smtp://mail.example.com:587 or smtps://mail.example.com, without user',
  mailServerName: 'a mail server such as mail.example.com, or smtps://mail.example.com:465',
  mailAddress: 'a mail address such as office@example.com',
  mailAddressOrNone: 'a mail address, or none',
  database:
    'none, or the address of a PostgreSQL database such as postgres://receiptd@db.example.com/receiptd',
  listenOrOff: 'off, or an address and a port such as 127.0.0.1:9464 or [::1]:9464',
  listen: 'onDemand, off, or an address and a port such as 127.0.0.1:8471 or [::1]:8471',
  hostName: 'a host name such as receipts.example.com or receipts.example.com:8443',
};
export type Expected = Fact<typeof expectedTexts>;

/** What a file has instead of it. Lists and mappings are only named, because they may contain secrets. */
export const foundTexts = {
  nothing: 'nothing',
  list: 'a list',
  emptyList: 'an empty list',
  mapping: 'a mapping',
  emptyMapping: 'an empty mapping',
  value: (p: { text: string }) => p.text,
};
export type Found = Fact<typeof foundTexts>;

/** What is wrong with the text after the colon of a name template's field. */
export type WrongArgument =
  | { readonly kind: 'unexpected' | 'dateFormat' | 'minutes' }
  | {
      readonly kind: 'digits';
      readonly of: 'hash' | 'page' | 'number';
      readonly min: number;
      readonly max: number;
    };

const ARGUMENT = {
  unexpected: 'This field does not allow anything after a colon.',
  dateFormat: 'A date format may only contain YYYY YY MM DD HH mm ss and - _ .',
  minutes: 'mm means minutes, but there is no HH before it. Use MM for months.',
};

type Place = { readonly at: number; readonly template: string };
/** What was most likely meant, and what there is, in one line; both may be missing. */
type Instead = { readonly meant: string | null; readonly known: string };

const meaning = (meant: string | null) => (meant === null ? '' : `; did you mean ${meant}?`);
const PARTS = { user: 'a user', host: 'a host', database: 'a database' };
const OTHER = 'choose a different one';

/** What is wrong with a setting: after its key, and without a full stop. */
export const flawTexts = ({ phrase }: Format) => ({
  secret:
    'credentials must not be in this file; remove the line and store the credentials with `receiptd login`',
  unknownKey: (p: { meant: string | null }) =>
    `unknown key${meaning(p.meant) || '; docs/configuration.md lists the keys'}`,
  missing: (p: { expected: Expected }) => `is missing; expected ${phrase(expectedTexts, p.expected)}`,
  /** `found`: null if it is not shown. */
  expected: (p: { expected: Expected; found: Found | null; meant: string | null }) =>
    `expected ${phrase(expectedTexts, p.expected)}${p.found === null ? '' : `, found ${phrase(foundTexts, p.found)}`}${meaning(p.meant)}`,
  httpsRequired: (p: { url: string }) =>
    `"${p.url}" would send credentials and receipts unencrypted; use https, or set service.allowInsecureHttp: true`,
  uidCase: (p: { of: string }) => `is the uid of ${p.of} in different case; write both the same way`,
  uidOfAccount: (p: { of: string }) =>
    `is also the uid of ${p.of}, which uses a different account; keep only one of them`,
  uidLimits: (p: { of: string }) =>
    `is also the uid of ${p.of}, which has different limits; keep only one of them`,
  endpointNeeded: (p: { known: string }) => `needs the key endpoint; endpoints are ${p.known}`,
  endpointUnknown: (p: Instead & { endpoint: string }) =>
    `unknown endpoint "${p.endpoint}"${meaning(p.meant) || (p.known === '' ? '' : `; endpoints are ${p.known}`)}`,
  accountUnknown: (p: Instead & { account: string }) =>
    `unknown account "${p.account}"${meaning(p.meant) || (p.known === '' ? '; add it under accounts, or remove the key' : `; accounts are ${p.known}`)}`,
  accountSimilar: (p: { of: string; variable: string }) =>
    `is too similar to ${p.of}: both would be ${p.variable} in the environment`,
  accountFile: (p: { of: string; file: string }) => `is also the file of ${p.of}: ${p.file}; ${OTHER}`,
  templateEmpty: (p: { standard: string }) => `The name template is empty. The default is ${p.standard}.`,
  templateBrace: (p: Place & { brace: string }) =>
    `Unmatched brace at character ${p.at} of the name template "${p.template}". Write ${p.brace}${p.brace} for a literal brace.`,
  templateField: (p: Place & { field: string; guess: string | null; known: readonly string[] }) =>
    `Unknown field {${p.field}}, at character ${p.at} of the name template "${p.template}". ${p.guess === null ? '' : `Did you mean {${p.guess}}? `}The fields are ${p.known.map((key) => `{${key}}`).join(' ')}.`,
  templateArgument: (p: Place & { field: string; wrong: WrongArgument }) =>
    `The field {${p.field}}, at character ${p.at} of the name template "${p.template}", is not valid. ${
      p.wrong.kind === 'digits'
        ? `After the colon, write the number of digits of the ${p.wrong.of}, ${p.wrong.min} to ${p.wrong.max}.`
        : ARGUMENT[p.wrong.kind]
    }`,
  sameFolder: (p: { of: string; path: string }) => `is the same folder as ${p.of}: ${p.path}`,
  inRecursive: (p: { of: string; path: string }) =>
    `is in ${p.of}, which is recursive and already watches it: ${p.path}`,
  archiveWatched: (p: { by: string; place: string }) =>
    `${p.by} would pick up archived files in ${p.place} again; choose an archive outside all watched folders`,
  attentionWatched: (p: { by: string; place: string }) =>
    `${p.place} would be watched by ${p.by}; choose one outside all watched folders`,
  attentionInState: (p: { place: string }) =>
    `${p.place} is inside the state directory, or contains it; ${OTHER}`,
  attentionInArchive: (p: { of: string; place: string }) =>
    `${p.place} is inside the archive of ${p.of}, or contains it; ${OTHER}`,
  insideState: (p: { place: string; stateDir: string }) =>
    `${p.place} is inside the state directory ${p.stateDir}, or contains it; ${OTHER}`,
  stateWatched: (p: { by: string; stateDir: string }) =>
    `the state directory ${p.stateDir} is inside the watched folder ${p.by}; move it with stateDir or RECEIPTD_STATE_DIR`,
  stateShared: (p: { stateDir: string; own: string }) =>
    `${p.stateDir} belongs to the system or to a person, and would become inaccessible to everyone else; choose a dedicated directory, such as ${p.own}`,
  stateTooLong: (p: { length: number; longest: number }) =>
    `the path of the state directory has ${p.length} characters, but on Windows the ledger can only be opened with up to ${p.longest}; choose a shorter one`,
  sameAddress: (p: { of: string }) => `is the address of ${p.of}.listen; choose another port`,
  webhookUnset:
    'has no effect while alerts.webhook.url is none; set the address that alerts are posted to, or remove secretFile',
  webhookPlain: 'would send alerts unencrypted; use https',
  mailUnset:
    'no mail is sent while alerts.email.server is none; set the mail server, or remove the addresses',
  noRecipient: 'needs at least one mail address',
  noMailUser: 'is missing: passwordFile needs the user whose password it contains',
  shareUnshared:
    'folders can only be shared through a shared ledger; set ledger.kind: postgres, or remove share',
  sameShare: (p: { of: string }) => `is also the share of ${p.of}; each folder needs its own`,
  urlUnused: 'has no effect while ledger.kind is sqlite; set ledger.kind: postgres, or remove url',
  urlMissing:
    'is missing: kind postgres needs a database address such as postgres://receiptd@db.example.com/receiptd',
  urlPassword: 'contains a password; put it in a separate file and set ledger.passwordFile to that file',
  urlParameter: (p: { parameter: string; known: readonly string[] }) =>
    `has the unsupported parameter "${p.parameter}"; supported are ${p.known.join(', ')}`,
  urlLacks: (p: { parts: readonly (keyof typeof PARTS)[] }) =>
    `needs ${p.parts.map((part) => PARTS[part]).join(' and ')}: postgres://user@host/database`,
  sslmode: (p: { mode: string; modes: readonly string[] }) =>
    `has sslmode=${p.mode}; use one of ${p.modes.join(', ')}`,
  sslmodeOpen: (p: { mode: string; host: string }) =>
    `sslmode=${p.mode} would send the ledger to "${p.host}" unencrypted; use sslmode=verify-full, or set ledger.allowInsecure: true`,
  driveRelative: (p: { path: string; drive: string }) =>
    `"${p.path}" depends on the current directory of drive ${p.drive}; write ${p.drive}\\ and the full path`,
  device: (p: { path: string; device: string }) =>
    `"${p.path}" contains a Windows device name (${p.device}); ${OTHER}`,
  stream: (p: { path: string }) =>
    `"${p.path}" refers to an alternate data stream; remove the colon and what comes after it`,
  trailingDot: (p: { path: string }) =>
    `"${p.path}" has a name that ends with a dot or a space, which Windows removes; ${OTHER}`,
});
export type Flaw = Fact<ReturnType<typeof flawTexts>>;
export type InvalidSettings = Invalid<Flaw>;

/** The same texts in another language. */
export interface SettingFlaws {
  readonly expected: SamePhrases<typeof expectedTexts>;
  readonly flaws: SamePhrases<ReturnType<typeof flawTexts>>;
  readonly found: SamePhrases<typeof foundTexts>;
}
