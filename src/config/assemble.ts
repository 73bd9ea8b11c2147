import { parseTemplate } from '../core/domain/nameTemplate.ts';
import { withParameter } from '../core/domain/postgresUrl.ts';
import type { Limits } from '../core/domain/settings.ts';
import type {
  AlertsConfig,
  Config,
  EndpointConfig,
  FolderConfig,
  LedgerConfig,
  LoadContext,
} from './config.ts';
import type { Draft, DraftFolder } from './draft.ts';
import { BUILT_IN_IGNORES, OWN_FILES } from './ignores.ts';
import { pathsOf, resolvePath } from './resolve.ts';
import { tlsMode } from './ledgerChecks.ts';
import type { ParsedConfig } from './schema.ts';
import type { ParsedAlerts } from './schemaSideServices.ts';
import type { ParsedLedger } from './schemaLedger.ts';

/** Builds the config from a file that passed all checks. */
export function assemble(parsed: ParsedConfig, draft: Draft, file: string, context: LoadContext): Config {
  const { service, credentials, control, delivery, intake, storage, spool, log } = parsed;
  const { connect, progress, headers, body } = service.timeouts;
  const { spoolLimit, keepFailed, reserve, backupEvery, backups } = storage;
  const stateDir = draft.stateDir.path;
  const pathOf = (text: string): string =>
    resolvePath(text, pathsOf(context.platform).dirname(file), context);
  const fileOf: FileOf = (text) => (text === 'none' ? null : pathOf(text));
  const pairOf = ({ cert, key }: { cert: string; key: string }) =>
    cert === 'none' ? null : { cert: pathOf(cert), key: pathOf(key) };
  const endpoints = draft.endpoints.map(({ alias, settings }): EndpointConfig => {
    const key = { baseUrl: service.baseUrl, uid: settings.uid };
    return {
      alias,
      key,
      account: settings.account === 'none' ? null : settings.account,
      limits: limitsOf({
        ...settings,
        concurrency: settings.concurrency ?? delivery.concurrency,
        spread: delivery.spread,
      }),
    };
  });
  return {
    file,
    service: {
      ...service,
      ca: fileOf(service.ca),
      timeouts: { connectMs: connect, progressMs: progress, headersMs: headers, bodyMs: body },
    },
    credentials: { store: credentials.store, file: draft.credentialsFile },
    accounts: draft.accounts.map(({ name, store, file: its }) => ({
      name,
      credentials: { store, file: its },
    })),
    endpoints,
    folders: draft.folders.map((folder) => assembleFolder(folder, endpoints, parsed.alerts.silentAfter)),
    delivery: {
      limits: limitsOf(delivery),
      bandwidth: delivery.bandwidth,
      hours: delivery.hours,
      graceMs: delivery.grace,
      parkAfter: delivery.parkAfter,
    },
    intake: {
      reconcileEveryMs: intake.reconcileEvery,
      pollEveryMs: intake.pollEvery,
      takeOverAfterMs: intake.takeOverAfter,
      confirmAbove: intake.confirmAbove,
    },
    spool,
    storage: { spoolLimit, keepFailedMs: keepFailed, reserve, backupEveryMs: backupEvery, backups },
    ledger: assembleLedger(parsed.ledger, fileOf),
    stateDir,
    console: {
      ...parsed.console,
      tls: pairOf(parsed.console.tls),
      roots: parsed.console.roots.map(pathOf),
    },
    monitoring: parsed.monitoring,
    alerts: assembleAlerts(parsed.alerts, fileOf),
    language: parsed.language,
    results: {
      ...parsed.results,
      tls: pairOf(parsed.results.tls),
      columns: Object.entries(parsed.results.columns).map(([name, pointer]) => ({ name, pointer })),
    },
    control: { group: control.group === 'none' ? null : control.group },
    log,
  };
}

/** The absolute path of a file named in the configuration; null for `none`. */
type FileOf = (text: string) => string | null;

function assembleLedger(parsed: ParsedLedger, fileOf: FileOf): LedgerConfig {
  const { kind, url, passwordFile, ca, allowInsecure, agent, lease } = parsed;
  if (kind === 'sqlite') return { kind };
  return {
    kind,
    url: withParameter(url, 'sslmode', tlsMode(url, allowInsecure)),
    passwordFile: fileOf(passwordFile),
    ca: fileOf(ca),
    agent: agent ?? null,
    leaseMs: lease,
  };
}

function assembleAlerts(parsed: ParsedAlerts, fileOf: FileOf): AlertsConfig {
  const { after, webhook, email, silentAfter: _, ...unchanged } = parsed;
  return {
    ...unchanged,
    afterMs: after,
    webhook: webhook.url === null ? null : { url: webhook.url, secretFile: fileOf(webhook.secretFile) },
    email:
      email.server === null
        ? null
        : {
            server: email.server,
            user: email.user === 'none' ? null : email.user,
            passwordFile: fileOf(email.passwordFile),
            from: email.from ?? null,
            to: email.to,
          },
  };
}

function limitsOf({ concurrency, rate, spread = true, perDay, perMonth }: Limits): Limits {
  return { concurrency, rate, spread, perDay, perMonth };
}

function assembleFolder(
  { settings, path, archiveTo, needsAttention }: DraftFolder,
  endpoints: readonly EndpointConfig[],
  silentAfter: FolderConfig['silentAfter'],
): FolderConfig {
  const endpoint = endpoints.find(
    ({ alias }) => settings.endpoint === undefined || alias === settings.endpoint,
  );
  if (endpoint === undefined) throw new Error('A folder was assembled before it was checked.');
  const { endpoint: _, share, builtInIgnores, settle, name, ...unchanged } = settings;
  const { short, long, patience } = settle;
  return {
    ...unchanged,
    path,
    endpoint: endpoint.key,
    alias: endpoint.alias,
    share: share === 'none' ? null : share,
    ignore: [...OWN_FILES, ...(builtInIgnores ? BUILT_IN_IGNORES : []), ...settings.ignore],
    settle: { shortMs: short, longMs: long, patienceMs: patience },
    template: parseTemplate(name),
    archiveTo,
    afterUploadOn: settings.afterUploadOn === 'accepted' ? null : settings.afterUploadOn,
    needsAttention,
    silentAfter: settings.silentAfter ?? silentAfter,
  };
}
