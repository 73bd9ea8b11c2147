import { ReceiptdError } from '../../core/domain/errors.ts';

/* The answers that `receiptd setup` accepts, and their names as options and variables. */

export const STORES = ['keychain', 'file'] as const;
export type AnswerStore = (typeof STORES)[number];
export const SERVICES = ['no', 'user', 'system'] as const;
export type ServiceScope = 'user' | 'system';

/** One answer, given as an option or a variable. */
interface SetupOption {
  /** Option name; the variable's name is derived from it. */
  readonly flag: string;
  /** Placeholder of its value; left out for a flag. */
  readonly value?: string;
  /** Accepted words, for the help and completion; other values are checked with the answer. */
  readonly choices?: readonly string[];
}

/** In the order of the questions. The secret is not an option, because every user of the machine can read those. */
export const ANSWERS = {
  baseUrl: { flag: '--base-url', value: '<url>' },
  sandbox: { flag: '--sandbox' },
  sandboxPort: {
    flag: '--sandbox-port',
    value: '<port>',
  },
  clientId: { flag: '--client-id', value: '<id>' },
  clientSecretFile: {
    flag: '--client-secret-file',
    value: '<file>',
  },
  store: {
    flag: '--store',
    value: '<store>',
    choices: ['keychain', 'file'],
  },
  endpointUid: { flag: '--endpoint-uid', value: '<uid>' },
  endpointAlias: {
    flag: '--endpoint-alias',
    value: '<alias>',
  },
  createEndpoint: {
    flag: '--create-endpoint',
    value: '<name>',
  },
  language: {
    flag: '--language',
    value: '<tag>',
  },
  folder: { flag: '--folder', value: '<path>' },
  createFolder: { flag: '--create-folder' },
  existing: {
    flag: '--existing',
    value: '<what>',
    choices: ['send', 'skip'],
  },
  needsAttention: {
    flag: '--needs-attention',
    value: '<path>',
  },
  rate: { flag: '--rate', value: '<rate>' },
  alertEmail: {
    flag: '--alert-email',
    value: '<addresses>',
  },
  mailServer: {
    flag: '--mail-server',
    value: '<server>',
  },
  mailUser: { flag: '--mail-user', value: '<name>' },
  mailPasswordFile: {
    flag: '--mail-password-file',
    value: '<file>',
  },
  testMail: { flag: '--test-mail' },
  service: {
    flag: '--service',
    value: '<scope>',
    choices: ['system', 'user', 'no'],
  },
  serviceUser: {
    flag: '--service-user',
    value: '<name>',
  },
  consoleListen: { flag: '--console-listen', value: '<address>' },
  consoleSaves: {
    flag: '--console-saves',
    value: '<answer>',
    choices: ['yes', 'no'],
  },
  testReceipt: { flag: '--test-receipt' },
} as const satisfies Readonly<Record<string, SetupOption>>;

export type AnswerName = keyof typeof ANSWERS;

/** `--base-url` → `RECEIPTD_SETUP_BASE_URL`. */
export function variableOf(name: AnswerName): string {
  return `RECEIPTD_SETUP_${ANSWERS[name].flag.slice(2).toUpperCase().replaceAll('-', '_')}`;
}

export const SECRET_VARIABLE = 'RECEIPTD_SETUP_CLIENT_SECRET';

/** One error listing all missing answers when nobody can be asked. */
export function incomplete(
  missing: readonly (AnswerName | readonly AnswerName[])[],
  { isUnattended, backlogs }: { readonly isUnattended: boolean; readonly backlogs: readonly string[] },
): ReceiptdError {
  return new ReceiptdError('SETUP_INCOMPLETE', {
    isUnattended,
    backlogs,
    missing: missing.map((each) => (typeof each === 'string' ? [each] : each).map(named).join('|')),
  });
}

function named(name: AnswerName): string {
  const { flag } = ANSWERS[name];
  const variables = [variableOf(name), ...(name === 'clientSecretFile' ? [SECRET_VARIABLE] : [])];
  return `${flag} (${variables.join(', ')})`;
}
