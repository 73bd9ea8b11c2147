import { z } from 'zod';
import { ERROR_CODES } from '../../core/domain/errors.ts';
import { ALERT_CHANNELS, ALERT_KINDS } from '../../core/ports/alert.ts';

/* Alerts sent and waiting to be sent, as stored in alerts.json. Times are wall-clock milliseconds. */

const entry = z.object({
  key: z.string(),
  code: z.enum(ERROR_CODES),
  message: z.string(),
  hint: z.string(),
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
  code: z.enum(ERROR_CODES),
  message: z.string(),
  hint: z.string(),
  since: z.number(),
  until: z.number().nullable(),
  count: z.number().nullable(),
});

const alert = z.object({
  id: z.string(),
  kind: z.enum(ALERT_KINDS),
  at: z.number(),
  host: z.string(),
  code: z.enum(ERROR_CODES).nullable(),
  subject: z.string(),
  text: z.string(),
  hint: z.string().nullable(),
  since: z.number().nullable(),
  until: z.number().nullable(),
  causes: z.array(cause).readonly(),
  follows: z.array(z.string()).readonly(),
});

const parcel = z.object({
  alert,
  to: z.array(z.object({ channel: z.enum(ALERT_CHANNELS), attempts: z.number(), notBefore: z.number() })),
});

export const alertState = z.object({
  version: z.literal(1),
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

export type Entry = z.infer<typeof entry>;
/** An alert, and the channels that have not delivered it yet. */
export type Parcel = z.infer<typeof parcel>;
export type AlertState = z.infer<typeof alertState>;

export function emptyState(): AlertState {
  return { version: 1, entries: [], toldAt: [], endedUntold: 0, digestFor: null, outbox: [] };
}
