import { choice, type Command } from './command.ts';
import {
  agreeOn,
  assertFound,
  defaultTarget,
  findToMove,
  putSafely,
  storesLeft,
  takeOut,
  targetStore,
  UNIT_CREDENTIALS_DIR,
  unitLines,
  WRITABLE_STORES,
  type Stored,
  type StoresOf,
  type WritableStore,
} from '../wiring/credentialStores.ts';
import { credentialsConfig } from '../wiring/service.ts';
import type { Config } from '../config/config.ts';
import { accountOption } from '../core/domain/account.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { CREDENTIAL_STORES, type Credentials, type CredentialStore } from '../core/ports/credentials.ts';
import { askText, awaited } from './askText.ts';
import { commandLine } from './help.ts';
import { isTerminal, loadContext, print, type Io } from './io.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { errorWords } from '../texts/explain.ts';
import { textsOf, told } from './language.ts';
import { withService } from './serviceClient.ts';
import { configOf, hurryAgent, type ConfigOption } from './session.ts';

interface StoreOptions extends ConfigOption {
  readonly account?: string;
  readonly store?: WritableStore;
  readonly credentialsDir: string;
}

interface LoginOptions extends StoreOptions {
  readonly clientId?: string;
  readonly from?: CredentialStore;
  readonly verify: boolean;
}

export function addLogin(program: Command, io: Io): void {
  const { help, option, status5 } = io.texts;
  const storeOption = () => choice('--store <store>', help.stores.store, WRITABLE_STORES);
  program
    .command('login')
    .description(help.login.about)
    .option('--config <file>', option.config)
    .option('--client-id <id>', help.login.clientId)
    .option('--account <name>', option.account)
    .addOption(storeOption())
    .addOption(choice('--from <store>', help.login.from, CREDENTIAL_STORES))
    .option('--credentials-dir <dir>', help.stores.directory, UNIT_CREDENTIALS_DIR)
    .option('--no-verify', help.login.noVerify)
    .explain({
      more: help.login.more,
      examples: [
        'login',
        'login --client-id abc < secret.txt',
        'login --store file',
        'login --account branch',
        'login --store keychain --from file',
      ],
      statuses: status5,
    })
    .action((options: LoginOptions) => login(io, options));
  program
    .command('logout')
    .description(help.logout.about)
    .option('--config <file>', option.config)
    .option('--account <name>', option.account)
    .addOption(storeOption())
    .option('--credentials-dir <dir>', help.stores.directory, UNIT_CREDENTIALS_DIR)
    .explain({ examples: ['logout', 'logout --store file', 'logout --account branch'] })
    .action((options: StoreOptions) => logout(io, options));
}

async function login(io: Io, options: LoginOptions): Promise<void> {
  const config = await configOf(io, options);
  const of = storesOf(io, config, options);
  const store = await targetOf(io, of, options.store);
  const toMove = await toMoveInto(io, store, of, options);
  if (toMove !== null) return move(io, toMove, store, of);
  const credentials = await askFor(io, options);
  if (options.verify) await verify(io, of, credentials);
  await putSafely(targetStore(store, of), credentials);
  await assertFound(store, credentials, of);
  const { account } = of;
  print(io, io.texts.login.saved({ account, baseUrl: config.service.baseUrl, store }));
  await afterwards(io, store, of);
  await hurryAgent(config, 'tryHeld');
}

async function logout(io: Io, options: StoreOptions): Promise<void> {
  const config = await configOf(io, options);
  const of = storesOf(io, config, options);
  const store = options.store ?? (await defaultTarget(of)).store;
  const removed = await targetStore(store, of).writable?.remove();
  const { login: words } = io.texts;
  const { account } = of;
  print(io, (removed ? words.removed : words.none)({ account, store }));
  for (const left of await storesLeft(of)) {
    const remove = WRITABLE_STORES.some((each) => each === left)
      ? words.removeWith(logoutFrom(left, account))
      : words.removeAtSource;
    print(io, `${words.stillHas(left)} ${remove}`);
  }
}

function storesOf(io: Io, config: Config, { account, credentialsDir }: StoreOptions): StoresOf {
  credentialsConfig(config, account ?? null);
  return { config, account: account ?? null, env: io.env, unitDirectory: credentialsDir };
}

/** The stored credentials to move; null to ask for new ones. */
async function toMoveInto(
  io: Io,
  store: WritableStore,
  of: StoresOf,
  { from, clientId, store: named }: LoginOptions,
): Promise<Stored | null> {
  if (from !== undefined) {
    if (clientId !== undefined) throw new ReceiptdError('USAGE.fromAndClientId');
    return findToMove(store, checkedSource(from, store), of);
  }
  if (named === undefined || clientId !== undefined) return null;
  if (isTerminal(io.stdin)) {
    return findToMove(store, undefined, of).catch(async (error: unknown) => {
      if (!(error instanceof ReceiptdError) || error.code === 'USAGE') throw error;
      io.stderr.write(`${escapeUnsafe((await told(io, error)).sentence)}\n`);
      return null;
    });
  }
  if (!(await awaited(io, isEmpty(io.stdin), 'clientSecret'))) return null;
  const found = await findToMove(store, undefined, of);
  if (found === null) throw notGiven();
  return found;
}

/** Whether stdin ends without data; does not consume any. */
async function isEmpty(stdin: NodeJS.ReadStream): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (): void => settle(true);
    const readable = (): void => {
      const chunk = stdin.read() as Buffer | null;
      if (chunk === null) return;
      stdin.unshift(chunk);
      settle(false);
    };
    const settle = (empty: boolean): void => {
      stdin.off('end', end).off('error', end).off('readable', readable);
      resolve(empty);
    };
    stdin.once('end', end).once('error', end).on('readable', readable);
  });
}

async function askFor(io: Io, options: LoginOptions): Promise<Credentials> {
  const { input } = io.texts;
  const clientId = options.clientId ?? (await askText(io, input.clientId, true, { input: 'clientId' }));
  const clientSecret = await askText(io, input.clientSecret, false, { input: 'clientSecret' });
  if (clientId === '' || clientSecret === '') throw notGiven();
  return { clientId, clientSecret };
}

function notGiven(): ReceiptdError {
  return new ReceiptdError('USAGE.bothCredentials');
}

/** Writes, verifies and configures the new copy before removing the old one. */
async function move(
  io: Io,
  { from, credentials }: Stored,
  store: WritableStore,
  of: StoresOf,
): Promise<void> {
  const { login: words } = io.texts;
  const { account } = of;
  await putSafely(targetStore(store, of), credentials);
  print(io, words.copied({ account, from: from.store, to: store }));
  const isRead = await afterwards(io, store, of);
  await hurryAgent(of.config, 'tryHeld');
  const remove = logoutFrom(from.store, account);
  if (from.writable === null) print(io, words.oldAtSource(from.store));
  else if (!isRead) print(io, words.oldNeeded(from.store, remove));
  else if (await takenOut(from, credentials, io)) print(io, words.oldRemoved(from.store));
  else print(io, words.oldThere(from.store, remove));
  if (isRead) await assertFound(store, credentials, of);
}

async function takenOut(from: Stored['from'], credentials: Credentials, io: Io): Promise<boolean> {
  try {
    return await takeOut(from, credentials);
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    print(io, escapeUnsafe((await told(io, error)).sentence));
    return false;
  }
}

/** Does what remains, or tells the person to; resolves whether an agent now reads that store. */
async function afterwards(io: Io, store: WritableStore, of: StoresOf): Promise<boolean> {
  const { config, account, unitDirectory } = of;
  const { login: words } = io.texts;
  const { file } = config;
  const agreement = await agreeOn(store, of, loadContext(io));
  if (agreement.kind === 'changed') {
    print(io, words.changed({ file, key: agreement.key, store }));
    await hurryAgent(config, 'reload');
  } else if (agreement.kind === 'toBeChanged' && store !== 'systemd') {
    print(io, words.edit({ file, key: agreement.key, store }));
  }
  if (store !== 'systemd') return agreement.kind !== 'toBeChanged';
  const restart = account === null ? words.restartUnitOrPackage : words.restartUnit;
  print(io, `${unitDirectory === UNIT_CREDENTIALS_DIR ? restart : words.giveUnit}\n`);
  for (const line of ['[Service]', ...unitLines(unitDirectory, account)]) print(io, `  ${line}`);
  print(io);
  if (agreement.kind === 'toBeChanged') print(io, words.editAlso({ file, key: agreement.key }));
  return false;
}

/** Checks new credentials with the service, so that wrong ones never replace working ones. */
async function verify(io: Io, { config, account }: StoresOf, given: Credentials): Promise<void> {
  await withService(io, config, { given, level: 'warn' }, async ({ service }) => {
    const { company } = await service.whoami(io.stop, account);
    print(io, io.texts.login.accepted(escapeUnsafe(company)));
  });
}

async function targetOf(io: Io, of: StoresOf, named: WritableStore | undefined): Promise<WritableStore> {
  if (named !== undefined) return named;
  const { store, why } = await defaultTarget(of);
  if (why !== null) {
    const words = errorWords(await textsOf(io), why);
    io.stderr.write(`${escapeUnsafe(io.texts.login.fileInstead(words))}\n`);
  }
  return store;
}

function checkedSource(store: CredentialStore, to: WritableStore): CredentialStore {
  if (store !== to) return store;
  throw new ReceiptdError('USAGE.sameStore', { to });
}

function logoutFrom(store: CredentialStore, account: string | null): string {
  return `${commandLine('logout', '--store', store)}${accountOption(account)}`;
}
