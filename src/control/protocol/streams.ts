import { MEDIA_TYPES } from '../../core/domain/imageType.ts';

/** Something else than one JSON object, asked for with GET. */
export interface StreamDescription {
  /** Such as `/v1/documents/{id}/image`. */
  readonly path: string;
  /** One sentence, for the description of the interface. */
  readonly says: string;
  /** Media types that it answers with. */
  readonly types: readonly string[];
  /** Names of what it takes in the query, and what they are. */
  readonly query: Readonly<Record<string, string>>;
}

const OF =
  "The first 16 digits of the document's hash: the answer may then be kept for a day. With those of another image it is 404.";

const FILTER = {
  states: 'States, with commas between.',
  endpoint: 'Base URL and uid joined by #.',
  folder: 'Absolute path.',
  search: 'Words; `documents` says where they are looked for.',
  attention:
    'needed: only what needs a person; dismissed: only what was dismissed; none: only what needs nobody.',
  statuses: 'Statuses of the service, as a JSON list.',
  values: 'As `documents` takes them, in JSON.',
  since: 'First seen at this time or later (ISO 8601).',
  until: 'First seen before this time (ISO 8601).',
};

export const STREAMS = {
  events: {
    path: '/v1/events',
    says: 'Server-sent events: `overview` when it has changed, `log` with each line of the log, the last ones first, `alive` where nothing else came for 15 s.',
    types: ['text/event-stream'],
    query: {},
  },
  zip: {
    path: '/v1/documents.zip',
    says: 'The images of documents, as they were admitted; those that are gone are named in MISSING.txt.',
    types: ['application/zip'],
    query: {
      ids: 'Numbers of documents, with commas between; instead of a filter.',
      ...FILTER,
    },
  },
  csv: {
    path: '/v1/documents.csv',
    says: 'What was seen, and what became of it, oldest first.',
    types: ['text/csv'],
    query: {
      ids: 'Numbers of documents, with commas between; instead of a filter.',
      ...FILTER,
      separator: 'Between cells: a comma if left out, or ; or tab.',
      bom: '1: with a byte order mark, by which Excel knows UTF-8.',
    },
  },
  json: {
    path: '/v1/documents.json',
    says: 'The same as a list, with the values of results (`fields`) by the names that the configuration gives them.',
    types: ['application/json'],
    query: {
      ids: 'Numbers of documents, with commas between; instead of a filter.',
      ...FILTER,
    },
  },
  image: {
    path: '/v1/documents/{id}/image',
    says: 'The image of a document, as it was admitted.',
    types: Object.values(MEDIA_TYPES),
    query: { download: '1: as a file to keep.' },
  },
  thumbnail: {
    path: '/v1/documents/{id}/thumbnail',
    says: 'A small picture of a document, 320 pixels long at most; 404 where there is none, 503 where there is none yet.',
    types: ['image/webp'],
    query: { of: OF },
  },
  preview: {
    path: '/v1/documents/{id}/preview',
    says: 'A picture of a page of a document, 1600 pixels long at most; `receiptd-pages` says how many pages there are. 404 where there is none, 503 where there is none yet.',
    types: ['image/webp'],
    query: { of: OF, page: 'From 1, which it is if left out.' },
  },
  evidence: {
    path: '/v1/documents/{id}/evidence',
    says: "All that the ledger holds of a document, with the journal's last entry.",
    types: ['application/json'],
    query: {},
  },
} satisfies Record<string, StreamDescription>;
