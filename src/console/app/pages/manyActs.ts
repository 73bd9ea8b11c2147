import type { ListRowJson } from '../../../control/protocol/documents.ts';
import type { ManyAct } from '../../../control/protocol/many.ts';
import type { Request } from '../../../control/protocol/protocol.ts';
import { callInParts } from '../api.ts';
import { LIST_STATES } from '../parts/State.tsx';
import { requestOf, type FilterText } from './documentFilter.ts';

export type RowsAct = Exclude<ManyAct, 'undismiss' | 'move'>;

/** A selection: individual rows, or everything that a filter lists. */
export type Chosen =
  | { readonly kind: 'rows'; readonly rows: readonly ListRowJson[] }
  | { readonly kind: 'filter'; readonly filter: FilterText };

/** Number of selected rows that each action applies to. */
export type ActCounts = Readonly<Record<RowsAct | 'images' | 'all', number>>;

/** The agent's limit per request. */
export const MOST_ROWS = 1_000;
const AT_ONCE = 1_000;

const UNDECIDED: readonly string[] = ['failed', 'unconfirmed', 'lost'];

const isDocument = ({ documentId, fileId }: ListRowJson): boolean => documentId !== null && fileId === null;

const FITS: Readonly<Record<RowsAct, (row: ListRowJson) => boolean>> = {
  retry: (row) => isDocument(row) && UNDECIDED.includes(row.state),
  resend: (row) => isDocument(row) && row.state === 'accepted',
  dismiss: ({ needsPerson }) => needsPerson,
};

export function countsOf(rows: readonly ListRowJson[]): ActCounts {
  const count = (isMeant: (row: ListRowJson) => boolean) => rows.filter(isMeant).length;
  return {
    retry: count(FITS.retry),
    resend: count(FITS.resend),
    dismiss: count(FITS.dismiss),
    images: count(isDocument),
    all: rows.length,
  };
}

const OF_DOCUMENTS: readonly string[] = ['queued', 'uploading', 'held', 'accepted', ...UNDECIDED];

/** Counts for a filter, as counted by the agent. */
export async function countFilter(filter: FilterText, signal: AbortSignal): Promise<ActCounts> {
  const { order: _, ...request } = requestOf(filter);
  const inStates = (states: readonly string[]) =>
    countAll(
      { ...request, states: (request.states ?? LIST_STATES).filter((each) => states.includes(each)) },
      signal,
    );
  const needed = request.attention === undefined || request.attention === 'needed';
  return {
    retry: await inStates(UNDECIDED),
    resend: await inStates(['accepted']),
    dismiss: needed ? await countAll({ ...request, attention: 'needed' }, signal) : 0,
    images: await inStates(OF_DOCUMENTS),
    all: await countAll(request, signal),
  };
}

async function countAll(request: Request<'countDocuments'>, signal: AbortSignal): Promise<number> {
  if (request.states?.length === 0) return 0;
  let count = 0;
  for await (const part of callInParts('countDocuments', request, signal)) count += part.count;
  return count;
}

export interface ManyDone {
  readonly count: number;
  readonly failed: number;
  readonly documents: readonly number[];
  readonly files: readonly number[];
}

/** Of several acts, one after the other. @throws ApiError; anything done before that stays done */
export async function actsOn(acts: readonly RowsAct[], chosen: Chosen): Promise<ManyDone> {
  let all = NOTHING;
  for (const act of acts) all = together(all, await actOn(act, chosen));
  return all;
}

const NOTHING: ManyDone = { count: 0, failed: 0, documents: [], files: [] };

/** @throws ApiError; anything done before that stays done */
export async function actOn(act: RowsAct, chosen: Chosen): Promise<ManyDone> {
  if (chosen.kind === 'filter') {
    const { order: _, ...filter } = requestOf(chosen.filter);
    return inParts({ act, filter });
  }
  const rows = chosen.rows.filter(FITS[act]);
  return onNumbers(act, {
    documents: rows.filter(isDocument).flatMap(({ documentId }) => documentId ?? []),
    files: rows.flatMap(({ fileId }) => fileId ?? []),
  });
}

export const undoDismissal = (done: ManyDone): Promise<ManyDone> => onNumbers('undismiss', done);

async function onNumbers(
  act: ManyAct,
  { documents, files }: Pick<ManyDone, 'documents' | 'files'>,
): Promise<ManyDone> {
  let all = NOTHING;
  for (let at = 0; at < Math.max(documents.length, files.length); at += AT_ONCE) {
    const part = {
      documents: documents.slice(at, at + AT_ONCE),
      files: files.slice(at, at + AT_ONCE),
    };
    all = together(all, await inParts({ act, ...part }));
  }
  return all;
}

async function inParts(request: Request<'actOnMany'>): Promise<ManyDone> {
  let all = NOTHING;
  for await (const { done, count, failed } of callInParts('actOnMany', request))
    all = together(all, { ...done, count, failed });
  return all;
}

const together = (a: ManyDone, b: ManyDone): ManyDone => ({
  count: a.count + b.count,
  failed: a.failed + b.failed,
  documents: [...a.documents, ...b.documents],
  files: [...a.files, ...b.files],
});
