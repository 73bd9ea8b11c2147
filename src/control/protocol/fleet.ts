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
      .describe('silent: it has not been heard of for longer than its lease, and did not stop.'),
    startedAt: instant.nullable(),
    lastSeenAt: instant.nullable(),
    paused: z
      .object({ by: z.string(), since: instant })
      .nullable()
      .describe('Who paused it: it takes scans in and sends nothing.'),
    queued: z.number().describe('Documents that it admitted, and that wait.'),
    uploading: z.number().describe('Upload requests that it has under way.'),
    leads: z.array(z.string()).describe('Shares whose scans it takes in.'),
    holds: z.array(holdJson),
  })
  .meta({ id: 'FleetAgent' });

export type FleetAgentJson = z.infer<typeof fleetAgent>;

export const FLEET = {
  fleet: {
    says: 'Which agents share the ledger, and how they are.',
    request: nothing,
    response: z.object({
      agents: z
        .array(fleetAgent)
        .nullable()
        .describe('By name; null for a ledger that one agent has to itself.'),
    }),
  },
} satisfies Record<string, Exchange>;
