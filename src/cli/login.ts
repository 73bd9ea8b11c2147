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
import { accountOption, ofAccount } from '../core/domain/account.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { CREDENTIAL_STORES, type Credentials, type CredentialStore } from '../core/ports/credentials.ts';
import { askText, awaited } from './askText.ts';
import { isTerminal, loadContext, print, type Io } from './io.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { told } from './language.ts';
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

const storeOption = () =>
  choice(
    '--store <store>',
    'which store; defaults to the configured one, then to where they are now, then to keychain',
    WRITABLE_STORES,
  );
const ACCOUNT_OPTION = 'account in the config; the default account if omitted';
const DIR_OPTION = 'directory for the encrypted files of store systemd';

export function addLogin(program: Command, io: Io): void {
  program
    .command('login')
    .description('store the service credentials in the keychain or another store, or move them there')
    .option('--config <file>', 'config file')
    .option('--client-id <id>', 'client identifier; receiptd prompts for it by default')
    .option('--account <name>', ACCOUNT_OPTION)
    .addOption(storeOption())
    .addOption(
      choice(
        '--from <store>',
        'move the credentials from this store to --store, without prompting',
        CREDENTIAL_STORES,
      ),
    )
    .option('--credentials-dir <dir>', DIR_OPTION, UNIT_CREDENTIALS_DIR)
    .option('--no-verify', "don't test them with the service")
    .explain({
      more: 'receiptd prompts for the secret without showing it, or reads it from standard input; it is never an argument.\nWith --store and no new credentials, existing ones are moved there.',
      examples: [
        'login',
        'login --client-id abc < secret.txt',
        'login --store file',
        'login --account branch',
        'login --store keychain --from file',
      ],
      statuses: '5 the service could not be reached',
    })
    .action((options: LoginOptions) => login(io, options));
  program
    .command('logout')
    .description('remove the credentials from the keychain or another store')
    .option('--config <file>', 'config file')
    .option('--account <name>', ACCOUNT_OPTION)
    .addOption(storeOption())
    .option('--credentials-dir <dir>', DIR_OPTION, UNIT_CREDENTIALS_DIR)
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
  print(
    io,
    `Saved the credentials${ofAccount(of.account)} for ${config.service.baseUrl} in the ${called(store)}.`,
  );
  await afterwards(io, store, of);
  await hurryAgent(config, 'tryHeld');
}

async function logout(io: Io, options: StoreOptions): Promise<void> {
  const config = await configOf(io, options);
  const of = storesOf(io, config, options);
  const store = options.store ?? (await defaultTarget(of)).store;
  const removed = await targetStore(store, of).writable?.remove();
  const whose = ofAccount(of.account);
  print(
    io,
    removed
      ? `Removed the credentials${whose} from the ${called(store)}.`
      : `There were no credentials${whose} in the ${called(store)}.`,
  );
  for (const left of await storesLeft(of)) {
    const remove = WRITABLE_STORES.some((each) => each === left)
      ? `Remove them with: receiptd logout --store ${left}${accountOption(of.account)}`
      : "receiptd can't remove them; remove them at their source.";
    print(io, `The ${called(left)} still has credentials, and the agent keeps using those. ${remove}`);
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
  const clientId =
    options.clientId ?? (await askText(io, 'Client identifier: ', true, { input: 'clientId' }));
  const clientSecret = await askText(io, 'Client secret: ', false, { input: 'clientSecret' });
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
  const whose = ofAccount(of.account);
  await putSafely(targetStore(store, of), credentials);
  print(
    io,
    `Copied the credentials${whose} from the ${called(from.store)} to the ${called(store)}, and verified the copy.`,
  );
  const isRead = await afterwards(io, store, of);
  await hurryAgent(of.config, 'tryHeld');
  const old = `The old copy in the ${from.store} store`;
  const remove = `receiptd logout --store ${from.store}${accountOption(of.account)}`;
  if (from.writable === null) {
    print(io, `${old} is still there, because receiptd can't remove it. Remove it at its source.`);
  } else if (!isRead) {
    print(io, `${old} is still there, because the agent needs it for now. Remove it later with: ${remove}`);
  } else if (await takenOut(from, credentials, io)) {
    print(io, `${old} was removed.`);
  } else {
    print(io, `${old} is still there. Check it, and remove it with: ${remove}`);
  }
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
  const agreement = await agreeOn(store, of, loadContext(io));
  if (agreement.kind === 'changed') {
    print(io, `Changed ${config.file}: ${agreement.key} is now ${store}.`);
    await hurryAgent(config, 'reload');
  } else if (agreement.kind === 'toBeChanged' && store !== 'systemd') {
    print(
      io,
      `Edit ${config.file}, which can't be changed from here: set ${agreement.key} to ${store}. Until then, the agent does not use that store.`,
    );
  }
  if (store !== 'systemd') return agreement.kind !== 'toBeChanged';
  print(
    io,
    unitDirectory === UNIT_CREDENTIALS_DIR
      ? `Restart the agent: a unit of \`receiptd service install\`${account === null ? ', or of the Debian package,' : ''} takes them from there. One of your own needs these lines (\`systemctl edit receiptd\`):\n`
      : 'Give them to the agent with these lines in its unit (`systemctl edit receiptd`), then restart it:\n',
  );
  for (const line of ['[Service]', ...unitLines(unitDirectory, account)]) print(io, `  ${line}`);
  print(io);
  if (agreement.kind === 'toBeChanged')
    print(io, `Also edit ${config.file}: set ${agreement.key} to systemd.`);
  return false;
}

/** Checks new credentials with the service, so that wrong ones never replace working ones. */
async function verify(io: Io, { config, account }: StoresOf, given: Credentials): Promise<void> {
  await withService(io, config, { given, level: 'warn' }, async ({ service }) => {
    const { company } = await service.whoami(io.stop, account);
    print(io, `The service accepts them: ${escapeUnsafe(company)}.`);
  });
}

async function targetOf(io: Io, of: StoresOf, named: WritableStore | undefined): Promise<WritableStore> {
  if (named !== undefined) return named;
  const { store, why } = await defaultTarget(of);
  if (why !== null)
    io.stderr.write(`${escapeUnsafe(why)} So the credentials go into a file that only its owner can read.\n`);
  return store;
}

function checkedSource(store: CredentialStore, to: WritableStore): CredentialStore {
  if (store !== to) return store;
  throw new ReceiptdError('USAGE.sameStore', { to });
}

function called(store: CredentialStore): string {
  if (store === 'file') return 'file store';
  return store === 'systemd' ? 'systemd store' : store;
}
