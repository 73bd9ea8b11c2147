import { local } from '../../../core/domain/words.ts';
import type { Alert } from '../../../core/ports/alert.ts';

/** Content of a mail, without its recipients. */
export interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly messageId: string;
  readonly inReplyTo?: string;
  readonly references?: string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Words around the alert's own. `time`: such as 10:42. */
export interface MailWords {
  readonly from: (host: string) => string;
  readonly since: (time: string) => string;
}

const LONGEST_SUBJECT = 180;

/**
 * An alert as a plain-text mail. Its Message-ID is derived from the alert's id, so that a repeated delivery is the same mail, and a
 * recovery is a reply to the alert.
 */
export function mailOf(alert: Alert, words: MailWords): Mail {
  const { host, id, follows, text } = alert;
  const references = follows.map((each) => messageId(each, host));
  return {
    subject: subjectOf(alert, words),
    text: `${text}\n\n-- \n${words.from(host)}\n`,
    messageId: messageId(id, host),
    ...(references[0] !== undefined && { inReplyTo: references[0], references }),
    // Prevents automatic replies, such as holiday notices.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

function subjectOf({ host, kind, subject, since }: Alert, words: MailWords): string {
  const sinceThen = kind === 'opened' && since !== null ? ` (${words.since(clockTime(since))})` : '';
  const line = oneLine(`${words.from(host)}: ${subject.replace(/\.$/, '')}`);
  const cut = line.length > LONGEST_SUBJECT ? `${line.slice(0, LONGEST_SUBJECT)}…` : line;
  return cut + sinceThen;
}

/** Such as 10:42. */
function clockTime(at: number): string {
  return local(at).slice(11, 16);
}

/** A line break would start another header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

function messageId(id: string, host: string): string {
  return `<${id}@${domainOf(host)}>`;
}

/** Sender address if none is configured. */
export function defaultSender(host: string): string {
  return `receiptd@${domainOf(host)}`;
}

/** The host name, reduced to characters that mail systems accept. */
function domainOf(host: string): string {
  const name = host
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  return name === '' ? 'localhost' : name;
}
