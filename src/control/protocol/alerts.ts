import { z } from 'zod';
import { ERROR_CODES } from '../../core/domain/errors.ts';
import { ALERT_CHANNELS } from '../../core/ports/alert.ts';
import { by, instant, nothing, type Exchange } from './shapes.ts';

/** Why something that is wrong was not told. */
const UNTOLD = ['young', 'quietHours', 'soon', 'noChannel'] as const;

const openAlert = z
  .object({
    code: z.enum(ERROR_CODES),
    message: z.string(),
    hint: z.string(),
    since: instant,
    overSince: instant
      .nullable()
      .describe('Not there since then; its end is told once it has stayed away. Null while it lasts.'),
    toldAt: instant.nullable().describe('When the first channel took it; null while none has.'),
    toldBy: z.array(z.enum(ALERT_CHANNELS)).describe('Channels that have taken it.'),
    waitingFor: z
      .array(z.enum(ALERT_CHANNELS))
      .describe('Channels that have not taken it yet and are still tried.'),
    untold: z
      .enum(UNTOLD)
      .nullable()
      .describe(
        'young: it may be over soon; quietHours: it is told when they end; soon: along with others, or because many were told lately; noChannel: there is none, or only the one that it is about.',
      ),
  })
  .meta({ id: 'OpenAlert' });

export type OpenAlertJson = z.infer<typeof openAlert>;

export const ALERTS = {
  alerts: {
    says: 'What is wrong, and whether people were told.',
    request: nothing,
    response: z.object({
      channels: z.array(z.enum(ALERT_CHANNELS)).describe('Those that are configured.'),
      quietUntil: instant.nullable().describe('When the quiet hours end; null where there are none now.'),
      open: z.array(openAlert),
    }),
  },
  testAlerts: {
    says: 'Tells through every channel, or one, that it is a test.',
    request: z.object({ channel: z.enum(ALERT_CHANNELS).optional() }),
    response: z.object({
      results: z.array(
        z.object({
          channel: z.enum(ALERT_CHANNELS),
          problem: z.string().nullable().describe('A sentence with what to do; null where it was delivered.'),
        }),
      ),
    }),
  },
  mailPassword: {
    says: 'Where the password for alerts by mail is; never what it is.',
    request: nothing,
    response: z.object({
      where: z
        .enum(['notNeeded', 'missing', 'stored', 'inFile'])
        .describe('stored: with the credentials. inFile: alerts.email.passwordFile names it.'),
    }),
  },
  setMailPassword: {
    says: 'Stores the password for alerts by mail, for the server and the user that the configuration names.',
    request: z.object({ password: z.string().min(1).max(4096), by }),
    response: z.object({ store: z.enum(['file', 'keychain']) }),
  },
} satisfies Record<string, Exchange>;
