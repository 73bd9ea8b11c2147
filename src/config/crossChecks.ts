import { ReceiptdError } from '../core/domain/errors.ts';
import { isLoopback } from '../core/domain/loopback.ts';
import { parseTemplate } from '../core/domain/nameTemplate.ts';
import { isSharedDirectory } from '../core/domain/sharedDirectories.ts';
import type { Draft, DraftEndpoint, DraftFolder } from './draft.ts';
import { checkAccount, checkAccounts } from './accountChecks.ts';
import { checkLedger } from './ledgerChecks.ts';
import { didYouMean, invalid, type Problem } from './problems.ts';
import { pathRelations, pathsOf, type PathRelations } from './resolve.ts';
import type { ParsedAlerts, ParsedEndpoint, ParsedService } from './schema.ts';
import { shorten, showPath } from './show.ts';
import { checkWindowsPaths } from './windowsPaths.ts';

/** Checks that involve several keys. */
export function crossChecks(draft: Draft, platform: NodeJS.Platform): Problem[] {
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

function checkHttps(service: ParsedService | undefined): Problem[] {
  if (service === undefined || service.allowInsecureHttp) return [];
  const url = new URL(service.baseUrl);
  // URL normalizes `hostname`: 127.1 is 127.0.0.1 here.
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return [];
  return [
    {
      code: 'HTTPS_REQUIRED',
      path: ['service', 'baseUrl'],
      text: `"${shorten(service.baseUrl)}" would send credentials and receipts unencrypted; use https, or set service.allowInsecureHttp: true`,
    },
  ];
}

/** Several aliases for one endpoint are harmless unless they differ in limits, account or the case of the uid. */
function checkUids(endpoints: readonly DraftEndpoint[]): Problem[] {
  return endpoints.flatMap(({ alias, settings }, index) => {
    const twin = endpoints.slice(0, index).find(({ settings: { uid } }) => sameUid(uid, settings.uid));
    if (twin === undefined) return [];
    const say = (text: string) => [invalid(['endpoints', alias, 'uid'], text)];
    const of = `endpoints.${twin.alias}`;
    if (twin.settings.uid !== settings.uid)
      return say(`is the uid of ${of} in different case; write both the same way`);
    if (twin.settings.account !== settings.account)
      return say(`is also the uid of ${of}, which uses a different account; keep only one of them`);
    if (limitsOf(twin.settings) === limitsOf(settings)) return [];
    return say(`is also the uid of ${of}, which has different limits; keep only one of them`);
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
): Problem[] {
  const among = aliases.length === 0 ? '' : `; endpoints are ${shorten(aliases.join(', '))}`;
  if (endpoint === undefined) {
    return aliases.length <= 1
      ? []
      : [{ code: 'ENDPOINT_UNKNOWN', path: ['folders', index], text: `needs the key endpoint${among}` }];
  }
  if (aliases.includes(endpoint)) return [];
  const advice = didYouMean(endpoint, aliases) || among;
  return [
    {
      code: 'ENDPOINT_UNKNOWN',
      path: ['folders', index, 'endpoint'],
      text: `unknown endpoint "${shorten(endpoint)}"${advice}`,
    },
  ];
}

function checkTemplate({ index, settings }: DraftFolder): Problem[] {
  try {
    parseTemplate(settings.name);
    return [];
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    const text = [error.message, error.hint].filter(Boolean).join(' ');
    return [{ code: error.code, path: ['folders', index, 'name'], text }];
  }
}

/** Nested folders would record a file twice, with different settings. */
function checkNesting(
  folder: DraftFolder,
  all: readonly DraftFolder[],
  { same, within }: PathRelations,
): Problem[] {
  const path = ['folders', folder.index, 'path'];
  return all
    .filter((other) => other.index !== folder.index)
    .flatMap((other) => {
      const name = showPath(['folders', other.index]);
      if (same(folder.path, other.path))
        return other.index > folder.index
          ? []
          : nested(path, `is the same folder as ${name}: ${shorten(other.path)}`);
      if (!other.settings.recursive || !within(folder.path, other.path)) return [];
      return nested(path, `is in ${name}, which is recursive and already watches it: ${shorten(other.path)}`);
    });
}

function checkArchive(
  { index, settings, archiveTo }: DraftFolder,
  all: readonly DraftFolder[],
  relations: PathRelations,
): Problem[] {
  if (settings.afterUpload !== 'archive' && settings.archiveTo === undefined) return [];
  const watching = watcherOf(archiveTo, index, all, relations);
  if (watching === undefined) return [];
  return nested(
    ['folders', index, settings.archiveTo === undefined ? 'afterUpload' : 'archiveTo'],
    `${watching} would pick up archived files in ${shorten(archiveTo)} again; choose an archive outside all watched folders`,
  );
}

/** Rejects attention folders whose files would be taken in as scans, or cleaned up by something else. */
function checkAttention(
  { index, needsAttention }: DraftFolder,
  { folders, stateDir }: Draft,
  relations: PathRelations,
): Problem[] {
  if (needsAttention === null) return [];
  const { same, within } = relations;
  const say = (text: string) =>
    nested(['folders', index, 'needsAttention'], `${shorten(needsAttention)} ${text}`);
  const watching = watcherOf(needsAttention, index, folders, relations);
  if (watching !== undefined)
    return say(`would be watched by ${watching}; choose one outside all watched folders`);
  const touches = (other: string): boolean =>
    same(needsAttention, other) || within(needsAttention, other) || within(other, needsAttention);
  if (touches(stateDir.path))
    return say('is inside the state directory, or contains it; choose a different one');
  const archive = folders.find(({ archiveTo }) => touches(archiveTo));
  if (archive === undefined) return [];
  const of = showPath(['folders', archive.index]);
  return say(`is inside the archive of ${of}, or contains it; choose a different one`);
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
function checkStateDir({ folders, stateDir }: Draft, { same, within }: PathRelations): Problem[] {
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
  const problems = used.flatMap(({ index, key, place }) =>
    nested(
      ['folders', index, key],
      `${shorten(place)} is inside the state directory ${shorten(stateDir.path)}, or contains it; choose a different one`,
    ),
  );
  const watching = folders.find(({ path }) => same(stateDir.path, path) || within(stateDir.path, path));
  if (watching === undefined) return problems;
  const name = showPath(['folders', watching.index]);
  return [
    ...problems,
    ...nested(
      stateDir.inFile ? ['stateDir'] : ['folders', watching.index, 'path'],
      `the state directory ${shorten(stateDir.path)} is inside the watched folder ${name}; move it with stateDir or RECEIPTD_STATE_DIR`,
    ),
  ];
}

function nested(path: readonly PropertyKey[], text: string): Problem[] {
  return [{ code: 'FOLDERS_NESTED', path, text }];
}

/** The agent makes its state directory accessible to the owner only, which would lock everyone else out of a shared one. */
function checkSharedDirectory({ stateDir }: Draft, platform: NodeJS.Platform): Problem[] {
  if (!isSharedDirectory(stateDir.path, platform)) return [];
  // /etc/receiptd is for the configuration.
  const own =
    stateDir.path === '/etc' ? '/var/lib/receiptd' : pathsOf(platform).join(stateDir.path, 'receiptd');
  const text = `${shorten(stateDir.path)} belongs to the system or to a person, and would become inaccessible to everyone else; choose a dedicated directory, such as ${shorten(own)}`;
  return [invalid(['stateDir'], text)];
}

/** A non-local address without a certificate is no error: the agent keeps that listener closed and still sends receipts. Two listeners of this agent can't share an address; a clash with another program shows only when listening. */
function checkPorts({ console, monitoring, results }: Draft): Problem[] {
  const taken = new Map<string, string>();
  return Object.entries({ console, monitoring, results }).flatMap(([key, settings]) => {
    const listen = settings?.listen;
    if (typeof listen !== 'object' || listen === null) return [];
    const place = `${listen.host} ${listen.port}`;
    const first = taken.get(place);
    if (first === undefined) taken.set(place, key);
    return first === undefined
      ? []
      : [invalid([key, 'listen'], `is the address of ${first}.listen; choose another port`)];
  });
}

function checkAlerts(alerts: ParsedAlerts | undefined): Problem[] {
  if (alerts === undefined) return [];
  const { webhook, email } = alerts;
  const problems: Problem[] = [];
  const say = (channel: 'webhook' | 'email', key: string, text: string) =>
    problems.push(invalid(['alerts', channel, key], text));
  if (webhook.url === null) {
    if (webhook.secretFile !== null)
      say(
        'webhook',
        'secretFile',
        'has no effect while alerts.webhook.url is none; set the address that alerts are posted to, or remove secretFile',
      );
  } else {
    const { protocol, hostname } = new URL(webhook.url);
    if (protocol === 'http:' && !isLoopback(hostname))
      say('webhook', 'url', 'would send alerts unencrypted; use https');
  }
  if (email.server === null) {
    if (email.to.length > 0)
      say(
        'email',
        'to',
        'no mail is sent while alerts.email.server is none; set the mail server, or remove the addresses',
      );
    return problems;
  }
  if (email.to.length === 0) say('email', 'to', 'needs at least one mail address');
  if (email.user === null && email.passwordFile !== null)
    say('email', 'user', 'is missing: passwordFile needs the user whose password it contains');
  return problems;
}
