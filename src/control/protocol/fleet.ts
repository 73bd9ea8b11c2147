import { z } from 'zod';
import { holdJson } from './overview.ts';
import { instant, nothing, type Exchange } from './shapes.ts';

export const fleetAgent = z
  .object({
    name: z.string(),
    host: z.string(),
    version: z.string(),
    state: z
      .enum(['running', 'stopped', 'silent'])
      .describe('silent: it did not stop, but has not reported for longer than its lease.'),
    startedAt: instant.nullable(),
    lastSeenAt: instant.nullable(),
    paused: z
      .object({ by: z.string(), since: instant })
      .nullable()
      .describe('Who paused it. A paused agent takes in scans but sends nothing.'),
    queued: z.number().describe('Waiting documents that this agent admitted.'),
    uploading: z.number().describe('Uploads of this agent in progress.'),
    leads: z.array(z.string()).describe('Shares whose scans it takes in.'),
    holds: z.array(holdJson),
  })
  .meta({ id: 'FleetAgent' });

export type FleetAgentJson = z.infer<typeof fleetAgent>;

export const FLEET = {
  fleet: {
    says: 'Which agents share the ledger, and their state.',
    request: nothing,
    response: z.object({
      agents: z.array(fleetAgent).nullable().describe('Sorted by name; null if the ledger is not shared.'),
    }),
  },
} satisfies Record<string, Exchange>;
