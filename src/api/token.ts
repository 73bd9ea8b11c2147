import { z } from 'zod';
import { ReceiptdError } from '../core/domain/errors.ts';
import { ageOf, momentOf, type Moment } from '../core/domain/moment.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { CredentialsSource } from '../core/ports/credentials.ts';
import type { Log } from '../core/ports/log.ts';
import type { TokenSource } from '../core/ports/service.ts';
import { isSuccess, json, unreachable } from './answers.ts';
import type { Transport } from './transport.ts';

/*
 * States of the token:
 *
 *   none      not requested yet, or refused by the service; the next caller starts a request
 *   fresh     returned to callers
 *   due       still valid, but about to expire: the next caller starts a request, and if that fails the old token
 *             is used until it expires
 *   over      like none
 *
 * There is at most one request at a time, and everybody who asks meanwhile waits for it. It belongs to no caller, so that one
 * caller's abort does not fail the others.
 */

interface HeldToken {
  readonly token: string;
  /** Milliseconds after `askedAt`. */
  refreshAfterMs: number;
  readonly lifetimeMs: number;
  /** Both clocks: monotonic time may stand still while the machine sleeps, but a token still expires. */
  readonly askedAt: Moment;
}

/** Interface 2.3 and 5.5. An invalid lifetime is replaced by this one: a 401 corrects it. */
const DEFAULT_LIFETIME_S = 86_400;
/** No server accepts a longer header; some would answer HTTP 400, as if the document were at fault. */
const LONGEST_TOKEN = 16 * 1024;
const tokenAnswer = z.object({
  // Visible ASCII only: anything else would break the header or inject another one.
  access_token: z
    .string()
    .max(LONGEST_TOKEN)
    .regex(/^[\x21-\x7e]+$/),
  expires_in: z.coerce.number().positive().catch(DEFAULT_LIFETIME_S),
});

const EARLY_MS = 5 * 60 * 1000;
/** Retry interval after a failed early refresh; the old token is still valid. */
const AGAIN_MS = 30_000;

/** Refreshes at 90 % of the lifetime, or 5 minutes before its end if that is earlier and the lifetime is long enough. */
function refreshAfterMs(lifetimeMs: number): number {
  const most = lifetimeMs * 0.9;
  return lifetimeMs > 2 * EARLY_MS ? Math.min(most, lifetimeMs - EARLY_MS) : most;
}

export interface TokenOptions {
  readonly transport: Transport;
  readonly credentials: CredentialsSource;
  /** For error messages; null or left out for the default account. */
  readonly account?: string | null;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when the service is closed. */
  readonly closed: AbortSignal;
}

export function createTokenSource(options: TokenOptions): TokenSource {
  const { clock, log } = options;
  let held: HeldToken | null = null;
  let flight: Promise<string> | null = null;

  async function refresh(): Promise<string> {
    try {
      const askedAt = momentOf(clock);
      const { token, lifetimeMs } = await request(options);
      held = { token, refreshAfterMs: refreshAfterMs(lifetimeMs), lifetimeMs, askedAt };
      log.debug('tokenObtained', { lifetimeSeconds: Math.round(lifetimeMs / 1000) });
      return token;
    } catch (error) {
      const ageMs = held === null ? Infinity : ageOf(held.askedAt, clock);
      if (held === null || ageMs >= held.lifetimeMs) throw error;
      const demandedMs = error instanceof ReceiptdError ? (error.retryAfterMs ?? 0) : 0;
      held.refreshAfterMs = ageMs + Math.max(AGAIN_MS, demandedMs);
      log.warn('tokenNotRefreshed', {
        error: error instanceof ReceiptdError ? error.sentence() : String(error),
      });
      return held.token;
    } finally {
      flight = null;
    }
  }

  return {
    async token(signal) {
      signal?.throwIfAborted();
      if (held !== null && ageOf(held.askedAt, clock) < Math.min(held.refreshAfterMs, held.lifetimeMs))
        return held.token;
      flight ??= refresh();
      return await orAborted(flight, signal);
    },

    refused(token) {
      if (held?.token === token) held = null;
    },
  };
}

type TokenCredentials = Awaited<ReturnType<CredentialsSource['get']>>;

/** Retries with new credentials if the service refuses these and the store has changed: they were rotated during the request. */
async function request(options: TokenOptions): Promise<Granted> {
  const sent = await options.credentials.get(options.closed);
  try {
    return await requestWith(sent, options);
  } catch (error) {
    if (!(error instanceof ReceiptdError && error.code === 'CREDENTIALS_REFUSED')) throw error;
    const now = await options.credentials.get(options.closed);
    if (now.clientId === sent.clientId && now.clientSecret === sent.clientSecret) throw error;
    return requestWith(now, options);
  }
}

interface Granted {
  readonly token: string;
  readonly lifetimeMs: number;
}

async function requestWith(
  { clientId, clientSecret, store, isTried = false }: TokenCredentials,
  { transport, closed, account = null }: TokenOptions,
): Promise<Granted> {
  const answer = await transport.exchange(
    {
      method: 'POST',
      path: '/v2/oauth2/token',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_id: clientId,
        client_secret: clientSecret,
        grant_type: 'client_credentials',
      }),
    },
    closed,
  );
  if (answer.kind === 'fault') throw unreachable(answer, transport.host);
  // The body is never quoted here, because it may repeat the secret or contain a token.
  const { httpStatus } = answer;
  const { host } = transport;
  if (httpStatus === 400 || httpStatus === 401 || httpStatus === 403) {
    if (isTried) throw new ReceiptdError('CREDENTIALS_REFUSED.tried', { host, account, httpStatus });
    throw new ReceiptdError('CREDENTIALS_REFUSED.stored', { host, account, store, httpStatus });
  }
  if (httpStatus === 429 || httpStatus >= 500) {
    const { retryAfterMs } = answer;
    throw new ReceiptdError('SERVICE_ANSWER.noTokensNow', { host, httpStatus }, { retryAfterMs });
  }
  if (!isSuccess(answer)) throw new ReceiptdError('SERVICE_ANSWER.noToken', { host, httpStatus });
  const parsed = tokenAnswer.safeParse(json(answer));
  if (!parsed.success) throw new ReceiptdError('SERVICE_ANSWER.unusableToken', { host });
  return { token: parsed.data.access_token, lifetimeMs: parsed.data.expires_in * 1000 };
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
