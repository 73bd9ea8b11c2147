import { z } from 'zod';
import { instant, nothing, type Exchange } from './shapes.ts';

/** Over the socket only: who reaches it may do everything anyway. */
export const CONSOLE = {
  openConsole: {
    says: 'A link that opens the console in a browser, once.',
    request: nothing,
    response: z.object({
      url: z.string().describe('With a token that is good for one use.'),
      validUntil: instant,
    }),
  },
} satisfies Record<string, Exchange>;
