import type { Entries } from '../../errors.ts';

export function configErrors() {
  return {
    'CONFIG_NOT_FOUND.file': (p: { path: string }) => [
      `The config file ${p.path} does not exist.`,
      'Create one with `receiptd setup`.',
    ],
    'CONFIG_SYNTAX.tooDeep': (p: { file: string }) => [
      `${p.file} can't be read as YAML: it is nested too deeply, or its aliases (*name) repeat too much.`,
      'Write the values out, without aliases.',
    ],
    'CONFIG_SYNTAX.notYaml': (p: {
      file: string;
      line: number;
      col: number;
      problem: string | null;
      content: string | null;
      isShown: boolean;
    }) => [
      `${p.file}:${p.line}:${p.col}: ${p.content === null ? `${p.problem ?? 'this is not YAML'} (line not shown: the file seems to contain a secret)` : `${p.problem ?? ''}; the ${p.isShown ? 'line' : 'last line before it'} is: ${p.content}`}`,
    ],
    'CONFIG_INVALID.authorities': (p: { file: string; why: string }) => [
      `service.ca: ${p.file} ${p.why}.`,
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
    'CONFIG_INVALID.beforeCreating': (p: { file: string; detail: string }) => [
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
    'TEMPLATE_INVALID.noFreeName': (p: { path: string }) => [
      `Every possible name for ${p.path} is already used in its endpoint.`,
      'Add {hash} or {seq} to the name template.',
    ],
    'ENDPOINT_UNKNOWN.nothingWaits': (p: { from: string }) => [
      `No documents wait for an endpoint "${p.from}" that is gone.`,
      '`receiptd status` names such endpoints.',
    ],
    'ENDPOINT_UNKNOWN.notConfigured': (p: { alias: string; known: readonly string[] }) => [
      `The configuration has no endpoint "${p.alias}".`,
      `Known: ${p.known.join(', ')}.`,
    ],
    'ENDPOINT_UNKNOWN.toSendTo': (p: { alias: string; known: readonly string[] }) => [
      `The config has no endpoint "${p.alias}".`,
      `The config has: ${p.known.join(', ')}.`,
    ],
    'HTTPS_REQUIRED.baseUrlOption': (p: { baseUrl: string }) => [
      `--base-url (RECEIPTD_SETUP_BASE_URL): "${p.baseUrl}" would send credentials and receipts unencrypted.`,
      'Use https.',
    ],
  } satisfies Entries;
}
