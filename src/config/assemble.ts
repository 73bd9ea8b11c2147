import { parseTemplate } from '../core/domain/nameTemplate.ts';
import { withParameter } from '../core/domain/postgresUrl.ts';
import type {
  AlertsConfig,
  Config,
  EndpointConfig,
  FolderConfig,
  LedgerConfig,
  LimitsConfig,
  LoadContext,
} from './config.ts';
import type { Draft, DraftFolder } from './draft.ts';
import { BUILT_IN_IGNORES, OWN_FILES } from './ignores.ts';
import { pathsOf, resolvePath } from './resolve.ts';
import { tlsMode } from './ledgerChecks.ts';
import type { ParsedConfig } from './schema.ts';
import type { ParsedAlerts } from './schemaBeside.ts';
import type { ParsedLedger } from './schemaLedger.ts';

/** Builds the config from a file that passed all checks. */
export function assemble(parsed: ParsedConfig, draft: Draft, file: string, context: LoadContext): Config {
  const { service, credentials, control, delivery, intake, storage, spool, log } = parsed;
  const { connect, progress, headers, body } = service.timeouts;
  const stateDir = draft.stateDir.path;
  const paths = pathsOf(context.platform);
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
      ca: service.ca === 'none' ? null : resolvePath(service.ca, paths.dirname(file), context),
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
    storage: {
      spoolLimit: storage.spoolLimit,
      keepFailedMs: storage.keepFailed,
      reserve: storage.reserve,
      backupEveryMs: storage.backupEvery,
      backups: storage.backups,
    },
    ledger: assembleLedger(parsed.ledger, file, context),
    stateDir,
    console: {
      listen: parsed.console.listen,
      tls: resolvePair(parsed.console.tls, file, context),
      hosts: parsed.console.hosts,
      thumbnails: parsed.console.thumbnails,
      roots: parsed.console.roots.map((root) => resolvePath(root, paths.dirname(file), context)),
    },
    monitoring: parsed.monitoring,
    alerts: assembleAlerts(parsed.alerts, file, context),
    results: {
      ...parsed.results,
      tls: resolvePair(parsed.results.tls, file, context),
      columns: Object.entries(parsed.results.columns).map(([name, pointer]) => ({ name, pointer })),
    },
    control: { group: control.group === 'none' ? null : control.group },
    log,
  };
}

function resolvePair({ cert, key }: { cert: string; key: string }, file: string, context: LoadContext) {
  if (cert === 'none') return null;
  const from = pathsOf(context.platform).dirname(file);
  return { cert: resolvePath(cert, from, context), key: resolvePath(key, from, context) };
}

function assembleLedger(parsed: ParsedLedger, file: string, context: LoadContext): LedgerConfig {
  const { kind, url, passwordFile, ca, allowInsecure, agent, lease } = parsed;
  if (kind === 'sqlite') return { kind };
  const from = pathsOf(context.platform).dirname(file);
  const fileOf = (text: string): string | null => (text === 'none' ? null : resolvePath(text, from, context));
  return {
    kind,
    url: withParameter(url, 'sslmode', tlsMode(url, allowInsecure)),
    passwordFile: fileOf(passwordFile),
    ca: fileOf(ca),
    agent: agent ?? null,
    leaseMs: lease,
  };
}

function assembleAlerts(parsed: ParsedAlerts, file: string, context: LoadContext): AlertsConfig {
  const from = pathsOf(context.platform).dirname(file);
  const fileOf = (text: string): string | null => (text === 'none' ? null : resolvePath(text, from, context));
  const { after, quietHours, digest, desktop, eventLog, command, webhook, email } = parsed;
  return {
    afterMs: after,
    quietHours,
    digest,
    desktop,
    eventLog,
    command,
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

function limitsOf({ concurrency, rate, spread = true, perDay, perMonth }: LimitsConfig): LimitsConfig {
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
  const { short, long, patience } = settings.settle;
  return {
    path,
    endpoint: endpoint.key,
    alias: endpoint.alias,
    share: settings.share === 'none' ? null : settings.share,
    recursive: settings.recursive,
    watch: settings.watch,
    include: settings.include,
    ignore: [...OWN_FILES, ...(settings.builtInIgnores ? BUILT_IN_IGNORES : []), ...settings.ignore],
    settle: { shortMs: short, longMs: long, patienceMs: patience },
    template: parseTemplate(settings.name),
    nameMaxBytes: settings.nameMaxBytes,
    accept: settings.accept,
    pages: settings.pages,
    pageResolution: settings.pageResolution,
    look: settings.look,
    upright: settings.upright,
    maxFileSize: settings.maxFileSize,
    existing: settings.existing,
    afterUpload: settings.afterUpload,
    archiveTo,
    afterUploadOn: settings.afterUploadOn === 'accepted' ? null : settings.afterUploadOn,
    afterUploadExisting: settings.afterUploadExisting,
    needsAttention,
    silentAfter: settings.silentAfter ?? silentAfter,
  };
}
