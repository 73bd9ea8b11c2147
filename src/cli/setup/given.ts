import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { foreignEncoding } from '../../core/domain/encoding.ts';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { askText } from '../askText.ts';
import { isTerminal, type Io } from '../io.ts';
import {
  tidyBaseUrl,
  tidyMailServer,
  wrongAlias,
  wrongBaseUrl,
  wrongExisting,
  wrongFolder,
  wrongMailAddresses,
  wrongMailServer,
  wrongRate,
  wrongUid,
} from './checks.ts';

/** Answers given beforehand. What is left out is asked for, or taken from the config file, or has a default. */
export interface Given {
  readonly baseUrl?: string;
  readonly sandbox: boolean;
  readonly sandboxPort: number;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly store?: Store;
  readonly verify: boolean;
  readonly endpointUid?: string;
  readonly endpointAlias?: string;
  readonly createEndpoint?: string;
  readonly language?: string;
  readonly folder?: string;
  readonly createFolder?: boolean;
  readonly existing?: string;
  readonly needsAttention?: string;
  readonly rate?: string;
  /** Addresses, or none. */
  readonly alertEmail?: string;
  readonly mailServer?: string;
  /** Or none. */
  readonly mailUser?: string;
  readonly mailPasswordFile?: string;
  readonly testMail?: boolean;
  readonly service?: ServiceScope | 'no';
  readonly serviceUser?: string;
  readonly testReceipt?: boolean;
}

export const STORES = ['keychain', 'file'] as const;
export type Store = (typeof STORES)[number];
export const SERVICES = ['no', 'user', 'system'] as const;
export type ServiceScope = 'user' | 'system';

/** One answer, as an option and as a variable. */
interface Answer {
  /** As commander names it; the variable follows from it. */
  readonly flag: string;
  /** What stands behind it; none for yes or no. */
  readonly value?: string;
  readonly about: string;
  /** Words that it takes, for the help and for shells; what else it takes is judged with the answer. */
  readonly choices?: readonly string[];
}

/** In the order of the questions. The secret is no option, since every user of the machine can read those. */
export const ANSWERS = {
  baseUrl: { flag: '--base-url', value: '<url>', about: 'address of the service' },
  sandbox: { flag: '--sandbox', about: 'no service yet: the built-in one, for practice' },
  sandboxPort: {
    flag: '--sandbox-port',
    value: '<port>',
    about: 'its port; 0 picks a free one (default 8470)',
  },
  clientId: { flag: '--client-id', value: '<id>', about: 'client identifier' },
  clientSecretFile: {
    flag: '--client-secret-file',
    value: '<file>',
    about: 'file with the client secret; - reads it from standard input',
  },
  store: {
    flag: '--store',
    value: '<store>',
    about: 'where the credentials are kept',
    choices: ['keychain', 'file'],
  },
  endpointUid: { flag: '--endpoint-uid', value: '<uid>', about: 'uid of an existing endpoint' },
  endpointAlias: {
    flag: '--endpoint-alias',
    value: '<alias>',
    about: 'its name in the config file; the uid of one of that name is replaced',
  },
  createEndpoint: {
    flag: '--create-endpoint',
    value: '<name>',
    about: 'create an endpoint, if none is configured',
  },
  language: {
    flag: '--language',
    value: '<tag>',
    about: 'dominant language of a created endpoint, such as de-DE',
  },
  folder: { flag: '--folder', value: '<path>', about: 'folder to watch' },
  createFolder: { flag: '--create-folder', about: 'make that folder if it is not there' },
  existing: {
    flag: '--existing',
    value: '<what>',
    about: 'what to do with existing files; "since YYYY-MM-DD" works too',
    choices: ['send', 'skip'],
  },
  needsAttention: {
    flag: '--needs-attention',
    value: '<path>',
    about: 'folder that shows people what could not be sent, relative to the watched one; or none',
  },
  rate: { flag: '--rate', value: '<rate>', about: 'most uploads: N/s, N/min, N/h, or unlimited' },
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
  mailUser: { flag: '--mail-user', value: '<name>', about: 'user at the mail server, or none' },
  mailPasswordFile: {
    flag: '--mail-password-file',
    value: '<file>',
    about: 'file with the password of that user, which only its owner can read',
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
    about: 'user that a service of the machine runs as (default receiptd)',
  },
  testReceipt: { flag: '--test-receipt', about: 'send a test receipt' },
} as const satisfies Readonly<Record<string, Answer>>;

export type AnswerName = keyof typeof ANSWERS;

/** `--base-url` → `RECEIPTD_SETUP_BASE_URL`. */
export function variableOf(name: AnswerName): string {
  return `RECEIPTD_SETUP_${ANSWERS[name].flag.slice(2).toUpperCase().replaceAll('-', '_')}`;
}

export const SECRET_VARIABLE = 'RECEIPTD_SETUP_CLIENT_SECRET';

/** As commander hands them over. */
export type SetupOptions = Readonly<Partial<Record<AnswerName, string | boolean>>> & {
  readonly config?: string;
  readonly yes?: boolean;
  readonly nonInteractive?: boolean;
  readonly verify: boolean;
  readonly json?: boolean;
};

/** Options first, then variables. @throws ReceiptdError USAGE for what is no answer, FILE_UNREADABLE */
export async function givenAnswers(io: Io, options: SetupOptions): Promise<Given> {
  const text = (name: AnswerName): string | undefined => {
    const option = options[name];
    return (typeof option === 'string' ? option : io.env[variableOf(name)]) || undefined;
  };
  const yesOrNo = (name: AnswerName): boolean | undefined => {
    const given = options[name] ?? text(name);
    if (given === undefined || typeof given === 'boolean') return given;
    if (/^(?:yes|true|1)$/i.test(given)) return true;
    if (/^(?:no|false|0)$/i.test(given)) return false;
    throw notTaken(name, given, 'yes or no');
  };
  const oneOf = <T extends string>(name: AnswerName, words: readonly T[]): T | undefined => {
    const given = text(name);
    if (given === undefined) return undefined;
    return words.find((word) => word === given) ?? refuse(name, given, words.join(', '));
  };
  const port = text('sandboxPort') ?? '8470';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw notTaken('sandboxPort', port, 'a number from 0 to 65535');
  const right = (name: AnswerName, wrong: (given: string) => string | null): string | undefined => {
    const given = text(name);
    const found = given === undefined ? null : wrong(given);
    return found === null ? given : refuse(name, given ?? '', found);
  };
  const baseUrl = right('baseUrl', wrongBaseUrl);
  const mailServer = right('mailServer', wrongMailServer);
  const answers = {
    baseUrl: baseUrl === undefined ? undefined : tidyBaseUrl(baseUrl),
    clientId: text('clientId') ?? (io.env['RECEIPTD_CLIENT_ID'] || undefined),
    clientSecret: await secretOf(io, text('clientSecretFile')),
    store: oneOf('store', STORES),
    endpointUid: right('endpointUid', wrongUid),
    endpointAlias: right('endpointAlias', wrongAlias),
    createEndpoint: text('createEndpoint'),
    language: text('language'),
    folder: right('folder', wrongFolder),
    createFolder: yesOrNo('createFolder'),
    existing: right('existing', wrongExisting),
    needsAttention: right('needsAttention', wrongFolder),
    rate: right('rate', wrongRate),
    alertEmail: right('alertEmail', wrongMailAddresses),
    mailServer: mailServer === undefined ? undefined : tidyMailServer(mailServer),
    mailUser: text('mailUser'),
    mailPasswordFile: text('mailPasswordFile'),
    testMail: yesOrNo('testMail'),
    service: oneOf('service', SERVICES),
    serviceUser: text('serviceUser'),
    testReceipt: yesOrNo('testReceipt'),
  };
  const given = {
    ...(Object.fromEntries(
      Object.entries(answers).filter(([, value]) => value !== undefined),
    ) as Partial<Given>),
    sandbox: yesOrNo('sandbox') ?? false,
    sandboxPort: Number(port),
    verify: options.verify,
  };
  notBoth(given.sandbox ? 'sandbox' : undefined, given.baseUrl === undefined ? undefined : 'baseUrl');
  notBoth(given.endpointUid && 'endpointUid', given.createEndpoint && 'createEndpoint');
  return given;
}

function notBoth(one: string | undefined, other: string | undefined): void {
  if (!one || !other) return;
  const flags = [one, other].map((name) => ANSWERS[name as AnswerName].flag);
  throw new ReceiptdError('USAGE', `Either ${flags.join(' or ')}, not both.`);
}

/** Without line breaks and spaces around it, which editors and `echo` add. */
async function secretOf(io: Io, file: string | undefined): Promise<string | undefined> {
  if (file === '-') {
    if (!isTerminal(io.stdin)) return (await askText(io, '', false)) || undefined;
    throw new ReceiptdError(
      'USAGE',
      `${ANSWERS.clientSecretFile.flag} - reads the secret from standard input, which is a terminal.`,
      {
        hint: 'Leave it out, and the secret is asked for.',
      },
    );
  }
  if (file === undefined) {
    return (io.env[SECRET_VARIABLE] || io.env['RECEIPTD_CLIENT_SECRET'])?.trim() || undefined;
  }
  const path = resolve(io.cwd, file);
  try {
    const bytes = await readFile(path);
    if (foreignEncoding(bytes) !== null)
      throw new ReceiptdError('FILE_UNREADABLE', `${path} is not text in UTF-8.`, {
        hint: 'Save it as UTF-8 in your editor; it has to hold the client secret, and nothing else.',
      });
    const secret = bytes
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trim();
    if (secret !== '') return secret;
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    throw new ReceiptdError(
      'FILE_UNREADABLE',
      `${path} can't be read (${systemCode(error) ?? 'unknown error'}).`,
      {
        hint: 'It has to hold the client secret, and nothing else.',
        cause: error,
      },
    );
  }
  throw new ReceiptdError('USAGE', `${path} is empty.`, {
    hint: 'It has to hold the client secret, and nothing else.',
  });
}

function refuse(name: AnswerName, given: string, takes: string): never {
  throw notTaken(name, given, takes);
}

function notTaken(name: AnswerName, given: string, takes: string): ReceiptdError {
  return new ReceiptdError('USAGE', `${ANSWERS[name].flag} (${variableOf(name)}) does not take "${given}".`, {
    hint: `It takes ${takes}.`,
  });
}

/** One sentence for all that nobody can be asked for. */
export function incomplete(
  missing: readonly (AnswerName | readonly AnswerName[])[],
  why: string,
): ReceiptdError {
  const list = missing.map((each) => (typeof each === 'string' ? [each] : each).map(named).join(' or '));
  return new ReceiptdError('SETUP_INCOMPLETE', `${why}, and these answers are missing: ${list.join('; ')}.`, {
    hint: 'Give them as options or variables, or run `receiptd setup` in a terminal.',
  });
}

function named(name: AnswerName): string {
  const { flag } = ANSWERS[name];
  const variables = [variableOf(name), ...(name === 'clientSecretFile' ? [SECRET_VARIABLE] : [])];
  return `${flag} (${variables.join(', ')})`;
}
