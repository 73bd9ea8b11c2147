import { factsOf, IMAGE_TYPES } from '../../core/domain/imageType.ts';

/** An answer other than one JSON object, requested with GET. */
export interface StreamDescription {
  /** For example `/v1/documents/{id}/image`. */
  readonly path: string;
  /** One sentence, for the description of the interface. */
  readonly says: string;
  /** Media types of the answer. */
  readonly types: readonly string[];
  /** Query parameters and their descriptions. */
  readonly query: Readonly<Record<string, string>>;
}

const OF =
  "The first 16 digits of the document's hash, so that the answer can be cached for a day. 404 if they belong to another image.";

const FILTER = {
  states: 'States, separated by commas.',
  endpoint: 'Base URL and uid joined by #.',
  folder: 'Absolute path.',
  search: 'Words, as in `documents`.',
  attention:
    'needed: only what needs a person; dismissed: only what was dismissed; none: only what needs nobody.',
  statuses: 'Statuses of the service, as a JSON array.',
  values: 'As in `documents`, in JSON.',
  since: 'First seen at this time or later (ISO 8601).',
  until: 'First seen before this time (ISO 8601).',
  timeZone:
    "The reader's time zone, such as Europe/Berlin, whose days name the file; the agent's if left out.",
};

export const STREAMS = {
  events: {
    path: '/v1/events',
    says: 'Server-sent events: `overview` whenever it changes; `log` with each line of the log, beginning with the most recent ones; `alive` after 15 s without another event.',
    types: ['text/event-stream'],
    query: {},
  },
  zip: {
    path: '/v1/documents.zip',
    says: 'The images of documents, as they were admitted. MISSING.txt names the images that are gone.',
    types: ['application/zip'],
    query: {
      ids: 'Numbers of documents, separated by commas; instead of a filter.',
      ...FILTER,
      language: 'Language of MISSING.txt: en if left out, or de.',
    },
  },
  csv: {
    path: '/v1/documents.csv',
    says: 'The files that were seen, and their documents, oldest first.',
    types: ['text/csv'],
    query: {
      ids: 'Numbers of documents, separated by commas; instead of a filter.',
      ...FILTER,
      separator: 'Separator of cells: a comma if left out, or ; or tab.',
      bom: '1: with a byte order mark, so that Excel recognizes UTF-8.',
      language:
        'Language of the heads and explanations, en or de; if left out, en, or with all columns the names of the fields.',
      columns:
        'all: all columns, for programs, with times in UTC; if left out, those that a person needs, with days.',
    },
  },
  json: {
    path: '/v1/documents.json',
    says: 'The same as a JSON array, with the values of results (`fields`) by their configured names.',
    types: ['application/json'],
    query: {
      ids: 'Numbers of documents, separated by commas; instead of a filter.',
      ...FILTER,
    },
  },
  image: {
    path: '/v1/documents/{id}/image',
    says: 'The image of a document, as it was admitted.',
    types: IMAGE_TYPES.map((type) => factsOf(type).mediaType),
    query: { download: '1: as a download.' },
  },
  thumbnail: {
    path: '/v1/documents/{id}/thumbnail',
    says: 'A thumbnail of a document, with a longest side of 320 pixels at most. 404 if there is none, 503 if there is none yet.',
    types: ['image/webp'],
    query: { of: OF },
  },
  preview: {
    path: '/v1/documents/{id}/preview',
    says: 'A preview of one page of a document, with a longest side of 1600 pixels at most. The header `receiptd-pages` gives the number of pages. 404 if there is none, 503 if there is none yet.',
    types: ['image/webp'],
    query: { of: OF, page: 'Number of the page; 1 if left out.' },
  },
  evidence: {
    path: '/v1/documents/{id}/evidence',
    says: "Everything that the ledger has about a document, with the journal's last entry.",
    types: ['application/json'],
    query: {},
  },
} satisfies Record<string, StreamDescription>;
