import { createHmac } from 'node:crypto';
import { ReceiptdError } from '../../../core/domain/errors.ts';

const PREFIX = 'whsec_';
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Key lengths that Standard Webhooks requires, in bytes. */
const SHORTEST = 24;
const LONGEST = 64;

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com): id, time in seconds, and an HMAC-SHA256 of both and the
 * body, so that a receiver can detect forged, changed, old and repeated messages.
 * @throws ReceiptdError ALERT_UNDELIVERED for an invalid secret
 */
export function signatureHeaders(
  secret: string | null,
  message: { readonly id: string; readonly atMs: number; readonly body: string },
): Record<string, string> {
  const { id, atMs, body } = message;
  const timestamp = String(Math.floor(atMs / 1000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (secret === null) return headers;
  const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${hmac}` };
}

function keyOf(secret: string): Buffer {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  const key = Buffer.from(text, 'base64');
  if (BASE64.test(text) && key.length >= SHORTEST && key.length <= LONGEST) return key;
  throw new ReceiptdError('ALERT_UNDELIVERED.webhookSecret', {
    prefix: PREFIX,
    shortest: SHORTEST,
    longest: LONGEST,
  });
}
