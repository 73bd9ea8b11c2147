import { z } from 'zod';
import { ERROR_CODES } from '../../core/domain/errors.ts';

/** One operation: its request and its response. */
export interface Exchange {
  /** One sentence, for the description of the interface. */
  readonly says: string;
  readonly request: z.ZodType;
  readonly response: z.ZodType;
}

export const nothing = z.record(z.string(), z.never());

/** ISO 8601, UTC. */
export const instant = z.string().meta({ format: 'date-time' });

/** Null if the message has none. */
export const fact = z
  .record(z.string(), z.unknown())
  .describe('What the message is made of: a code (`is`) and its parameters.');

/** Recorded in the journal. */
export const by = z.string().optional().describe('Operating-system user who makes the request.');
/** Recorded for a request without `by`. */
export const SOMEBODY = 'somebody';

export const endpointKey = z
  .object({ baseUrl: z.string(), uid: z.string() })
  .describe('An endpoint as the service knows it.')
  .meta({ id: 'EndpointKey' });

/** Body of every answer with a status other than 200. */
export const errorBody = z
  .object({
    code: z.enum(ERROR_CODES),
    message: z.string(),
    hint: z.string().optional(),
    key: z.string().optional().describe('The code and the reason, for its words in another language.'),
    params: z.record(z.string(), z.unknown()).optional().describe('What the words of `key` are about.'),
    keys: z.array(z.string()).optional().describe('The keys of the configuration that are wrong, if any.'),
  })
  .meta({ id: 'Error' });
