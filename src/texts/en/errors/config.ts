import type { AuthoritiesFlaw, Detail, Entries, NotUtf8, Words } from '../../facts.ts';
import type { Format } from '../../format.ts';
import { flawTexts, type Flaw, type InvalidSettings } from '../settingFlaws.ts';
import { AS_ADMINISTRATOR, NOT_UTF8 } from './files.ts';

/** The most common mistakes, by the parser's error code, and what the parser takes for valid. */
export const YAML_MISTAKES = {
  TAB_AS_INDENT: 'a tab is used to indent; use spaces',
  DUPLICATE_KEY: 'this key appears twice',
  BAD_DQ_ESCAPE: 'a backslash in double quotes starts an escape; write paths in single quotes',
  BAD_SCALAR_START: 'text cannot start with this character; put it in quotes',
  MULTIPLE_DOCS: 'a second document starts here (---); a config file holds only one',
  MISSING_CHAR: 'a quote or bracket that was opened is never closed',
  BAD_INDENT: 'this line is not indented like the others at its level',
  MULTILINE_IMPLICIT_KEY: 'a colon is missing, or this is indented wrongly',
  BLOCK_AS_IMPLICIT_KEY: 'a second "key:" in one line; put the text in quotes, or correct the indentation',
  ASTERISK: 'text that starts with * must be in quotes, such as "*.jpg"',
  ALIAS_IN_ITSELF: 'this alias contains itself',
};
export type YamlMistake = keyof typeof YAML_MISTAKES;

function authoritiesFlaw(p: { flaw: AuthoritiesFlaw; system: string | null; number: number }): string {
  switch (p.flaw) {
    case 'notAFile':
      return 'is not a file';
    case 'unreadable':
      return `cannot be read (${p.system ?? 'unknown error'})`;
    case 'noCertificate':
      return 'contains no certificate in PEM format';
    case 'broken':
      return `contains a broken certificate (number ${p.number})`;
    default:
      return `is ${NOT_UTF8[p.flaw]}`;
  }
}

const OR_SETUP = 'Run `receiptd setup` to create one, or use --config to choose another.';
const READABLE = 'It must be a file that the user running receiptd can read.';

export function configErrors(format: Format) {
  const flaws = flawTexts(format);
  const settings = (p: InvalidSettings): Words => [format.settingLines(p, flaws)];
  return {
    'CONFIG_INVALID.settings': settings,
    'TEMPLATE_INVALID.settings': settings,
    'FOLDERS_NESTED.settings': settings,
    'ENDPOINT_UNKNOWN.settings': settings,
    'ACCOUNT_UNKNOWN.settings': settings,
    'HTTPS_REQUIRED.settings': settings,
    'CONFIG_NOT_FOUND.file': (p: { path: string }) => [
      `The config file ${p.path} does not exist.`,
      'Create one with `receiptd setup`.',
    ],
    'CONFIG_NOT_FOUND.anywhere': (p: {
      places: readonly string[];
      closed: string | null;
      isWindows: boolean;
    }) => [
      `No config file found. Looked for ${p.places.join(', ')}${p.closed === null ? '' : `; this user may not enter ${p.closed}`}.`,
      p.closed === null
        ? OR_SETUP
        : `${p.isWindows ? AS_ADMINISTRATOR : 'For the agent of this machine, run the command as root, or add this user to the group that owns that folder and to the control group (`control.group`).'} Run \`receiptd setup\` to create a file of your own.`,
    ],
    'CONFIG_NOT_FOUND.chosen': (p: { path: string; isOption: boolean }) => [
      `The config file ${p.path} does not exist (${p.isOption ? '--config' : 'RECEIPTD_CONFIG'} names it).`,
      OR_SETUP,
    ],
    'CONFIG_UNREADABLE.notAFile': (p: { path: string }) => [
      `The config file ${p.path} is a pipe, socket or device.`,
      READABLE,
    ],
    'CONFIG_UNREADABLE.file': (p: { path: string; system: string | null }) => [
      `The config file ${p.path} ${p.system === 'EISDIR' ? 'is a directory' : `can't be read (${p.system ?? 'unknown error'})`}.`,
      p.system === 'EACCES' ? 'Run the command as root, or let its user read the file.' : READABLE,
    ],
    'CONFIG_SYNTAX.tooDeep': (p: { file: string }) => [
      `${p.file} can't be read as YAML: it is nested too deeply, or its aliases (*name) repeat too much.`,
      'Write the values out, without aliases.',
    ],
    'CONFIG_SYNTAX.notYaml': (p: {
      file: string;
      line: number;
      col: number;
      mistake: YamlMistake | null;
      detail: string | null;
      content: string | null;
      isShown: boolean;
    }) => [
      `${p.file}:${p.line}:${p.col}: ${p.mistake === null ? (p.detail ?? 'this is not YAML') : YAML_MISTAKES[p.mistake]}${p.content === null ? ' (line not shown: the file seems to contain a secret)' : `; the ${p.isShown ? 'line' : 'last line before it'} is: ${p.content}`}`,
    ],
    'CONFIG_SYNTAX.notUtf8': (p: { path: string; encoding: NotUtf8 | null }) => [
      `${p.path} is ${p.encoding === null ? 'not text in UTF-8' : NOT_UTF8[p.encoding]}.`,
      'Save it as UTF-8 in your editor (in Notepad: Save as, Encoding: UTF-8).',
    ],
    'CONFIG_INVALID.authorities': (p: {
      file: string;
      flaw: AuthoritiesFlaw;
      system: string | null;
      number: number;
    }) => [
      `service.ca: ${p.file} ${authoritiesFlaw(p)}.`,
      'It must be a text file with the lines BEGIN CERTIFICATE and END CERTIFICATE.',
    ],
    'CONFIG_INVALID.notProxy': (p: { source: string }) => [
      `${p.source} is not the address of an HTTP proxy.`,
      'Use an address such as http://proxy.example:3128.',
    ],
    'CONFIG_INVALID.notInFile': (p: { setting: string }) => [
      `${p.setting} is not in the file.`,
      'Reload the configuration.',
    ],
    'CONFIG_INVALID.tangled': (p: { setting: string; isShared: boolean }) => [
      `${p.setting}: it ${p.isShared ? 'is shared with other parts of the file (an anchor & and its aliases *), which would change too' : "can't be changed without touching other parts of the file"}. Nothing was changed.`,
      'Change it in an editor.',
    ],
    'CONFIG_INVALID.passwordHidden': (p: { setting: string }) => [
      `${p.setting}: the password in this URL is hidden.`,
      'Enter it in full, or leave this key unchanged.',
    ],
    'CONFIG_INVALID.empty': (p: { file: string }) => [
      `The config file ${p.file} is empty or contains only comments.`,
      'Remove it, then create one with `receiptd init` or `receiptd setup`.',
    ],
    'CONFIG_INVALID.hours': (p: { given: string }) => [
      `${JSON.stringify(p.given)} is not a time span.`,
      'Use days and times such as Mon-Fri 07:00-19:00.',
    ],
    'CONFIG_INVALID.rate': (p: { given: string }) => [
      `${JSON.stringify(p.given)} is not a rate.`,
      'Use N/s, N/min or N/h, such as 120/min, or unlimited.',
    ],
    'CONFIG_INVALID.secretInside': (p: { file: string }) => [
      `${p.file} contains a password or other secret where it can't be removed automatically.`,
      'Remove it, including from comments, and try again. Nothing was written.',
    ],
    'CONFIG_INVALID.noGroup': (p: { group: string }) => [
      `control.group: the group "${p.group}" does not exist on this machine.`,
      'Use an existing group or its number.',
    ],
    'CONFIG_INVALID.beforeCreating': (p: { file: string } & Detail) => [
      `Nothing was created, because ${p.file} has an error: ${p.detail}`,
      'Correct it first.',
    ],
    'CONFIG_INVALID.endpointExists': (p: { alias: string }) => [
      `endpoints.${p.alias}: an endpoint of that name already exists.`,
      'Choose another name.',
    ],
    'CONFIG_INVALID.noMailUser': (p: { file: string }) => [
      `${p.file} has no mail server user, so there is no password to store.`,
      'Set alerts.email.server and alerts.email.user first.',
    ],
    'CONFIG_INVALID.stateDirWhileRunning': [
      "stateDir can't be changed while receiptd runs.",
      'Stop receiptd, move the directory, edit the file, and start receiptd again.',
    ],
    CONFIG_EXISTS: (p: { file: string }) => [
      `${p.file} already exists and was left unchanged.`,
      'Choose another file with --config, or remove this one first.',
    ],
    'CONFIG_CHANGED.bySomebody': (p: { file: string }) => [
      `Somebody else has changed ${p.file}, so nothing was written.`,
      'Check the file, then make your change again.',
    ],
    'CONFIG_CHANGED.beingRead': ['It was changed a moment ago and is being read.'],
    'CONFIG_CHANGED.whileStarting': (p: { file: string }) => [
      `${p.file} was changed while receiptd was starting.`,
      'Start it again.',
    ],
    'CONFIG_CHANGED.nothingToUndo': [
      'There is no change to undo.',
      'Previous versions of the file are in config-history in the state directory.',
    ],
    'CONFIG_UNWRITABLE.beforeCreating': (p: { file: string }) => [
      `Nothing was created, because ${p.file} can't be written.`,
      'Allow the user that runs receiptd to write the file and its directory, or use `receiptd endpoint create`.',
    ],
    'CONFIG_UNWRITABLE.file': (p: { file: string; system: string; command: string | null }) => [
      `${p.file} can't be written (${p.system}), so nothing was changed.`,
      p.system === 'ENOSPC' || p.system === 'EDQUOT'
        ? 'Free some space on its disk.'
        : p.command
          ? `\`${p.command}\` lets receiptd write it. Or change the file in an editor.`
          : 'Allow the user that runs receiptd to write the file and its directory, or change the file in an editor. If it runs as a service, also run `sudo receiptd service install`.',
    ],
    'TEMPLATE_INVALID.noFreeName': (p: { path: string }) => [
      `Every possible name for ${p.path} is already used in its endpoint.`,
      'Add {hash} or {seq} to the name template.',
    ],
    'TEMPLATE_INVALID.template': (p: { flaw: Flaw }) => [format.phrase(flaws, p.flaw)],
    'ENDPOINT_UNKNOWN.nothingWaits': (p: { from: string }) => [
      `No documents wait for an endpoint "${p.from}" that is gone.`,
      '`receiptd status` names such endpoints.',
    ],
    'ENDPOINT_UNKNOWN.notConfigured': (p: { alias: string; known: readonly string[] }) => [
      `The configuration has no endpoint "${p.alias}".`,
      `Known: ${p.known.join(', ')}.`,
    ],
    ENDPOINT_IS_EXAMPLE: (p: { file: string; alias: string }) => [
      `In ${p.file}, the uid of the endpoint ${p.alias} is still the one from the example.`,
      'Create an endpoint with `receiptd endpoint create NAME`, or use an existing one, and enter its uid there.',
    ],
    ACCOUNT_UNKNOWN: (p: {
      file: string;
      account: string;
      names: readonly string[];
      meant: string | null;
    }) => [
      `${p.file} has no account "${p.account}".`,
      p.names.length === 0
        ? 'Add it under `accounts` in the config first.'
        : p.meant === null
          ? `Accounts are ${p.names.join(', ')}; leave --account out for the default one.`
          : `Did you mean ${p.meant}?`,
    ],
    'HTTPS_REQUIRED.baseUrlOption': (p: { baseUrl: string }) => [
      `--base-url (RECEIPTD_SETUP_BASE_URL): "${p.baseUrl}" would send credentials and receipts unencrypted.`,
      'Use https.',
    ],
  } satisfies Entries;
}
