import type { ErrorCode } from '../domain/errors.ts';
import type { Condition } from '../domain/problem.ts';

export const ALERT_KINDS = ['opened', 'closed', 'stillOpen', 'digest', 'test'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export const ALERT_CHANNELS = ['desktop', 'eventLog', 'command', 'webhook', 'email'] as const;
export type AlertChannelName = (typeof ALERT_CHANNELS)[number];

/** One problem that an alert reports. All times are wall-clock milliseconds. */
export interface AlertCause {
  /** Identifies the problem: stays the same while it lasts and when it returns. */
  readonly key: string;
  readonly condition: Condition;
  readonly since: number;
  /** When it ended; null while it lasts. */
  readonly until: number | null;
  /** Number of documents affected; null if it does not concern documents. */
  readonly count: number | null;
}

/** The same with its words. */
export interface WordedCause extends AlertCause {
  /** What is wrong and where. */
  readonly message: string;
  /** What a person should do. */
  readonly hint: string;
}

/** One message to people, about one cause or about several that began or ended together. */
export interface Alert {
  /** A UUID; a repeated delivery has the same one. */
  readonly id: string;
  readonly kind: AlertKind;
  /** When the alert was created. */
  readonly at: number;
  /** The machine that the agent runs on. */
  readonly host: string;
  /** Code of the first cause; null for a digest or a test. */
  readonly code: ErrorCode | null;
  /** Plain text, on one line. */
  readonly subject: string;
  /** The full text, for people. */
  readonly text: string;
  /** Hint of the first cause; null if there is nothing to do. */
  readonly hint: string | null;
  /** When the first cause began; for a digest, the start of its period. */
  readonly since: number | null;
  /** When the last cause ended, null while any lasts; for a digest, the end of its period. */
  readonly until: number | null;
  readonly causes: readonly WordedCause[];
  /** Ids of earlier alerts about these causes, oldest first. */
  readonly follows: readonly string[];
}

/** One way to deliver alerts to people. */
export interface AlertChannel {
  readonly name: AlertChannelName;
  /** The host or program that receives them, without secrets, and the key of its setting. */
  readonly receiver: { readonly of: string | null; readonly setting: string };
  /**
   * Resolves once the recipient has taken it. If that is uncertain, the same alert is sent again: recipients recognize
   * repeats by `id`.
   * @throws ReceiptdError with the reason, in a sentence without secrets
   */
  send(alert: Alert, signal: AbortSignal): Promise<void>;
}
