import { ReceiptdError } from '../../core/domain/errors.ts';

/* The answers that `receiptd setup` accepts, and their names as options and variables. */

export const STORES = ['keychain', 'file'] as const;
export type Store = (typeof STORES)[number];
export const SERVICES = ['no', 'user', 'system'] as const;
export type ServiceScope = 'user' | 'system';

/** One answer, given as an option or a variable. */
interface Answer {
  /** Option name; the variable's name is derived from it. */
  readonly flag: string;
  /** Placeholder of its value; left out for a flag. */
  readonly value?: string;
  readonly about: string;
  /** Accepted words, for the help and completion; other values are checked with the answer. */
  readonly choices?: readonly string[];
}

/** In the order of the questions. The secret is not an option, because every user of the machine can read those. */
export const ANSWERS = {
  baseUrl: { flag: '--base-url', value: '<url>', about: 'address of the service' },
  sandbox: { flag: '--sandbox', about: 'no service yet: use the built-in practice service' },
  sandboxPort: {
    flag: '--sandbox-port',
    value: '<port>',
    about: 'port of the practice service; 0 picks a free one (default 8470)',
  },
  clientId: { flag: '--client-id', value: '<id>', about: 'client identifier' },
  clientSecretFile: {
    flag: '--client-secret-file',
    value: '<file>',
    about: 'file that contains the client secret; - reads it from standard input',
  },
  store: {
    flag: '--store',
    value: '<store>',
    about: 'where to store the credentials',
    choices: ['keychain', 'file'],
  },
  endpointUid: { flag: '--endpoint-uid', value: '<uid>', about: 'uid of an existing endpoint' },
  endpointAlias: {
    flag: '--endpoint-alias',
    value: '<alias>',
    about: 'name of the endpoint in the config file; replaces the uid if the name exists',
  },
  createEndpoint: {
    flag: '--create-endpoint',
    value: '<name>',
    about: 'create an endpoint if none is configured',
  },
  language: {
    flag: '--language',
    value: '<tag>',
    about: 'main language of the new endpoint, such as de-DE',
  },
  folder: { flag: '--folder', value: '<path>', about: 'folder to watch' },
  createFolder: { flag: '--create-folder', about: 'create that folder if it does not exist' },
  existing: {
    flag: '--existing',
    value: '<what>',
    about: 'what to do with files already in the folder; "since YYYY-MM-DD" works too',
    choices: ['send', 'skip'],
  },
  needsAttention: {
    flag: '--needs-attention',
    value: '<path>',
    about: 'folder that shows people which files could not be sent, relative to the watched folder; or none',
  },
  rate: { flag: '--rate', value: '<rate>', about: 'upload limit: N/s, N/min, N/h, or unlimited' },
  alertEmail: {
    flag: '--alert-email',
    value: '<addresses>',
    about: 'addresses for alerts, separated by commas; or none',
  },
  mailServer: {
    flag: '--mail-server',
    value: '<server>',
    about: 'mail server for alerts, such as smtp://mail.example.com:587',
  },
  mailUser: { flag: '--mail-user', value: '<name>', about: 'user name for the mail server, or none' },
  mailPasswordFile: {
    flag: '--mail-password-file',
    value: '<file>',
    about: "file that contains that user's password; only its owner may be able to read it",
  },
  testMail: { flag: '--test-mail', about: 'send a test mail' },
  service: {
    flag: '--service',
    value: '<scope>',
    about: 'install as a service',
    choices: ['system', 'user', 'no'],
  },
  serviceUser: {
    flag: '--service-user',
    value: '<name>',
    about: 'user that a system service runs as (default receiptd)',
  },
  testReceipt: { flag: '--test-receipt', about: 'send a test receipt' },
} as const satisfies Readonly<Record<string, Answer>>;

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
