/** The columns of documents and files, the same in every output; their heads stand beside this, by language. */

/** Every field that has a column, and what it holds. */
export const FIELDS = {
  name: 'name',
  state: 'state',
  status: 'text',
  endpointUid: 'text',
  path: 'path',
  sha256: 'text',
  type: 'text',
  size: 'bytes',
  attempts: 'count',
  answerLost: 'flag',
  reason: 'text',
  message: 'text',
  archivedTo: 'path',
  sentAt: 'time',
  acceptedAt: 'time',
  createdAt: 'time',
  updatedAt: 'time',
} as const;
export type Field = keyof typeof FIELDS;

/** In their order. Not a field: `endpoint`, its alias; `why`, what explains the state; `posted`, a column for each named value of results. */
export const LISTS = {
  /** `receiptd list` */
  terminal: ['name', 'state', 'status', 'attempts', 'posted', 'createdAt', 'path', 'why'],
  console: ['name', 'state', 'status', 'posted', 'endpoint', 'size', 'createdAt'],
  /** The console's files that were not sent. */
  unsent: ['path', 'why', 'size', 'createdAt'],
  /** CSV: what an accountant needs; everything, as it is in JSON. */
  accountant: ['path', 'name', 'sentAt', 'acceptedAt', 'endpoint', 'status', 'posted'],
  program: [...(Object.keys(FIELDS) as readonly Field[]), 'posted'],
} as const;
