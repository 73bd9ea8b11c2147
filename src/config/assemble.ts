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
import { tlsMode } from './ledgerChecks.ts';
import { pathsOf, resolvePath } from './resolve.ts';
import type { ParsedAlerts, ParsedConfig, ParsedLedger } from './schema.ts';
import { SETTINGS, withEach } from './settings.ts';

/** Builds the config from a file that passed all checks. */
export function assemble(written: ParsedConfig, draft: Draft, file: string, context: LoadContext): Config {
  const parsed = withAbsolutePaths(written, file, context);
  const { service, delivery } = parsed;
  const endpoints = draft.endpoints.map(({ alias, settings }): EndpointConfig => {
    const { uid, account, concurrency = delivery.concurrency } = settings;
    const limits = limitsOf({ ...settings, concurrency, spread: delivery.spread });
    return { alias, key: { baseUrl: service.baseUrl, uid }, account, limits };
  });
  return {
    ...parsed,
    file,
    credentials: { ...parsed.credentials, file: draft.credentialsFile },
    accounts: draft.accounts.map(({ name, ...credentials }) => ({ name, credentials })),
    endpoints,
    folders: draft.folders.map((folder) => assembleFolder(folder, endpoints, parsed.alerts.silentAfter)),
    ledger: assembleLedger(parsed.ledger),
    stateDir: draft.stateDir.path,
    alerts: assembleAlerts(parsed.alerts),
  };
}

function withAbsolutePaths(parsed: ParsedConfig, file: string, context: LoadContext): ParsedConfig {
  const configDir = pathsOf(context.platform).dirname(file);
  const absolute = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(absolute)
      : typeof value === 'string'
        ? resolvePath(value, configDir, context)
        : value;
  return SETTINGS.filter(({ isFile }) => isFile).reduce(
    (now, { path }) => withEach(now, path, absolute),
    parsed,
  );
}

function assembleLedger({ kind, allowInsecure, ...parsed }: ParsedLedger): LedgerConfig {
  if (kind === 'sqlite') return { kind };
  const url = withParameter(parsed.url, 'sslmode', tlsMode(parsed.url, allowInsecure));
  return { ...parsed, kind, agent: parsed.agent ?? null, url };
}

function assembleAlerts(parsed: ParsedAlerts): AlertsConfig {
  const { silentAfter: _, webhook, email, ...unchanged } = parsed;
  const { url } = webhook;
  const { server, from = null } = email;
  return {
    ...unchanged,
    webhook: url === null ? null : { ...webhook, url },
    email: server === null ? null : { ...email, server, from },
  };
}

/** Of an object that has more than these. */
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
  const { endpoint: _, builtInIgnores, settle, name, ...unchanged } = settings;
  const { short, long, patience } = settle;
  return {
    ...unchanged,
    path,
    endpoint: endpoint.key,
    alias: endpoint.alias,
    ignore: [...OWN_FILES, ...(builtInIgnores ? BUILT_IN_IGNORES : []), ...settings.ignore],
    settle: { shortMs: short, longMs: long, patienceMs: patience },
    template: parseTemplate(name),
    archiveTo,
    needsAttention,
    silentAfter: settings.silentAfter ?? silentAfter,
  };
}
