import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { decodedText } from '../../core/domain/encoding.ts';
import { wrongEndpointName, wrongLanguage } from '../../core/domain/endpointRequest.ts';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { Expected } from '../../texts/en/settingFlaws.ts';
import { wrongFolder } from '../../wiring/directories.ts';
import { askText } from '../askText.ts';
import { isTerminal, type Io } from '../io.ts';
import {
  ANSWERS,
  SECRET_VARIABLE,
  SERVICES,
  STORES,
  variableOf,
  type AnswerName,
  type ServiceScope,
  type AnswerStore,
} from './answers.ts';
import {
  tidyBaseUrl,
  tidyMailServer,
  tidyRate,
  wrongAlias,
  wrongBaseUrl,
  wrongExisting,
  wrongListen,
  wrongMailAddresses,
  wrongMailServer,
  wrongRate,
  wrongUid,
} from './checks.ts';

/** Answers given beforehand. Others are asked for, taken from the config file, or have a default. */
export interface Given {
  readonly baseUrl?: string;
  readonly sandbox: boolean;
  readonly sandboxPort: number;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly store?: AnswerStore;
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
  /** Addresses, or `none`. */
  readonly alertEmail?: string;
  readonly mailServer?: string;
  /** User name, or `none`. */
  readonly mailUser?: string;
  readonly mailPasswordFile?: string;
  readonly testMail?: boolean;
  readonly service?: ServiceScope | 'no';
  readonly serviceUser?: string;
  /** Value of `console.listen`. */
  readonly consoleListen?: string;
  readonly consoleSaves?: boolean;
  readonly testReceipt?: boolean;
}

/** Options as commander returns them. */
export type SetupOptions = Readonly<Partial<Record<AnswerName, string | boolean>>> & {
  readonly config?: string;
  readonly yes?: boolean;
  readonly nonInteractive?: boolean;
  readonly browser?: boolean;
  readonly open?: boolean;
  readonly verify: boolean;
  readonly json?: boolean;
};

/** Options take precedence over variables. @throws ReceiptdError USAGE for an invalid answer, FILE_UNREADABLE */
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
    throw notTaken(name, given, { is: 'yesOrNo' });
  };
  const oneOf = <T extends string>(name: AnswerName, words: readonly T[]): T | undefined => {
    const given = text(name);
    if (given === undefined) return undefined;
    return words.find((word) => word === given) ?? refuse(name, given, { is: 'oneOf', values: words });
  };
  const port = text('sandboxPort') ?? '8470';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw notTaken('sandboxPort', port, { is: 'wholeNumber', min: 0, max: 65_535 });
  const right = (name: AnswerName, wrong: (given: string) => Expected | null): string | undefined => {
    const given = text(name);
    const found = given === undefined ? null : wrong(given);
    return found === null ? given : refuse(name, given ?? '', found);
  };
  const baseUrl = right('baseUrl', wrongBaseUrl);
  const mailServer = right('mailServer', wrongMailServer);
  const rate = right('rate', wrongRate);
  const answers = {
    baseUrl: baseUrl === undefined ? undefined : tidyBaseUrl(baseUrl),
    clientId: text('clientId') ?? (io.env['RECEIPTD_CLIENT_ID'] || undefined),
    clientSecret: await secretOf(io, text('clientSecretFile')),
    store: oneOf('store', STORES),
    endpointUid: right('endpointUid', wrongUid),
    endpointAlias: right('endpointAlias', wrongAlias),
    createEndpoint: right('createEndpoint', wrongEndpointName),
    language: right('language', wrongLanguage),
    folder: right('folder', wrongFolder),
    createFolder: yesOrNo('createFolder'),
    existing: right('existing', wrongExisting),
    needsAttention: right('needsAttention', wrongFolder),
    rate: rate === undefined ? undefined : tidyRate(rate),
    alertEmail: right('alertEmail', wrongMailAddresses),
    mailServer: mailServer === undefined ? undefined : tidyMailServer(mailServer),
    mailUser: text('mailUser'),
    mailPasswordFile: text('mailPasswordFile'),
    testMail: yesOrNo('testMail'),
    service: oneOf('service', SERVICES),
    serviceUser: text('serviceUser'),
    consoleListen: right('consoleListen', wrongListen),
    consoleSaves: yesOrNo('consoleSaves'),
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
  throw new ReceiptdError('USAGE.eitherFlag', { flags });
}

/** Trims line breaks and spaces, which editors and `echo` add. */
async function secretOf(io: Io, file: string | undefined): Promise<string | undefined> {
  if (file === '-') {
    if (!isTerminal(io.stdin))
      return (await askText(io, 'Client secret: ', false, { input: 'clientSecret' })) || undefined;
    throw new ReceiptdError('USAGE.secretFromTerminal', { flag: ANSWERS.clientSecretFile.flag });
  }
  if (file === undefined) {
    return (io.env[SECRET_VARIABLE] || io.env['RECEIPTD_CLIENT_SECRET'])?.trim() || undefined;
  }
  const path = resolve(io.cwd, file);
  try {
    const bytes = await readFile(path);
    const read = decodedText(bytes);
    if ('encoding' in read)
      throw new ReceiptdError('FILE_UNREADABLE.secretNotText', { path, encoding: read.encoding });
    const secret = read.text.trim();
    if (secret !== '') return secret;
  } catch (error) {
    if (error instanceof ReceiptdError) throw error;
    throw new ReceiptdError(
      'FILE_UNREADABLE.secret',
      { path, system: systemCode(error) ?? null },
      { cause: error },
    );
  }
  throw new ReceiptdError('USAGE.secretEmpty', { path });
}

function refuse(name: AnswerName, given: string, takes: Expected): never {
  throw notTaken(name, given, takes);
}

function notTaken(name: AnswerName, given: string, takes: Expected): ReceiptdError {
  return new ReceiptdError('USAGE.setupAnswer', {
    flag: ANSWERS[name].flag,
    variable: variableOf(name),
    given,
    takes,
  });
}
