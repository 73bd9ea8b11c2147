import { z } from 'zod';
import { instant, nothing, type Exchange } from './shapes.ts';

/** Offered over the socket only: a user who can open it already has full control. */
export const CONSOLE = {
  openConsole: {
    says: 'A link that opens the console in a browser; it works once.',
    request: nothing,
    response: z.object({
      url: z.string().describe('Contains a token that works once.'),
      validUntil: instant,
    }),
  },
} satisfies Record<string, Exchange>;
