import { paramsOf, ReceiptdError } from '../core/domain/errors.ts';
import { isLoopback } from '../core/domain/loopback.ts';
import { parseTemplate } from '../core/domain/nameTemplate.ts';
import { nearest } from '../core/domain/nearest.ts';
import { isSharedDirectory } from '../core/domain/sharedDirectories.ts';
import type { Draft, DraftEndpoint, DraftFolder } from './draft.ts';
import { checkAccount, checkAccounts } from './accountChecks.ts';
import { checkLedger } from './ledgerChecks.ts';
import type { Flaw } from '../texts/en/settingFlaws.ts';
import { invalid, type ConfigProblem } from './problems.ts';
import { pathRelations, pathsOf, type PathRelations } from './resolve.ts';
import type { ParsedAlerts, ParsedEndpoint, ParsedService } from './schema.ts';
import { shorten, showPath } from './show.ts';
import { checkWindowsPaths } from './windowsPaths.ts';

/** Checks that involve several keys. */
export function crossChecks(draft: Draft, platform: NodeJS.Platform): ConfigProblem[] {
  const relations = pathRelations(platform);
  return [
    ...checkHttps(draft.service),
    ...checkUids(draft.endpoints),
    ...checkAccounts(draft, relations),
    ...draft.endpoints.flatMap((endpoint) => checkAccount(endpoint, draft.accountNames)),
    ...draft.folders.flatMap((folder) => checkEndpoint(folder, draft.aliases)),
    ...draft.folders.flatMap(checkTemplate),
    ...draft.folders.flatMap((folder) => checkNesting(folder, draft.folders, relations)),
    ...draft.folders.flatMap((folder) => checkArchive(folder, draft.folders, relations)),
    ...draft.folders.flatMap((folder) => checkAttention(folder, draft, relations)),
    ...checkLedger(draft),
    ...checkStateDir(draft, relations),
    ...checkSharedDirectory(draft, platform),
    ...checkWindowsPaths(draft, platform),
    ...checkAlerts(draft.alerts),
    ...checkPorts(draft),
  ];
}

function checkHttps(service: ParsedService | undefined): ConfigProblem[] {
  if (service === undefined || service.allowInsecureHttp) return [];
  const url = new URL(service.baseUrl);
  // URL normalizes `hostname`: 127.1 is 127.0.0.1 here.
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return [];
  return [
    {
      code: 'HTTPS_REQUIRED',
      path: ['service', 'baseUrl'],
      flaw: { is: 'httpsRequired', url: shorten(service.baseUrl) },
    },
  ];
}

/** Several aliases for one endpoint are harmless unless they differ in limits, account or the case of the uid. */
function checkUids(endpoints: readonly DraftEndpoint[]): ConfigProblem[] {
  return endpoints.flatMap(({ alias, settings }, index) => {
    const twin = endpoints.slice(0, index).find(({ settings: { uid } }) => sameUid(uid, settings.uid));
    if (twin === undefined) return [];
    const say = (is: 'uidCase' | 'uidOfAccount' | 'uidLimits') => [
      invalid(['endpoints', alias, 'uid'], { is, of: `endpoints.${twin.alias}` }),
    ];
    if (twin.settings.uid !== settings.uid) return say('uidCase');
    if (twin.settings.account !== settings.account) return say('uidOfAccount');
    return limitsOf(twin.settings) === limitsOf(settings) ? [] : say('uidLimits');
  });
}

function sameUid(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function limitsOf(endpoint: ParsedEndpoint): string {
  const { uid: _, account: __, ...limits } = endpoint;
  return JSON.stringify(limits);
}

function checkEndpoint(
  { index, settings: { endpoint } }: DraftFolder,
  aliases: readonly string[],
): ConfigProblem[] {
  const known = shorten(aliases.join(', '));
  const code = 'ENDPOINT_UNKNOWN';
  if (endpoint === undefined)
    return aliases.length <= 1
      ? []
      : [{ code, path: ['folders', index], flaw: { is: 'endpointNeeded', known } }];
  if (aliases.includes(endpoint)) return [];
  const meant = nearest(endpoint, aliases) ?? null;
  const flaw = { is: 'endpointUnknown', endpoint: shorten(endpoint), meant, known } as const;
  return [{ code, path: ['folders', index, 'endpoint'], flaw }];
}

function checkTemplate({ index, settings }: DraftFolder): ConfigProblem[] {
  try {
    parseTemplate(settings.name);
    return [];
  } catch (error) {
    const params = error instanceof ReceiptdError ? paramsOf(error, 'TEMPLATE_INVALID.template') : null;
    if (params === null) throw error;
    return [{ code: 'TEMPLATE_INVALID', path: ['folders', index, 'name'], flaw: params.flaw }];
  }
}

/** Nested folders would record a file twice, with different settings. */
function checkNesting(
  folder: DraftFolder,
  all: readonly DraftFolder[],
  { same, within }: PathRelations,
): ConfigProblem[] {
  const path = ['folders', folder.index, 'path'];
  return all
    .filter((other) => other.index !== folder.index)
    .flatMap((other) => {
      const theirs = { of: showPath(['folders', other.index]), path: shorten(other.path) };
      if (same(folder.path, other.path))
        return other.index > folder.index ? [] : nested(path, { is: 'sameFolder', ...theirs });
      if (!other.settings.recursive || !within(folder.path, other.path)) return [];
      return nested(path, { is: 'inRecursive', ...theirs });
    });
}

function checkArchive(
  { index, settings, archiveTo }: DraftFolder,
  all: readonly DraftFolder[],
  relations: PathRelations,
): ConfigProblem[] {
  if (settings.afterUpload !== 'archive' && settings.archiveTo === undefined) return [];
  const by = watcherOf(archiveTo, index, all, relations);
  if (by === undefined) return [];
  return nested(['folders', index, settings.archiveTo === undefined ? 'afterUpload' : 'archiveTo'], {
    is: 'archiveWatched',
    by,
    place: shorten(archiveTo),
  });
}

/** Rejects attention folders whose files would be taken in as scans, or cleaned up by something else. */
function checkAttention(
  { index, needsAttention }: DraftFolder,
  { folders, stateDir }: Draft,
  relations: PathRelations,
): ConfigProblem[] {
  if (needsAttention === null) return [];
  const { same, within } = relations;
  const key = ['folders', index, 'needsAttention'];
  const place = shorten(needsAttention);
  const by = watcherOf(needsAttention, index, folders, relations);
  if (by !== undefined) return nested(key, { is: 'attentionWatched', by, place });
  const touches = (other: string): boolean =>
    same(needsAttention, other) || within(needsAttention, other) || within(other, needsAttention);
  if (touches(stateDir.path)) return nested(key, { is: 'attentionInState', place });
  const archive = folders.find(({ archiveTo }) => touches(archiveTo));
  if (archive === undefined) return [];
  return nested(key, { is: 'attentionInArchive', of: showPath(['folders', archive.index]), place });
}

/** The folder that would take in what the folder `of` puts into `place`. */
function watcherOf(
  place: string,
  of: number,
  all: readonly DraftFolder[],
  { same, within }: PathRelations,
): string | undefined {
  const watching = all.find(
    ({ index, path, settings }) =>
      same(place, path) || within(path, place) || (index !== of && settings.recursive && within(place, path)),
  );
  return watching && showPath(['folders', watching.index]);
}

/** Nothing else may be kept in the state directory: it is private, and files in it would pass for the agent's own. */
function checkStateDir({ folders, stateDir }: Draft, { same, within }: PathRelations): ConfigProblem[] {
  const isInside = (place: string): boolean => same(place, stateDir.path) || within(place, stateDir.path);
  const used = folders.flatMap(({ index, path, settings, archiveTo }) => {
    const isArchived = settings.afterUpload === 'archive' || settings.archiveTo !== undefined;
    const key = settings.archiveTo === undefined ? 'afterUpload' : 'archiveTo';
    return [
      ...(within(path, stateDir.path) ? [{ index, key: 'path', place: path }] : []),
      ...(isArchived && (isInside(archiveTo) || within(stateDir.path, archiveTo))
        ? [{ index, key, place: archiveTo }]
        : []),
    ];
  });
  const shown = shorten(stateDir.path);
  const problems = used.flatMap(({ index, key, place }) =>
    nested(['folders', index, key], { is: 'insideState', place: shorten(place), stateDir: shown }),
  );
  const watching = folders.find(({ path }) => same(stateDir.path, path) || within(stateDir.path, path));
  if (watching === undefined) return problems;
  const by = showPath(['folders', watching.index]);
  const key = stateDir.inFile ? ['stateDir'] : ['folders', watching.index, 'path'];
  return [...problems, ...nested(key, { is: 'stateWatched', by, stateDir: shown })];
}

function nested(path: readonly PropertyKey[], flaw: Flaw): ConfigProblem[] {
  return [{ code: 'FOLDERS_NESTED', path, flaw }];
}

/** The agent makes its state directory accessible to the owner only, which would lock everyone else out of a shared one. */
function checkSharedDirectory({ stateDir }: Draft, platform: NodeJS.Platform): ConfigProblem[] {
  if (!isSharedDirectory(stateDir.path, platform)) return [];
  // /etc/receiptd is for the configuration.
  const own =
    stateDir.path === '/etc' ? '/var/lib/receiptd' : pathsOf(platform).join(stateDir.path, 'receiptd');
  return [invalid(['stateDir'], { is: 'stateShared', stateDir: shorten(stateDir.path), own: shorten(own) })];
}

/** A non-local address without a certificate is no error: the agent keeps that listener closed and still sends receipts. Two listeners of this agent can't share an address; a clash with another program shows only when listening. */
function checkPorts({ console, monitoring, results }: Draft): ConfigProblem[] {
  const taken = new Map<string, string>();
  return Object.entries({ console, monitoring, results }).flatMap(([key, settings]) => {
    const listen = settings?.listen;
    if (typeof listen !== 'object' || listen === null) return [];
    const place = `${listen.host} ${listen.port}`;
    const first = taken.get(place);
    if (first === undefined) taken.set(place, key);
    return first === undefined ? [] : [invalid([key, 'listen'], { is: 'sameAddress', of: first })];
  });
}

function checkAlerts(alerts: ParsedAlerts | undefined): ConfigProblem[] {
  if (alerts === undefined) return [];
  const { webhook, email } = alerts;
  const { protocol = null, hostname = '' } = webhook.url === null ? {} : new URL(webhook.url);
  const isUnset = email.server === null;
  const checks = [
    [protocol === null && webhook.secretFile !== null, 'webhook', 'secretFile', 'webhookUnset'],
    [protocol === 'http:' && !isLoopback(hostname), 'webhook', 'url', 'webhookPlain'],
    [isUnset && email.to.length > 0, 'email', 'to', 'mailUnset'],
    [!isUnset && email.to.length === 0, 'email', 'to', 'noRecipient'],
    [!isUnset && email.user === null && email.passwordFile !== null, 'email', 'user', 'noMailUser'],
  ] as const;
  return checks.flatMap(([isWrong, channel, key, is]) =>
    isWrong ? [invalid(['alerts', channel, key], { is })] : [],
  );
}
