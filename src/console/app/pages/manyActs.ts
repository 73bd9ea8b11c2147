import type { ListRowJson } from '../../../control/protocol/documents.ts';
import type { ManyAct } from '../../../control/protocol/many.ts';
import type { Request, Response } from '../../../control/protocol/protocol.ts';
import { call } from '../api.ts';
import { LIST_STATES } from '../parts/State.tsx';
import { requestOf, type FilterText } from './documentFilter.ts';

export type Act = Exclude<ManyAct, 'undismiss'>;

/** A selection: individual rows, or everything that a filter lists. */
export type Chosen =
  | { readonly kind: 'rows'; readonly rows: readonly ListRowJson[] }
  | { readonly kind: 'filter'; readonly filter: FilterText };

/** Number of selected rows that each action applies to. */
export type Counts = Readonly<Record<Act | 'images' | 'all', number>>;

/** The agent's limit per request. */
export const MOST_ROWS = 1_000;
const AT_ONCE = 1_000;

const UNDECIDED: readonly string[] = ['failed', 'unconfirmed', 'lost'];

const isDocument = ({ documentId, sightingId }: ListRowJson): boolean =>
  documentId !== null && sightingId === null;

const FITS: Readonly<Record<Act, (row: ListRowJson) => boolean>> = {
  retry: (row) => isDocument(row) && UNDECIDED.includes(row.state),
  resend: (row) => isDocument(row) && row.state === 'accepted',
  dismiss: ({ needsPerson }) => needsPerson,
};

export function countsOf(rows: readonly ListRowJson[]): Counts {
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
export async function countFilter(filter: FilterText, signal: AbortSignal): Promise<Counts> {
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
  let next: string | null = null;
  do {
    const part: Response<'countDocuments'> = await call(
      'countDocuments',
      next === null ? request : { ...request, cursor: next },
      signal,
    );
    count += part.count;
    next = part.next;
  } while (next !== null);
  return count;
}

export interface Done {
  readonly count: number;
  readonly failed: number;
  readonly documents: readonly number[];
  readonly sightings: readonly number[];
}

/** @throws ApiError; anything done before that stays done */
export async function actOn(act: Act, chosen: Chosen): Promise<Done> {
  if (chosen.kind === 'filter') {
    const { order: _, ...filter } = requestOf(chosen.filter);
    return inParts((cursor) => ({ act, filter, ...(cursor !== null && { cursor }) }));
  }
  const rows = chosen.rows.filter(FITS[act]);
  return onNumbers(act, {
    documents: rows.filter(isDocument).flatMap(({ documentId }) => documentId ?? []),
    sightings: rows.flatMap(({ sightingId }) => sightingId ?? []),
  });
}

export const undoDismissal = (done: Done): Promise<Done> => onNumbers('undismiss', done);

async function onNumbers(
  act: ManyAct,
  { documents, sightings }: Pick<Done, 'documents' | 'sightings'>,
): Promise<Done> {
  let all: Done = { count: 0, failed: 0, documents: [], sightings: [] };
  for (let at = 0; at < Math.max(documents.length, sightings.length); at += AT_ONCE) {
    const part = {
      documents: documents.slice(at, at + AT_ONCE),
      sightings: sightings.slice(at, at + AT_ONCE),
    };
    all = together(all, await inParts(() => ({ act, ...part })));
  }
  return all;
}

async function inParts(request: (cursor: string | null) => Request<'actOnMany'>): Promise<Done> {
  let all: Done = { count: 0, failed: 0, documents: [], sightings: [] };
  let next: string | null = null;
  do {
    const part: Response<'actOnMany'> = await call('actOnMany', request(next));
    all = together(all, { ...part.done, count: part.count, failed: part.failed });
    next = part.next;
  } while (next !== null);
  return all;
}

const together = (a: Done, b: Done): Done => ({
  count: a.count + b.count,
  failed: a.failed + b.failed,
  documents: [...a.documents, ...b.documents],
  sightings: [...a.sightings, ...b.sightings],
});
