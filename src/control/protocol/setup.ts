import { z } from 'zod';
import { nothing, type Exchange } from './shapes.ts';

const said = z
  .object({
    text: z.string().describe('In English.'),
    parts: z
      .array(
        z.object({
          key: z.string().describe('Key of a text of setup, or an error code.'),
          values: z.record(z.string(), z.unknown()),
        }),
      )
      .describe('The same, for programs, in order.'),
  })
  .meta({ id: 'SetupSaid' });

const question = z
  .object({
    id: z.int(),
    kind: z.enum(['text', 'folder', 'secret', 'choice', 'yesNo']),
    said,
    otherwise: z
      .union([z.string(), z.int(), z.boolean()])
      .nullable()
      .describe(
        'The answer if nothing is typed, or the index of the choice that is meant unless another is made; null if an answer is required.',
      ),
    choices: z.array(z.object({ label: said, about: said.nullable() })),
  })
  .meta({ id: 'SetupQuestion' });

const line = z.object({
  said,
  answer: said.nullable().describe('The answer to a question; never a secret.'),
});

const end = z.object({
  isDone: z.boolean(),
  message: said,
  console: z.string().nullable().describe('A link that opens the console; it works once.'),
});

/** Offered only by `receiptd setup --browser` and only over HTTP; a running agent does not offer them. */
export const SETUP = {
  setup: {
    says: 'The progress of setup in the browser: answered as soon as it has changed, or after 20 seconds.',
    request: z.object({ seen: z.int().optional().describe('`revision` of the last answer.') }),
    response: z.object({
      revision: z.int(),
      lines: z.array(line),
      question: question.nullable().describe('Null while setup is working, and at the end.'),
      end: end.nullable(),
    }),
  },
  answerSetup: {
    says: 'Answers a question of setup in the browser.',
    request: z.object({
      question: z.int(),
      answer: z
        .union([z.string().max(4096), z.int(), z.boolean()])
        .describe('A text, the index of a choice, or yes (true) or no (false).'),
    }),
    response: z.object({ wrong: said.nullable().describe('What is wrong with the answer.') }),
  },
  backInSetup: {
    says: 'Goes back from a question of setup in the browser to the one before, which is asked again.',
    request: z.object({ question: z.int() }),
    response: z.object({}),
  },
  restartSetup: {
    says: 'Starts setup in the browser again from the first question.',
    request: nothing,
    response: z.object({}),
  },
} satisfies Record<string, Exchange>;
