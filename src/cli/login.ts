import type { Command } from 'commander';
import { composeService, composeWritableCredentials } from '../compose/service.ts';
import type { Config } from '../config/config.ts';
import { callControl } from '../daemon/control/client.ts';
import { ReceiptdError } from '../domain/errors.ts';
import { helpOf } from './help.ts';
import { print, type Io } from './io.ts';
import { askText } from './askText.ts';
import { configOf, openLog, type ConfigOption } from './session.ts';
import { printable } from './printable.ts';

interface LoginOptions extends ConfigOption {
  readonly clientId?: string;
  readonly store?: string;
  readonly verify: boolean;
}

const STORES = ['keychain', 'file'] as const;
type WritableStore = (typeof STORES)[number];

export function addLogin(program: Command, io: Io): void {
  program
    .command('login')
    .description("put the service's credentials into the keychain (or an owner-only file)")
    .option('--config <file>', 'config file')
    .option('--client-id <id>', 'client identifier (asked for if left out)')
    .option('--store <store>', 'keychain or file; by default as configured, else keychain')
    .option('--no-verify', 'do not ask the service whether it takes them')
    .addHelpText(
      'after',
      helpOf({
        more: 'The secret is asked for without being shown, or read from standard input; it is never an argument.',
        examples: ['login', 'login --client-id abc < secret.txt', 'login --store file'],
        statuses: '5 the service could not be reached',
      }),
    )
    .action((options: LoginOptions) => login(io, options));
  program
    .command('logout')
    .description('remove the credentials from the keychain (or the file)')
    .option('--config <file>', 'config file')
    .option('--store <store>', 'keychain or file')
    .addHelpText('after', helpOf({ examples: ['logout', 'logout --store file'] }))
    .action(async (options: LoginOptions) => {
      const config = await configOf(io, options);
      const { removed, store } = await logout(io, config, options.store);
      print(
        io,
        removed ? `Removed the credentials from the ${store}.` : `There were no credentials in the ${store}.`,
      );
    });
}

async function login(io: Io, options: LoginOptions): Promise<void> {
  const config = await configOf(io, options);
  const store = storeOf(config, options.store);
  const clientId = options.clientId ?? (await askText(io, 'Client identifier: ', true));
  const clientSecret = await askText(io, 'Client secret: ', false);
  if (clientId === '' || clientSecret === '') {
    throw new ReceiptdError('USAGE', 'Both a client identifier and a client secret are needed.', {
      hint: 'Give the identifier with --client-id and the secret on standard input.',
    });
  }
  if (options.verify) await verify(io, config, clientId, clientSecret);
  await composeWritableCredentials(store, config, io.env).set({ clientId, clientSecret });
  print(io, `Saved the credentials for ${config.service.baseUrl} in the ${store}.`);
  await tellTheAgent(config);
}

async function logout(io: Io, config: Config, named: string | undefined) {
  const store = storeOf(config, named);
  return { removed: await composeWritableCredentials(store, config, io.env).remove(), store };
}

/** A running agent that waits for credentials need not wait out its back-off. */
async function tellTheAgent({ stateDir }: Config): Promise<void> {
  try {
    await callControl(stateDir, 'tryHeld', {});
  } catch (error) {
    // Where none runs, or one of another user, the next token request finds them.
    if (!(error instanceof ReceiptdError)) throw error;
  }
}

/** Credentials that the service does not take are not saved over those that it may. */
async function verify(io: Io, config: Config, clientId: string, clientSecret: string): Promise<void> {
  const { log, secrets } = await openLog(io, config, { toFile: false, level: 'warn' });
  secrets.addSecret(clientSecret);
  const env = { ...io.env, RECEIPTD_CLIENT_ID: clientId, RECEIPTD_CLIENT_SECRET: clientSecret };
  const given = { ...config, credentials: { ...config.credentials, store: 'environment' as const } };
  const { service } = await composeService(given, { env, log, secrets });
  try {
    const { company } = await service.whoami(io.stop);
    print(io, `The service takes them: ${printable(company)}.`);
  } finally {
    await service.close();
    await log.close();
  }
}

function storeOf(config: Config, named: string | undefined): WritableStore {
  const wanted = named ?? (config.credentials.store === 'file' ? 'file' : 'keychain');
  const store = STORES.find((each) => each === wanted);
  if (store) return store;
  throw new ReceiptdError('USAGE', `--store takes ${STORES.join(' or ')}, not "${wanted}".`);
}
