import { z } from 'zod';
import { ERROR_CODES } from '../../core/domain/errors.ts';
import { ALERT_CHANNELS } from '../../core/ports/alert.ts';
import { params } from './problem.ts';
import { by, errorBody, instant, nothing, type Exchange } from './shapes.ts';

/** Why nobody was alerted yet. */
const UNTOLD = ['young', 'quietHours', 'soon', 'noChannel'] as const;

const openAlert = z
  .object({
    code: z.enum(ERROR_CODES),
    params,
    since: instant,
    overSince: instant
      .nullable()
      .describe('Since when it has been over; people hear of that once it stays over. Null while it lasts.'),
    toldAt: instant.nullable().describe('When the first channel delivered it; null if none has yet.'),
    toldBy: z.array(z.enum(ALERT_CHANNELS)).describe('Channels that have delivered it.'),
    waitingFor: z
      .array(z.enum(ALERT_CHANNELS))
      .describe('Channels that have not delivered it yet and are still being tried.'),
    untold: z
      .enum(UNTOLD)
      .nullable()
      .describe(
        'Why nobody was alerted yet. young: it may be over soon; quietHours: it is sent when they end; soon: it is sent along with others, or later because many were sent recently; noChannel: no channel is configured, or only the one in trouble.',
      ),
  })
  .meta({ id: 'OpenAlert' });

export type OpenAlertJson = z.infer<typeof openAlert>;

export const ALERTS = {
  alerts: {
    says: 'What is wrong, and whether people were alerted.',
    request: nothing,
    response: z.object({
      channels: z.array(z.enum(ALERT_CHANNELS)).describe('The configured channels.'),
      quietUntil: instant.nullable().describe('When the current quiet hours end; null outside quiet hours.'),
      open: z.array(openAlert),
    }),
  },
  testAlerts: {
    says: 'Sends a test alert through every channel, or through one.',
    request: z.object({ channel: z.enum(ALERT_CHANNELS).optional() }),
    response: z.object({
      results: z.array(
        z.object({
          channel: z.enum(ALERT_CHANNELS),
          problem: z
            .string()
            .nullable()
            .describe('A sentence that says what to do; null if the alert was delivered.'),
          error: errorBody.optional().describe('The same, for its words in another language.'),
        }),
      ),
    }),
  },
  mailPassword: {
    says: 'Where the password for mail alerts is stored; never the password itself.',
    request: nothing,
    response: z.object({
      where: z
        .enum(['notNeeded', 'missing', 'stored', 'inFile'])
        .describe('stored: with the credentials. inFile: in the file that alerts.email.passwordFile names.'),
    }),
  },
  setMailPassword: {
    says: 'Stores the password for mail alerts, for the server and user in the configuration.',
    request: z.object({ password: z.string().min(1).max(4096), by }),
    response: z.object({ store: z.enum(['file', 'keychain']) }),
  },
} satisfies Record<string, Exchange>;
