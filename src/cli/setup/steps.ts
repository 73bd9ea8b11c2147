import type { Config } from '../../config/config.ts';
import { rateText } from '../../core/domain/rate.ts';
import { says } from '../../core/domain/setupWords.ts';
import { alertMailStep, type AlertMailAnswer } from './alertMail.ts';
import { attentionStep } from './attention.ts';
import { sentence, tidyRate, wrongRate } from './checks.ts';
import { consoleStep, type ConsoleAnswer } from './console.ts';
import { credentialsStep, storeInConfig, type CredentialsAnswer } from './credentials.ts';
import { endpointStep, type EndpointAnswer } from './endpoint.ts';
import { existingStep, folderStep, type FolderAnswer } from './folder.ts';
import type { ServiceScope } from './answers.ts';
import { installStep } from './install.ts';
import { DEFAULT_RATE, plan, provisional, TO_BE_CREATED } from './plan.ts';
import type { SetupValues } from './wanted.ts';
import { demandPracticeEnded, leavesPractice } from './practiceState.ts';
import { knownBaseUrl, serviceStep, type ServiceAnswer } from './service.ts';
import type { Talk } from './talk.ts';

export interface Answers {
  readonly service: ServiceAnswer;
  readonly credentials: CredentialsAnswer;
  readonly endpoint: EndpointAnswer;
  readonly folder: FolderAnswer;
  /** For configured folders, by path: what to do with files already in them, if that changes. */
  readonly existingOf: ReadonlyMap<string, string>;
  /** Setting of the folder; undefined: unchanged. */
  readonly needsAttention: string | undefined;
  readonly rate: string;
  readonly alerts: AlertMailAnswer;
  readonly install: ServiceScope | null;
  readonly console: ConsoleAnswer;
  readonly sendsTest: boolean;
}

/** The configuration that an unattended setup starts from. */
export function provisionalConfig(talk: Talk): Config {
  return plan(
    talk.found,
    provisional(talk.found, {
      baseUrl: knownBaseUrl(talk) ?? 'https://service.example',
      isPractice: talk.given.sandbox,
    }),
  ).config;
}

/** Asks all questions in order, without changing anything. */
export async function askAll(talk: Talk): Promise<Answers> {
  for (;;) {
    const service = await serviceStep(talk);
    const { baseUrl, practice } = service;
    const isPractice = practice !== null;
    const isFresh = leavesPractice(talk.found, { baseUrl, isPractice });
    if (isFresh) await demandPracticeEnded(talk.found);
    const { config } = plan(talk.found, provisional(talk.found, { baseUrl, isPractice }));
    const credentials = await credentialsStep(talk, config, practice?.credentials ?? null);
    if (credentials === 'back') continue;
    const isChecked = credentials.company !== null;
    const endpoint = await endpointStep(talk, config, { practice, isChecked });
    const { alias } = endpoint;
    const uid = endpoint.uid ?? TO_BE_CREATED;
    const planned = provisional(talk.found, { baseUrl, isPractice, alias, uid });
    const folder = await folderStep(talk, config, (path) => {
      plan(talk.found, { ...planned, folder: path });
    });
    const existingOf = await existingStep(talk, config, folder, isFresh);
    const needsAttention = await attentionStep(talk, folder, isPractice, (shown) => {
      plan(talk.found, { ...planned, folder: folder.path, needsAttention: shown });
    });
    const rate = await rateStep(talk);
    const alerts = await alertMailStep(talk, config, isPractice);
    const install = await installStep(talk);
    return {
      service,
      credentials,
      endpoint,
      folder,
      existingOf,
      needsAttention,
      rate,
      alerts,
      install,
      console: await consoleStep(talk, config, isPractice, install),
      sendsTest: await testStep(talk, service),
    };
  }
}

/** The config values that result from the answers. */
export function wantedOf(
  talk: Talk,
  { service, credentials, endpoint, folder, existingOf, needsAttention, rate, alerts, console }: Answers,
  uid: string,
): SetupValues {
  const store = storeInConfig(credentials, talk.found.before?.config.credentials.store ?? 'auto');
  return {
    baseUrl: service.baseUrl,
    alias: endpoint.alias,
    uid,
    folder: folder.path,
    existing: folder.existing,
    existingOf,
    isPractice: service.practice !== null,
    routes: endpoint.isExplicit,
    needsAttention,
    rate,
    alertMail: alerts.mail,
    consoleListen: console.listen,
    ...(store !== undefined && { store }),
  };
}

async function rateStep({ given, found: { before }, ask }: Talk): Promise<string> {
  if (given.rate !== undefined) return given.rate;
  const otherwise =
    before === null || before.isExample ? DEFAULT_RATE : rateText(before.config.delivery.rate);
  if (ask === null) return otherwise;
  return tidyRate(await ask.text(says('rate'), { otherwise, wrong: sentence(wrongRate) }));
}

async function testStep({ given, ask, say }: Talk, { practice, baseUrl }: ServiceAnswer): Promise<boolean> {
  if (given.testReceipt !== undefined) return given.testReceipt;
  if (ask === null) return false;
  const isPractice = practice !== null;
  if (!isPractice) say(says('test.real', { url: baseUrl }));
  return ask.confirm(says('test.send'), isPractice);
}
