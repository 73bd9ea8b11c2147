import type { Config } from '../../config/config.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { says, saysError, type Said } from '../../core/domain/setupWords.ts';
import { ofError } from '../../core/domain/why.ts';
import type { Credentials, CredentialStore } from '../../core/ports/credentials.ts';
import type { Io } from '../io.ts';
import { withService } from '../serviceClient.ts';
import type { AnswerStore } from './answers.ts';
import type { Talk } from './talk.ts';

/** The credentials for the service. `company`: their owner according to the service; null if it was not asked. */
export type CredentialsAnswer = { readonly company: string | null } & (
  | { readonly kind: 'kept'; readonly store: CredentialStore }
  | {
      readonly kind: 'new';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly store: AnswerStore;
      /** Reason for this store. */
      readonly why: Said;
      /** Another store that already holds credentials, which may be found first; null if none. */
      readonly hidden: CredentialStore | null;
    }
);

const ATTEMPTS = 3;
type FoundCredentials = Credentials & { readonly store: CredentialStore };
type CredentialsPair = Credentials;

/** Value of `credentials.store` with which the agent finds exactly these credentials; undefined: the present value does. */
export function storeInConfig(
  answer: CredentialsAnswer,
  now: Config['credentials']['store'],
): AnswerStore | undefined {
  if (answer.kind === 'kept' || answer.store === now) return undefined;
  // `auto` checks the keychain last.
  const isFound = now === 'auto' && (answer.hidden === null || answer.hidden === 'keychain');
  return isFound ? undefined : answer.store;
}

/** `back`: the person wants to correct the address. Of `config`, only the service and where credentials are stored matter. */
export async function credentialsStep(
  talk: Talk,
  config: Config,
  practice: CredentialsPair | null,
): Promise<CredentialsAnswer | 'back'> {
  const { io } = talk;
  const inStore = await storedCredentials(io, config);
  const stored = isForThisService(talk, config, inStore) ? inStore : null;
  const answer = await answered(talk, config, stored, practice);
  if (answer === 'back' || answer.kind === 'kept' || inStore === null) return answer;
  return { ...answer, hidden: inStore.store === answer.store ? null : inStore.store };
}

/** Whether stored credentials exist that setup would use without asking. */
export async function hasCredentials(talk: Talk, config: Config): Promise<boolean> {
  const stored = await storedCredentials(talk.io, config);
  return stored !== null && isForThisService(talk, config, stored);
}

/** Never sends a stored secret to another service. Keychain entries are per service; other stores need the same base URL. */
function isForThisService({ found }: Talk, config: Config, stored: FoundCredentials | null): boolean {
  return stored?.store === 'keychain' || found.before?.config.service.baseUrl === config.service.baseUrl;
}

async function answered(
  talk: Talk,
  config: Config,
  stored: FoundCredentials | null,
  practice: CredentialsPair | null,
): Promise<CredentialsAnswer | 'back'> {
  const { given, ask, say } = talk;
  const from = practice ?? (await givenPair(talk, stored));
  if (from === null) return keptOrTyped(talk, config, stored);
  if (stored !== null && same(stored, from) && (given.store ?? stored.store) === stored.store) {
    const company = given.verify ? await whoami(talk, config, from) : null;
    return { kind: 'kept', store: stored.store, company };
  }
  if (!given.verify) return withStore(talk, config, from, null);
  try {
    return await withStore(talk, config, from, await whoami(talk, config, from));
  } catch (error) {
    if (ask === null || practice !== null || !(error instanceof ReceiptdError)) throw error;
    say(saysError(error));
    return typed(talk, config, from.clientId, error.code === 'CREDENTIALS_REFUSED' ? 1 : 0);
  }
}

/** Null if the person has to be asked or the stored credentials suffice. */
async function givenPair(
  { given, ask }: Talk,
  stored: FoundCredentials | null,
): Promise<CredentialsPair | null> {
  const clientId = given.clientId ?? (given.clientSecret === undefined ? undefined : stored?.clientId);
  if (clientId === undefined) return null;
  if (given.clientSecret !== undefined) return { clientId, clientSecret: given.clientSecret };
  if (stored?.clientId === clientId) return stored;
  return ask === null ? null : { clientId, clientSecret: await ask.secret(says('credentials.secret')) };
}

async function keptOrTyped(talk: Talk, config: Config, stored: FoundCredentials | null) {
  const { given, ask, say } = talk;
  if (stored === null) return typed(talk, config, undefined, 0);
  if (!given.verify) return { kind: 'kept' as const, store: stored.store, company: null };
  try {
    const company = await whoami(talk, config, stored);
    const kept = { kind: 'kept' as const, store: stored.store, company };
    if (ask === null) return kept;
    say(says('credentials.stored', { store: stored.store, company }));
    if (await ask.confirm(says('credentials.keep'), true)) return kept;
    return await typed(talk, config, stored.clientId, 0);
  } catch (error) {
    if (ask === null || !(error instanceof ReceiptdError)) throw error;
    say(saysError(error));
    return typed(talk, config, stored.clientId, 0);
  }
}

/** Asks until the service accepts the credentials. @throws ReceiptdError CREDENTIALS_REFUSED after three refusals */
async function typed(
  talk: Talk,
  config: Config,
  knownId: string | undefined,
  refusedBefore: number,
): Promise<CredentialsAnswer | 'back'> {
  const { given, ask, say } = talk;
  if (ask === null) throw new ReceiptdError('CREDENTIALS_MISSING.notGiven');
  let clientId = knownId;
  let refused = refusedBefore;
  for (;;) {
    clientId = await ask.text(says('credentials.id'), { otherwise: clientId });
    const pair = { clientId, clientSecret: await ask.secret(says('credentials.secret')) };
    if (!given.verify) return withStore(talk, config, pair, null);
    for (let isAgain = true; isAgain;) {
      isAgain = false;
      try {
        return await withStore(talk, config, pair, await whoami(talk, config, pair));
      } catch (error) {
        if (!(error instanceof ReceiptdError)) throw error;
        if (error.code === 'CREDENTIALS_REFUSED') {
          refused += 1;
          if (refused >= ATTEMPTS) throw error;
          say(saysError(error));
          say(says('credentials.again', { attempt: refused + 1, attempts: ATTEMPTS }));
          continue;
        }
        say(saysError(error));
        const next = await ask.choose(says('credentials.unchecked'), [
          { label: says('credentials.tryAgain'), value: 'again' as const },
          { label: says('credentials.address'), value: 'back' as const },
          {
            label: says('credentials.later'),
            value: 'later' as const,
            about: says('credentials.laterAbout'),
          },
        ]);
        if (next === 'back') return 'back';
        if (next === 'later') return withStore(talk, config, pair, null);
        isAgain = true;
      }
    }
  }
}

function same(a: CredentialsPair, b: CredentialsPair): boolean {
  return a.clientId === b.clientId && a.clientSecret === b.clientSecret;
}

async function withStore(
  talk: Talk,
  config: Config,
  { clientId, clientSecret }: CredentialsPair,
  company: string | null,
): Promise<CredentialsAnswer> {
  if (company !== null) talk.say(says('credentials.accepted', { company }));
  const { store, why } = await storeFor(talk, config);
  return { kind: 'new', clientId, clientSecret, company, store, why, hidden: null };
}

/** Store and reason: as given or configured; otherwise the keychain, or a file that only its owner can read. */
async function storeFor(
  { io, given, found }: Talk,
  config: Config,
): Promise<{ store: AnswerStore; why: Said }> {
  if (given.store !== undefined) return { store: given.store, why: says('store.asked') };
  const configured = found.before?.config.credentials.store;
  if (configured === 'keychain' || configured === 'file')
    return { store: configured, why: says('store.configured') };
  if (found.context.isRoot) {
    return {
      store: 'file',
      why: says('store.root'),
    };
  }
  try {
    await lookUp(io, { ...config, credentials: { ...config.credentials, store: 'keychain' } });
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    if (error.code !== 'CREDENTIALS_MISSING') {
      return {
        store: 'file',
        why: says('store.noKeychain', { why: ofError(error) }),
      };
    }
  }
  return { store: 'keychain', why: says('store.signIn') };
}

/** Credentials that the agent would find without this terminal's variables, which a service does not have. Null: none. */
async function storedCredentials(io: Io, config: Config): Promise<FoundCredentials | null> {
  const { baseUrl } = config.service;
  const looks = lookedUp.get(io) ?? new Map<string, Promise<FoundCredentials | null>>();
  lookedUp.set(io, looks);
  const look =
    looks.get(baseUrl) ??
    lookUp(io, config).catch((error: unknown) => {
      if (!(error instanceof ReceiptdError)) throw error;
      return null;
    });
  looks.set(baseUrl, look);
  return look;
}

/** Cached per service, because a keychain lookup starts a process and may be slow. */
const lookedUp = new WeakMap<Io, Map<string, Promise<FoundCredentials | null>>>();

async function lookUp(io: Io, config: Config): Promise<FoundCredentials> {
  const { RECEIPTD_CLIENT_ID: _, RECEIPTD_CLIENT_SECRET: __, ...others } = io.env;
  const env = config.credentials.store === 'environment' ? io.env : others;
  return withService({ ...io, env }, config, { level: 'error' }, ({ credentialsOf }) =>
    credentialsOf(null).get(io.stop),
  );
}

/** The company that the credentials belong to. @throws ReceiptdError CREDENTIALS_REFUSED, SERVICE_* */
async function whoami({ io, once }: Talk, config: Config, pair: CredentialsPair): Promise<string> {
  const { clientId, clientSecret } = pair;
  const given = { given: pair, level: 'error' } as const;
  const { company } = await once(
    JSON.stringify(['whoami', config.service.baseUrl, clientId, clientSecret]),
    () => withService(io, config, given, ({ service }) => service.whoami(io.stop)),
  );
  return company;
}
