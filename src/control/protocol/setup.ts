import { z } from 'zod';
import { nothing, type Exchange } from './shapes.ts';

const said = z
  .object({
    text: z.string().describe('In English.'),
    parts: z
      .array(
        z.object({
          key: z.string().describe('Of what set-up says, or the code of an error.'),
          values: z.record(z.string(), z.union([z.string(), z.number()])),
        }),
      )
      .describe('The same for programs, one after another.'),
  })
  .meta({ id: 'SetupSaid' });

const question = z
  .object({
    id: z.int(),
    kind: z.enum(['text', 'folder', 'secret', 'choice', 'yesNo']),
    said,
    otherwise: z
      .union([z.string(), z.boolean()])
      .nullable()
      .describe('The answer where nothing is typed; null: something has to be.'),
    choices: z.array(z.object({ label: said, about: said.nullable() })),
  })
  .meta({ id: 'SetupQuestion' });

const line = z.object({
  said,
  answer: said.nullable().describe('Of a question that was answered; never a secret.'),
});

const end = z.object({
  isDone: z.boolean(),
  message: said,
  console: z.string().nullable().describe('A link that opens the console, once.'),
});

/** While `receiptd setup --browser` runs, over HTTP only. An agent offers none of it. */
export const SETUP = {
  setup: {
    says: 'How far a set-up in the browser is, as soon as it differs from what was seen, or after 20 seconds.',
    request: z.object({ seen: z.int().optional().describe('The revision of the last answer.') }),
    response: z.object({
      revision: z.int(),
      lines: z.array(line),
      question: question.nullable().describe('Null while something is being done, and in the end.'),
      end: end.nullable(),
    }),
  },
  answerSetup: {
    says: 'Answers the question of a set-up in the browser.',
    request: z.object({
      question: z.int(),
      answer: z
        .union([z.string().max(4096), z.int(), z.boolean()])
        .describe('Text, the index of a choice, or yes or no.'),
    }),
    response: z.object({ wrong: said.nullable().describe('What is wrong with the answer.') }),
  },
  restartSetup: {
    says: 'Asks the questions of a set-up in the browser from the first one on.',
    request: nothing,
    response: z.object({}),
  },
  setupFolders: {
    says: 'The directories in a directory, while a set-up in the browser asks for one.',
    request: z.object({
      path: z.string().max(4096).optional().describe('Absolute, as an answer before had it.'),
    }),
    response: z.object({
      path: z.string().nullable().describe('Null: the drives of this machine.'),
      parent: z.string().nullable(),
      folders: z.array(z.object({ name: z.string(), path: z.string() })),
      isCut: z.boolean().describe('There are more than these.'),
    }),
  },
} satisfies Record<string, Exchange>;
