import { createHash } from 'node:crypto';
import type { Config, CredentialsConfig } from '../config/config.ts';
import { createCredentialsSource } from '../api/credentials/source.ts';
import { assertFit } from '../api/credentials/store.ts';
import { systemClock } from '../system/systemClock.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { nearest } from '../core/domain/nearest.ts';
import type { Credentials, CredentialsSource } from '../core/ports/credentials.ts';
import type { Log } from '../core/ports/log.ts';
import type { ReceiptService, TokenSource } from '../core/ports/service.ts';
import type { Redactor } from '../logs/redact.ts';

export interface ServiceSurroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly secrets: Redactor;
}

export interface ComposedService {
  readonly service: ReceiptService;
  /** Token source of an account; null: the default one. */
  readonly tokensOf: (account: string | null) => TokenSource;
  readonly credentialsOf: (account: string | null) => CredentialsSource;
}

/**
 * The client of the configured service. Secrets it handles are redacted from all output. Loaded on demand, because
 * `receiptd list` needs no HTTP client and starts faster without it. `last` records the credentials used.
 * `given`: used for every account instead of the stored credentials.
 */
export async function composeService(
  config: Config,
  { env, log, secrets }: ServiceSurroundings,
  last: LastCredentials = new Map(),
  given?: Credentials,
): Promise<ComposedService> {
  if (given) assertFit(given);
  const { createReceiptService } = await import('../api/receiptService.ts');
  const { baseUrl, timeouts, proxy, ca, answerLimit } = config.service;
  const sourceOf = (account: string | null): CredentialsSource => {
    if (given) return { get: async () => ({ ...given, store: 'environment', isTried: true }) };
    const source = createCredentialsSource({ ...credentialsConfig(config, account), baseUrl, account, env });
    return {
      async get(signal) {
        try {
          const found = await source.get(signal);
          secrets.addSecret(found.clientSecret);
          last.set(account, fingerprint(found));
          return found;
        } catch (error) {
          if (error instanceof ReceiptdError) last.set(account, NONE);
          throw error;
        }
      },
    };
  };
  const credentials = sourceOf(null);
  const accounts = new Map(config.accounts.map(({ name }) => [name, sourceOf(name)]));
  const connections = config.delivery.concurrency;
  const { service, tokensOf } = createReceiptService({
    baseUrl,
    timeouts: {
      connectMs: timeouts.connect,
      progressMs: timeouts.progress,
      headersMs: timeouts.headers,
      bodyMs: timeouts.body,
    },
    answerLimit,
    connections,
    credentials,
    accounts,
    clock: systemClock,
    log,
    redact: (text) => secrets.redactCut(text),
    hide: (text) => secrets.hide(text),
    proxy,
    ca,
    env,
    bandwidth: config.delivery.bandwidth,
    addSecret: (value) => secrets.addSecret(value),
  });
  return {
    service,
    tokensOf(account) {
      const tokens = tokensOf(account);
      return {
        refused: (token) => tokens.refused(token),
        async token(signal) {
          const token = await tokens.token(signal);
          secrets.addSecret(token);
          return token;
        },
      };
    },
    credentialsOf: (account) =>
      account === null ? credentials : (accounts.get(account) ?? sourceOf(account)),
  };
}

/** @throws ReceiptdError ACCOUNT_UNKNOWN */
export function credentialsConfig(
  { credentials, accounts, file }: Config,
  account: string | null,
): CredentialsConfig {
  if (account === null) return credentials;
  const found = accounts.find(({ name }) => name === account);
  if (found) return found.credentials;
  const names = accounts.map(({ name }) => name);
  throw new ReceiptdError('ACCOUNT_UNKNOWN', {
    file,
    account,
    names,
    meant: nearest(account, names) ?? null,
  });
}

/** Hash of each account's credentials when last used or checked. */
export type LastCredentials = Map<string | null, string>;

const NONE = 'none';

/**
 * Whether the stored credentials of an account changed since they were last used or checked here; adding or removing them counts.
 * `last` outlives a configuration.
 */
export function changesOf(
  credentialsOf: (account: string | null) => CredentialsSource,
  last: LastCredentials = new Map(),
): (account: string | null) => Promise<boolean> {
  return async (account) => {
    const before = last.get(account);
    const now = await credentialsOf(account)
      .get()
      .then(fingerprint, () => NONE);
    last.set(account, now);
    return before !== undefined && before !== now && now !== NONE;
  };
}

function fingerprint({ clientId, clientSecret }: Credentials): string {
  return createHash('sha256').update(`${clientId}\n${clientSecret}`).digest('hex');
}
