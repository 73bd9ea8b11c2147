import type { ConnectionOptions } from 'node:tls';
import { ReceiptdError, saidBy, systemCode } from '../../../core/domain/errors.ts';
import { isLoopback } from '../../../core/domain/loopback.ts';
import type { Alert, AlertChannel } from '../../../core/ports/alert.ts';
import type { Log } from '../../../core/ports/log.ts';
import { defaultSender, mailOf, type MailWords } from './mail.ts';
import { quoted } from './quoted.ts';

export interface EmailOptions {
  /** smtp: or smtps:, with host and optional port. */
  readonly server: string;
  /** Null: no authentication. The password is read for each mail. */
  readonly login: { readonly user: string; readonly password: () => Promise<string> } | null;
  /** Null: receiptd@ the alert's machine. */
  readonly from: string | null;
  readonly to: readonly string[];
  readonly words: () => Promise<MailWords>;
  /** Further TLS settings, such as trusted authorities. */
  readonly tls: () => Promise<ConnectionOptions>;
  readonly log: Log;
  /** Removes secrets from a server's answer, which may repeat the password. */
  readonly redact: (text: string) => string;
}

/** Below the limit of a whole delivery, so that the error says which step timed out. */
const STEP_MS = 8_000;

/** Sends each alert as a separate mail over a new connection. Delivered means that the server accepted it for at least one recipient. */
export function createEmailChannel(options: EmailOptions): AlertChannel {
  return {
    name: 'email',
    receiver: { of: new URL(options.server).host, setting: 'alerts.email.server' },
    async send(alert, signal) {
      const password = await options.login?.password();
      try {
        await deliver(alert, options, password, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ReceiptdError) throw error;
        throw explained(error, options);
      }
    },
  };
}

async function deliver(
  alert: Alert,
  { server, login, from, to, words, tls, log }: EmailOptions,
  password: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  // Loaded with the first mail: most agents send none, and commands never do.
  const { createTransport } = await import('nodemailer');
  const { protocol, hostname, port } = new URL(server);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isSecure = protocol === 'smtps:';
  const isHere = isLoopback(hostname);
  const transport = createTransport({
    host,
    port: port === '' ? defaultPort(isSecure, isHere) : Number(port),
    secure: isSecure,
    // Otherwise password and alert would be sent in the clear, to any server that answers.
    requireTLS: !isSecure && !isHere,
    // A server on this machine can't have a certificate signed by an authority.
    tls: { ...(await tls()), ...(isHere && { rejectUnauthorized: false }) },
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(login !== null && password !== undefined && { auth: { user: login.user, pass: password } }),
  });
  const abort = (): void => transport.close();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const { subject, text, messageId, inReplyTo, references, headers } = mailOf(alert, await words());
    const { rejected } = await transport.sendMail({
      from: { name: 'receiptd', address: from ?? defaultSender(alert.host) },
      to: [...to],
      subject,
      text,
      messageId,
      headers: { ...headers },
      date: new Date(alert.at),
      signal,
      ...(inReplyTo !== undefined && { inReplyTo, references }),
    });
    if (rejected.length > 0) {
      const refused = rejected.join(', ');
      log.warn('recipientsRefused', { refused });
    }
  } finally {
    signal.removeEventListener('abort', abort);
    transport.close();
  }
}

function defaultPort(isSecure: boolean, isHere: boolean): number {
  if (isSecure) return 465;
  return isHere ? 25 : 587;
}

/** Leaves out the error itself, which contains the whole dialogue with the server. */
function explained(error: unknown, { server, login, redact }: EmailOptions): ReceiptdError {
  const { host } = new URL(server);
  const said = redact(answerIn(error));
  const detail = redact(quoted(saidBy(error).detail));
  switch (systemCode(error)) {
    case 'EAUTH':
      return new ReceiptdError('ALERT_UNDELIVERED.mailLogin', {
        host,
        user: redact(login?.user ?? ''),
        said,
      });
    case 'ENOAUTH':
      return new ReceiptdError('ALERT_UNDELIVERED.mailNeedsLogin', { host });
    case 'ETLS':
      return new ReceiptdError('ALERT_UNDELIVERED.mailUnencrypted', { host, detail });
    case 'EENVELOPE':
    case 'EMESSAGE':
      return new ReceiptdError('ALERT_UNDELIVERED.mailRefused', { host, detail: said || detail });
    case 'ETIMEDOUT':
      return new ReceiptdError('ALERT_UNDELIVERED.mailSilent', { host });
    case 'EDNS':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ReceiptdError('ALERT_UNDELIVERED.mailHostUnknown', { host });
    default:
      return new ReceiptdError('ALERT_UNDELIVERED.mailUnreachable', { host, detail });
  }
}

function answerIn(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('response' in error)) return '';
  return typeof error.response === 'string' ? quoted(error.response) : '';
}
