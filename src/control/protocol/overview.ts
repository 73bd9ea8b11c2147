import { z } from 'zod';
import { LIST_STATES } from '../../core/ports/ledgerReports.ts';
import { HOLD_SCOPES } from '../../core/domain/hold.ts';
import { problemJson } from './problem.ts';
import { endpointKey, fact, instant, nothing, type Exchange } from './shapes.ts';
import { statusResponse } from './status.ts';

export const holdJson = z
  .object({
    scope: z.enum(HOLD_SCOPES),
    key: z
      .string()
      .describe(
        'For an endpoint, its base URL and uid joined by #; for a folder, its path; for the credentials of a named account, the base URL, " account " and its name; otherwise the base URL.',
      ),
    reason: z.string().describe('PAUSED if a person paused it.'),
    message: z.string().describe('What the agent found, in English; for a pause, who paused it, or empty.'),
    fact: fact.nullable(),
    since: instant,
    until: instant
      .nullable()
      .describe('When it is tried again automatically; null: only when a person says so.'),
    demandedUntil: instant
      .nullable()
      .describe('Until when the service asked to wait; null if it did not ask.'),
    agent: z
      .string()
      .optional()
      .describe(
        'The other agent of the fleet that got this answer; left out for this agent, and for a pause.',
      ),
  })
  .meta({ id: 'Hold' });

const overviewResponse = z
  .object({
    now: instant,
    zone: z
      .object({ name: z.string(), offsetMinutes: z.number().describe('Minutes ahead of UTC at the moment.') })
      .describe('Time zone of sending hours, days and months.'),
    status: statusResponse,
    shared: z.boolean().describe('Whether agents share the ledger; `fleet` lists them.'),
    problems: z.array(problemJson).describe('What is wrong, each once.'),
    counts: z
      .array(
        z.object({
          endpoint: endpointKey.nullable(),
          folder: z.string(),
          state: z.enum(LIST_STATES),
          count: z.number(),
          needsPerson: z.literal(true).optional().describe('These need a person; left out if they do not.'),
          reason: z.string().optional().describe('For files that need a person: why they were not sent.'),
        }),
      )
      .describe('Files and documents, by state. A state may have several entries.'),
    holds: z.array(holdJson),
    endpoints: z.array(
      z.object({
        alias: z.string(),
        account: z
          .string()
          .nullable()
          .describe('The account whose credentials are used; null for the default account.'),
        endpoint: endpointKey,
        paused: z.boolean(),
        concurrency: z.number(),
        rate: z.string().describe('Such as 5/s, or unlimited.'),
        perDay: z.number().nullable(),
        perMonth: z.number().nullable(),
      }),
    ),
    columns: z
      .array(z.object({ name: z.string(), pointer: z.string() }))
      .describe('Named values of results (`results.columns`).'),
    backlog: z.object({
      waiting: z.number().describe('Documents that wait to be sent.'),
      held: z.number().describe('Waiting documents that are on hold.'),
      oldest: instant.nullable().describe('When the document that has waited longest was named.'),
      perMinute: z.number().describe('Documents accepted per minute, over the last five minutes.'),
      emptyInMs: z.number().nullable().describe('Time left at this pace; null if there is no estimate yet.'),
    }),
  })
  .meta({ id: 'Overview' });

export type OverviewResponse = z.infer<typeof overviewResponse>;
export type HoldJson = z.infer<typeof holdJson>;

export const OVERVIEW = {
  overview: {
    says: 'Whether receiptd is working, what waits and why, and what needs a person.',
    request: nothing,
    response: overviewResponse,
  },
} satisfies Record<string, Exchange>;
