import { z } from 'zod';
import { ATTEMPT_OUTCOMES, DOCUMENT_STATES, VERDICTS } from '../../core/domain/document.ts';
import { IMAGE_TYPES } from '../../core/domain/imageType.ts';
import { ATTENTIONS, LIST_STATES, PAGE_LIMIT } from '../../core/ports/ledgerReports.ts';
import { endpointKey, fact, instant, nothing, type Exchange } from './shapes.ts';

const listRow = z
  .object({
    name: z
      .string()
      .nullable()
      .describe(
        'Null for a file without a name. A duplicate has the name of the document that it duplicates.',
      ),
    endpointUid: z.string().nullable(),
    baseUrl: z.string().nullable(),
    sha256: z.string().nullable(),
    state: z.enum(LIST_STATES),
    status: z.string().nullable().describe("The service's status, verbatim."),
    path: z.string().describe('Absolute path where the file was seen.'),
    attempts: z.number().describe('Number of upload requests.'),
    documentId: z.number().nullable(),
    fileId: z.number().nullable().describe('The number of the file; null for a document.'),
    type: z.string().nullable(),
    size: z.number().describe('Bytes.'),
    reason: z.string().nullable(),
    message: z.string().nullable(),
    fact: fact.nullable(),
    answerLost: z.boolean(),
    needsPerson: z.boolean().describe('Whether a person has to act before it can be sent.'),
    dismissedBy: z.string().nullable().describe('Who dismissed it.'),
    dismissedAt: instant.nullable(),
    archivedTo: z.string().nullable(),
    posted: z
      .array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])))
      .describe(
        'Values that the service posted about the document, by JSON pointer; one object for each result, oldest first.',
      ),
    sentAt: instant.nullable().describe('When the latest upload request began.'),
    acceptedAt: instant
      .nullable()
      .describe('When the service accepted it, or a result confirmed it; null in any other state.'),
    createdAt: instant,
    updatedAt: instant,
    notBefore: instant.nullable(),
  })
  .describe('A file that was seen, with its document if it has one.')
  .meta({ id: 'ListRow' });

/** Conditions are combined with AND. */
export const documentFilter = z.object({
  states: z.array(z.enum(LIST_STATES)).optional(),
  endpoint: endpointKey.optional(),
  folder: z.string().optional().describe('Absolute path.'),
  search: z
    .string()
    .max(1000)
    .optional()
    .describe(
      "Words. Each must be part of the name, path, hash, state, the service's status, the message, or a value that the service posted. Case and accents are ignored.",
    ),
  since: instant.optional().describe('First seen at this time or later.'),
  until: instant.optional().describe('First seen before this time.'),
  statuses: z
    .array(z.string().max(1000))
    .max(100)
    .optional()
    .describe('Only documents with one of these statuses of the service, verbatim.'),
  values: z
    .array(
      z.object({
        pointer: z.string().regex(/^\//).max(200).describe('JSON pointer of the value (RFC 6901).'),
        contains: z.string().max(200).optional().describe('Words, as in `search`.'),
        from: z.string().max(40).optional().describe('A number, or a day (YYYY-MM-DD).'),
        to: z.string().max(40).optional().describe('The same; inclusive.'),
      }),
    )
    .max(8)
    .optional()
    .describe('Only documents whose latest posted values match.'),
  attention: z
    .enum(ATTENTIONS)
    .optional()
    .describe(
      'Only what needs a person, what was dismissed and has not changed since, or what needs nobody.',
    ),
});

const documentDetail = z
  .object({
    id: z.number(),
    name: z.string(),
    endpointUid: z.string(),
    baseUrl: z.string(),
    folder: z.string(),
    path: z.string().describe('Where it was first seen, relative to the folder.'),
    sha256: z.string(),
    type: z.enum(IMAGE_TYPES),
    size: z.number().describe('Bytes.'),
    lane: z.enum(['fresh', 'backlog']),
    state: z.enum(DOCUMENT_STATES),
    reason: z.string().nullable(),
    message: z.string().nullable(),
    fact: fact.nullable(),
    status: z.string().nullable().describe("The service's status, verbatim."),
    attemptCount: z.number().describe('Upload requests sent so far.'),
    oddAnswers: z
      .number()
      .describe('Answers that said nothing about it; many of them set it aside (`delivery.parkAfter`).'),
    answerLost: z.boolean(),
    createdAt: instant,
    updatedAt: instant,
    notBefore: instant.nullable(),
    response: z
      .string()
      .nullable()
      .describe(
        "The service's record, verbatim, or only its beginning if `responseCut` is set; null until accepted.",
      ),
    responseCut: z
      .object({ bytes: z.number(), sha256: z.string() })
      .nullable()
      .describe(
        'Length and SHA-256 of a record larger than `service.answerLimit`; null if `response` is complete.',
      ),
    needsPerson: z.boolean(),
    dismissedBy: z.string().nullable(),
    dismissedAt: instant.nullable(),
    attempts: z.array(
      z.object({
        id: z.number(),
        startedAt: instant,
        finishedAt: instant.nullable(),
        outcome: z.enum(ATTEMPT_OUTCOMES).nullable(),
        httpStatus: z.number().nullable(),
        bytes: z.number(),
        message: z.string().nullable(),
        fact: fact.nullable(),
      }),
    ),
    results: z
      .array(
        z.object({
          id: z.number(),
          receivedAt: instant,
          status: z.string().nullable(),
          sha256: z.string(),
          size: z.number(),
        }),
      )
      .describe('What the service posted about the document, oldest first.'),
    files: z.array(
      z.object({
        path: z.string(),
        verdict: z.enum(VERDICTS),
        size: z.number(),
        seenAt: instant,
        goneAt: instant.nullable(),
        disposed: z.enum(['archived', 'deleted', 'kept']).nullable(),
        archivedTo: z.string().nullable(),
        remark: z
          .string()
          .nullable()
          .describe('What was found when the image was checked (`qualityCheck: warn`).'),
        remarkFact: fact.nullable(),
      }),
    ),
  })
  .meta({ id: 'DocumentDetail' });

const bucket = z
  .object({
    at: instant.describe('Start of the bucket, which is `everyMs` long.'),
    accepted: z.number(),
    requests: z.number().describe('Upload requests that ended in this bucket.'),
    refused: z.number().describe('Requests whose document the service rejected.'),
    limited: z.number().describe('Requests that the service answered by asking to send less.'),
    trouble: z.number().describe('Requests that failed for another reason.'),
    bytes: z.number().describe('Size of the accepted images.'),
    medianMs: z.number().nullable().describe('Time from request to answer; null if nothing was accepted.'),
    slowestMs: z.number().nullable().describe('95th percentile of that time.'),
  })
  .meta({ id: 'HistoryBucket' });

const neighbour = z
  .number()
  .nullable()
  .describe('Number of the document; null if there is none, or none was found within half a second.');

export const DOCUMENTS = {
  documents: {
    says: 'One page of the files that were seen, and their documents.',
    request: documentFilter.extend({
      order: z
        .enum(['newest', 'oldest'])
        .optional()
        .describe('By the time when a file was first seen; newest first if left out.'),
      cursor: z.string().max(200).optional().describe('`next` of the previous page.'),
      limit: z.number().int().min(1).max(PAGE_LIMIT).optional().describe('50 if left out.'),
    }),
    response: z.object({
      rows: z.array(listRow),
      next: z
        .string()
        .nullable()
        .describe(
          'Where the next page begins; null at the end. A request searches a long ledger for half a second at most, so a page may have fewer rows than asked for, or none, and still be followed by another.',
        ),
      lookedUntil: instant.nullable().describe('How far the search has got.'),
    }),
  },
  neighbours: {
    says: 'The documents before and after one in a list.',
    request: documentFilter.extend({
      id: z.number().int().describe('Number of the document; it need not match the filter.'),
      order: z.enum(['newest', 'oldest']).optional().describe('Newest first if left out.'),
    }),
    response: z.object({
      previous: neighbour,
      next: neighbour,
    }),
  },
  countDocuments: {
    says: 'How many rows match a filter.',
    request: documentFilter.extend({
      cursor: z.string().max(200).optional().describe('`next` of the previous count.'),
    }),
    response: z.object({
      count: z.number().describe('Rows from the cursor on.'),
      next: z
        .string()
        .nullable()
        .describe('Where to continue counting; null at the end. A request counts for half a second at most.'),
    }),
  },
  document: {
    says: "Everything that is known about one document: its files, attempts and the service's answer.",
    request: z
      .object({
        id: z.number().int().optional(),
        name: z
          .string()
          .optional()
          .describe(
            'A name (in any case), a file, or the first characters of a name or hash, if they match one document.',
          ),
        sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .optional()
          .describe('The content of an image, whatever its document is called in each endpoint.'),
      })
      .refine((wanted) => Object.values(wanted).filter((each) => each !== undefined).length === 1, {
        error: 'either id, name or sha256',
      }),
    response: z.object({
      documents: z.array(documentDetail).describe('One for each endpoint that has this name or image.'),
    }),
  },
  history: {
    says: 'Uploads over time, for charts.',
    request: z.object({
      minutes: z.number().int().min(1).max(1440).optional().describe('How far back; 60 if left out.'),
    }),
    response: z.object({
      everyMs: z.number(),
      buckets: z.array(bucket).describe('Oldest first, with no gaps.'),
    }),
  },
  ledgerHead: {
    says: 'The last entry of the journal. Keep it elsewhere to prove later that nothing was rewritten.',
    request: nothing,
    response: z.object({
      head: z
        .object({ ledger: z.string(), seq: z.number(), hash: z.string() })
        .nullable()
        .describe('Null for a ledger without a journal.'),
    }),
  },
  knownEndpoints: {
    says: 'Endpoints that are configured or were created here, because the service does not list them.',
    request: nothing,
    response: z.object({
      endpoints: z.array(
        z.object({
          endpoint: endpointKey,
          name: z
            .string()
            .nullable()
            .describe('The name it was created with; null if it was only configured here.'),
          createdAt: instant.nullable(),
        }),
      ),
    }),
  },
} satisfies Record<string, Exchange>;

export type ListRowJson = z.infer<typeof listRow>;
export type DocumentFilter = z.infer<typeof documentFilter>;
export type DocumentDetailJson = z.infer<typeof documentDetail>;
export type HistoryBucket = z.infer<typeof bucket>;
