import { z } from 'zod';
import { ERROR_CODES } from '../../core/domain/errors.ts';
import type { Condition } from '../../core/domain/problem.ts';
import { ALERT_CHANNELS, ALERT_KINDS } from '../../core/ports/alert.ts';

/* Alerts sent and waiting to be sent, as stored in alerts.json. Times are wall-clock milliseconds. */

/** Its words are made when it is delivered. */
const condition = z
  .object({ code: z.enum(ERROR_CODES), params: z.record(z.string(), z.unknown()) })
  // Only this program writes it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  .transform((value) => value as unknown as Condition);

const entry = z.object({
  key: z.string(),
  condition,
  since: z.number(),
  count: z.number().nullable(),
  patienceMs: z.number().nullable(),
  /** Null while it is present. */
  awaySince: z.number().nullable(),
  /** The alert that was sent, when, and for how many documents; null before that. */
  told: z
    .object({
      alert: z.string(),
      at: z.number(),
      count: z.number().nullable(),
      /** When the first channel delivered that alert, and which ones have. */
      takenAt: z.number().nullable().default(null),
      takenBy: z.array(z.enum(ALERT_CHANNELS)).default([]),
    })
    .nullable(),
  /** When its beginnings of the last day were sent. */
  tellings: z.array(z.number()),
  /** How often it went and came back before it counted as over. */
  returns: z.number(),
});

const cause = z.object({
  key: z.string(),
  condition,
  since: z.number(),
  until: z.number().nullable(),
  count: z.number().nullable(),
  /** How often its beginning was sent within a day, including this time. */
  times: z.number(),
  /** How often it was away for a while and came back. */
  returns: z.number(),
  /** How long it must stay away from now on to be over. */
  awayMs: z.number(),
});

const digest = z.object({
  from: z.number(),
  to: z.number(),
  accepted: z.number(),
  /** Those with the latter two count everything that is open now. */
  folders: z.array(
    z.object({
      folder: z.string(),
      sent: z.number(),
      duplicates: z.number(),
      rejected: z.number(),
      waiting: z.number(),
      attention: z.number(),
    }),
  ),
});

const alert = z.object({
  id: z.string(),
  kind: z.enum(ALERT_KINDS),
  at: z.number(),
  host: z.string(),
  causes: z.array(cause).readonly(),
  follows: z.array(z.string()).readonly(),
  /** Causes that began and ended in the preceding quiet hours. */
  endedUntold: z.number(),
  digest: digest.nullable(),
});

const parcel = z.object({
  alert,
  to: z.array(z.object({ channel: z.enum(ALERT_CHANNELS), attempts: z.number(), notBefore: z.number() })),
});

export const alertState = z.object({
  version: z.literal(2),
  entries: z.array(entry),
  /** When the alerts of the last hour were created. */
  toldAt: z.array(z.number()),
  /** Number of causes that began and ended within the quiet hours. */
  endedUntold: z.number(),
  /** Time of the last digest created or skipped; null before the first. */
  digestFor: z.number().nullable(),
  /** Oldest first. */
  outbox: z.array(parcel),
});

export type AlertEntry = z.infer<typeof entry>;
/** A cause as an alert reports it. */
export type ReportedCause = Readonly<z.infer<typeof cause>>;
/** An alert without words. */
export type AlertRecord = Readonly<z.infer<typeof alert>>;
export type DigestFigures = Readonly<z.infer<typeof digest>>;
/** An alert, and the channels that have not delivered it yet. */
export type Parcel = z.infer<typeof parcel>;
export type AlertState = z.infer<typeof alertState>;

export function emptyState(): AlertState {
  return { version: 2, entries: [], toldAt: [], endedUntold: 0, digestFor: null, outbox: [] };
}
