import { createHash } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { createCredentialsSource, createWritableCredentials } from '../credentials/source.ts';
import { systemClock } from '../daemon/systemClock.ts';
import type { Credentials, CredentialsSource, WritableCredentials } from '../ports/credentials.ts';
import type { Log } from '../ports/log.ts';
import type { ReceiptService, TokenSource } from '../ports/service.ts';
import type { Redactor } from '../telemetry/redact.ts';

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly secrets: Redactor;
}

/**
 * The client of the configured service. Every secret it handles is taken out of all output. Loaded when it is
 * wanted: `receiptd list` has no use for an HTTP client, and starts sooner without it.
 */
export async function composeService(
  config: Config,
  { env, log, secrets }: Surroundings,
): Promise<{ service: ReceiptService; tokens: TokenSource; credentials: CredentialsSource }> {
  const { createReceiptService } = await import('../service/receiptService.ts');
  const { baseUrl, timeouts, proxy, ca } = config.service;
  const source = createCredentialsSource({ ...config.credentials, baseUrl, env });
  const credentials: CredentialsSource = {
    async get(signal) {
      const found = await source.get(signal);
      secrets.addSecret(found.clientSecret);
      return found;
    },
  };
  const connections = config.delivery.limits.concurrency;
  const { service, tokens } = createReceiptService({
    baseUrl,
    timeouts,
    connections,
    credentials,
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
  const redactedTokens: TokenSource = {
    refused: (token) => tokens.refused(token),
    async token(signal) {
      const token = await tokens.token(signal);
      secrets.addSecret(token);
      return token;
    },
  };
  return { service, tokens: redactedTokens, credentials };
}

/** Where `login` and `logout` keep the credentials for the configured service. */
export function composeWritableCredentials(
  store: 'keychain' | 'file',
  { credentials, service: { baseUrl } }: Config,
  env: NodeJS.ProcessEnv,
): WritableCredentials {
  return createWritableCredentials(store, { ...credentials, baseUrl, env });
}

/** What the credentials were when they were last looked at. */
export interface LastCredentials {
  fingerprint?: string;
}

/**
 * Whether the stored credentials are others than when this was asked before; none are others than some. `last` is
 * remembered from one configuration to the next.
 */
export function changesOf(
  credentials: CredentialsSource,
  last: LastCredentials = {},
): () => Promise<boolean> {
  return async () => {
    const before = last.fingerprint;
    const now = await credentials.get().then(fingerprint, () => 'none');
    last.fingerprint = now;
    return before !== undefined && before !== now && now !== 'none';
  };
}

function fingerprint({ clientId, clientSecret }: Credentials): string {
  return createHash('sha256').update(`${clientId}\n${clientSecret}`).digest('hex');
}
