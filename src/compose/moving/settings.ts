import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { accountOption } from '../../domain/account.ts';
import { hidePasswords } from '../hidePasswords.ts';

export interface PortableSettings {
  readonly text: string;
  /** What was taken out, or never was in it, in sentences. */
  readonly anew: readonly string[];
}

/** The configuration without what is secret in it. Comments and all the rest stay as they are. */
export function portableSettings(text: string, config: Config): PortableSettings {
  const logins = [null, ...config.accounts.map(({ name }) => name)].map(
    (account) => `\`receiptd login${accountOption(account)}\``,
  );
  const anew = [`The credentials for the service: ${logins.join(', ')}.`];
  let portable = hidePasswords(text);
  if (portable !== text) anew.push('Passwords in addresses of the configuration, which are *** in it now.');
  const hook = config.alerts.webhook?.url;
  if (hook !== undefined) {
    // Whoever knows the whole of such an address may post there.
    portable = portable.replaceAll(hook, `${new URL(hook).origin}/***`);
    portable = portable.replaceAll(hidePasswords(hook), `${new URL(hook).origin}/***`);
    anew.push('The address of alerts.webhook.');
  }
  const { ca } = config.service;
  const files = [
    ca,
    config.console.tls?.cert,
    config.console.tls?.key,
    config.results.tls?.cert,
    config.results.tls?.key,
    config.alerts.email?.passwordFile,
    config.alerts.webhook?.secretFile,
  ].filter((file) => typeof file === 'string');
  if (files.length > 0) anew.push(`Files that the configuration names: ${files.join(', ')}.`);
  if (config.results.listen !== null)
    anew.push('The address at which results are posted: `receiptd results url`, then tell the service.');
  if (existsSync(join(config.stateDir, 'console-password')))
    anew.push('The password of the console: `receiptd console password`.');
  return { text: portable, anew };
}

/** Paths of the configuration that are not there on this machine, each with the key that names it. */
export function missingPaths(config: Config): string[] {
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
    ['alerts.webhook.secretFile', config.alerts.webhook?.secretFile],
  ];
  return named.flatMap(([key, path]) =>
    typeof path === 'string' && !existsSync(path) ? [`${key}: there is no ${path} on this machine.`] : [],
  );
}
