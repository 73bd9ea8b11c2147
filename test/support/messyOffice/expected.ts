import type { DocumentState } from '../../../src/core/domain/document.ts';
import type { Posted } from '../../../src/core/domain/posted.ts';
import { isFound, searchWords } from '../../../src/core/domain/search.ts';
import { isValueMeant } from '../../../src/core/domain/valueFilter.ts';
import type { ListFilter, ListOrder, ListRow } from '../../../src/core/ports/ledgerReports.ts';
import { resultOf } from './posted.ts';
import type { Image, Office, OtherFile, Scan } from './plan.ts';
import { toMessage } from '../../../src/core/domain/why.ts';

/** A row as it must be listed, without the ids, which the ledger chooses. */
export type ExpectedRow = Omit<ListRow, 'documentId' | 'fileId'> & { readonly folder: string };

/** The rows that a ledger with the recorded office must list, oldest first; derived from the plan alone. */
export function expectedRows(office: Office): ExpectedRow[] {
  const rows = [...office.scans()].flatMap((scan) => {
    const row = rowOf(office, scan);
    return row === null ? [] : [{ row, isFile: isFile(scan), number: scan.number }];
  });
  // At equal times documents come before other files, in either sort order.
  return rows
    .sort(
      (a, b) =>
        Date.parse(a.row.createdAt) - Date.parse(b.row.createdAt) ||
        Number(a.isFile) - Number(b.isFile) ||
        a.number - b.number,
    )
    .map(({ row }) => row);
}

export function inOrder(rows: readonly ExpectedRow[], order: ListOrder): readonly ExpectedRow[] {
  if (order === 'oldest') return rows;
  return rows
    .toReversed()
    .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || fileLast(a, b));
}

/** Whether a row matches a filter: the plain reference implementation. */
export function passes(
  row: ExpectedRow,
  { states, endpoint, folder, search = '', since, until, attention, statuses, values = [] }: ListFilter,
): boolean {
  const at = Date.parse(row.createdAt);
  return (
    (states === undefined || states.includes(row.state)) &&
    (endpoint === undefined || (row.baseUrl === endpoint.baseUrl && row.endpointUid === endpoint.uid)) &&
    (folder === undefined || row.folder === folder) &&
    (attention === undefined ||
      { needed: row.needsPerson, dismissed: row.dismissedAt !== null, none: !row.needsPerson }[attention]) &&
    (statuses === undefined || (row.status !== null && statuses.includes(row.status))) &&
    values.every((wanted) => isValueMeant(row.posted, wanted)) &&
    isFound(row, searchWords(search)) &&
    (since === undefined || at >= since) &&
    (until === undefined || at < until)
  );
}

const FILE_STATES: ReadonlySet<string> = new Set([
  'duplicate',
  'split',
  'rejected',
  'skipped',
  'incomplete',
  'unreadable',
]);

function fileLast(a: ExpectedRow, b: ExpectedRow): number {
  return Number(FILE_STATES.has(a.state)) - Number(FILE_STATES.has(b.state));
}

function isFile(scan: Scan): boolean {
  return scan.kind === 'file' || scan.duplicates !== null;
}

/** Nothing in the office has been dismissed. */
const UNDISMISSED = { dismissedBy: null, dismissedAt: null } as const;

function rowOf(office: Office, scan: Scan): ExpectedRow | null {
  if (scan.kind === 'file') return rowOfFile(scan);
  const document = rowOfDocument(office, scan.duplicates ?? scan);
  if (scan.duplicates === null) return document;
  const { at, folder, path, identity } = scan;
  return {
    ...document,
    folder,
    path: `${folder}/${path}`,
    size: identity.size,
    state: 'duplicate',
    attempts: 0,
    reason: null,
    message: null,
    answerLost: false,
    needsPerson: false,
    archivedTo: null,
    sentAt: null,
    acceptedAt: null,
    createdAt: iso(at),
    updatedAt: iso(at),
    notBefore: null,
  };
}

function rowOfFile({ at, folder, path, identity, note, after }: OtherFile): ExpectedRow | null {
  const goneAt = after[0]?.at;
  const { verdict: state, reason, message, sha256 } = note;
  if (goneAt !== undefined && (state === 'incomplete' || state === 'unreadable')) return null;
  return {
    folder,
    name: null,
    endpointUid: null,
    baseUrl: null,
    sha256,
    state,
    status: null,
    path: `${folder}/${path}`,
    attempts: 0,
    type: null,
    size: identity.size,
    reason,
    message,
    answerLost: false,
    needsPerson:
      goneAt === undefined && state !== 'skipped' && state !== 'split' && reason !== 'NOT_AN_IMAGE',
    ...UNDISMISSED,
    archivedTo: null,
    posted: [],
    sentAt: null,
    acceptedAt: null,
    createdAt: iso(at),
    updatedAt: iso(goneAt ?? at),
    notBefore: null,
  };
}

function rowOfDocument(office: Office, image: Image): ExpectedRow {
  const { at, folder, endpoint, name, sha256, identity } = image;
  let state: DocumentState = 'queued';
  let status: string | null = null;
  let [reason, message]: [string | null, string | null] = [null, null];
  let archivedTo: string | null = null;
  let [sentAt, acceptedAt]: [number | null, number | null] = [null, null];
  const posted: Posted[] = [];
  let [answerLost, attempts, notBefore, updatedAt, path] = [false, 0, 0, at, image.path];
  for (const after of image.after) {
    switch (after.do) {
      case 'begin':
        [state, attempts, updatedAt, sentAt] = ['uploading', attempts + 1, after.at, after.at];
        break;
      case 'send': {
        const { transition } = after;
        sentAt = after.at;
        [state, attempts, updatedAt, notBefore] = [
          transition.state,
          attempts + 1,
          after.at + after.tookMs,
          0,
        ];
        if (transition.state === 'accepted') {
          [status, reason, message] = [transition.serviceStatus, null, null];
          acceptedAt = after.at + after.tookMs;
          break;
        }
        ({ reason, message } = transition);
        if (transition.state !== 'queued') break;
        ({ notBefore } = transition);
        answerLost ||= transition.answerLost;
        break;
      }
      case 'lose':
        [state, reason, message, notBefore, updatedAt] = ['lost', 'BYTES_GONE', after.message, 0, after.at];
        break;
      case 'result':
        [status, updatedAt] = [after.status, after.at];
        posted.push(valuesOf(image, after.status));
        // A result proves that the document arrived.
        if (state === 'unconfirmed')
          [state, reason, message, acceptedAt] = ['accepted', null, null, after.at];
        break;
      case 'dispose':
        archivedTo = after.archivedTo && `${folder}/${after.archivedTo}/${path}`;
        break;
      case 'erase':
        [path, message, archivedTo, updatedAt] = ['', null, null, office.until];
        break;
      case 'gone':
    }
  }
  const hold = state === 'queued' ? holdOver(office, image) : undefined;
  return {
    folder,
    name,
    endpointUid: endpoint.uid,
    baseUrl: endpoint.baseUrl,
    sha256,
    state: hold ? 'held' : state,
    status,
    path: path === '' ? folder : `${folder}/${path}`,
    attempts,
    type: 'jpeg',
    size: identity.size,
    reason: hold?.reason ?? reason,
    message:
      hold === undefined
        ? message
        : hold.reason === 'PAUSED'
          ? toMessage({ is: 'paused', by: hold.message })
          : hold.message,
    answerLost,
    needsPerson: ['failed', 'unconfirmed', 'lost'].includes(state),
    ...UNDISMISSED,
    archivedTo,
    posted,
    sentAt: sentAt === null ? null : iso(sentAt),
    acceptedAt: acceptedAt === null || state !== 'accepted' ? null : iso(acceptedAt),
    createdAt: iso(at),
    updatedAt: iso(updatedAt),
    notBefore: notBefore === 0 ? null : iso(notBefore),
  };
}

/** The result of `resultOf`, flattened to JSON pointers. */
function valuesOf(image: Image, status: string): Posted {
  const { total, receipt } = resultOf(image, status);
  const values = Object.entries(receipt).map(([key, value]) => [`/receipt/${key}`, value] as const);
  return { '/total': total, ...Object.fromEntries(values) };
}

/** The hold that affects an image; no folder of the office has two. */
function holdOver({ holds, folders, endpoints }: Office, { folder, endpoint }: Image) {
  const scope =
    folder === folders.paused
      ? 'folder'
      : endpoint.uid === endpoints.warehouse.uid
        ? 'endpoint'
        : endpoint.uid === endpoints.agency.uid
          ? 'credentials'
          : null;
  return holds.find((hold) => hold.scope === scope);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
