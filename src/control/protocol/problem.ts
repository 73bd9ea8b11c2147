import { z } from 'zod';
import { ERROR_CODES } from '../../core/domain/errors.ts';
import { NEEDING_STATES } from '../../core/domain/needsPerson.ts';
import { SECTIONS, type Condition, type Problem } from '../../core/domain/problem.ts';
import { endpointKey, instant } from './shapes.ts';

const folder = z.string().nullable().describe('Its path; null for none in particular.');

const action = z
  .discriminatedUnion('operation', [
    z
      .object({
        operation: z.literal('resume'),
        target: z.string().nullable().describe('Null for everything.'),
      })
      .describe('Resume uploads, or confirm a folder as it is.'),
    z.object({ operation: z.literal('tryHeld') }).describe('Try everything on hold now.'),
    z
      .object({ operation: z.literal('list'), states: z.array(z.enum(NEEDING_STATES)).readonly(), folder })
      .describe('Look at the documents and files in these states that need a person.'),
    z
      .object({
        operation: z.literal('changeConfig'),
        section: z.enum(SECTIONS),
        folder,
      })
      .describe('Change these settings.'),
    z
      .object({ operation: z.literal('move'), from: endpointKey })
      .describe('Move what waits for an endpoint to another.'),
    z.object({ operation: z.literal('log') }).describe('Look into the log.'),
  ])
  .meta({ id: 'Action' });

/** Parameters of a code, as its words need them. */
export const params = z
  .record(z.string(), z.unknown())
  .describe('Plain values, depending on the code; times are ISO 8601.');

export const problemJson = z
  .object({
    key: z.string().describe('Identifies the problem: stays the same while it lasts and when it returns.'),
    code: z.enum(ERROR_CODES),
    params,
    subject: z
      .string()
      .nullable()
      .describe(
        'The folder, file, endpoint, agent or channel that it is about; null if it is not about one.',
      ),
    since: instant.nullable().describe('Null if nothing says when it began.'),
    needsAttention: z.boolean().describe('Whether a person has to act; if not, it resolves itself.'),
    actions: z.array(action).readonly().describe('What can be done about it; the most useful first.'),
  })
  .meta({ id: 'Problem' });

export type ProblemJson = z.infer<typeof problemJson>;

/** The parameters are those of its code. */
export function fromProblemJson(json: ProblemJson): Problem {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return json as unknown as Problem;
}

/** The parameters are those of its code. */
export function conditionOfJson({ code, params: its }: Pick<ProblemJson, 'code' | 'params'>): Condition {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { code, params: its } as unknown as Condition;
}
