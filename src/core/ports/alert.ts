import type { ErrorCode } from '../domain/errors.ts';

export const ALERT_KINDS = ['opened', 'closed', 'stillOpen', 'digest', 'test'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export const ALERT_CHANNELS = ['desktop', 'eventLog', 'command', 'webhook', 'email'] as const;
export type AlertChannelName = (typeof ALERT_CHANNELS)[number];

/** One thing that keeps the agent from its work. All times are wall-clock milliseconds. */
export interface AlertCause {
  /** The same for as long as it lasts, and when it comes again. */
  readonly key: string;
  readonly code: ErrorCode;
  /** What is wrong and where, in one sentence. */
  readonly message: string;
  /** What a person should do, in one sentence. */
  readonly hint: string;
  readonly since: number;
  /** When it ended; null while it lasts. */
  readonly until: number | null;
  /** How many documents it is about; null where it is not about documents. */
  readonly count: number | null;
}

/** What people are told at once: of one cause, or of all that began or ended together. */
export interface Alert {
  /** A UUID; the same whenever it is delivered again. */
  readonly id: string;
  readonly kind: AlertKind;
  /** When it was made. */
  readonly at: number;
  /** The machine that the agent runs on. */
  readonly host: string;
  /** Of the first cause; null for a digest and a test. */
  readonly code: ErrorCode | null;
  /** One line of plain words, without line breaks. */
  readonly subject: string;
  /** All there is to say, in lines for people. */
  readonly text: string;
  /** Of the first cause; null where nothing has to be done. */
  readonly hint: string | null;
  /** When the first of its causes began; for a digest, from when on it counts. */
  readonly since: number | null;
  /** When the last of its causes ended; for a digest, until when it counts. Null while one lasts. */
  readonly until: number | null;
  readonly causes: readonly AlertCause[];
  /** Ids of the alerts by which these causes were told before, the oldest first. */
  readonly follows: readonly string[];
}

/** One way to people. */
export interface AlertChannel {
  readonly name: AlertChannelName;
  /** Who takes it, to begin a sentence with, without what nobody else may know; and the key of its setting. */
  readonly receiver: { readonly what: string; readonly setting: string };
  /**
   * Resolves once the other side has taken it. May be called again with the same alert, when it is not known whether that
   * was so: whoever receives it tells by `id`.
   * @throws ReceiptdError with the reason, in a sentence without secrets
   */
  send(alert: Alert, signal: AbortSignal): Promise<void>;
}
