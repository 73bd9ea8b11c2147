import { mayExist } from '../../system/mayExist.ts';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { accountOption } from '../../core/domain/account.ts';
import { endpointId } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { knownSecrets } from '../doctor/knownSecrets.ts';
import { withReports } from '../../ledger/configured/reports.ts';
import { withoutSecrets } from './withoutSecrets.ts';
import type { WhyFact } from '../../core/domain/why.ts';

export interface PortableSettings {
  readonly text: string;
  /** What was removed or was never included. */
  readonly setUpAgain: readonly WhyFact[];
}

/**
 * The configuration without its secrets. Comments stay, except for paths of addresses in them; the rest is unchanged.
 * @throws ReceiptdError CONFIG_INVALID if a secret can't be removed
 */
export async function portableSettings(text: string, config: Config): Promise<PortableSettings> {
  const commands = [null, ...config.accounts.map(({ name }) => name)].map(
    (account) => `receiptd login${accountOption(account)}`,
  );
  const setUpAgain: WhyFact[] = [{ is: 'credentialsAgain', commands }];
  const { text: portable, hasPasswords } = withoutSecrets(text, config);
  await refuseSecrets(portable, text, config);
  if (hasPasswords) setUpAgain.push({ is: 'passwordsAgain' });
  const { email } = config.alerts;
  if (email !== null && email.user !== null && email.passwordFile === null)
    setUpAgain.push({ is: 'mailPasswordAgain', user: email.user });
  if (config.alerts.webhook !== null) setUpAgain.push({ is: 'webhookAgain' });
  const files = namedFiles(config).map(([, file]) => file);
  if (files.length > 0) setUpAgain.push({ is: 'filesAgain', files });
  if (config.results.listen !== null) setUpAgain.push({ is: 'resultsAgain' });
  if (mayExist(join(config.stateDir, 'console-password'))) setUpAgain.push({ is: 'consolePasswordAgain' });
  return { text: portable, setUpAgain };
}

/** Files that the configuration refers to, each with its key. */
function namedFiles({ service, console: page, results, alerts }: Config): [key: string, file: string][] {
  const named: [string, string | null | undefined][] = [
    ['service.ca', service.ca],
    ['console.tls.cert', page.tls?.cert],
    ['console.tls.key', page.tls?.key],
    ['results.tls.cert', results.tls?.cert],
    ['results.tls.key', results.tls?.key],
    ['alerts.email.passwordFile', alerts.email?.passwordFile],
    ['alerts.webhook.secretFile', alerts.webhook?.secretFile],
  ];
  return named.filter((each): each is [string, string] => typeof each[1] === 'string');
}

/** Values likely to be a secret. Shorter ones and plain words also occur in names. */
const TELLING = /^(?=.*\d)(?=.*[A-Za-z]).{8,}$|^.{20,}$/;

async function refuseSecrets(portable: string, text: string, config: Config): Promise<void> {
  const names = new Set([
    ...config.endpoints.flatMap(({ alias, key }) => [alias, key.uid]),
    ...config.accounts.map(({ name }) => name),
  ]);
  const secrets = await knownSecrets({ env: {}, stateDir: config.stateDir, config, text });
  if (!secrets.some((each) => TELLING.test(each) && !names.has(each) && portable.includes(each))) return;
  throw new ReceiptdError('CONFIG_INVALID.secretInside', { file: config.file });
}

/** Settings that don't fit this machine. */
export async function misfits(config: Config): Promise<WhyFact[]> {
  const paths: [key: string, path: string][] = config.folders.flatMap(
    ({ path, archiveTo, afterUpload }, at): [string, string][] => [
      [`folders[${at}].path`, path],
      ...(afterUpload === 'archive'
        ? [[`folders[${at}].archiveTo`, dirname(archiveTo)] satisfies [string, string]]
        : []),
    ],
  );
  const found: WhyFact[] = [...paths, ...namedFiles(config)].flatMap(([key, path]) =>
    mayExist(path) ? [] : [{ is: 'pathMissing', key, path }],
  );
  const counts = await withReports(config, (reports) => reports.documentCounts());
  const waiting = counts.filter(({ state }) =>
    ['queued', 'held', 'uploading', 'unconfirmed'].includes(state),
  );
  const known = new Set(config.endpoints.map(({ key }) => endpointId(key)));
  for (const { endpoint, count } of waiting)
    if (endpoint !== null && !known.has(endpointId(endpoint)))
      found.push({ is: 'waitingForUnknown', count, endpoint: endpoint.uid });
  const folders = new Set(config.folders.map(({ path }) => path));
  for (const folder of new Set(waiting.map((each) => each.folder)))
    if (!folders.has(folder)) found.push({ is: 'waitingFromUnknown', folder });
  return found;
}
