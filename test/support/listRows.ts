import { z } from 'zod';

/** Rows of `list --json`: the documented fields that tests check. */
export const ROWS = z.array(
  z.looseObject({
    name: z.string().nullable(),
    endpointUid: z.string().nullable(),
    sha256: z.string().nullable(),
    state: z.string(),
    status: z.string().nullable(),
    path: z.string(),
    attempts: z.number(),
    reason: z.string().nullable(),
    message: z.string().nullable(),
    answerLost: z.boolean(),
    archivedTo: z.string().nullable(),
    createdAt: z.string(),
  }),
);
export type Row = z.infer<typeof ROWS>[number];
