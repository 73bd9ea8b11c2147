import { ReceiptdError } from '../../../core/domain/errors.ts';
import type { Answer } from '../../../core/domain/outcome.ts';
import type { Alert, AlertChannel } from '../../../core/ports/alert.ts';
import { alertJson } from './json.ts';
import { signatureHeaders } from './signature.ts';

export interface WebhookOptions {
  /** http: or https:, with an optional path and query. Never shown as a whole, because the URL may be all that is needed to post there. */
  readonly url: string;
  /** Read for each alert. Null: requests are not signed. */
  readonly secret: (() => Promise<string>) | null;
  /** Wall-clock milliseconds. */
  readonly now: () => number;
  /** Sends one request, without following redirects; rejects only with the signal's reason. */
  readonly exchange: (
    request: {
      readonly method: 'POST';
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    },
    signal: AbortSignal,
  ) => Promise<Answer>;
}

/** Posts each alert as JSON. Only a 2xx answer means delivered, not a redirect. */
export function createWebhookChannel({ url, secret, now, exchange }: WebhookOptions): AlertChannel {
  const { host, pathname, search } = new URL(url);
  return {
    name: 'webhook',
    receiver: { of: host, setting: 'alerts.webhook.url' },
    async send(alert: Alert, signal: AbortSignal) {
      const body = alertJson(alert);
      const signed = signatureHeaders(await (secret?.() ?? null), { id: alert.id, atMs: now(), body });
      const headers = { 'content-type': 'application/json', ...signed };
      const answer = await exchange({ method: 'POST', path: pathname + search, headers, body }, signal);
      if (answer.kind === 'fault') {
        const { fault } = answer;
        throw new ReceiptdError('ALERT_UNDELIVERED.webhookUnreachable', { host, fault });
      }
      const { httpStatus } = answer;
      if (httpStatus >= 200 && httpStatus < 300) return;
      const isElsewhere = httpStatus >= 300 && httpStatus < 400;
      throw new ReceiptdError(
        isElsewhere ? 'ALERT_UNDELIVERED.webhookRedirect' : 'ALERT_UNDELIVERED.webhookAnswer',
        { host, httpStatus },
      );
    },
  };
}
