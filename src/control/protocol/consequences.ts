import { z } from 'zod';
import { instant } from './shapes.ts';

const folder = z.string().describe('Absolute path.');
const waiting = z.number().describe('Documents that wait, and are not on hold.');

/** What a change of the configuration would do at once, beyond what its keys say. */
export const consequence = z
  .discriminatedUnion('kind', [
    z
      .object({ kind: z.literal('released'), waiting, before: z.number(), after: z.number() })
      .describe('So many of those that wait may leave within an hour, until now and then.'),
    z
      .object({
        kind: z.literal('spent'),
        endpoint: z.string().nullable().describe('Alias; null: all together.'),
        period: z.enum(['day', 'month']),
        limit: z.number(),
        used: z.number(),
        waiting,
      })
      .describe('More was sent already than the budget allows: nothing leaves until the period is over.'),
    z.object({ kind: z.literal('closed'), until: instant, waiting }).describe('Sending hours begin then.'),
    z
      .object({ kind: z.literal('lookedAgain'), folder, files: z.number() })
      .describe('Files that were not sent are judged again, and sent where they fit now.'),
    z
      .object({
        kind: z.literal('pages'),
        folder,
        pages: z.enum(['split', 'whole']),
        files: z.number().describe('Taken apart so far; they stay as they are.'),
        pdf: z.boolean().describe('Whether PDFs are sent then.'),
      })
      .describe('Files of several pages are sent in another way.'),
    z
      .object({ kind: z.literal('firstWatched'), folder, files: z.number().nullable() })
      .describe('What lies in a folder that was never watched is sent; null: too many to count.'),
    z
      .object({ kind: z.literal('deletes'), folder, waiting })
      .describe('Originals of this folder are deleted once they are accepted.'),
    z
      .object({ kind: z.literal('rerouted'), folder, from: z.string(), to: z.string(), waiting })
      .describe('Another endpoint gets what comes from now on; what waits still goes to the former one.'),
    z
      .object({ kind: z.literal('stranded'), endpoint: z.string(), waiting: z.number() })
      .describe('Documents wait for an endpoint that the configuration no longer has.'),
    z
      .object({ kind: z.literal('copiesRemoved'), images: z.number() })
      .describe('Copies of failed or unconfirmed documents that are older than `storage.keepFailed`.'),
    z
      .object({ kind: z.literal('spoolFull'), used: z.number(), limit: z.number() })
      .describe('Bytes. New scans wait in their folders until there is room.'),
    z.object({ kind: z.literal('backupsRemoved'), backups: z.number(), kept: z.number() }),
    z
      .object({ kind: z.literal('unprotected'), waiting })
      .describe('No image is copied any more: a scan that is overwritten while it waits is lost.'),
    z.object({ kind: z.literal('nobodyAlerted') }).describe('No channel of alerts is left.'),
  ])
  .meta({ id: 'Consequence' });

export type Consequence = z.infer<typeof consequence>;
