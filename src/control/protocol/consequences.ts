import { z } from 'zod';
import { BUDGET_PERIODS } from '../../core/domain/limits.ts';
import { ERROR_CODES } from '../../core/domain/errors.ts';
import { params } from './problem.ts';
import { instant } from './shapes.ts';

const folder = z.string().describe('Absolute path.');
const waiting = z.number().describe('Waiting documents that are not on hold.');

/** An immediate side effect of a configuration change. */
export const consequence = z
  .discriminatedUnion('kind', [
    z
      .object({ kind: z.literal('released'), waiting, before: z.number(), after: z.number() })
      .describe('How many waiting documents may be sent within an hour, before and after the change.'),
    z
      .object({
        kind: z.literal('spent'),
        endpoint: z.string().nullable().describe('Alias; null for all endpoints together.'),
        period: z.enum(BUDGET_PERIODS),
        limit: z.number(),
        used: z.number(),
        waiting,
      })
      .describe('More was already sent than the budget allows: nothing is sent until the period ends.'),
    z
      .object({ kind: z.literal('closed'), until: instant, waiting })
      .describe('Nothing is sent until the sending hours begin.'),
    z
      .object({ kind: z.literal('lookedAgain'), folder, files: z.number() })
      .describe('Files that were not sent are checked again, and sent if they are now accepted.'),
    z
      .object({
        kind: z.literal('pages'),
        folder,
        pages: z.enum(['split', 'whole']),
        files: z.number().describe('Files already split into pages; they stay that way.'),
        pdf: z.boolean().describe('Whether PDFs are sent after the change.'),
      })
      .describe('Multi-page files are sent differently.'),
    z
      .object({ kind: z.literal('firstWatched'), folder, files: z.number().nullable() })
      .describe('All files already in a folder that was never watched are sent; null: too many to count.'),
    z
      .object({ kind: z.literal('deletes'), folder, waiting })
      .describe('Originals in this folder are deleted once they are accepted.'),
    z
      .object({ kind: z.literal('rerouted'), folder, from: z.string(), to: z.string(), waiting })
      .describe('New scans go to another endpoint; waiting documents still go to the former one.'),
    z
      .object({ kind: z.literal('stranded'), endpoint: z.string(), waiting: z.number() })
      .describe('Documents are waiting for an endpoint that the configuration no longer has.'),
    z
      .object({ kind: z.literal('copiesRemoved'), images: z.number() })
      .describe(
        'Copies of failed or unconfirmed documents that are older than `storage.keepFailed` are removed.',
      ),
    z
      .object({ kind: z.literal('spoolFull'), used: z.number(), limit: z.number() })
      .describe('The spool is full (values in bytes). New scans wait in their folders until there is room.'),
    z.object({ kind: z.literal('backupsRemoved'), backups: z.number(), kept: z.number() }),
    z
      .object({ kind: z.literal('unprotected'), waiting })
      .describe('Images are no longer copied: a scan that is overwritten while it waits is lost.'),
    z
      .object({ kind: z.literal('unwritable'), problem: z.object({ code: z.enum(ERROR_CODES), params }) })
      .describe('The agent can’t write where a folder’s originals or files that need attention go.'),
    z.object({ kind: z.literal('nobodyAlerted') }).describe('No alert channel is left.'),
  ])
  .meta({ id: 'Consequence' });

export type Consequence = z.infer<typeof consequence>;
