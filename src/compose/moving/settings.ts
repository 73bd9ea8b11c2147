import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { accountOption } from '../../domain/account.ts';
import { ReceiptdError } from '../../domain/errors.ts';
import { knownSecrets } from '../doctor/knownSecrets.ts';
import { withoutSecrets } from './withoutSecrets.ts';

export interface PortableSettings {
  readonly text: string;
  /** What was taken out, or never was in it, in sentences. */
  readonly anew: readonly string[];
}

/**
 * The configuration without what is secret in it. Comments stay, but for the paths of addresses in them; all the rest stays as it is.
 * @throws ReceiptdError CONFIG_INVALID where a secret can't be taken out
 */
export async function portableSettings(text: string, config: Config): Promise<PortableSettings> {
  const logins = [null, ...config.accounts.map(({ name }) => name)].map(
    (account) => `\`receiptd login${accountOption(account)}\``,
  );
  const anew = [`The credentials for the service: ${logins.join(', ')}.`];
  const { text: portable, hasPasswords } = withoutSecrets(text, config);
  await refuseSecrets(portable, text, config);
  if (hasPasswords) anew.push('Passwords in addresses of the configuration, which are *** in it now.');
  if (config.alerts.webhook !== undefined) anew.push('The address of alerts.webhook.');
  const { ca } = config.service;
  const database = databaseOf(config);
  const files = [
    ca,
    config.console.tls?.cert,
    config.console.tls?.key,
    config.results.tls?.cert,
    config.results.tls?.key,
    config.alerts.email?.passwordFile,
    database?.passwordFile,
    database?.ca,
    config.alerts.webhook?.secretFile,
  ].filter((file) => typeof file === 'string');
  if (files.length > 0) anew.push(`Files that the configuration names: ${files.join(', ')}.`);
  if (config.results.listen !== null)
    anew.push('The address at which results are posted: `receiptd results url`, then tell the service.');
  if (existsSync(join(config.stateDir, 'console-password')))
    anew.push('The password of the console: `receiptd console password`.');
  return { text: portable, anew };
}

function databaseOf({ ledger }: Config) {
  return ledger.kind === 'postgres' ? ledger : null;
}

/** Shorter ones, and plain words, are found in names too. */
const TELLING = /^(?=.*\d)(?=.*[A-Za-z]).{8,}$|^.{20,}$/;

async function refuseSecrets(portable: string, text: string, config: Config): Promise<void> {
  const names = new Set([
    ...config.endpoints.flatMap(({ alias, key }) => [alias, key.uid]),
    ...config.accounts.map(({ name }) => name),
  ]);
  const secrets = await knownSecrets({ env: {}, stateDir: config.stateDir, config, text });
  if (!secrets.some((each) => TELLING.test(each) && !names.has(each) && portable.includes(each))) return;
  throw new ReceiptdError(
    'CONFIG_INVALID',
    `${config.file} holds a password or another secret in a place where it can not be taken out.`,
    { hint: 'Remove it there, also from comments, and try again. Nothing was written.' },
  );
}

/** Paths of the configuration that are not there on this machine, each with the key that names it. */
export function missingPaths(config: Config): string[] {
  const database = databaseOf(config);
  const named: [key: string, path: string | null | undefined][] = [
    ...config.folders.flatMap(({ path, archiveTo, afterUpload }, at): [string, string | null][] => [
      [`folders[${at}].path`, path],
      [`folders[${at}].archiveTo`, afterUpload === 'archive' ? dirname(archiveTo) : null],
    ]),
    ['service.ca', config.service.ca],
    ['console.tls.cert', config.console.tls?.cert],
    ['console.tls.key', config.console.tls?.key],
    ['results.tls.cert', config.results.tls?.cert],
    ['results.tls.key', config.results.tls?.key],
    ['alerts.email.passwordFile', config.alerts.email?.passwordFile],
    ['ledger.passwordFile', database?.passwordFile],
    ['ledger.ca', database?.ca],
    ['alerts.webhook.secretFile', config.alerts.webhook?.secretFile],
  ];
  return named.flatMap(([key, path]) =>
    typeof path === 'string' && !existsSync(path) ? [`${key}: there is no ${path} on this machine.`] : [],
  );
}
